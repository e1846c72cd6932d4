"""Chats by many hands, cut into clauses with labels, and what is asked of them: what a small model learns from, and
lives without listed facts. `benchmarks/data/labelled/README.md` has their form.

    python -m benchmarks.labelled          # counts, and how far two hands agree
"""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, get_args

from rich.console import Console
from rich.table import Table

from benchmarks.lives import Life, Question, Said
from ragpp.text.spans import Span

Kind = Literal[
    "identity", "kin", "home", "work", "health", "taste", "thing", "habit", "plan", "event", "decision", "rule",
    "opinion", "insight", "error", "solution", "fact",
]  # fmt: skip
Modality = Literal["asserted", "planned", "wished", "supposed", "reported", "joked", "quoted"]
Time = Literal["lasting", "now", "past", "future"]
Kept = Literal["keep", "drop"]
Flag = Literal["neg", "ends", "fixes"]
Speaker = Literal["user", "assistant"]

FOLDER: Final = Path(__file__).parent / "data" / "labelled"
AGAIN: Final = FOLDER / "again"
"""What a second hand, which did not see the first, made of a tenth of the messages."""
CUT: Final = " ‖ "
LINE_END: Final = "⏎"
JOINTS: Final = (*[" "] * 3, *[", "] * 3, *[". "] * 4, *["\n"] * 2, " - ")
"""The marks between two clauses, as often as people put them; the chats themselves have none there."""
_HEAD: Final = "@ %Y-%m-%d %H:%M"
_FIELDS: Final = 7


@dataclass(frozen=True, slots=True)
class Label:
    """What a clause tells: `about` is "me", a name, a tie, "assistant", or "-" for the world; `keep`, that a careful
    friend would write it down; `sentence`, the same readable alone."""

    kind: Kind
    about: str
    modality: Modality
    time: Time
    keep: bool
    flags: frozenset[Flag]
    sentence: str


@dataclass(frozen=True, slots=True)
class Clause:
    """One thought of a message as it was typed. Without a label it tells nothing, and it may `ask`."""

    text: str
    label: Label | None
    asks: bool


@dataclass(frozen=True, slots=True)
class Message:
    """A message, sent `at` a minute in UTC."""

    at: datetime
    role: Speaker
    clauses: tuple[Clause, ...]

    @property
    def text(self) -> str:
        """What was typed."""
        return " ".join(clause.text for clause in self.clauses).replace(f" {LINE_END} ", "\n").replace(LINE_END, "\n")


@dataclass(frozen=True)
class Chat:
    """What one hand wrote, of one made-up person."""

    hand: str
    messages: tuple[Message, ...]
    asked: tuple[Question, ...] = ()

    @cached_property
    def life(self) -> Life:
        """The chat as a life that is asked a day after its end: a session is a day, nobody lists its facts."""
        return Life(
            id=f"labelled-{self.hand}",
            end=self.messages[-1].at + timedelta(days=1),
            messages=tuple(
                Said(
                    id=_id(number, message),
                    session=f"{message.at:%Y-%m-%d}",
                    role=message.role,
                    name=None,
                    content=message.text,
                    occurred_at=message.at,
                )
                for number, message in enumerate(self.messages)
            ),
            facts=(),
            traps=(),
            questions=self.asked,
        )


def read_chat(path: Path) -> Chat:
    """The chat in a file, with the questions beside it where there are any. ValueError, with the line, where its form
    is not that of the README."""
    messages = tuple(_messages(path))
    questions = path.with_suffix(".questions.jsonl")
    asked = questions.read_text(encoding="utf-8").splitlines() if questions.exists() else []
    return Chat(path.stem, messages, tuple(_question(json.loads(line), messages) for line in asked))


def read_chats(folder: Path = FOLDER) -> list[Chat]:
    """Every chat of a folder, by its hand."""
    return [read_chat(path) for path in sorted(folder.glob("*.txt"))]


def joined(clauses: Sequence[Clause], chance: random.Random, before: str = "") -> tuple[str, list[Span]]:
    """The clauses as one text behind `before`, and where each is in it."""
    text, spans = before, list[Span]()
    for clause in clauses:
        said = clause.text.replace(LINE_END, "\n").strip()
        if spans and text:
            text += " " if text[-1] in ".?!,:;" else chance.choice(JOINTS)
        spans.append(Span(len(text), len(text) + len(said)))
        text += said
    return text, spans


def _messages(path: Path) -> Iterator[Message]:
    head, block = 0, list[str]()
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), "@"], start=1):
        if line.startswith("@"):
            if block:
                try:
                    yield _message(*block)
                except ValueError as error:
                    raise ValueError(f"{path.name}, the message of line {head}: {error}") from error
            head, block = number, [line]
        elif block and line and not line.startswith("#"):
            block.append(line)


def _message(head: str, text: str = "", *labels: str) -> Message:
    moment, _, role = head.rpartition(" ")
    pieces = text.split(CUT)
    if len(pieces) != len(labels):
        raise ValueError(f"{len(pieces)} clauses, {len(labels)} labels")
    _require(role, Speaker)
    at = datetime.strptime(moment, _HEAD).replace(tzinfo=UTC)
    return Message(at, role, tuple(map(_clause, pieces, labels)))  # type: ignore[arg-type]  # looked at


