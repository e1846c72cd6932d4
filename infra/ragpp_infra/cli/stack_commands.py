"""`ragpp down`, `env` and `logs`: the embedded stack from the terminal."""

import sys
import time
from collections import deque
from dataclasses import asdict
from typing import Annotated, Final

import typer

from ragpp_infra.cli.arguments import one_of
from ragpp_infra.cli.console import emit_json, err, out, plain, safe
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption
from ragpp_infra.embedded.home import Home, NotRunning
from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.servers.server import SERVERS
from ragpp_infra.embedded.services import GATEWAY, is_worker

_FOLLOW_S: Final = 0.3


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


def env(home: HomeOption = DEFAULT_HOME) -> None:
    """Print the gateway's address and key as a shell takes them. Says on standard error when it does not run.

    Example: [bold]export $(ragpp env)[/bold]
    """
    stack = Home(home)
    url, key = stack.url(), stack.key()
    if url is None or key is None:
        raise NotRunning(f"there is no embedded stack in {stack.path}")
    typer.echo(f"RAGPP_URL={url}\nRAGPP_API_KEY={key}")
    if Lifecycle(home).services.pid(GATEWAY) is None:
        err.print(safe("nobody answers there: the gateway is not running; start it with `ragpp up`", "yellow"))


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
    one_of(name, paths, "name")
    chosen = {label: path for label, path in paths.items() if name in {None, label} and path.exists()}
    if not chosen:
        raise NotRunning(f"there are no logs in {lifecycle.home.path}")
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
