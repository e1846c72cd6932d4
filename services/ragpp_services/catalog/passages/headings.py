"""Lines of a resource that are headings, and how far each reaches. Pure, in linear time."""

import re
from collections.abc import Sequence
from typing import Final

from ragpp.text.headings import LONGEST, heads

ITEM: Final = re.compile(r"\s*(?:[-*+•▪–]|\d{1,3}[.)]|[a-z]\))\s")
"""A line that is an item of a list."""
ROW: Final = re.compile(r"\s*\|.*\|\s*$|[^|\n]+\|[^|\n]+\|")
"""A line that is a row of a table."""
_LEVELLED: Final = re.compile(r"\s{0,3}#{1,6}\s")
_BOLD: Final = re.compile(r"\s*\*\*[^*\n]+\*\*:?\s*$")
_SENTENCE: Final = (".", "!", ";", ",")


def is_heading(lines: Sequence[str], place: int) -> bool:
    """True where a line stands above what follows: by its marks; or at the beginning of a paragraph, short, and a
    question, alone and no sentence, or the heading of the sentences below it (`heads`)."""
    line = lines[place].strip()
    if is_surely_heading(lines, place):
        return True
    if not _stands_above(lines, place):
        return False
    if _is_alone(lines, place):
        return not line.endswith(_SENTENCE)
    return heads(line, _rest_of_paragraph(lines, place + 1))


def is_surely_heading(lines: Sequence[str], place: int) -> bool:
    """True where it is one whatever follows."""
    line = lines[place].strip()
    return _is_marked(line) or (line.endswith("?") and _stands_above(lines, place))


def heads_a_section(lines: Sequence[str], place: int) -> bool:
    """True where a heading reaches to the next one: it has a level, or is a paragraph by itself. Another is that of the
    paragraph it begins."""
    return _LEVELLED.match(lines[place]) is not None or _is_alone(lines, place)


def goes_on(above: str, below: str) -> bool:
    """True where a paragraph that begins with the line `below` goes on with the one before it, which ends with the line
    `above`: as a list or table, behind one, behind a colon, or without a capital."""
    if above.rstrip().endswith(":") or above[:1].isspace() or _is_of_a_list(above) or _is_of_a_list(below):
        return True
    return next(filter(str.isalnum, below), "").islower()


def sections(content: str) -> list[int]:
    """Where in `content` a passage may not go on: before each heading that has no other right above it. None for its
    beginning."""
    lines, starts, position, above_is_heading = content.splitlines(keepends=True), list[int](), 0, True
    for place, line in enumerate(lines):
        if line.strip():
            heading = is_heading(lines, place)
            if heading and not above_is_heading:
                starts.append(position)
            above_is_heading = heading
        position += len(line)
    return starts


def _is_of_a_list(line: str) -> bool:
    return ITEM.match(line) is not None or ROW.match(line) is not None


def _is_marked(line: str) -> bool:
    return _LEVELLED.match(line) is not None or _BOLD.match(line) is not None


def _is_alone(lines: Sequence[str], place: int) -> bool:
    return place + 1 == len(lines) or not lines[place + 1].strip()


def _stands_above(lines: Sequence[str], place: int) -> bool:
    """True where a short line begins a paragraph, and is no item or row."""
    line = lines[place].strip()
    begins = place > 0 and not lines[place - 1].strip()
    return begins and 0 < len(line) <= LONGEST and not _is_of_a_list(line)


def _rest_of_paragraph(lines: Sequence[str], start: int) -> Sequence[str]:
    end = start
    while end < len(lines) and lines[end].strip() and not _is_of_a_list(lines[end]):
        end += 1
    return lines[start:end]
