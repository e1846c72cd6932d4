"""Text between quotation marks or backticks, however they are paired, nested or mixed. Pure, and linear.

A mark opens or closes by what stands beside it ("X", ”X”, »X«), and by its direction only where that does not tell.
What is quoted may hold marks of its own, whole pairs or not: a quotation goes on to the mark that closes the last of
them, and a closing mark to which nothing belongs closes what was quoted before it.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ragpp.text.spans import Span

LEAST_QUOTED: Final = 4
"""Words of a quotation that says something: fewer are a title or a name, which its author mentions."""

_DOUBLE: Final = re.compile(r"[\"“”„‟«»″‶〝〞〟❝❞‹›「」『』]|``|''")
_SINGLE: Final = re.compile(r"(?<!')['‘’‚‛′´❛❜](?!')")
_OPENING: Final = frozenset("“„‟«‶〝❝‹「『‘‚‛❛") | {"``"}
_CLOSING: Final = frozenset("”»″〞〟❞›」』’′´❜") | {"''"}
_ENCLOSING: Final = frozenset("「」『』")
"""Marks of scripts without spaces, which their direction tells."""
_CLOSES: Final = {"„": "“”", "‚": "‘’", "»": "«", "›": "‹", "”": "”", "’": "’"}
"""Marks that close what those opened though they look as if they opened something."""
_ELIDED: Final = re.compile(r"(?:cause|cos|coz|cuz|em|til|till|bout|round|n|tis|twas|\d\ds?)\b", re.IGNORECASE)
"""Words that are written with an apostrophe before them."""
_SPOKEN: Final = re.compile(r"[\w\"“”„«»¿¡(\[….*_-]")
_SMILES: Final = re.compile(r"[:;]['’][()DPO3](?!\w)")
_MEASURES: Final = re.compile(r"[\d½¼¾]\Z")
_POSSESSIVE: Final = re.compile(r"[\d½¼¾]\Z|[^\W\d_](?:s|n)\Z", re.IGNORECASE)
_UNCLOSED: Final = re.compile(
    r"(?:\b(?:wrote|says?|said|reads?|goes|replied|texted|posted|told \w+)[:,]? |[:,] )\Z", re.IGNORECASE
)
_TICKS: Final = re.compile(r"(?<!\w)`++|`++(?!\w)|`{2,}+")
_FENCE: Final = 3
_WORD: Final = re.compile(r"\w+")


def quotations(text: str) -> Iterator[Span]:
    """The stretches of `text` between quotation marks or backticks that have LEAST_QUOTED words."""
    for found in (_between(text, _DOUBLE, _MEASURES), _between(text, _SINGLE, _POSSESSIVE), _code(text)):
        for span in found:
            if says_something(text, span):
                yield span


def says_something(text: str, span: Span) -> bool:
    """True where a stretch of `text` has LEAST_QUOTED words."""
    return len(_WORD.findall(text, *span)) >= LEAST_QUOTED


@dataclass(slots=True)
class _Reading:
    """The state of reading so far: the marks that are open, and the quotations with none around."""

    opened: list[tuple[int, str]] = field(default_factory=list)
    held: Counter[str] = field(default_factory=Counter)
    """The marks of `opened`."""
    found: list[Span] = field(default_factory=list)
    closed_at: int = 0

    def open(self, mark: str, start: int) -> None:
        self.opened.append((start, mark))
        self.held[mark] += 1

    def close(self, end: int) -> None:
        start, mark = self.opened.pop()
        self.held[mark] -= 1
        self.closed_at = end
        if not self.opened:
            self.found.append(Span(start, end))

    def close_again(self, end: int, *, all_of_them: bool) -> None:
        """A mark closes to which nothing belongs: what closed the quotation before it, or any, was within one."""
        start = self.found[0 if all_of_them else -1].start
        while self.found and self.found[-1].start >= start:
            self.found.pop()
        self.found.append(Span(start, end))

    def rather_closes(self, mark: str) -> bool:
        """True where a mark closes that may open as well."""
        if self.opened and mark in _CLOSES.get(self.opened[-1][1], ""):
            return True
        if mark in _OPENING or mark in _CLOSING:
            return mark in _CLOSING
        return self.held[mark] > 0


def _between(text: str, marks: re.Pattern[str], apart: re.Pattern[str]) -> list[Span]:
    """`apart`: what a mark stands behind that closes nothing where nothing is open: feet, inches, apostrophes."""
    reading = _Reading()
    for match in marks.finditer(text):
        mark, start, end = match.group(), match.start(), match.end()
        opens, closes = _sides(text, mark, start, end)
        if opens and closes:
            opens = not reading.rather_closes(mark)
        if opens:
            reading.open(mark, start)
        elif closes and reading.opened:
            reading.close(end)
        elif closes and reading.found and not apart.search(text, max(0, start - 2), start):
            reading.close_again(end, all_of_them=marks is _DOUBLE)
    if reading.opened:
        start = reading.opened[0][0]
        if _UNCLOSED.search(text, max(0, start - 80), start):
            reading.found.append(Span(start, len(text)))
        elif reading.closed_at > start:
            reading.found.append(Span(start, reading.closed_at))
    return reading.found


def _sides(text: str, mark: str, start: int, end: int) -> tuple[bool, bool]:
    """The two directions of the mark at `text[start:end]`: true where it may open, and true where it may close."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if mark in _ENCLOSING:
        return mark in _OPENING, mark in _CLOSING
    touches = _in_word(before), _in_word(after)
    if all(touches):
        return mark in _OPENING and mark != "‘", mark in _CLOSING and mark not in "’′´"
    gap_before, gap_after = not before.strip(), not after.strip()
    opens = not touches[0] and (not gap_after or gap_before)
    closes = not touches[1] and (not gap_before or gap_after)
    if opens and _SINGLE.match(mark) and _is_apostrophe(text, mark, start, end):
        opens = False
    return opens, closes


def _is_apostrophe(text: str, mark: str, start: int, end: int) -> bool:
    """True where a single mark that might open something stands for letters, or in a smiley."""
    if mark not in _OPENING and not _SPOKEN.match(text, end):
        return True
    return _ELIDED.match(text, end) is not None or _SMILES.match(text, max(0, start - 1)) is not None


def _in_word(character: str) -> bool:
    """True where it is a digit or a letter of a script that parts words."""
    return character.isdigit() or character.lower() != character.upper()


def _code(text: str) -> Iterator[Span]:
    """The stretches between two runs of as many backticks, or behind a run that opens a fence."""
    runs = [match.span() for match in _TICKS.finditer(text)]
    places = defaultdict[int, list[int]](list)
    for place, (start, end) in enumerate(runs):
        places[end - start].append(place)
    place = 0
    while place < len(runs):
        start, end = runs[place]
        alike = places[end - start]
        further = bisect_right(alike, place)
        if further < len(alike):
            place = alike[further]
            yield Span(start, runs[place][1])
        elif end - start >= _FENCE:
            yield Span(start, len(text))
            return
        place += 1
