"""Evidence recall on BEAM's chats with an assistant, through the public API of a running stack.

    python -m benchmarks.eval_beam                 # starts the embedded stack, or attaches to it
    python -m benchmarks.eval_beam --rows all      # one row only
    python -m benchmarks.eval_beam --chats 3       # the first three chats only

Each chat is ingested as one user, with what the assistant said; a session is what was said on one date. Questions are
asked as of the end of the chat. `new above old`: of the questions whose answer changed in the course of the chat, how
many have the message with the new one ranked above the message with the old one. In some the data names one and the
same message as both, so that none of them can be won.
"""

import asyncio
import gzip
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import JsonValue

from benchmarks import locomo
from benchmarks.evaluation import Conversation, Question, arguments_of, by_category, evaluate, needs
from ragpp.api import MessageIn
from ragpp.fields import MAX_CONTENT_CHARS

FILE = "beam-dev.json.gz"
UNANSWERED = "abstention"
COLUMNS = ("n", "R@1", "R@10", "R@50", "hit@10", "all@10", "nDCG@10", "MRR", "B1000", "new above old")
COMPARED = tuple(("all", metric) for metric in ("R@1", "R@10", "nDCG@10", "B1000", "new above old"))

Raw = Mapping[str, list[dict[str, JsonValue]]]


def load(folder: Path, *, unanswered: bool = False) -> list[Conversation]:
    """The chats of `beam-dev.json.gz` in `folder`. `unanswered`: with the questions that the chat does not answer; of
    those without evidence all others are left out."""
    with gzip.open(folder / FILE, "rt", encoding="utf-8") as file:
        return [_conversation(raw, unanswered=unanswered) for raw in json.load(file)]


def _conversation(raw: Raw, *, unanswered: bool) -> Conversation:
    sessions: dict[str, list[MessageIn]] = {}
    texts: dict[str, str] = {}
    end = datetime.min.replace(tzinfo=UTC)
    for message in raw["messages"]:
        identifier, text, day = str(message["id"]), str(message["text"]), str(message["anchor"])
        moment = datetime.strptime(day, "%B-%d-%Y").replace(tzinfo=UTC)
        end = max(end, moment + timedelta(days=1))
        texts[identifier] = text
        for number, start in enumerate(range(0, len(text), MAX_CONTENT_CHARS), start=1):
            sessions.setdefault(day, []).append(
                MessageIn(
                    id=identifier if number == 1 else f"{identifier}#{number}",
                    role="assistant" if message["role"] == "assistant" else "user",
                    content=text[start : start + MAX_CONTENT_CHARS],
                    occurred_at=moment,
                )
            )
    questions = [
        Question(str(asked["type"]), str(asked["q"]), _ids(asked, "gold"), _ids(asked, "old"), _ids(asked, "new"))
        for asked in raw["questions"]
    ]
    return Conversation(
        id=str(raw["id"]),
        sessions=sessions,
        texts=texts,
        questions=[one for one in questions if one.gold or (unanswered and one.category == UNANSWERED)],
        as_of=end,
    )


def _ids(asked: Mapping[str, JsonValue], name: str) -> tuple[str, ...]:
    found = asked.get(name)
    return tuple(map(str, found)) if isinstance(found, list) else ()


async def run(folder: Path, rows: Sequence[str], chats: int | None) -> dict[str, object]:
    """Ingest, wait, ask, print; returns the means."""
    conversations = load(folder)[:chats]
    groups = by_category(conversations) | {"all": lambda _: True}
    return await evaluate("BEAM", conversations, rows, groups, COLUMNS, COMPARED, locomo.metrics(folder))


def main() -> None:
    """Parse the command line and run."""
    parser = arguments_of(__doc__)
    parser.add_argument("--chats", type=int, help="only so many chats, the first ones")
    arguments = parser.parse_args()
    needs(arguments.data, FILE)
    results = asyncio.run(run(arguments.data, arguments.rows, arguments.chats))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
