"""The proofs' common part: a stack of their own, killing and reviving its processes, and generated conversations."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from ragpp.api import MessageIn
from ragpp_infra.embedded.environment import environment_of
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.processes import Command, ManagedProcess, tail
from ragpp_infra.embedded.servers.server import SERVERS
from ragpp_infra.embedded.stack import Stack

ProcessName = Literal["postgres", "valkey", "neo4j", "gateway", "workers"]
PEOPLE: Final = ("Elena", "Marco", "Yuki", "Amara", "Pavel", "Ines", "Tariq", "Lotte")
_PLACES: Final = ("Porto", "Leeds", "Kyoto", "Accra", "Brno", "Lyon", "Oslo", "Quito")
_KIN: Final = ("sister", "brother", "cousin", "aunt")
_FOODS: Final = ("tea", "coffee", "juice", "water")
_TOPICS: Final = ("the garden", "a long train ride", "the broken lamp", "our old neighbours", "the winter market")
_START: Final = datetime(2025, 1, 1, 9, tzinfo=UTC)
_ORDERLY: Final = ((signal.SIGTERM, 20.0), (signal.SIGKILL, 5.0))
_READY: Final = "relay.started"
"""In its log it says that a worker looks for work."""
_READY_PATIENCE_S: Final = 120.0


class Workers:
    """Worker processes with `names`, started by the proof itself beside a stack that runs. Their logs are those of the
    stack: `{name}.log`, or `{name}-{run}.log` where a `run` is named."""

    def __init__(self, home: Path, names: Sequence[str], run: str = "") -> None:
        self._home = Home(home)
        self._processes = {name: ManagedProcess(name, self._home.run) for name in names}
        self._suffix = f"-{run}" if run else ""

    def start(self, settings: Mapping[str, str] | None = None) -> None:
        """Start those that do not run, with the stack's settings and then these."""
        endpoints = Stack(self._home.path).endpoints()
        own = environment_of(self._home, endpoints, int(self._home.recall("gateway_port") or 0))
        for name, process in self._processes.items():
            if process.pid() is None:
                marker = f"ragpp_{name}={self._home.path}"
                process.spawn(
                    Command(
                        arguments=(sys.executable, "-X", marker, "-m", "ragpp_services.workers"),
                        log=self.log(name),
                        marker=marker,
                        working_directory=self._home.path,
                        environment=os.environ | own | dict(settings or {}),
                    )
                )

    def log(self, name: str) -> Path:
        """Where one of them logs to."""
        return self._home.logs / f"{name}{self._suffix}.log"

    def wait_until_ready(self) -> None:
        """Wait until each has said that it looks for work. Raises RuntimeError when one ends, or takes minutes."""
        deadline = time.monotonic() + _READY_PATIENCE_S
        for name, process in self._processes.items():
            while not is_ready(self.log(name).read_text(encoding="utf-8", errors="replace")):
                if process.pid() is None or time.monotonic() > deadline:
                    raise RuntimeError(f"{name} does not get ready:\n{tail(self.log(name))}")
                time.sleep(0.05)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to each."""
        for process in self._processes.values():
            process.signal(number)

    def pids(self) -> dict[str, int]:
        """Those that run."""
        return {name: pid for name, process in self._processes.items() if (pid := process.pid()) is not None}

    def stop(self) -> None:
        """Stop each: SIGTERM, and SIGKILL for what is still there 20 s later. Those that were paused go on first."""
        self.signal(signal.SIGCONT)
        with ThreadPoolExecutor(max_workers=len(self._processes) or 1) as pool:
            list(pool.map(lambda process: process.stop(_ORDERLY), self._processes.values()))


def is_ready(log: str) -> bool:
    """True where a worker's log says that it looks for work."""
    return _READY in log


def worker_names(count: int) -> list[str]:
    """The names of a stack's workers: workers, workers-2, workers-3 …"""
    return ["workers", *(f"workers-{number}" for number in range(2, count + 1))]


