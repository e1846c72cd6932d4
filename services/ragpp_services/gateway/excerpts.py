"""Beginnings of texts that are too long to be shown whole. Pure."""

from typing import Final

from ragpp.context.quoting import end_of_lines, quoted, unquoted
from ragpp.text.port import TokenMeter

ELLIPSIS: Final = " …"
_CUTS: Final = 4
"""Times that a beginning is cut shorter to make room for what closes its fence; ordinary text needs one."""


def beginning(text: str, room: int, counter: TokenMeter) -> str:
    """A beginning of `text` that as data (`ragpp.context.quoting`) has at most `room` tokens, an ellipsis included
    where it is not all; empty when none was found."""
    head = counter.truncate(text[: end_of_lines(text, room)], room).rstrip()  # a line's mark is a token, too
    shown = quoted(head)
    if head == text and counter.count(shown) <= room:
        return shown
    wanted = room - counter.count(ELLIPSIS)
    for _ in range(_CUTS):
        cut = unquoted(counter.truncate(shown, max(0, wanted)))[: len(head)].rstrip()
        part = quoted(cut + ELLIPSIS) if cut else ""
        over = counter.count(part) - room
        if over <= 0:
            return part
        wanted -= over
    return ""
