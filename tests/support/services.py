"""Services of this project as processes of their own."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from tests.support.source import ROOT
from tests.support.waiting import eventually

HOST: Final = "127.0.0.1"
_STOP_S: Final = 60.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class ServiceProcess:
    """`python -m {module}` with `settings` in its environment; its output goes to a file in `folder`."""

    def __init__(self, module: str, settings: Mapping[str, str], folder: Path, arguments: Sequence[str] = ()) -> None:
        self._command = [sys.executable, "-m", module, *arguments]
        self._environment = {**os.environ, **settings}
        self.log = folder / f"{module}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; what it logged before stays."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, env=self._environment, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    @property
    def pid(self) -> int | None:
        """The process's id, while there is a process."""
        return None if self._process is None else self._process.pid

    def kill(self) -> None:
        """End it as a crash would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it orderly; killed when it takes too long."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """Stop it where it is, with what it holds, until `go_on`."""
        self._send(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on after `pause`; harmless when it runs."""
        self._send(signal.SIGCONT)

    def said(self) -> str:
        """The end of its output; a process that has ended by itself says so."""
        ended = self._process is not None and self._process.poll() is not None
        return f"{'(ended) ' if ended else ''}{self.log.read_text(errors='replace')[-3_000:]}"

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def running(*services: ServiceProcess) -> Iterator[None]:
    """All of them started, and ended on the way out."""
    try:
        for service in services:
            service.start()
        yield
    finally:
        for service in services:
            service.stop()


async def answers(url: str, *, within_s: float = 180.0, log: ServiceProcess) -> None:
    """Return once `url` answers 200. AssertionError with the service's output when it does not in time."""

    async def ask() -> bool:
        try:
            return (await client.get(url)).status_code == 200
        except httpx.TransportError:
            return False

    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
        try:
            await eventually(ask, within_s=within_s, what=url)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{log.said()}") from late
