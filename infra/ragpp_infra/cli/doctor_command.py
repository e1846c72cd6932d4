"""`ragpp doctor`: whether everything works, and what to do where it does not."""

from collections.abc import Sequence
from typing import Final

import typer
from rich.table import Table
from rich.text import Text

from ragpp.api import HealthCheck, HealthReport
from ragpp.client import GatewayUnreachable
from ragpp.errors import ConfigurationError, MemorySystemError, StackError
from ragpp.errors.problems import problem_of
from ragpp_infra.cli.administering import as_administrator, is_own
from ragpp_infra.cli.console import ExitCode, emit_json, err, out, safe
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption
from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.looking import look_at
from ragpp_infra.embedded.services import GATEWAY

PATIENCE_S: Final = 150.0
"""A report takes a minute where the workers do nothing."""
_STYLES: Final = {"ok": "green", "slow": "yellow", "skipped": "dim", "failed": "bold red"}


def doctor(
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Try everything out: what works, how fast, and what to do where it does not.

    A memory is written, observed, extracted from, recalled, forgotten and looked for in every tier, in a tenant that is
    nobody's, of which nothing is left; each step with its time and its target. Of the embedded stack the servers, the
    disk and the secrets are looked at, too; it has a key of its own for it. Another gateway, as of `docker compose`,
    wants one with the scope `admin`: docker compose run --rm -T keys create --scopes admin

    Answers 0 when all works, also where something is slow; 1 when not; 3 when nothing runs.

    Example: [bold]ragpp doctor --json[/bold]
    """
    lifecycle = Lifecycle(home)
    local = is_own(lifecycle.home, url)
    seen = look_at(lifecycle) if local else []
    runs = not local or lifecycle.services.pid(GATEWAY) is not None
    report, problem = _reported(lifecycle, url, key) if runs else (None, None)
    checks = [*seen, *(report.checks if report else ())]
    failing = problem is not None or report is None or report.status == "failing"
    failing = failing or any(check.status == "failed" for check in seen)
    status = "failing" if failing else report.status if report else "failing"
    if as_json:
        _emit(status, seen, report, problem)
    else:
        _show(status, checks, report, problem)
    if local and not any(check.status == "ok" for check in seen if check.name.startswith(("server", "service"))):
        raise typer.Exit(ExitCode.NOT_RUNNING)
    if failing:
        raise typer.Exit(ExitCode.NOT_RUNNING if isinstance(problem, GatewayUnreachable) else ExitCode.FAILURE)


def _reported(
    lifecycle: Lifecycle, url: str | None, key: str | None
) -> tuple[HealthReport | None, MemorySystemError | None]:
    """The gateway's report, or why there is none."""
    try:
        with err.status("trying everything out …"):
            made = as_administrator(
                lifecycle, url, key, lambda client: client.make_health_report(), timeout_s=PATIENCE_S
            )
            return made, None
    except ConfigurationError:
        raise
    except (MemorySystemError, StackError) as error:
        return None, error


def _emit(status: str, seen: list[HealthCheck], report: HealthReport | None, problem: MemorySystemError | None) -> None:
    emit_json(
        {
            "status": status,
            "stack": [check.model_dump(mode="json") for check in seen],
            "report": report.model_dump(mode="json") if report else None,
            "problem": problem_of(problem).model_dump(mode="json") if problem else None,
        }
    )


def _show(
    status: str, checks: list[HealthCheck], report: HealthReport | None, problem: MemorySystemError | None
) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        told = safe("see below") if check.status == "failed" else safe(check.told or check.cause or "", "dim")
        table.add_row(Text(check.status, style=_STYLES[check.status]), safe(check.name), _time(check), told)
    out.print(table)
    if report is not None:
        _show_tiers(report)
    for (cause, fixes), names in _alike(checks).items():
        _show_what_to_do(f"{', '.join(names)}: {cause}", fixes)
    if problem is not None:
        _show_what_to_do(f"no report: {problem.code} {problem.message}", problem.suggestions)
    elif report is None:
        _show_what_to_do("no report: the gateway does not run", ("Start it: `ragpp up`.",))
    slow = [check for check in checks if check.status == "slow"]
    if slow:
        out.print(safe(f"slow: {', '.join(check.name for check in slow)}", "yellow"), soft_wrap=True)
        for fix in slow[0].fix:
            out.print(safe(f"  → {fix}", "dim"), soft_wrap=True)
    if not checks:
        return
    failed = sum(check.status == "failed" for check in checks)
    tried = f"{len(checks)} checks" + (f" in {report.took_ms / 1_000:.1f} s" if report else "")
    style = {"healthy": "bold green", "degraded": "bold yellow"}.get(status, "bold red")
    out.print(safe(f"{status}: {tried}, {failed} failed, {len(slow)} slow", style))


def _alike(checks: list[HealthCheck]) -> dict[tuple[str | None, tuple[str, ...]], list[str]]:
    """The names of what failed, by cause and what to do: three tiers are in PostgreSQL."""
    failed: dict[tuple[str | None, tuple[str, ...]], list[str]] = {}
    for check in checks:
        if check.status == "failed":
            failed.setdefault((check.cause, check.fix), []).append(check.name)
    return failed


def _show_what_to_do(problem: str, fixes: Sequence[str]) -> None:
    out.print(safe(problem, "bold red"), soft_wrap=True)
    for fix in fixes:
        out.print(safe(f"  → {fix}"), soft_wrap=True)


def _time(check: HealthCheck) -> Text:
    if check.ms is None:
        return safe("")
    return safe(f"{check.ms:.0f} ms" + (f" of {check.target_ms:.0f}" if check.target_ms else ""))


def _show_tiers(report: HealthReport) -> None:
    """Show what each store holds, how it grows, and how its recalls did."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("tier", "holds", "grew", "recalls", "answered"):
        table.add_column(heading, overflow="fold")
    for name, tier in report.tiers.items():
        state, growth, observed = tier.state, tier.growth, tier.observed
        size = "" if state is None or state.bytes is None else f"{state.bytes / 1e6:.1f} MB"
        held = ", ".join(f"{count} {kind}" for kind, count in _most(state.holds if state else {}))
        grew = ""
        if growth is not None:
            grown = "" if growth.bytes is None else f"{growth.bytes / 1e6:+.1f} MB"
            grew = f"{grown} since {growth.since:%m-%d %H:%M}".strip()
        within = "" if observed.within_target is None else f"{observed.within_target:.0%} in {tier.target_ms:.0f} ms"
        parts = ", ".join(part for part in (size, held) if part)
        table.add_row(name, safe(parts), safe(grew), str(observed.recalls), within)
    out.print()
    out.print(table)
    for cache, use in report.caches.items():
        if use.rate is not None:
            out.print(safe(f"  cache {cache}: {use.rate:.0%} of {use.hits + use.misses} had it"))
    policies = ", ".join(report.retention) or "none: all is kept but for conversations that end"
    out.print(safe(f"  retention policies: {policies}"))
    out.print()


def _most(holds: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(holds.items(), key=lambda one: -one[1])[:3]
