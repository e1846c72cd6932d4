"""Chats by many hands, cut into clauses with labels, and what is asked of them: what a small model learns from, and
lives without listed facts. `benchmarks/data/labelled/README.md` has their form, `benchmarks.agreement` counts them.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, get_args

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
How = Literal["ended", "replaced", "corrected", "past"]
Place = tuple[int, int]
"""A clause: its message's number in the chat and its own in the message, both from 0."""

FOLDER: Final = Path(__file__).parent / "data" / "labelled"
CUT: Final = " ‖ "
LINE_END: Final = "⏎"
JOINTS: Final = (*[" "] * 3, *[", "] * 3, *[". "] * 4, *["\n"] * 2, " - ")
"""The marks between two clauses, as often as people put them; the chats themselves have none there."""
_HEAD: Final = "@ %Y-%m-%d %H:%M"
_FIELDS: Final = 7


@dataclass(frozen=True, slots=True)
class Label:
    """The content of a clause: `about` is "me", a name, a tie, "assistant", or "-" for the world; `keep`, that a
    careful friend would write it down; `sentence`, the same readable alone."""

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
        """The text that was typed."""
        return " ".join(clause.text for clause in self.clauses).replace(f" {LINE_END} ", "\n").replace(LINE_END, "\n")


@dataclass(frozen=True, slots=True)
class Ended:
    """A `clause` that holds no more at the end of its chat, and the first clause `by` which that is said: nothing takes
    its place (`ended`), something does (`replaced`), or it was a mistake (`corrected`). Without one it is `past`: it
    was over when it was said, or its day has gone by. `partly`: a part of it still holds."""

    clause: Place
    how: How
    by: Place | None
    partly: bool


@dataclass(frozen=True)
class Chat:
    """The messages that one hand wrote, of one made-up person. `ended`: as another hand read it."""

    hand: str
    messages: tuple[Message, ...]
    asked: tuple[Question, ...] = ()
    ended: tuple[Ended, ...] = ()

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
    """The chat in a file, with the questions and with what ended beside it where there are any. ValueError, with the
    line, where its form is not that of the README."""
    messages = tuple(_messages(path))
    asked = tuple(_question(json.loads(line), messages) for line in _lines(path.with_suffix(".questions.jsonl")))
    ended = read_ended(path.with_suffix(".ended"), messages)
    return Chat(path.stem, messages, asked, ended)


def read_chats(folder: Path = FOLDER) -> list[Chat]:
    """Every chat of a folder, by its hand."""
    return [read_chat(path) for path in sorted(folder.glob("*.txt"))]


def read_ended(path: Path, messages: Sequence[Message]) -> tuple[Ended, ...]:
    """The clauses that ended in the chat that `messages` are; none without the file. ValueError for a wrong line."""
    return tuple(_ended(line, messages) for line in _lines(path))


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


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _ended(line: str, messages: Sequence[Message]) -> Ended:
    """ "12.3 replaced 47.1 partly": messages and clauses are counted from 1."""
    clause, how, *rest = line.split()
    _require(how, How)
    named = [_place(name, messages) for name in rest if name != "partly"]
    if len(named) != (how != "past") or any(by <= _place(clause, messages) for by in named):
        raise ValueError(f"what ended it, and later than it: {line}")
    by = named[0] if named else None
    return Ended(_place(clause, messages), how, by, "partly" in rest)  # type: ignore[arg-type]  # looked at


def _place(name: str, messages: Sequence[Message]) -> Place:
    message, clause = (int(number) - 1 for number in name.split("."))
    if not (0 <= message < len(messages) and 0 <= clause < len(messages[message].clauses)):
        raise ValueError(f"there is no clause {name}")
    return message, clause


def _id(number: int, message: Message) -> str:
    return f"m{number:03}-{message.role[0]}"
