"""Memories that a question does not ask for in their words, through the public API of a running stack.

    python -m benchmarks.eval_unasked                 # starts the embedded stack, or attaches to it
    python -m benchmarks.eval_unasked --rows all      # one row only

Hints: a remark that shares no word with the memory it needs, which lies in a LoCoMo conversation of hundreds of
messages; found when any message of it is among the first ten. Preferences: 500 of one user, each of which applies to a
question that does not mention it.
"""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import locomo
from benchmarks.evaluation import Conversation, Question, arguments_of, evaluate, needs
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


def main() -> None:
    """Parse the command line and run."""
    arguments = arguments_of(__doc__).parse_args()
    needs(arguments.data, "hints-dev.json")
    conversations, metrics = load(arguments.data), locomo.metrics(arguments.data)
    results = asyncio.run(
        evaluate("hints and preferences", conversations, arguments.rows, GROUPS, COLUMNS, COMPARED, metrics)
    )
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
