"""The load generator as a process of the system's own environment, from this side."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel

from benchmarks.beside.system import Message, Place

ROOT: Final = Path(__file__).resolve().parents[2]
LAST_CHARACTERS: Final = 500
STOP_PATIENCE_S: Final = 60.0


class Failed(Exception):
    """A system ended or would not start; its text is the last line of its log."""


class Opened(BaseModel):
    """`seconds`: until it was ready to search."""

    seconds: float
    settings: dict[str, str]


class Written(BaseModel):
    """`users`: those of whom everything was written."""

    seconds: float
    messages: int
    users: list[str]


class Settled(BaseModel):
    seconds: float


class Searched(BaseModel):
    """`ms` and `found` are in the order of the questions."""

    seconds: float
    ms: list[float]
    found: list[list[str]]


class Child:
    """One process; `on_progress` is called with how many more messages or searches are done. Every method raises
    Failed when the process does not answer."""

    def __init__(self, python: Path, module: str, log: Path, on_progress: Callable[[int], None]) -> None:
        self._log, self._on_progress = log, on_progress
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [str(python), "-m", "benchmarks.beside.load", module],
                cwd=ROOT,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def open(self, place: Place) -> Opened:
        """Open the system."""
        return Opened.model_validate_json(self._ask({"do": "open", "place": asdict(place)}))

    def write(self, users: Mapping[str, Sequence[Message]], limit_s: float = 0.0) -> Written:
        """Write the messages of `users`; with a limit, no further user is begun after so many seconds."""
        said = {user: [asdict(message) for message in messages] for user, messages in users.items()}
        return Written.model_validate_json(self._ask({"do": "write", "users": said, "limit_s": limit_s}))

    def settle(self) -> Settled:
        """Wait until all that was written can be found."""
        return Settled.model_validate_json(self._ask({"do": "settle"}))

    def search(self, asked: Sequence[tuple[str, str]], clients: int, limit: int) -> Searched:
        """Ask each of `asked`, (user, query), by so many clients."""
        command = {"do": "search", "asked": asked, "clients": clients, "limit": limit}
        return Searched.model_validate_json(self._ask(command))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End it: orderly, by the end of its input, or at once when it does not."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(STOP_PATIENCE_S)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _ask(self, command: Mapping[str, object]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Failed(self._end_of_log()) from None
        for line in self._process.stdout:
            if not line.startswith('{"progress"'):
                return line
            self._on_progress(int(json.loads(line)["progress"]))
        raise Failed(self._end_of_log())

    def _end_of_log(self) -> str:
        """Its last line, where Python puts what was raised."""
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1][-LAST_CHARACTERS:] if lines else "it said nothing"
