"""A question as ranking reads it beside its words: whom it names, what kind of answer it is after, of whom."""

import re
from dataclasses import dataclass
from typing import Final

from ragpp.names import is_same
from ragpp.text.mentions import Said, is_of_other_script
from ragpp.text.persons import in_the_singular
from ragpp_services.episodic.reading.answers import kinds_asked
from ragpp_services.episodic.reading.requests import asks_for_advice, is_request
from ragpp_services.episodic.reading.subjects import Subject, subject_of
from ragpp_services.episodic.reading.traits import Trait, traits_of_kinds

NOBODY: Final = -2
"""No row has it for a speaker."""
_SAID_BY_YOU: Final = re.compile(
    r"\b(?:did|have|had|were|was) you\b|\byou(?:'ve|'d| have| had)? (?!need)(?:\w+ed|said|told|gave|wrote|made)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """`speaker`: index of the only name that it mentions, else of who asks in it where that is one. `asker`: index of
    the name of who asks in the first person, NOBODY for one under which nothing was said, None where none is given or
    "we" ask. `kinds`: the traits that an answer to it has. `is_request`: it wants something done, or told;
    `wants_advice`: advice, which no memory says."""

    speaker: int | None
    asker: int | None
    kinds: Trait
    subject: Subject
    of_the_assistant: bool
    is_request: bool
    wants_advice: bool

    @classmethod
    def of(cls, text: str, names: tuple[str, ...], asker: str | None = None) -> "Question":
        named = named_speaker(text, names)
        own = _index_of(asker, names) if asker is not None and in_the_singular(text) else None
        return cls(
            speaker=named if named is not None or own == NOBODY else own,
            asker=own,
            kinds=traits_of_kinds(kinds_asked(text)),
            subject=subject_of(text),
            of_the_assistant=asks_the_assistant(text),
            is_request=is_request(text),
            wants_advice=asks_for_advice(text),
        )


def _index_of(name: str, names: tuple[str, ...]) -> int:
    return next((index for index, one in enumerate(names) if is_same(one, name)), NOBODY)


def named_speaker(text: str, names: tuple[str, ...]) -> int | None:
    """Index of the only one of `names` that `text` mentions, whole or by its first word; None for none or several.

    A text that has capitals must give a Latin name its own: "may" is not May there.
    """
    flat, said = text == text.lower(), Said(text)
    found = [
        index
        for index, name in enumerate(names)
        if any(_mentions(said, text, part.lower() if flat else part) for part in {name, *name.split()[:1]} if part)
    ]
    return found[0] if len(found) == 1 else None


def asks_the_assistant(text: str) -> bool:
    """True where a question is after what the assistant said: "what did you suggest", "the tool you recommended"."""
    return _SAID_BY_YOU.search(text) is not None


def _mentions(said: Said, text: str, name: str) -> bool:
    if is_of_other_script(name):
        return said.names(name)
    # most names of a user who has thousands stand nowhere in the text: no pattern is made for those
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
