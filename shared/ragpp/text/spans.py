"""Stretches of a text, and a text at its length without some of them. Pure."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

_BLANK: Final = re.compile(r"[^\n]")


class Span(NamedTuple):
    """`text[start:end]`."""

    start: int
    end: int

    def meets(self, other: "Span") -> bool:
        """True where they have a character in common."""
        return self.start < other.end and other.start < self.end


def merged(spans: Iterable[Span]) -> list[Span]:
    """The stretches in order, those that touch or overlap as one."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def blanked(text: str, spans: Iterable[Span]) -> str:
    """`text` at its length, with `spans` (in order, without overlap) blanked but for their line ends."""
    parts, begin = [], 0
    for start, end in spans:
        parts += [text[begin:start], _BLANK.sub(" ", text[start:end])]
        begin = end
    return "".join((*parts, text[begin:]))
