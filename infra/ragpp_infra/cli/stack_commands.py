"""`ragpp up`, `down`, `status` and `logs`: the embedded stack from the terminal."""

import asyncio
import sys
import time
from collections import deque
from dataclasses import asdict
from typing import Annotated, Final

import httpx
import typer
from rich.table import Table
from rich.text import Text

from ragpp.errors import InvalidInput, MemorySystemError
from ragpp.jobs import LagReport
from ragpp_infra.cli.console import ExitCode, emit_json, out, plain, safe
from ragpp_infra.cli.foreground import bring_up, stop_what_was_started, watch
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption
from ragpp_infra.embedded.lifecycle import Lifecycle, ProcessStatus
from ragpp_infra.embedded.place import NotRunning
from ragpp_infra.embedded.servers.server import SERVERS
from ragpp_infra.embedded.services import GATEWAY, MOST_WORKERS, is_worker

_FOLLOW_S: Final = 0.3


def up(
    home: HomeOption = DEFAULT_HOME,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_WORKERS,
            help="Worker processes, from now on; surplus ones are stopped. Default: as many as there were, at first 1.",
        ),
    ] = None,
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Stay, start again what ends by itself, stop all on Ctrl-C.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Start PostgreSQL, Valkey, Neo4j, the gateway and the workers. What runs already is left as it is, unless it was
    started with other settings than the environment has now: that is started again with these.

    The first start downloads Neo4j once.

    Example: [bold]ragpp up --workers 3 && ragpp status[/bold]
    """
    lifecycle = Lifecycle(home)
    started = bring_up(lifecycle, workers=workers, quiet=as_json)
    if as_json:
        emit_json(
            {
                "url": lifecycle.place.url(),
                "key_path": str(lifecycle.place.key_path),
                "seconds": round(started.seconds, 3),
                "servers": [asdict(report) for report in started.servers],
                "services": [asdict(report) for report in started.services],
            }
        )
    else:
        out.print(access(lifecycle, seconds=started.seconds), soft_wrap=True)
    if foreground:
        try:
            watch(lifecycle)
        except KeyboardInterrupt:
            pass  # asked for
        finally:
            stop_what_was_started(lifecycle)


def access(lifecycle: Lifecycle, *, seconds: float) -> Text:
    """Where the gateway is and how to use it."""
    place = lifecycle.place
    return safe(
        f"ready in {seconds:.1f} s: {place.url()} (API: {place.url()}/docs), key in {place.key_path}\n"
        'try: ragpp remember "My sister Elena moved to Porto." --user me\n'
        '     ragpp recall "Where does my sister live?" --user me'
    )


def down(
    home: HomeOption = DEFAULT_HOME,
    fast: Annotated[bool, typer.Option("--fast", help="At once; the next start recovers.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Stop everything that runs, in order; nothing that was acknowledged is lost. Ctrl-C ends it at once.

    Example: [bold]ragpp down[/bold]
    """
    reports = Lifecycle(home).bring_down(fast=fast)
    if as_json:
        emit_json({"servers": [asdict(report) for report in reports]})
        return
    for report in reports:
        if report.action != "absent":
            out.print(f"  {report.name:<10} {report.action} in {report.seconds:.1f} s")
    if all(report.action == "absent" for report in reports):
        out.print("nothing was running")


def status(home: HomeOption = DEFAULT_HOME, as_json: JsonOption = False) -> None:
    """How each server is, whether every tier answers, what the workers have still to do, and where the key is.

    Answers 0 when all is well, 3 when nothing runs, 1 in between.

    Example: [bold]ragpp status --json[/bold]
    """
    lifecycle = Lifecycle(home)
    found = lifecycle.status()
    running = [process.name for process in found if process.running]
    tiers = _tiers(lifecycle) if GATEWAY in running else {}
    work = _work(lifecycle) if tiers else None
    well = len(running) == len(found) and bool(tiers) and all(tier["ok"] for tier in tiers.values())
    if as_json:
        emit_json(
            {
                "home": str(lifecycle.place.home.path),
                "url": lifecycle.place.url(),
                "key_path": str(lifecycle.place.key_path) if lifecycle.place.key() else None,
                "servers": [asdict(process) for process in found],
                "tiers": tiers,
                "work": work.model_dump(mode="json") if work else None,
            }
        )
    else:
        _show_status(lifecycle, found, tiers, work)
    if not running:
        raise typer.Exit(ExitCode.NOT_RUNNING)
    if not well:
        raise typer.Exit(ExitCode.FAILURE)


