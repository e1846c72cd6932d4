"""The values that the search for names works on and gives: words, spans that a pipeline labelled, and names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ragpp.extraction.port import EntityLabel
from ragpp.placeholders import PLACEHOLDER

_QUOTES: Final = frozenset("\"“'‘")


@dataclass(frozen=True, slots=True)
class Word:
    """One token of the message: `message[start:end] == text`. `proper`: whether a tagger took it for a name, or there
    is none."""

    text: str
    start: int
    end: int
    proper: bool = True


@dataclass(frozen=True, slots=True)
class Labelled:
    """Words `first` up to, not including, `last` were labelled by the pipeline. `sure`: by its list of places and
    holidays, and not by a model, whose label is a guess."""

    first: int
    last: int
    label: EntityLabel
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the message. `firm`: the label is known, not guessed. `certain`: it is a name, whatever it labels."""

    name: str
    label: EntityLabel
    start: int
    end: int
    firm: bool
    certain: bool
    aliases: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()


def called(names: Sequence[Name], text: str) -> list[Name]:
    """The names in `text` without placeholders, which are nobody's; one in quotation marks is that of a thing."""
    found: list[Name] = []
    for name in names:
        before = text[name.start - 1] if name.start else ""
        if before == "[" and PLACEHOLDER.match(text, name.start - 1):
            continue
        is_thing = before in _QUOTES and name.label == "PERSON" and not name.firm
        found.append(replace(name, label="PRODUCT") if is_thing else name)
    return found
