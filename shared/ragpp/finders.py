"""Where patterns find something in a text, and how far a piece reaches that is taken out of it. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ragpp.signs import disguised


@dataclass(frozen=True, slots=True)
class Span:
    """Something to take out at `start` to `end` of the text that was searched. Where spans touch, one of the highest
    `rank` names them all, and of those the longest."""

    start: int
    end: int
    kind: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Finder:
    """`find`: all of one kind in a text, left to right; must be linear.

    A text is not searched that is shorter than `least`, or has none of the `marks`, in lower case, where there are any:
    most texts of metadata are neither long enough nor have one, and eleven searches cost thirty times as much as that.
    """

    find: Callable[[str], Iterator[Span]]
    least: int = 0
    marks: tuple[str, ...] = ()


def named(pattern: re.Pattern[str], kind: str, *marks: str) -> Finder:
    """A finder of the group `secret` of a pattern, which has one of the `marks` in all that it matches."""

    def find(text: str) -> Iterator[Span]:
        for match in pattern.finditer(text):
            yield Span(*match.span("secret"), kind)

    return Finder(find, marks=marks)


_WORD: Final = re.compile(r"[A-Za-z0-9_-]")


def found(finders: Iterable[Finder], text: str) -> list[Span]:
    """The spans of all `finders`, in their order."""
    lowered, everything = text.lower(), disguised(text)
    spans: list[Span] = []
    for finder in finders:
        if everything or (len(text) >= finder.least and (not finder.marks or has_any(finder.marks, lowered))):
            spans += finder.find(text)
    return spans


def has_any(marks: tuple[str, ...], lowered: str) -> bool:
    """True where `lowered` has one of `marks`."""
    for mark in marks:  # noqa: SIM110 - a generator costs a call for each mark
        if mark in lowered:
            return True
    return False


def merged(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans, stretched to whole words and joined where they overlap, left to right."""
    joined: list[Span] = []
    weight = (0, 0)
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        own = (span.rank, span.end - span.start)
        if joined and span.start <= joined[-1].end:
            last = joined[-1]
            kind = span.kind if own > weight else last.kind
            weight = max(weight, own)
            joined[-1] = Span(last.start, _word_end(text, max(last.end, span.end)), kind, weight[0])
            continue
        weight = own
        floor = joined[-1].end if joined else 0
        joined.append(Span(_word_start(text, span.start, floor), _word_end(text, span.end), span.kind, span.rank))
    return joined


def _word_start(text: str, at: int, floor: int) -> int:
    while at > floor and _WORD.match(text, at) and _WORD.match(text, at - 1):
        at -= 1
    return at


def _word_end(text: str, at: int) -> int:
    while at < len(text) and _WORD.match(text, at) and _WORD.match(text, at - 1):
        at += 1
    return at
