"""`ragpp status`: how everything of the embedded stack is."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from ragpp.errors import ConfigurationError, MemorySystemError
from ragpp_infra.cli.console import ExitCode, emit_json, err, out, safe
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption
from ragpp_infra.embedded.lifecycle import Lifecycle, ProcessStatus
from ragpp_infra.embedded.services import GATEWAY
from ragpp_infra.embedded.settings_file import adopt

if TYPE_CHECKING:
    from ragpp.extraction.pipeline import Model
    from ragpp.jobs import LagReport


def status(home: HomeOption = DEFAULT_HOME, as_json: JsonOption = False) -> None:
    """How each server is, whether every tier answers, what the workers have still to do, where the key is, what
    messages are read with, and which settings a running service has otherwise than it would have, were it started again
    from here.

    Answers 0 when all is well, 3 when nothing runs, 1 in between.

    Example: [bold]ragpp status --json[/bold]
    """
    lifecycle = Lifecycle(home)
    found = lifecycle.status()
    running = [process.name for process in found if process.running]
    tiers = _tiers(lifecycle) if GATEWAY in running else {}
    work = _work(lifecycle) if tiers else None
    others = _other_settings(lifecycle) if lifecycle.services.pids() else {}
    reads = _pipeline()
    well = len(running) == len(found) and bool(tiers) and all(tier["ok"] for tier in tiers.values())
    if as_json:
        emit_json(
            {
                "home": str(lifecycle.home.path),
                "url": lifecycle.home.url(),
                "key_path": str(lifecycle.home.key_path) if lifecycle.home.key() else None,
                "servers": [asdict(process) for process in found],
                "tiers": tiers,
                "work": work.model_dump(mode="json") if work else None,
                "other_settings": others,
                "extraction": {"pipeline": reads.name, "reason": reads.reason or None},
            }
        )
    else:
        _show_status(lifecycle, found, tiers, work)
        learned = reads.name or f"of names, kin, dates and findings alone: {reads.reason}"
        out.print(safe(f"  {'extraction':<11} {learned}", "" if reads.name else "yellow"), soft_wrap=True)
        for service, names in others.items():
            said = f"  {service} runs with other settings: {', '.join(names)}; see ragpp config, apply: ragpp up"
            out.print(safe(said, "yellow"), soft_wrap=True)
    if not running:
        raise typer.Exit(ExitCode.NOT_RUNNING)
    if not well:
        raise typer.Exit(ExitCode.FAILURE)


def _other_settings(lifecycle: Lifecycle) -> dict[str, list[str]]:
    """Compared with the environment alone where the file of settings cannot be taken, which is told."""
    try:
        adopt()
    except ConfigurationError as error:
        err.print(safe(error.message, "yellow"), soft_wrap=True)
    return lifecycle.other_settings()


def _pipeline() -> "Model":
    """The model that the workers read messages with; they run in this environment."""
    from ragpp.extraction.pipeline import find_model  # noqa: PLC0415 - for this command alone

    return find_model()


def _tiers(lifecycle: Lifecycle) -> dict[str, dict[str, object]]:
    """Each tier's own ping, as the gateway tells; empty when it does not answer."""
    import httpx  # noqa: PLC0415 - nobody is asked where no gateway runs

    try:
        answer = httpx.get(f"{lifecycle.home.url()}/health/ready", timeout=5.0, trust_env=False)
        tiers: dict[str, dict[str, object]] = answer.json()["tiers"]
    except (httpx.HTTPError, ValueError, KeyError):
        return {}
    return tiers


def _work(lifecycle: Lifecycle) -> "LagReport | None":
    """How far the workers are behind, as the gateway tells; None when it does not answer."""

    async def asked() -> "LagReport":
        async with lifecycle.home.client(timeout_s=5.0) as client:
            return await client.lag()

    try:
        return asyncio.run(asked())
    except MemorySystemError:
        return None


def _show_status(
    lifecycle: Lifecycle,
    found: list[ProcessStatus],
    tiers: dict[str, dict[str, object]],
    work: "LagReport | None",
) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("server", "state", "pid", "memory", "up", ""):
        table.add_column(heading, justify="right" if heading in {"pid", "memory", "up"} else "left")
    for process in found:
        state = Text("running", style="green") if process.running else Text("down", style="red")
        numbers = (str(process.pid), f"{process.memory_mb:.0f} MB", _duration(process.uptime_s))
        table.add_row(process.name, state, *(numbers if process.running else ("", "", "")), safe(process.detail))
    out.print(table)
    for name, tier in tiers.items():
        said = f"{tier['ms']:.1f} ms" if tier["ok"] else f"not ready: {tier['detail']}"
        out.print(safe(f"  {name:<11} {said}", "" if tier["ok"] else "red"))
    if work is not None:
        _show_work(work)
    total = sum(process.memory_mb for process in found)
    key = str(lifecycle.home.key_path) if lifecycle.home.key() else "none yet"
    out.print(safe(f"memory {total:.0f} MB; home {lifecycle.home.path}; key {key}"), soft_wrap=True)


def _show_work(work: "LagReport") -> None:
    oldest = f", the oldest for {_duration(work.oldest_pending_s)}" if work.oldest_pending_s is not None else ""
    failed = f"; {work.failed} failed: ragpp jobs --state failed" if work.failed else ""
    out.print(safe(f"  {'work':<11} {work.pending} waiting{oldest}{failed}", "red" if work.failed else ""))
    for stage in work.stages:
        if stage.stage in {"forget", "erase"} and stage.waiting:
            said = f"{stage.waiting} not yet forgotten everywhere: ragpp jobs --stage {stage.stage}"
            out.print(safe(f"  {'forgetting':<11} {said}", "yellow"))


def _duration(seconds: float) -> str:
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 7_200 else f"{whole // 3_600} h"
