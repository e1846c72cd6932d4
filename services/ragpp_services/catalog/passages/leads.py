"""A passage's lead: the nearest heading, the first row of its table, the words that introduce its list. The passage
is found by these and shown with them. Pure, in linear time."""

import re
from typing import Final

READ_ABOVE: Final = 4_000
"""Characters before a passage in which its lead is looked for."""
LONGEST: Final = 120
"""Characters of a line that may stand above others as their heading."""
_MARKED: Final = re.compile(r"\s{0,3}#{1,6}\s|\s*\*\*[^*\n]+\*\*:?\s*$")
_ITEM: Final = re.compile(r"\s*(?:[-*+•▪–]|\d{1,3}[.)]|[a-z]\))\s")
_ROW: Final = re.compile(r"\s*\|.*\|\s*$|[^|\n]+\|[^|\n]+\|")
_SENTENCE: Final = (".", "!", ";", ",")


def under_its_lead(above: str, passage: str) -> str:
    """`passage`, stripped, below its lead, without the headings at its end, which are those of the next. `above`: what
    stands before it, which may begin anywhere."""
    lead, own = lead_and_own(above, passage)
    return lead + own


def lead_and_own(above: str, passage: str) -> tuple[str, str]:
    """The two parts of `under_its_lead`: the lead with the end of its last line, empty where there is none."""
    before, own = above.splitlines(), _without_last_headings(passage.strip().splitlines())
    lead = [] if not own or _is_a_heading([*before, *own], len(before)) else _lead(before, own[0])
    return "".join(f"{line}\n" for line in lead), "\n".join(own)


def _lead(lines: list[str], first: str) -> list[str]:
    """The lines that are the lead of a passage with that first line, the heading first."""
    told = []
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    if lines and _is_of(_ROW, first, lines[-1]):
        lines, header = _before(_ROW, lines)
        told = [header]
    elif lines and _is_of(_ITEM, first, lines[-1]):
        lines, _ = _before(_ITEM, lines)
    if lines and lines[-1].rstrip().endswith(":") and not told:
        told = [lines.pop().strip()]
    heading = next((lines[place] for place in range(len(lines) - 1, -1, -1) if _is_a_heading(lines, place)), None)
    return [*([] if heading is None else [heading.strip()]), *told]


def _without_last_headings(lines: list[str]) -> list[str]:
    """All of them where there is nothing else; a line by itself may be what the resource ends with, and stays."""
    end = len(lines)
    while end and (not lines[end - 1].strip() or _is_surely_a_heading(lines, end - 1)):
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


def _is_a_heading(lines: list[str], place: int) -> bool:
    """True where a line stands above what follows: by its marks; or at the beginning of a paragraph, short, and no
    sentence but a question, or alone."""
    line = lines[place].strip()
    is_alone = place + 1 == len(lines) or not lines[place + 1].strip()
    if is_alone and _stands_above(lines, place) and not line.endswith(_SENTENCE):
        return True
    return _is_surely_a_heading(lines, place)


def _is_surely_a_heading(lines: list[str], place: int) -> bool:
    line = lines[place].strip()
    return _MARKED.match(line) is not None or (line.endswith("?") and _stands_above(lines, place))


def _stands_above(lines: list[str], place: int) -> bool:
    """True where a short line begins a paragraph, and is no item or row."""
    line = lines[place].strip()
    begins = place > 0 and not lines[place - 1].strip()
    return begins and 0 < len(line) <= LONGEST and not _ITEM.match(line) and not _ROW.match(line)
