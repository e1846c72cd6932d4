"""Servers that an adapter starts as child processes. Standard library only."""

import asyncio
import os
import re
import socket
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 180.0
POLL_S: Final = 0.2
LAST_CHARACTERS: Final = 200


def free_port() -> int:
    """One on the loopback address that nobody listens to at this moment."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


class Servers:
    """Child processes, stopped in the reverse order of their start."""

    def __init__(self) -> None:
        self._running: list[tuple[asyncio.subprocess.Process, Path]] = []

    async def start(self, command: Sequence[str | Path], settings: Mapping[str, str], folder: str) -> None:
        """Start one in `folder`, with `settings` beside the environment; what it says goes into a file there."""
        log = Path(folder) / f"{Path(command[0]).name}.log"
        with log.open("ab") as said:
            process = await asyncio.create_subprocess_exec(
                *map(str, command), env=os.environ | dict(settings), cwd=folder, stdout=said, stderr=subprocess.STDOUT
            )
        self._running.append((process, log))

    async def until(self, answers: Callable[[], Awaitable[bool]]) -> None:
        """Wait until `answers`. Raises RuntimeError when a server ends meanwhile, TimeoutError after PATIENCE_S."""
        async with asyncio.timeout(PATIENCE_S):
            while not await answers():
                for process, log in self._running:
                    if process.returncode is not None:
                        raise RuntimeError(f"{log.stem} ended with {process.returncode}: {_end_of(log)}")
                await asyncio.sleep(POLL_S)

    async def stop(self) -> None:
        """Stop all that run."""
        for process, _ in reversed(self._running):
            if process.returncode is None:
                process.terminate()
            await process.wait()
        self._running.clear()


def _end_of(log: Path) -> str:
    """The end of what a server said, in one line, without the folders of this machine."""
    said = log.read_text(encoding="utf-8", errors="replace")
    return re.sub(r"/\S*/", "", " ".join(said.split()))[-LAST_CHARACTERS:]
