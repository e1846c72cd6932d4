"""Answers that are to say when nothing they found is about the question, through the public API of a running stack.

    python -m benchmarks.eval_relevance                    # starts the embedded stack, or attaches to it
    python -m benchmarks.eval_relevance --sets LoCoMo      # one set only
    python -m benchmarks.eval_relevance --sets BEAM --chats 4

Every question is asked by POST /v1/recall, of all tiers, and its `relevance` is compared with what is known of it. It
is `answered` by the memory; `near`, about what is there and not answered; or `foreign`, asked of another conversation.
Of each kind the share of `none`, `some` and `clear` is reported; and, of as many foreign as answered questions,

- none: precision, the share of `none` that is right (near questions count for neither); recall, of the foreign ones
  that are `none`; wrong, of the answered ones that are;
- clear: precision, the share of `clear` that is answered, of answered and foreign ones, and of answered and near ones;
  recall, of the answered ones that are `clear`.

The constants were chosen on the first half of each set (`tuned on`), not on the other (`held out`), and not on the
`blind` questions, which were written before any was chosen.
"""

import argparse
import asyncio
import json
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.evaluation import DATA, needs, remember_all, wide_console
from benchmarks.relevance_data import (
    KINDS,
    Case,
    Kind,
    Memories,
    of_beam,
    of_blind,
    of_locomo,
    of_new_users,
    of_unasked,
)
from benchmarks.stack import running_gateway
from ragpp.api import RecallRequest, Relevance
from ragpp.client import AsyncMemoryClient

LEVELS: Final[tuple[Relevance | None, ...]] = ("none", "some", "clear", None)
SETS: Final[Mapping[str, Callable[[Path, int | None], Memories]]] = {
    "LoCoMo": lambda folder, _chats: of_locomo(folder),
    "new users": lambda folder, _chats: of_new_users(folder),
    "BEAM": of_beam,
    "unasked": lambda folder, _chats: of_unasked(folder),
    "blind": lambda _folder, _chats: of_blind(),
}
Judged = Sequence[tuple[Case, Relevance | None]]


async def ask_all(client: AsyncMemoryClient, cases: Sequence[Case], prefix: str) -> Judged:
    """Ask every question once, one at a time; each with the level of its answer."""
    judged = []
    with Progress(transient=True) as progress:
        for case in progress.track(cases):
            request = RecallRequest(
                user_id=f"{prefix}{case.user}", query=case.query, deadline_ms=5_000, as_of=case.as_of
            )
            judged.append((case, (await client.recall(request)).relevance))
    return judged


def share(judged: Judged, kind: Kind, *levels: Relevance | None) -> float | None:
    """The share of the questions of that kind that have one of `levels`; None where there are none."""
    of_kind = [level for case, level in judged if case.kind == kind]
    return sum(level in levels for level in of_kind) / len(of_kind) if of_kind else None


def precision(right: float | None, wrong: float | None) -> float | None:
    """The share of right ones among the questions that have a level, of as many of a right kind as of a wrong one;
    `right`, `wrong`: which share of each has it. None where there is nothing to tell it by."""
    if right is None or wrong is None or not right + wrong:
        return None
    return right / (right + wrong)


def figures(judged: Judged) -> dict[str, float | None]:
    """Precision and recall of `none` and `clear`; see the module."""
    none = {kind: share(judged, kind, "none") for kind in KINDS}
    clear = {kind: share(judged, kind, "clear") for kind in KINDS}
    return {
        "none: precision": precision(none["foreign"], none["answered"]),
        "none: recall": none["foreign"],
        "none: wrong": none["answered"],
        "clear: precision": precision(clear["answered"], clear["foreign"]),
        "clear: against near": precision(clear["answered"], clear["near"]),
        "clear: recall": clear["answered"],
    }


def levels_table(name: str, judged: Judged) -> Table:
    """A line for each part and kind of question of a set."""
    table = Table("", "kind", "asks", "n", *(str(level or "not told") for level in LEVELS), title=name)
    groups = Counter((case.part, case.kind, case.asks) for case, _ in judged)
    for (part, kind, asks), count in sorted(groups.items(), key=lambda item: (item[0][0] != "tuned on", *item[0])):
        of_group = [level for case, level in judged if (case.part, case.kind, case.asks) == (part, kind, asks)]
        cells = (f"{100 * of_group.count(level) / count:.1f}" for level in LEVELS)
        table.add_row(part, kind, asks, str(count), *cells)
    return table


def figures_table(rows: Mapping[tuple[str, str], Mapping[str, float | None]]) -> Table:
    """A line for each set and part, in per cent."""
    columns = list(next(iter(rows.values())))
    table = Table("set", "", *columns, title="none: of foreign questions; clear: of answered ones")
    for (name, part), row in rows.items():
        table.add_row(name, part, *("" if row[c] is None else f"{100 * (row[c] or 0.0):.1f}" for c in columns))
    return table


async def run(folder: Path, sets: Sequence[str], chats: int | None, console: Console) -> dict[str, object]:
    """Store, wait, ask, print; returns the figures."""
    rows: dict[tuple[str, str], dict[str, float | None]] = {}
    async with running_gateway(timeout_s=300) as client:
        for name in sets:
            prefix, memories = f"relevance-{uuid.uuid4().hex[:8]}-", SETS[name](folder, chats)
            await remember_all(client, memories.conversations, prefix, console)
            judged = await ask_all(client, memories.cases, prefix)
            for of_set in dict.fromkeys(case.set for case, _ in judged):
                of_it = [one for one in judged if one[0].set == of_set]
                console.print(levels_table(of_set, of_it))
                for part in dict.fromkeys(case.part for case, _ in of_it):
                    rows[of_set, part] = figures([one for one in of_it if one[0].part == part])
    console.print(figures_table(rows))
    return {f"{name}, {part}": row for (name, part), row in rows.items()}


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the evaluation data")
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS), help="what to ask")
    parser.add_argument("--chats", type=int, help="only so many of BEAM's chats, the first ones")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    arguments = parser.parse_args()
    needs(arguments.data, "locomo-dev.json")
    found = asyncio.run(run(arguments.data, arguments.sets, arguments.chats, wide_console()))
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
