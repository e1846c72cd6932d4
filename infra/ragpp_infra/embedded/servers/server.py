"""The three servers' common part: start, wait until it answers, attach, stop."""

import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias, get_args

from ragpp.errors import StackError
from ragpp_infra.embedded.processes import Command, ManagedProcess, tail
from ragpp_infra.provisioning.errors import NotReady

ServerName: TypeAlias = Literal["postgres", "valkey", "neo4j"]
SERVERS: Final[tuple[ServerName, ...]] = get_args(ServerName)
Action: TypeAlias = Literal["started", "recovered", "attached", "stopped", "absent"]
OnStep: TypeAlias = Callable[[ServerName, str], None]
"""Called with a server's name and what it is doing, from that server's own thread."""

POLL_S: Final = 0.03


@dataclass(frozen=True)
class ServerReport:
    """The action of `up` or `down` on one server, and how long it took.

    `started` and `recovered` both start it; the second after clearing away what a killed one left behind, which
    `cleared` names. `attached` found it running. `pid` is 0 and `version` empty where it does not run (afterwards
    for `stopped`: the pid it had). `address` is `127.0.0.1:port` or the folder of the socket.
    """

    name: ServerName
    action: Action
    seconds: float
    pid: int
    version: str
    address: str
    cleared: tuple[str, ...] = ()


class Server(Protocol):
    """One of the three servers. The methods are called by one thread at a time, under the folder's lock."""

    name: ServerName
    patience_s: float
    process: ManagedProcess

    @property
    def log(self) -> Path:
        """Where it logs to."""

    def is_initialised(self) -> bool:
        """True where its data was made before, with the stack's passwords."""

    def command(self) -> Command:
        """How it is started. Only valid after `prepare`, except for the marker and the account."""

    def clear_leftovers(self) -> list[str]:
        """Remove what a killed server or a half-written first start left; say what. It is known not to run."""

    def prepare(self, step: Callable[[str], None], cancelled: threading.Event) -> None:
        """Make or bring up to date whatever it needs to start. Raises StackError."""

    def ping(self) -> str:
        """Its version, from a real answer as the application's user. Raises NotReady."""

    def provision(self) -> None:
        """Bring users, databases and extensions up to date once it runs; harmless to repeat."""

    def address(self) -> str:
        """`127.0.0.1:port`, or the folder of its socket."""

    def stop_signals(self) -> Sequence[tuple[signal.Signals, float]]:
        """The signals that stop it, each with the seconds that it gets."""


def start(server: Server, on_step: OnStep, *, fresh: bool, cancelled: threading.Event) -> ServerReport:
    """Start `server`, or attach to it when it runs; return when it answers.

    `fresh` says that its folder was made just now: what runs in it belongs to a folder that was deleted.
    Raises StackError, also soon after `cancelled` is set; what was started by then keeps running.
    """
    began = time.monotonic()
    cleared = ["pid file of a process that is gone"] if server.process.has_stale_pid_file() else []
    pid = server.process.find(server.command())
    if pid is not None and fresh:
        server.process.stop([(signal.SIGKILL, 10.0)])
        cleared, pid = ["server of a folder that was deleted"], None
    action: Action = "attached"
    if pid is None:
        cleared += server.clear_leftovers()
        server.prepare(lambda step: on_step(server.name, step), cancelled)
        on_step(server.name, "starting")
        pid = server.process.spawn(server.command())
        action = "recovered" if cleared else "started"
    version = _wait_until_ready(server, pid, cancelled)
    return ServerReport(
        name=server.name,
        action=action,
        seconds=time.monotonic() - began,
        pid=pid,
        version=version,
        address=server.address(),
        cleared=() if action == "attached" else tuple(cleared),
    )


def stop(server: Server, *, hurry: threading.Event) -> ServerReport:
    """Stop `server` if it runs; return when it is gone. Raises StackError when it does not go."""
    began = time.monotonic()
    if server.process.pid() is None:  # else nothing of what its start needs is asked for
        server.process.find(server.command())
    pid = server.process.stop(server.stop_signals(), hurry=hurry)
    return ServerReport(
        name=server.name,
        action="stopped" if pid else "absent",
        seconds=time.monotonic() - began,
        pid=pid or 0,
        version="",
        address="",
    )


def _wait_until_ready(server: Server, pid: int, cancelled: threading.Event) -> str:
    deadline = time.monotonic() + server.patience_s
    while True:
        try:
            server.provision()
            return server.ping()
        except NotReady as reason:
            if server.process.pid() is None:
                raise StackError(
                    f"{server.name} ended while starting. The end of {server.log}:\n{tail(server.log)}"
                ) from reason
            if time.monotonic() > deadline:
                raise StackError(
                    f"{server.name} (process {pid}) did not answer within {server.patience_s:.0f} s: {reason}. "
                    f"The end of {server.log}:\n{tail(server.log)}",
                    suggestions=("Repeat `ragpp up`: a recovery may take longer.", "Or `ragpp down`, then `ragpp up`."),
                ) from reason
        if cancelled.wait(POLL_S):
            raise StackError(f"the start of {server.name} was cancelled")
