"""Memories that a question does not ask for in their words, through the public API of a running stack.

    python -m benchmarks.eval_unasked                 # starts the embedded stack, or attaches to it
    python -m benchmarks.eval_unasked --rows all      # one row only

Hints: a remark that shares no word with the memory it needs, which lies in a LoCoMo conversation of hundreds of
messages; found when any message of it is among the first ten. Preferences: 500 of one user, each of which applies to a
question that does not mention it.
"""

import argparse
import asyncio
import json
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from benchmarks import locomo
from benchmarks.evaluation import (
    ROWS,
    Asked,
    Conversation,
    Question,
    ask_all,
    compared,
    remember_all,
    table_of,
    wide_console,
)
from benchmarks.stack import running_gateway
from ragpp.api import MessageIn

COLUMNS = ("n", "R@1", "hit@10", "R@10", "R@50", "MRR", "B1000")
GROUPS = {"hints": "hint".__eq__, "preferences": "preference".__eq__}
COMPARED = (("hints", "hit@10"), ("preferences", "R@1"), ("preferences", "R@10"), ("preferences", "B1000"))


def load(folder: Path) -> list[Conversation]:
    """The conversations with their hints, and the preferences as one user's."""
    hints = json.loads((folder / "hints-dev.json").read_text("utf-8"))
    found = []
    for one in locomo.load(folder):
        last = max(message.occurred_at for part in one.sessions.values() for message in part if message.occurred_at)
        own = [hint for hint in hints if hint["conversation"] == one.id]
        cues = {
            hint["id"]: [
                MessageIn(id=said["id"], name=said["name"], content=said["text"], occurred_at=last)
                for said in hint["cue"]
            ]
            for hint in own
        }
        found.append(
            replace(
                one,
                sessions={**one.sessions, **cues},
                texts={**one.texts, **{said["id"]: said["text"] for hint in own for said in hint["cue"]}},
                questions=[Question("hint", hint["query"], tuple(said["id"] for said in hint["cue"])) for hint in own],
            )
        )
    return [*found, _preferences(folder)]


def _preferences(folder: Path) -> Conversation:
    rows = json.loads((folder / "preferences-dev.json").read_text("utf-8"))
    moment = datetime(2024, 5, 1, tzinfo=UTC)
    return Conversation(
        id="preferences",
        sessions={row["id"]: [MessageIn(id=row["id"], content=row["preference"], occurred_at=moment)] for row in rows},
        texts={row["id"]: row["preference"] for row in rows},
        questions=[Question("preference", row["question"], (row["id"],)) for row in rows],
    )


async def run(folder: Path, rows: Sequence[str], console: Console) -> dict[str, object]:
    """Ingest, wait, ask; prints a table a row, and one that compares them; returns the means."""
    metrics, conversations = locomo.metrics(folder), load(folder)
    prefix = f"eval-{uuid.uuid4().hex[:8]}-"
    results: dict[str, Asked] = {}
    numbers: dict[str, object] = {}
    async with running_gateway(timeout_s=300) as client:
        await remember_all(client, conversations, prefix, console)
        for row in rows:
            results[row] = await ask_all(client, conversations, prefix, row, metrics)
            table, numbers[row] = table_of(row, results[row], GROUPS, COLUMNS)
            console.print(table)
    console.print(compared("hints and preferences, tiers compared", results, GROUPS, COMPARED))
    return numbers


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=locomo.DATA, help="folder with the evaluation data")
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), default=list(ROWS), help="which tiers to ask")
    parser.add_argument("--json", type=Path, help="write the means here, too")
    arguments = parser.parse_args()
    if not (arguments.data / "hints-dev.json").exists():
        raise SystemExit(f"no hints-dev.json in {arguments.data}; name its folder with --data")
    results = asyncio.run(run(arguments.data, arguments.rows, wide_console()))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
