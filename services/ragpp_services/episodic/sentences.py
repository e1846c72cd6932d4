"""The sentences that a chunk tells, as they are embedded: a long message is found by what answers in it. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.embedding import FloatMatrix
from ragpp.models import Interaction
from ragpp.text.lexical import index_line
from ragpp.text.persons import resolved
from ragpp.text.sentences import clean, split

MOST: Final = 40
"""Sentences of one chunk; what a longer one says beyond them is found by the chunk as a whole."""
LEAST_CHARS: Final = 3
MOST_CHARS: Final = 1_200
"""Characters of one line: no more is read where a long name stands for many pronouns."""


@dataclass(frozen=True, slots=True)
class Participant:
    """That somebody of that name talks in a session: `since` which interaction, by its ordinal, those know who may see
    what is `seen_by` one agent alone, or by all."""

    session_id: str
    name: str | None
    seen_by: str | None
    since: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A chunk whose sentences were not looked at: `[start:end)` of what was `said`, the interaction of that `ordinal`.
    `has_sentences`: they were once, and still hold; `has_second`: so was the chunk itself by the second encoder.
    `traits`: its bits of `reading.traits.Trait`."""

    said: Interaction
    ordinal: int
    part: int
    start: int
    end: int
    has_sentences: bool
    traits: int
    has_second: bool = False

    @property
    def text(self) -> str:
        """The chunk's part of the interaction."""
        return self.said.content[self.start : self.end]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A stored chunk as it is read: its traits, the weights of its terms, and its vector where that is another."""

    traits: int
    weights: Mapping[int, float]
    vector: FloatMatrix | None = None


Others = Callable[[Interaction, int], str | None]


def lines(said: Interaction, text: str, other: str | None = None) -> list[str]:
    """The lines to embed of `text`, a chunk of `said`, one a sentence: who they are about is written out, `other` being
    whom its speaker talks with. None that says no more than the chunk itself and by whom, and none of what only asks;
    what is asked beside what is told says what that is about. None of an assistant without a name, whose long answers
    are found as well by whole chunks, and have most of the sentences of a chat."""
    if said.role == "assistant" and not said.name:
        return []
    whole, sentences = index_line(said, text), list(split(clean(text)))
    if all(one.asks for one in sentences):
        return []
    told = (text[start:end] for start, end in embedded([(one.start, one.end) for one in sentences]))
    found = (index_line(said, resolved(sentence, said.name, other))[:MOST_CHARS] for sentence in told)
    return [line for line in found if line != whole]


def embedded(pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of a chunk's sentences, each from where it begins to where it ends, that have a vector of their own where
    any has; its number is the place here."""
    return [(start, end) for start, end in pieces if end - start >= LEAST_CHARS][:MOST]


def lines_to_embed(read: Sequence[Unread], participants: Iterable[Participant]) -> list[tuple[int, str]]:
    """The lines to embed of each of the chunks `read`, with the index of the chunk, in order; none of one that has
    its sentences. `participants`: who talks in their sessions."""
    other = others_of(participants)
    return [
        (index, line)
        for index, one in enumerate(read)
        if not one.has_sentences
        for line in lines(one.said, one.text, other(one.said, one.ordinal))
    ]


def without_second(read: Sequence[Unread]) -> list[tuple[int, str]]:
    """The line of each of the chunks `read` that has no vector by the second encoder yet, with the index of the chunk,
    in order."""
    return [(index, index_line(one.said, one.text)) for index, one in enumerate(read) if not one.has_second]


def others_of(participants: Iterable[Participant]) -> Others:
    """Whom the speaker of an interaction, with its ordinal, talks with: the only other one with a name who has spoken
    in its session until then, as far as everybody knows who may see it; None where there is none or are several.

    What is said later changes nothing: when a sentence is embedded makes no difference.
    """
    sessions = defaultdict[str, list[Participant]](list)
    for one in participants:
        if one.name:
            sessions[one.session_id].append(one)

    def other(said: Interaction, ordinal: int) -> str | None:
        if not said.name:
            return None
        names = {
            one.name
            for one in sessions[said.session_id]
            if one.since < ordinal and one.seen_by in {None, said.seen_by} and one.name != said.name
        }
        return names.pop() if len(names) == 1 else None

    return other
