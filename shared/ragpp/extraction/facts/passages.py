"""The passages of a resource: running text, items that hang on what they stand under, and what its form alone says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

_DROPPED: Final = re.compile(r"\*\*|__|(?<![\w*])\*(?=\w)|(?<=\w)\*(?![\w*])|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)|~~|\s+")
_LINK: Final = re.compile(r"\[([^\]\n]{1,200})\]\((?:[^)\n]{1,500})\)")
_QUOTED: Final = re.compile(r"[\"“„«][^\"“”„«»]+[\"”“»]")


@dataclass(frozen=True, slots=True)
class Voice:
    """Whose words a passage has. `speaker` and `other` (whom the speaker talks with) are names fit for a sentence;
    `aloud`: said to somebody, not laid down. `label`: the speaker as the resource has it. `gathered`: of many people,
    whose words may stand in quotation marks."""

    aloud: bool = False
    speaker: str | None = None
    other: str | None = None
    label: str | None = None
    said: int | None = None
    said_at: datetime | None = None
    gathered: bool = False


class Compact(NamedTuple):
    """A stretch of a resource on one line and without marks of emphasis. `places[i]` is where its i-th character is."""

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]`, which is not empty, is in the resource."""
        return self.places[start], self.places[end - 1] + 1

    @property
    def unquoted(self) -> "Compact":
        """It without the quotation marks around the whole of it, if there are any."""
        if len(self.text) > 2 and _QUOTED.fullmatch(self.text):
            return Compact(self.text[1:-1], self.places[1:-1])
        return self


@dataclass(frozen=True, slots=True)
class Prose:
    """Sentences. `under`: the headings above, outermost first."""

    compact: Compact
    voice: Voice
    under: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list. `lead`: the words that introduce the list, without a colon."""

    compact: Compact
    voice: Voice
    under: tuple[str, ...] = ()
    lead: str | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """A fact by its form, put in words: a setting, a cell of a table. It stands at `start` to `end`."""

    text: str
    start: int
    end: int
    voice: Voice
    confidence: float


Passage = Prose | Item | Given


def compact(content: str, start: int, end: int) -> Compact:
    """`content[start:end]` with each run of white space as one space and without marks of emphasis and addresses of
    links, stripped."""
    kept, places, position = list[str](), list[int](), start
    while position < end:
        link = _LINK.match(content, position, end) if content[position] == "[" else None
        if link:
            kept += link[1]
            places += range(link.start(1), link.end(1))
            position = link.end()
            continue
        dropped = _DROPPED.match(content, position, end)
        if dropped is None:
            kept.append(content[position])
            places.append(position)
            position += 1
            continue
        if dropped.group().isspace() and kept and kept[-1] != " ":
            kept.append(" ")
            places.append(position)
        position = dropped.end()
    if kept and kept[-1] == " ":
        kept.pop()
        places.pop()
    return Compact("".join(kept), places)
