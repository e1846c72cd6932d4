"""A passage's lead: the heading that reaches it, the first row of its table, the words that introduce its list. The
passage is found by these and shown with them. Pure, in linear time."""

import re
from collections.abc import Sequence
from typing import Final

from ragpp_services.catalog.passages.headings import (
    ITEM,
    ROW,
    goes_on,
    heads_a_section,
    is_heading,
    is_surely_heading,
)

READ_ABOVE: Final = 4_000
"""Characters before a passage in which its lead is looked for."""


def under_its_lead(above: str, passage: str) -> str:
    """`passage`, stripped, below its lead, without the headings at its end, which are those of the next. `above`: what
    stands before it, which may begin anywhere."""
    lead, own = lead_and_own(above, passage)
    return lead + own


def lead_and_own(above: str, passage: str) -> tuple[str, str]:
    """The two parts of `under_its_lead`: the lead with the end of its last line, empty where there is none. Headings
    with which the passage begins are its lead."""
    before, own = above.splitlines(), _without_last_headings(passage.strip().splitlines())
    lead = own[: _end_of_headings([*before, *own], len(before)) - len(before)]
    own = own[len(lead) :]
    if own and not lead:
        lead = _lead(before, own[0])
    return "".join(f"{line}\n" for line in lead), "\n".join(own)


def _end_of_headings(lines: Sequence[str], start: int) -> int:
    """Where the headings end that begin at `start`; at it where there are none, or nothing else follows."""
    end = start
    while end < len(lines) and (not lines[end].strip() or is_heading(lines, end)):
        end += 1
    return end if end < len(lines) else start


def _lead(lines: list[str], first: str) -> list[str]:
    """The lines that are the lead of a passage with that first line, the heading first."""
    told, above = list[str](), lines
    while above and not above[-1].strip():
        above = above[:-1]
    if above and _is_of(ROW, first, above[-1]):
        lines, first = _before(ROW, above)
        told = [first]
    elif above and _is_of(ITEM, first, above[-1]):
        above, first = _before(ITEM, above)
        lines = above
    if above and above[-1].rstrip().endswith(":") and not told:
        lines, first = above[:-1], above[-1].strip()
        told = [first]
    heading = _heading(lines, first)
    return [*([] if heading is None else [heading]), *told]


def _heading(lines: Sequence[str], first: str) -> str | None:
    """The nearest heading that reaches a passage with that first line: one of a section, or of its own paragraph and of
    those that go on with it."""
    below, is_reached, is_apart = first, True, False
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        if not line.strip():
            is_apart = True
            continue
        if is_apart:
            is_reached = is_reached and goes_on(line, below)
        if is_heading(lines, place) and (is_reached or heads_a_section(lines, place)):
            return line.strip()
        below, is_apart = line, False
    return None


def _without_last_headings(lines: list[str]) -> list[str]:
    """All of them where there is nothing else; a line by itself may be what the resource ends with, and stays."""
    end = len(lines)
    while end and (not lines[end - 1].strip() or is_surely_heading(lines, end - 1)):
        end -= 1
    return lines[:end] or lines


def _is_of(kind: re.Pattern[str], *lines: str) -> bool:
    return all(kind.match(line) for line in lines)


def _before(kind: re.Pattern[str], lines: list[str]) -> tuple[list[str], str]:
    """The lines before those of that kind at the end, with blank lines between and after them left out; and the first
    of these."""
    end = len(lines)
    while end and (kind.match(lines[end - 1]) or not lines[end - 1].strip() or lines[end - 1][0].isspace()):
        end -= 1
    first = next(line for line in lines[end:] if kind.match(line))
    return lines[:end], first
