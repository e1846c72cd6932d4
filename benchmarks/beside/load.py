"""The load on one system, in its own environment: commands come as lines of JSON on standard input.

    python -m benchmarks.beside.load MODULE < commands

Standard library only. `open` comes first; then `write`, `settle` and `search` as often as wanted; the end of the input
closes the system. Answers go to standard output, and what a library prints to standard error. A line `{"progress": n}`
says that n more messages or searches are done; the answer of a command is the line that has none.
"""

import asyncio
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TextIO

from benchmarks.beside.system import Message, Place, System

WRITERS: Final = 4
BATCH: Final = 50
PROGRESS_S: Final = 0.5


@dataclass
class Answers:
    """The answers that go out."""

    out: TextIO
    _pending: int = 0
    _told: float = field(default_factory=time.monotonic)

    def advance(self, count: int) -> None:
        """Tell that so many more are done, not more often than every half second."""
        self._pending += count
        if time.monotonic() - self._told > PROGRESS_S:
            self._tell({"progress": self._pending})
            self._pending, self._told = 0, time.monotonic()

    def answer(self, **values: object) -> None:
        """The answer of a command."""
        self._pending = 0
        self._tell(values)

    def _tell(self, values: object) -> None:
        self.out.write(json.dumps(values) + "\n")
        self.out.flush()


async def write(system: System, users: dict[str, list[Message]], limit_s: float, answers: Answers) -> None:
    """Store the messages of `users`, whole users one after the other by WRITERS at once, in batches of BATCH. After
    `limit_s` no further user is begun; `users` of the answer are those that were written."""
    waiting = iter(users.items())
    written: list[str] = []
    stored = 0
    began = time.perf_counter()

    async def writer() -> None:
        nonlocal stored
        for user, messages in waiting:
            for start in range(0, len(messages), BATCH):
                part = messages[start : start + BATCH]
                await system.write(user, part)
                stored += len(part)
                answers.advance(len(part))
            written.append(user)
            if limit_s and time.perf_counter() - began > limit_s:
                return

    await asyncio.gather(*(writer() for _ in range(WRITERS)))
    answers.answer(seconds=time.perf_counter() - began, messages=stored, users=written)


async def search(system: System, asked: Sequence[tuple[str, str]], clients: int, limit: int, answers: Answers) -> None:
    """Ask each of `asked`, (user, query), by so many clients, each of which waits for its answer; milliseconds and what
    was found stand in the order of `asked`."""
    waiting: Iterator[tuple[int, tuple[str, str]]] = iter(enumerate(asked))
    ms = [0.0] * len(asked)
    found: list[list[str]] = [[] for _ in asked]
    began = time.perf_counter()

    async def client() -> None:
        for place, (user, query) in waiting:
            started = time.perf_counter()
            found[place] = await system.search(user, query, limit)
            ms[place] = (time.perf_counter() - started) * 1_000
            answers.advance(1)

    await asyncio.gather(*(client() for _ in range(clients)))
    answers.answer(seconds=time.perf_counter() - began, ms=ms, found=found)


async def obey(system: System, answers: Answers) -> None:
    """Do what the lines of standard input say until they end, then close."""
    loop = asyncio.get_running_loop()
    try:
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            command = json.loads(line)
            began = time.perf_counter()
            match command["do"]:
                case "open":
                    settings = await system.open(Place(**command["place"]))
                    answers.answer(seconds=time.perf_counter() - began, settings=dict(settings))
                case "write":
                    users = {
                        user: [Message(**message) for message in messages]
                        for user, messages in command["users"].items()
                    }
                    await write(system, users, command["limit_s"], answers)
                case "settle":
                    await system.settle()
                    answers.answer(seconds=time.perf_counter() - began)
                case _:
                    asked = [(user, query) for user, query in command["asked"]]
                    await search(system, asked, command["clients"], command["limit"], answers)
    finally:
        await system.close()


def main() -> None:
    """Keep standard output for the answers, and obey."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    make: Callable[[], System] = importlib.import_module(f"benchmarks.beside.systems.{sys.argv[1]}").make
    asyncio.run(obey(make(), Answers(out)))


if __name__ == "__main__":
    main()
