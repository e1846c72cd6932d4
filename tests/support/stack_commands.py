"""The command line on a stack: what a shell runs, in the test's process or in one of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from ragpp_infra.embedded.lifecycle import Lifecycle
from tests.support.command_line import Done
from tests.support.source import ROOT
from tests.support.waiting import waited_for

SAMPLE: Final = ROOT / "infra" / "ragpp_infra" / "samples" / "conversation.jsonl"
KNOWS: Final = """
import asyncio
from ragpp import MemoryClient, MemoryManager

async def asked():
    with MemoryClient.embedded() as client, client.conversation(user="c2", agent="chef", name="Ana") as talk:
        talk.user("I never eat aubergines.")
        talk.assistant("Noted.")
        print("aubergines" in talk.context("What does Ana never eat?"))
    async with MemoryManager(user_id="c1") as memory:
        found = await memory.retrieve("Who leads the support team?", k=1)
        print(memory.is_healthy, found.items[0].content.rstrip("."))

asyncio.run(asked())
"""
"""A program that knows of the stack what the environment says, and starts what of it does not run."""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "ragpp_infra.cli.main", *arguments]


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGPP_") or name == "RAGPP_CACHE"}
    return kept | {"RAGPP_HOME": str(home)}


@dataclass(frozen=True)
class CommandLine:
    """Commands on the module's stack, in the test's process: each as the shell would run it, but for the start of a
    process of its own."""

    home: Path
    run: Callable[..., Done]

    def ran(self, *arguments: str, answers: int = 0) -> Done:
        done = self.run(*arguments, home=self.home)
        assert done.returncode == answers, done.stdout + done.stderr
        return done

    def __call__(self, *arguments: str, answers: int = 0) -> str:
        return self.ran(*arguments, answers=answers).stdout

    def pids(self) -> dict[str, int]:
        rows = json.loads(self.run("status", "--json", home=self.home).stdout)["servers"]
        return {row["name"]: row["pid"] for row in rows if row["running"]}

    def kill(self, name: str) -> None:
        """End one process of the stack as a crash would; return when it is gone."""
        process = psutil.Process(self.pids()[name])
        process.kill()
        process.wait(60)

    def starts_nothing_more(self) -> None:
        """AssertionError where `up` finds anything to start or to start again."""
        assert {report["action"] for report in json.loads(self("up", "--json"))["services"]} == {"attached"}

    def until_digested(self, user: str, *, within_s: float = 180) -> None:
        waited_for(
            lambda: not json.loads(self("pending", "--user", user, "--json"))["pending"],
            within_s=within_s,
            what="digested",
        )


@contextmanager
def started(home: Path) -> Iterator[None]:
    """A stack in `home`, as `ragpp up` starts it; ended in whatever state it is then."""
    try:
        up = subprocess.run(
            command("up"), capture_output=True, text=True, timeout=400, check=False, env=environment(home)
        )
        assert up.returncode == 0, up.stdout + up.stderr
        assert "Traceback" not in up.stderr
        yield
    finally:
        Lifecycle(home).bring_down(fast=True)


@contextmanager
def staying(home: Path, *arguments: str, said: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A command that stays until it is told to end, in a process of its own; all that it says goes to `said`."""
    with said.open("wb") as file:
        process = subprocess.Popen(command(*arguments), stdout=file, stderr=subprocess.STDOUT, env=environment(home))
    with process:
        try:
            yield process
        finally:
            process.kill()  # no more than a formality, unless the test failed


def said_by(process: "subprocess.Popen[bytes]", said: Path, until: str) -> str:
    """All that it has said once it has said `until`, and that line to its end."""

    def complete() -> str:
        text = said.read_text(encoding="utf-8")
        assert process.poll() is None, text
        return text if until in text and text.endswith("\n") else ""

    return waited_for(complete, within_s=420, what=until)
