"""Marks of correction, and how many of them are right, through the public API of a running stack.

    python -m benchmarks.eval_marks                        # every file of data/marks; starts the stack, or attaches
    python -m benchmarks.eval_marks FILE --pairs 10 --show

Each pair of messages is told three times, by somebody without a name, with a short and with a long one, each time as a
user of its own beside ten unrelated messages of the same speaker, on two days. When all is digested its question is
asked. A mark ("[since corrected]", `corrected_by`) is right on the earlier message of a pair whose later one replaces
it, and false anywhere else. Pairs of a file named `…_blind.jsonl` or with a seal beside it are not shown.
"""

import argparse
import asyncio
import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.evaluation import wide_console
from benchmarks.marks import DATA, FILLERS, NAMES, Count, Marked, Named, Pair, Told, counts, marked, read_pairs, told
from benchmarks.sealed import is_sealed
from benchmarks.stack import running_gateway
from benchmarks.waiting import digested
from ragpp.api import RecallRequest, StoreRequest
from ragpp.client import AsyncMemoryClient

BUDGET: Final = 500
"""Tokens of the context."""
LISTED: Final = 50
AT_ONCE: Final = 4
"""Pairs that are stored side by side."""


async def outcomes_of(
    client: AsyncMemoryClient, pairs: Sequence[Pair], lengths: Sequence[Named], console: Console
) -> list[Marked]:
    """Tell all pairs, wait until all are digested, and ask."""
    fillers, run = FILLERS.read_text("utf-8").splitlines(), uuid.uuid4().hex[:8]
    users = {f"marks-{run}-{named}-{pair.id}": told(pair, named, fillers) for pair in pairs for named in lengths}
    limit, outcomes = asyncio.Semaphore(AT_ONCE), []
    with Progress(transient=True, console=console) as progress:
        storing = progress.add_task("storing", total=len(users))

        async def store(user: str, one: Told) -> None:
            async with limit:
                for number, day in enumerate(one.sessions):
                    await client.remember(StoreRequest(user_id=user, session_id=f"day-{number}", messages=tuple(day)))
            progress.advance(storing)

        await asyncio.gather(*(store(user, one) for user, one in users.items()))
        for user in progress.track(users, description="digesting"):
            await digested(client, user)
        for user, one in progress.track(users.items(), description="asking"):
            answer = await client.recall(
                RecallRequest(
                    user_id=user,
                    query=one.pair.question,
                    limit=LISTED,
                    token_budget=BUDGET,
                    deadline_ms=5_000,
                    as_of=one.end,
                )
            )
            outcomes.append(marked(one, answer))
    return outcomes


def table_of(title: str, rows: Sequence[tuple[str, str, Count]]) -> Table:
    """A line for each kind and, of all kinds, for each length of a name."""
    table = Table("kind", "name", title=title, title_justify="left")
    for column in fields(Count):
        table.add_column(column.name, justify="right")
    for kind, named, count in rows:
        table.add_row(kind, named, *(str(value) for value in asdict(count).values()))
    return table


def show(outcomes: Sequence[Marked], console: Console) -> None:
    """Each pair whose marks are not right."""
    for one in outcomes:
        wrong = "missed" if one.pair.replaces else "false"
        if one.earlier != one.pair.replaces or one.others:
            others = f", {one.others} other marks" if one.others else ""
            title = f"{one.pair.id} {one.pair.kind}, name {one.named}: "
            console.rule(f"{title}{wrong if one.earlier != one.pair.replaces else 'right'}{others}")
            text = (one.pair.question, one.pair.earlier, one.pair.later)
            console.print("\n".join(text), markup=False, highlight=False)


async def run(files: Sequence[Path], given: argparse.Namespace, console: Console) -> dict[str, object]:
    """Tell, wait, ask, print; returns the counts by file."""
    numbers: dict[str, object] = {}
    async with running_gateway(timeout_s=300) as client:
        for path in files:
            outcomes = await outcomes_of(client, read_pairs(path)[: given.pairs], given.names, console)
            if given.show and not is_sealed(path):
                show(outcomes, console)
            rows = list(counts(outcomes))
            console.print(table_of(path.name, rows))
            numbers[path.name] = [{"kind": kind, "name": named, **asdict(count)} for kind, named, count in rows]
    return numbers


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(DATA.glob("*.jsonl")))
    parser.add_argument("--names", nargs="+", choices=list(NAMES), default=list(NAMES), help="of who speaks")
    parser.add_argument("--pairs", type=int, help="only so many of a file, the first ones")
    parser.add_argument(
        "--show", action="store_true", help="each pair that is marked wrongly or not, but of sealed files"
    )
    parser.add_argument("--json", type=Path, help="write the counts here, too")
    given = parser.parse_args()
    if not given.files:
        raise SystemExit(f"no pairs in {DATA}; name the files")
    numbers = asyncio.run(run(given.files, given, wide_console()))
    if given.json:
        given.json.write_text(json.dumps(numbers, indent=2))


if __name__ == "__main__":
    main()