@dataclass
class Proving:
    """A stack in a folder of its own, and how to hurt it. `python`: the interpreter that it runs on; `settings`: those
    that it is started with from now on, beside the environment's."""

    home: Path
    python: Path = Path(sys.executable)
    settings: Mapping[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def ragpp(self, *arguments: str, quiet: bool = True) -> None:
        """Run the `ragpp` command on this stack. Raises CalledProcessError with its output when it fails."""
        subprocess.run(
            [str(self.python), "-m", "ragpp_infra.cli.main", *arguments],
            check=True,
            env=os.environ | {"RAGPP_HOME": str(self.home)} | dict(self.settings),
            stdout=subprocess.DEVNULL if quiet else None,
        )

    def up(self, workers: int = 1, *, quiet: bool = True) -> None:
        """Start what does not run, with so many workers."""
        self.ragpp("up", "--workers", str(workers), quiet=quiet)

    def restart(self, settings: Mapping[str, str]) -> None:
        """Start gateway and workers again with these settings in place of the former ones."""
        self.settings = settings
        self.ragpp("restart")

    def stop_workers(self) -> None:
        """Stop every worker of the stack, whoever started it."""
        found = [path.stem for path in Home(self.home).run.glob("*.pid")]
        Workers(self.home, [name for name in found if name.startswith(("workers", "proof"))]).stop()

    def kill(self, name: str) -> None:
        """End one process of the stack by SIGKILL, as a crash would: a ProcessName or one of `worker_names`."""
        for server in SERVERS:
            if server == name:
                Stack(self.home).kill(server)
                return
        process = ManagedProcess(name, Home(self.home).run)
        if process.pid() is None:
            raise RuntimeError(f"{name} does not run")
        process.signal(signal.SIGKILL)
        process.wait_gone(10.0)  # or whoever brings it back may find it running still

    def check(self, holds: bool, claim: str) -> None:
        """Print the claim with its verdict; a proof with a claim that does not hold ends with exit code 1."""
        print(f"  {'ok  ' if holds else 'FAIL'}  {claim}")
        if not holds:
            self.failures.append(claim)

    def verdict(self) -> None:
        """Exit with 1 when a claim did not hold."""
        if self.failures:
            sys.exit(f"{len(self.failures)} claims do not hold")
        print("every claim holds")


@contextmanager
def proving(
    home: Path,
    workers: int = 1,
    *,
    python: Path = Path(sys.executable),
    settings: Mapping[str, str] | None = None,
) -> Iterator[Proving]:
    """Bring a stack up in `home` with so many workers, on `python` and with these settings, and stop it afterwards; its
    data stays for a look."""
    stack = Proving(home, python, settings or {})
    stack.up(workers, quiet=False)
    try:
        yield stack
    finally:
        stack.stop_workers()
        stack.ragpp("down")


def conversation(seed: int, count: int, prefix: str) -> list[MessageIn]:
    """`count` messages with ids `{prefix}{n}`: small talk, and among it facts and preferences that are learned."""
    chance = random.Random(seed)
    messages = []
    for number in range(count):
        person, place = chance.choice(PEOPLE), chance.choice(_PLACES)
        match number % 5:
            case 0:
                content = f"My {chance.choice(_KIN)} {person} lives in {place}."
            case 1:
                content = f"I prefer {chance.choice(_FOODS)} over {chance.choice(_FOODS)}."
            case 2:
                content = f"We talked about {chance.choice(_TOPICS)} with {person} for {number % 50} minutes."
            case 3:
                content = f"{person} works at {place} Hospital."
            case _:
                content = f"Remember {chance.choice(_TOPICS)}, and that number {number} matters."
        messages.append(
            MessageIn(id=f"{prefix}{number}", content=content, occurred_at=_START + timedelta(minutes=number))
        )
    return messages


def statements(seed: int, count: int) -> list[str]:
    """`count` facts, no two of which are one."""
    chance = random.Random(seed)
    forms = (
        "The {place} depot of {person} holds {number} crates.",
        "{person} signed contract {number} with the office in {place}.",
        "Hall {number} of {place} Hospital is led by {person}.",
        "The ferry from {place} leaves at gate {number}, says {person}.",
    )
    return [
        chance.choice(forms).format(place=chance.choice(_PLACES), person=chance.choice(PEOPLE), number=number)
        for number in range(count)
    ]


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of `values` lies; values is not empty."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def wait_seconds(since: float) -> float:
    """Seconds since a moment of time.perf_counter."""
    return time.perf_counter() - since
