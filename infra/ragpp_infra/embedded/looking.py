"""How an embedded stack looks from outside, whether its gateway answers or not: its processes, files and disk."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ragpp.api import HealthCheck
from ragpp.disk import room_at
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.lifecycle import Lifecycle, ProcessStatus
from ragpp_infra.embedded.servers.server import SERVERS

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def look_at(lifecycle: Lifecycle) -> list[HealthCheck]:
    """The checks of a folder in which a stack was started."""
    home = lifecycle.home
    return [
        *(_process(process) for process in lifecycle.status()),
        _disk(home.path),
        _private(home),
    ]


def _process(process: ProcessStatus) -> HealthCheck:
    kind = "server" if process.name in SERVERS else "service"
    name = f"{kind} {process.name}"
    well = process.running and (kind == "service" or process.detail[:1].isdigit())
    if well:
        told = f"{process.detail}, " if kind == "server" else ""
        return HealthCheck(name=name, status="ok", told=f"{told}pid {process.pid}, {process.memory_mb:.0f} MB")
    begin = "Start it: `ragpp up`." if not process.running else "Start all again: `ragpp down`, then `ragpp up`."
    fix = (begin, f"See what it said last: `ragpp logs {process.name}`.")
    return HealthCheck(name=name, status="failed", cause=process.detail, fix=fix)


def _disk(folder: Path) -> HealthCheck:
    room = room_at(folder)
    if room.enough:
        return HealthCheck(name="disk of the stores", status="ok", told=room.told)
    fix = ("Make room, or move the folder to a larger disk while the stack is down, before nothing can be written.",)
    return HealthCheck(name="disk of the stores", status="failed", cause=f"it is nearly full: {room.told}", fix=fix)


def _private(home: Home) -> HealthCheck:
    open_ = [path.name for path in _secret_files(home) if path.stat().st_mode & _OTHERS]
    if not open_:
        return HealthCheck(name="secrets", status="ok", told="readable by their owner alone")
    names = " ".join(open_)
    fix = (f"Close them: `cd {os.path.relpath(home.path)} && chmod 600 {names}`.", "If others were there: new keys.")
    return HealthCheck(name="secrets", status="failed", cause=f"others can read {', '.join(open_)}", fix=fix)


def _secret_files(home: Home) -> Sequence[Path]:
    named = (home.path / name for name in ("secrets.json", "key", "admin-key", "client.json"))
    return [path for path in named if path.exists()]
