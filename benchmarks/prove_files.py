"""An agent's file of 500 memories, broken, imported while the gateway is killed, and answered beside the catalog.

    python -m benchmarks.prove_files [--memories 500] [--damages 20] [--messages 100] [--home FOLDER]

The file is damaged in as many places as asked for and imported; in the midst of it the gateway is killed. Nothing that
is whole may be missing, nothing may be there twice, each damaged memory must be named by its line, and once the file is
mended the rest must come. Then the agent is set to `parallel` and asked; the report is printed. Exit code 1 where a
claim does not hold.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np
from pydantic import JsonValue

from benchmarks.proof import Proving, proving
from benchmarks.scan_lab import questions, statements
from ragpp import MemoryCatalog
from ragpp.api.files import SourceReport
from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.entries.describing import keywords_of
from ragpp.entries.files import VERSION, read_file, written
from ragpp.errors import MemorySystemError
from ragpp.memory.files import ImportReport, export_file, import_file
from ragpp_infra.embedded.home import Home

USER: Final = "team"
AGENT: Final = "ergon"
START: Final = datetime(2026, 8, 1, tzinfo=UTC)
SEED: Final = 5
DAMAGES: Final = ('"content": "', '"id": "', '"tokens": ', "[\n", "{\n")
"""The characters that are taken away where a memory is damaged: each makes it no JSON."""


def file_text(contents: Sequence[str]) -> str:
    """A file as document 001 has it."""

    def memory(place: int) -> dict[str, JsonValue]:
        moment = (START + timedelta(hours=place)).isoformat().replace("+00:00", "Z")
        return {
            "id": f"mem_{place:06}",
            "timestamp": moment,
            "ci_source": AGENT,
            "type": "fact",
            "summary": contents[place][:50],
            "content": contents[place],
            "tokens": len(contents[place]) // 4,
            "relevance_tags": [*keywords_of(contents[place], most=4)],
            "priority": place % 11,
            "expires": None,
            "references": [],
        }

    header: dict[str, JsonValue] = {
        "version": VERSION,
        "ci_name": AGENT,
        "last_updated": START.isoformat(),
        "statistics": {"total_memories": len(contents)},
    }
    return "".join(written(header, (memory(place) for place in range(len(contents)))))


def damaged(text: str, count: int) -> tuple[str, dict[str, range]]:
    """The text with so many memories damaged, and these by id with the lines that each has."""
    chance = random.Random(SEED)
    memories = read_file(text.encode()).memories
    lines = text.split("\n")
    broken: dict[str, range] = {}
    for memory in sorted(chance.sample(memories, count), key=lambda one: -one.line):
        end = next(line for line in range(memory.line, len(lines)) if lines[line].strip() in {"}", "},"})
        body = "\n".join(lines[memory.line - 1 : end + 1])
        piece = chance.choice([one for one in DAMAGES if one in body])
        place = body.index(piece)
        kept = body[:place] + piece.replace('"', "", 1).replace("[", "", 1).replace("{", "", 1).replace(": ", " ", 1)
        lines[memory.line - 1 : end + 1] = (kept + body[place + len(piece) :]).split("\n")
        broken[memory.memory_id or ""] = range(memory.line, end + 2)
    return "\n".join(lines), broken


async def import_under_fire(stack: Proving, data: bytes) -> tuple[ImportReport, int]:
    """The report of the run that got through, and how many runs ended for the gateway's death."""
    interrupted, killed = 0, False

    def kill_once(dealt_with: int) -> None:
        nonlocal killed
        if not killed and dealt_with:
            killed = True
            stack.kill("gateway")

    while True:
        try:
            async with Home(stack.home).client(timeout_s=20) as client:
                return await import_file(client, data, user_id=USER, on_memory=kill_once), interrupted
        except MemorySystemError:
            interrupted += 1
            await asyncio.to_thread(stack.up, 1)


async def held(client: AsyncMemoryClient) -> Counter[str]:
    """The memories that the agent has, by the ids of its file."""
    exported = read_file((await export_file(client, system_clock(), user_id=USER, ci=AGENT)).encode())
    return Counter(one.memory_id or "" for one in exported.memories)


def show(report: SourceReport) -> None:
    """As `ragpp agents compare` does."""
    told = report.compared
    print(f"{told.turns} turns compared, {told.equal} given the same, {told.overlap or 0:.0%} given by both")
    for name, memories, tokens in (
        ("file", told.file_memories, told.file_tokens),
        ("catalog", told.catalog_memories, told.catalog_tokens),
    ):
        print(f"  {name:8} {memories / told.turns:5.1f} memories, {tokens / told.turns:6.0f} tokens a turn")


async def run(home: Path, memories: int, damages: int, messages: int) -> None:
    chance = np.random.default_rng(SEED)
    contents = list(dict.fromkeys(statements(2 * memories, chance)))[:memories]
    whole = file_text(contents)
    text, broken = damaged(whole, damages)
    with proving(home) as stack:
        began = time.perf_counter()
        report, interrupted = await import_under_fire(stack, text.encode())
        print(f"imported in {time.perf_counter() - began:.1f} s, {interrupted} time(s) interrupted by a killed gateway")
        print(f"  kept {report.kept}, known {report.known}, same {report.same}, refused {len(report.refused)}")
        told = {one.line for one in report.refused}
        async with Home(home).client(timeout_s=60) as client:
            found = await held(client)
            expected = {f"mem_{place:06}" for place in range(memories)} - broken.keys()
            stack.check(interrupted > 0, "the gateway was killed in the midst of an import")
            stack.check(not expected - found.keys(), f"{len(expected - found.keys())} whole memories are missing")
            stack.check(max(found.values()) == 1, "no memory is there twice")
            unnamed = [lines for lines in broken.values() if told.isdisjoint(lines)]
            stack.check(len(told) == damages, f"{len(told)} lines are named")
            stack.check(not unnamed, f"{len(broken) - len(unnamed)} of {len(broken)} damaged ones are named by line")
            stack.check(report.missing == 0, f"{report.missing} are missing that no line tells of")
            mended = await import_file(client, whole.encode(), user_id=USER)
            stack.check(mended.kept == damages, f"{mended.kept} more are kept from the mended file")
            stack.check(mended.known + mended.same == memories - damages, "and all others are known")
            catalog = MemoryCatalog(AGENT, client=client, user_id=USER)
            await catalog.set_source("parallel")
            for message in questions(messages, chance):
                await catalog.pre_message_hook(message)
            compared = await catalog.comparison()
        show(compared)
        stack.check(compared.compared.turns == messages, "every turn was compared")
        stack.verdict()


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=500)
    parser.add_argument("--damages", type=int, default=20)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    given = parser.parse_args()
    if given.home:
        asyncio.run(run(given.home.resolve(), given.memories, given.damages, given.messages))
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), given.memories, given.damages, given.messages))


if __name__ == "__main__":
    main()