def env(home: HomeOption = DEFAULT_HOME) -> None:
    """Print the gateway's address and key as a shell takes them.

    Example: [bold]export $(ragpp env)[/bold]
    """
    place = Lifecycle(home).place
    url, key = place.url(), place.key()
    if url is None or key is None:
        raise NotRunning(f"there is no embedded stack in {place.home.path}")
    typer.echo(f"RAGPP_URL={url}\nRAGPP_API_KEY={key}")


def _tiers(lifecycle: Lifecycle) -> dict[str, dict[str, object]]:
    """Each tier's own ping, as the gateway tells; empty when it does not answer."""
    try:
        answer = httpx.get(f"{lifecycle.place.url()}/health/ready", timeout=5.0, trust_env=False)
        tiers: dict[str, dict[str, object]] = answer.json()["tiers"]
    except (httpx.HTTPError, ValueError, KeyError):
        return {}
    return tiers


def _work(lifecycle: Lifecycle) -> LagReport | None:
    """How far the workers are behind, as the gateway tells; None when it does not answer."""

    async def asked() -> LagReport:
        async with lifecycle.place.client(timeout_s=5.0) as client:
            return await client.lag()

    try:
        return asyncio.run(asked())
    except MemorySystemError:
        return None


def _show_status(
    lifecycle: Lifecycle,
    found: list[ProcessStatus],
    tiers: dict[str, dict[str, object]],
    work: LagReport | None,
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
    key = str(lifecycle.place.key_path) if lifecycle.place.key() else "none yet"
    out.print(safe(f"memory {total:.0f} MB; home {lifecycle.place.home.path}; key {key}"), soft_wrap=True)


def _show_work(work: LagReport) -> None:
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


def logs(
    name: Annotated[
        str | None, typer.Argument(help=f"gateway, workers, workers-2 …, {', '.join(SERVERS)}; default: all.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="The last lines of each.")] = 20,
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Show what the servers say.

    Example: [bold]ragpp logs gateway -f[/bold]
    """
    lifecycle = Lifecycle(home)
    paths = {label: lifecycle.services.log_path(label) for label in lifecycle.services.names()}
    if name is not None and is_worker(name) and lifecycle.services.log_path(name).exists():
        paths[name] = lifecycle.services.log_path(name)  # of a worker that was stopped since
    paths |= {server: lifecycle.stack.log_path(server) for server in SERVERS}
    if name is not None and name not in paths:
        raise InvalidInput(f"there is no log {name!r}", suggestions=(f"Choose among {', '.join(paths)}.",))
    chosen = {label: path for label, path in paths.items() if name in {None, label} and path.exists()}
    if not chosen:
        raise NotRunning(f"there are no logs in {lifecycle.place.home.path}")
    ends: dict[str, int] = {}
    for label, path in chosen.items():
        with path.open("rb") as file:
            shown = b"".join(deque(file, maxlen=lines))
            ends[label] = file.tell()
        _show_log(label, shown, heading=len(chosen) > 1)
    while follow:
        time.sleep(_FOLLOW_S)
        for label, path in chosen.items():
            size = path.stat().st_size
            if size == ends[label]:
                continue
            with path.open("rb") as file:
                file.seek(ends[label] if size > ends[label] else 0)  # a shorter file is a new one
                _show_log(label, file.read(), heading=len(chosen) > 1)
                ends[label] = file.tell()


def _show_log(label: str, content: bytes, *, heading: bool) -> None:
    if heading:
        sys.stdout.write(f"==> {label} <==\n")
    sys.stdout.write(plain(content.decode("utf-8", "replace")))
    sys.stdout.flush()