def _clause(text: str, line: str) -> Clause:
    fields = line.removeprefix("- ").split(" ; ", _FIELDS - 1)
    if fields in (["none"], ["ask"]):
        return Clause(text.strip(), None, fields == ["ask"])
    if len(fields) != _FIELDS:
        raise ValueError(f"{len(fields)} fields: {line}")
    kind, about, modality, time, keep, flags, sentence = fields
    flagged = frozenset[str]() if flags == "-" else frozenset(flags.split(","))
    told = ((kind, Kind), (modality, Modality), (time, Time), (keep, Kept), *((flag, Flag) for flag in flagged))
    for word, of in told:
        _require(word, of)
    label = Label(kind, about, modality, time, keep == "keep", flagged, sentence)  # type: ignore[arg-type]  # looked at
    return Clause(text.strip(), label, asks=False)


def _require(word: str, of: object) -> None:
    if word not in get_args(of):
        raise ValueError(f"{word!r} is none of {', '.join(get_args(of))}")


def _question(asked: dict[str, object], messages: tuple[Message, ...]) -> Question:
    """A question names messages by the minute in which they were sent; of two in one minute the person's is meant."""

    def ids(name: str) -> frozenset[str]:
        return frozenset(_named(str(moment), messages) for moment in asked[name])  # type: ignore[attr-defined]  # a list

    kind, text = str(asked["kind"]), str(asked["q"])
    return Question(
        q=text, name=None, kind=kind, answers=ids("answers"), helps=ids("helps"), contradicts=ids("contradicts")
    )


def _named(moment: str, messages: tuple[Message, ...]) -> str:
    sent = [(number, one) for number, one in enumerate(messages) if f"{one.at:%Y-%m-%d %H:%M}" == moment]
    if not sent:
        raise ValueError(f"no message was sent at {moment}")
    return _id(*min(sent, key=lambda one: one[1].role != "user"))


def _id(number: int, message: Message) -> str:
    return f"m{number:03}-{message.role[0]}"


def agreements(first: Sequence[Clause], second: Sequence[Clause]) -> dict[str, float]:
    """Cohen's kappa (1: always; 0: no more than by chance) of two hands on the same clauses: on what kind they are, on
    whether they are to be kept, and, where both say that something is told, on its modality, its time and its flags."""
    told = [(one.label, other.label) for one, other in zip(first, second, strict=True) if one.label and other.label]
    asserted = [(one.modality, other.modality) for one, other in told]
    lasting = [(one.time, other.time) for one, other in told]
    changes = [(bool(one.flags - {"neg"}), bool(other.flags - {"neg"})) for one, other in told]
    return {
        "kind": _kappa([(_kind(one), _kind(other)) for one, other in zip(first, second, strict=True)]),
        "keep": _kappa([(_kept(one), _kept(other)) for one, other in zip(first, second, strict=True)]),
        "modality": _kappa(asserted),
        "time": _kappa(lasting),
        "ends or fixes": _kappa(changes),
    }


def _kind(clause: Clause) -> str:
    return clause.label.kind if clause.label else "ask" if clause.asks else "none"


def _kept(clause: Clause) -> bool:
    return clause.label is not None and clause.label.keep


def _kappa(pairs: Sequence[tuple[object, object]]) -> float:
    one, other = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    by_chance = sum(one[value] * other[value] for value in one) / len(pairs) ** 2
    return (sum(a == b for a, b in pairs) / len(pairs) - by_chance) / (1 - by_chance)


def twice(chats: Iterable[Chat], folder: Path = AGAIN) -> tuple[list[Clause], list[Clause]]:
    """The clauses that two hands labelled, by the first and by the second."""
    by_hand = {chat.hand: {_typed(one): one for one in chat.messages} for chat in chats}
    first, second = list[Clause](), list[Clause]()
    for again in read_chats(folder):
        for message in again.messages:
            first += by_hand[again.hand][_typed(message)].clauses
            second += message.clauses
    return first, second


def _typed(message: Message) -> tuple[datetime, Speaker, tuple[str, ...]]:
    return message.at, message.role, tuple(clause.text for clause in message.clauses)


def main() -> None:
    """Count the chats, and show how far two hands agree."""
    chats = read_chats()
    clauses = [clause for chat in chats for message in chat.messages for clause in message.clauses]
    kinds = Counter(map(_kind, clauses))
    kept = Counter(_kind(clause) for clause in clauses if _kept(clause))
    table = Table("kind", "clauses", "to keep", title=f"{len(chats)} chats, {len(clauses):,} clauses")
    for kind, count in kinds.most_common():
        table.add_row(kind, f"{count:,}", f"{kept[kind]:,}" if kept[kind] else "")
    console = Console()
    console.print(table)
    first, second = twice(chats)
    console.print(f"{len(first):,} clauses by two hands, kappa: ", agreements(first, second))
    asked = Counter(question.kind for chat in chats for question in chat.asked)
    console.print(f"{asked.total():,} questions: ", dict(asked.most_common()))


if __name__ == "__main__":
    main()
