"""Clauses as they are judged, with what is true of them: those of the labelled chats (`benchmarks.labelled`), and
instructions and small talk in plain sentences (`benchmarks.passed_on`), of which chats have few.

Clauses stand in their messages, joined as people join them, mostly behind who speaks; two or three that follow each
other are one example more, since what is cut at work is a sentence. Some of what they tell stands by itself, too, in
the plain sentence of its label: nobody chats like that, but many write so, and of chats it would not be learned.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks import labelled, passed_on
from ragpp.text.spans import Span
from ragpp_services.workers.language.judging import Kind

FOLDS: Final = 4
SEED: Final = 7
TOGETHER: Final = 3
SPEAKERS: Final = (*[""] * 4, "Ada", "Bo", "Chidi", "Dana", "Emre", "Femke", "Goran", "Hana", "Ilse", "jon", "user")
"""Who speaks, or nobody with a name."""
NAMES: Final[Mapping[labelled.Kind, Kind]] = {"home": "residence", "thing": "possession", "rule": "instruction"}
"""Kinds whose labels have another name; the others have the same."""
PLAINLY: Final[Mapping[bool, float]] = {True: 0.4, False: 0.2}
"""The share of labels whose sentence stands by itself, too: of what is to be kept, and of what is not."""


@dataclass(frozen=True, slots=True)
class Example:
    """So many `clauses` that follow each other, in a message by `hand`; 0 for a plain sentence. `heads`: those of the
    judge's HEADS that are true."""

    hand: int
    clauses: int
    text: str
    heads: frozenset[str]


@dataclass(frozen=True, slots=True)
class Document:
    """A message as it is judged, and where in it each example is."""

    text: str
    examples: Mapping[Span, Example]

    @property
    def fold(self) -> int:
        """The fold that it is left out in."""
        return next(iter(self.examples.values())).hand % FOLDS


def read_documents() -> list[Document]:
    """All of them, the same on every call."""
    chance, found = random.Random(SEED), list[Document]()
    for chat in labelled.read_chats():
        for message in chat.messages:
            if message.role == "user":
                text, spans = labelled.joined(message.clauses, chance, speaker(chance))
                of = dict[Span, Example]()
                for first, last in _groups(len(spans)):
                    span = Span(spans[first].start, spans[last].end)
                    of[span] = _example(int(chat.hand), text, span, message.clauses[first : last + 1])
                found.append(Document(text, of))
                labels = (clause.label for clause in message.clauses if clause.label is not None)
                plain = [label for label in labels if chance.random() < PLAINLY[label.keep]]
                found += [_plain(int(chat.hand), label.sentence, _heads([label]), chance) for label in plain]
    for fold, line, instructs in passed_on.plain_lines():
        found.append(_plain(fold, line, frozenset({"kept", "instruction"} if instructs else ()), chance))
    return found


def _plain(hand: int, line: str, heads: frozenset[str], chance: random.Random) -> Document:
    before = speaker(chance)
    return Document(before + line, {Span(len(before), len(before + line)): Example(hand, 0, line, heads)})


def speaker(chance: random.Random) -> str:
    """The name before a message where it is judged (`lexical.index_line`), or nothing."""
    name = chance.choice(SPEAKERS)
    return f"{name}: " if name else ""


def _groups(clauses: int) -> Iterator[tuple[int, int]]:
    for count in range(1, TOGETHER + 1):
        for first in range(clauses - count + 1):
            yield first, first + count - 1


def _example(hand: int, text: str, span: Span, clauses: Sequence[labelled.Clause]) -> Example:
    labels = [clause.label for clause in clauses if clause.label is not None]
    return Example(hand, len(clauses), text[span.start : span.end], _heads(labels))


def _heads(labels: Iterable[labelled.Label]) -> frozenset[str]:
    heads = set[str]()
    for label in labels:
        if label.keep:
            heads |= {"kept", NAMES.get(label.kind, label.kind)}
        heads |= {"changes"} if label.flags & {"ends", "fixes"} else set()
        heads |= {"negated"} if "neg" in label.flags else set()
        heads |= {"past"} if label.time == "past" else set()
        heads |= {"planned"} if label.modality == "planned" else set()
        heads |= {"unsure"} if label.modality in {"wished", "supposed", "joked", "quoted"} else set()
    return frozenset(heads)
