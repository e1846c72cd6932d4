"""What the proofs share: a stack of their own, killing and reviving its processes, and generated conversations."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from infra.cli.place import Place
from infra.cli.services import Services
from infra.embedded.stack import Stack
from ragpp.api import MessageIn

ProcessName = Literal["postgres", "valkey", "neo4j", "gateway", "workers"]
_PEOPLE: Final = ("Elena", "Marco", "Yuki", "Amara", "Pavel", "Ines", "Tariq", "Lotte")
_PLACES: Final = ("Porto", "Leeds", "Kyoto", "Accra", "Brno", "Lyon", "Oslo", "Quito")
_KIN: Final = ("sister", "brother", "cousin", "aunt")
_FOODS: Final = ("tea", "coffee", "juice", "water")
_TOPICS: Final = ("the garden", "a long train ride", "the broken lamp", "our old neighbours", "the winter market")
_START: Final = datetime(2025, 1, 1, 9, tzinfo=UTC)


@dataclass
class Proving:
    """A stack in a folder of its own, and how to hurt it."""

    home: Path
    failures: list[str] = field(default_factory=list)

    def ragpp(self, *arguments: str, quiet: bool = True) -> None:
        """Run the `ragpp` command on this stack. Raises CalledProcessError with its output when it fails."""
        subprocess.run(
            [sys.executable, "-m", "infra.cli.main", *arguments],
            check=True,
            env=os.environ | {"RAGPP_HOME": str(self.home)},
            stdout=subprocess.DEVNULL if quiet else None,
        )

    def kill(self, name: ProcessName) -> None:
        """End one process of the stack by SIGKILL, as a crash would."""
        if name in {"postgres", "valkey", "neo4j"}:
            Stack(self.home).kill(name)
            return
        pid = Services(Place(self.home)).pid(name)  # type: ignore[arg-type]  # one of the two services
        if pid is None:
            raise RuntimeError(f"{name} does not run")
        os.kill(pid, signal.SIGKILL)

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
def proving(home: Path) -> Iterator[Proving]:
    """Bring a stack up in `home`, and stop it afterwards; its data stays for a look."""
    stack = Proving(home)
    stack.ragpp("up", quiet=False)
    try:
        yield stack
    finally:
        stack.ragpp("down")


def conversation(seed: int, count: int, prefix: str) -> list[MessageIn]:
    """`count` messages with ids `{prefix}{n}`: small talk, and among it facts and preferences that are learned."""
    chance = random.Random(seed)
    messages = []
    for number in range(count):
        person, place = chance.choice(_PEOPLE), chance.choice(_PLACES)
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


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of `values` lies; values is not empty."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def wait_seconds(since: float) -> float:
    """Seconds since a moment of time.perf_counter."""
    return time.perf_counter() - since
