"""The readiness of a folder's gateway, and its last words where it never will be ready."""

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psutil

from ragpp.errors import StackError
from ragpp_infra.embedded.home import HOST
from ragpp_infra.embedded.processes import tail
from ragpp_infra.programs import in_short

PATIENCE_S: Final = 90.0
_POLL_S: Final = 0.1


def wait_until_ready(port: int, pid_now: Callable[[], int | None], log: Path) -> float:
    """Seconds until every tier was ready. Only the process of `pid_now` is asked: another may have the port. Raises
    StackError where that has ended or is not ready after PATIENCE_S."""
    import httpx  # noqa: PLC0415 - a fifth of a second that whoever starts nothing need not wait

    began = time.monotonic()
    last = "no answer"
    with httpx.Client(base_url=f"http://{HOST}:{port}", timeout=5.0, trust_env=False) as client:
        while True:
            pid = pid_now()
            try:
                if pid is not None and _listens(pid, port):
                    answer = client.get("/health/ready")
                    if answer.status_code == 200:
                        return time.monotonic() - began
                    last = answer.text[:500]
            except httpx.TransportError as error:
                last = type(error).__name__
            if pid is None:
                raise StackError(f"the gateway ended while starting. The end of {log}:\n{last_words(log)}")
            if time.monotonic() - began > PATIENCE_S:
                raise StackError(f"the gateway is not ready after {PATIENCE_S:.0f} s: {last}. See {log}")
            time.sleep(_POLL_S)


def is_taken(port: int) -> bool:
    """True where anybody accepts connections on `port`."""
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((HOST, port)) == 0


def last_words(log: Path, lines: int = 12) -> str:
    """The end of a log, its JSON lines in short."""
    return in_short(tail(log, lines))


def _listens(pid: int, port: int) -> bool:
    try:
        sockets = psutil.Process(pid).net_connections(kind="tcp4")
    except psutil.NoSuchProcess:
        return False
    return any(one.status == psutil.CONN_LISTEN and one.laddr.port == port for one in sockets)
