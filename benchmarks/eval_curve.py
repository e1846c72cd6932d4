"""Evidence against tokens: what contexts of several budgets have, through the public API of a running stack.

    python -m benchmarks.eval_curve                          # every set; starts the embedded stack, or attaches to it
    python -m benchmarks.eval_curve --sets LoCoMo --first 1  # the first conversation of one set

The sets are stored as the other evaluations store them. Each question that has evidence is asked at each budget, as the
gateway fills a context by default and, where it knows `fill`, with all that fits. Reported are the tokens that are
used, and, of the evidence,

- words: the share whose text stands in the context, word for word (of a chat the words that tell the answer); any: how
  many contexts have some;
- lines: the share of the messages that a line of the context rests on; any: how many contexts have some;
- lost: how many contexts have none of it where the one with all that fits has some; less: how many have less of it.
"""

import argparse
import asyncio
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks import eval_beam, eval_chats, eval_unasked, locomo
from benchmarks.asking import Way, query, ways_of
from benchmarks.curve import Row, Seen, Wanted, rows_of, seen
from benchmarks.evaluation import DATA, Conversation, needs, remember_all, wide_console
from benchmarks.stack import running_gateway
from ragpp.client import AsyncMemoryClient

BUDGETS: Final = (100, 200, 500, 1_000, 2_000)
LISTED: Final = 200
"""Memories that are listed of an answer, so that every line of the context is among them."""
SETS: Final = ("LoCoMo", "BEAM", "unasked", "chats")
COLUMNS: Final = ("tokens", *(f"{kind}{of}" for kind in ("words", "lines") for of in ("", ": any", ": lost", ": less")))
Answers = dict[str, dict[tuple[int, str], list[Seen]]]
"""By set, budget and way, in the order of the questions."""


@dataclass(frozen=True)
class Case:
    """A question to a user's memory, in a line of its `group`."""

    group: str
    user: str
    text: str
    wanted: Wanted
    session: str | None = None
    as_of: datetime | None = None


def cases_of(name: str, conversations: Sequence[Conversation], prefix: str) -> list[Case]:
    """The questions of conversations that are stored as users whose names begin with `prefix`."""
    return [
        Case(
            group=_group(name, question.category),
            user=f"{prefix}{one.id}",
            text=question.text,
            wanted=Wanted(tuple(one.texts[message] for message in question.gold), frozenset(question.gold)),
            as_of=one.as_of,
        )
        for one in conversations
        for question in one.questions
        if question.gold
    ]


def _group(name: str, category: str) -> str:
    if name == "unasked":
        return f"{category}s"
    return f"{name}, adversarial" if category == "adversarial" else name


async def stored(client: AsyncMemoryClient, name: str, folder: Path, first: int | None, console: Console) -> list[Case]:
    """Store a set, wait until it is digested, and return its questions; `first`: only so many of its conversations."""
    if name == "chats":
        return [case for path in eval_chats.FILES for case in await _chats(client, path, first)]
    loaded = {"LoCoMo": locomo.load, "BEAM": eval_beam.load, "unasked": eval_unasked.load}[name](folder)[:first]
    prefix = f"curve-{uuid.uuid4().hex[:8]}-"
    await remember_all(client, loaded, prefix, console)
    return cases_of(name, loaded, prefix)


async def _chats(client: AsyncMemoryClient, path: Path, first: int | None) -> list[Case]:
    limit = asyncio.Semaphore(eval_chats.AT_ONCE)

    async def case(scenario: eval_chats.Scenario) -> Case:
        async with limit:
            user = await eval_chats.tell(client, scenario)
        wanted = Wanted(scenario.answer_text, frozenset(scenario.answer))
        return Case(path.stem, user, scenario.ask, wanted, eval_chats.ASKED_IN, scenario.ask_at)

    answered = [one for one in eval_chats.read_scenarios(path) if one.answer]
    return await asyncio.gather(*map(case, answered[:first]))


async def ask_all(
    client: AsyncMemoryClient, cases: Sequence[Case], budgets: Sequence[int], ways: Sequence[Way], console: Console
) -> Answers:
    """Ask every question at each budget and in each way, one at a time; prints how many answers were partial."""
    answers: Answers = {}
    partial = 0
    with Progress(transient=True, console=console) as progress:
        for case in progress.track(cases):
            for budget in budgets:
                for way in ways:
                    answer = await client.recall(
                        query(
                            case.user,
                            case.text,
                            way=way,
                            limit=LISTED,
                            token_budget=budget,
                            session_id=case.session,
                            as_of=case.as_of,
                        )
                    )
                    partial += answer.status != "complete"
                    answers.setdefault(case.group, {}).setdefault((budget, way), []).append(seen(answer, case.wanted))
    if partial:
        console.print(f"{partial} answers partial")
    return answers


def table_of(group: str, rows: Mapping[tuple[int, str], Row]) -> Table:
    """A line for each budget and way; in per cent but for tokens."""
    n = next(iter(rows.values()))["n"]
    table = Table("budget", "filled", title=f"{group}: {n:.0f} questions", title_justify="left")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for (budget, way), row in rows.items():
        cells = [f"{row['tokens']:.0f}", *(f"{100 * row[name]:.1f}" if name in row else "" for name in COLUMNS[1:])]
        table.add_row(str(budget), way, *cells)
    return table


async def run(given: argparse.Namespace, console: Console) -> dict[str, object]:
    """Store, wait, ask, print; returns the rows of each group."""
    numbers: dict[str, object] = {}
    async with running_gateway(timeout_s=300) as client:
        ways = await ways_of(client, console)
        for name in given.sets:
            cases = await stored(client, name, given.data, given.first, console)
            answers = await ask_all(client, cases, given.budgets, ways, console)
            for group, of_group in answers.items():
                rows = rows_of(of_group, "fill")
                console.print(table_of(group, rows))
                numbers[group] = [{"budget": budget, "filled": way, **row} for (budget, way), row in rows.items()]
    return numbers


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the evaluation data")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="what to ask")
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS), help="tokens of a context")
    parser.add_argument("--first", type=int, help="only so many conversations of a set, the first ones")
    parser.add_argument("--json", type=Path, help="write the rows here, too")
    given = parser.parse_args()
    if set(given.sets) - {"chats"}:
        needs(given.data, "locomo-dev.json")
    numbers = asyncio.run(run(given, wide_console()))
    if given.json:
        given.json.write_text(json.dumps(numbers, indent=2))


if __name__ == "__main__":
    main()
