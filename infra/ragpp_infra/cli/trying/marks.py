"""A person's marks on a numbered list, as they are typed: "wrong 3 5-7, forget 9". Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from ragpp.errors import InvalidInput

Mark = Literal["wrong", "forget"]
_MARKS: Final[tuple[Mark, ...]] = ("wrong", "forget")
_PART: Final = re.compile(r"(?P<word>[a-z]+)|(?P<first>\d{1,6})(?:\s*-\s*(?P<last>\d{1,6}))?|[\s,;]+", re.IGNORECASE)
HINT: Final = ("Say which, and what of them: wrong 3 5, or forget 7-9; w and f will do.",)


@dataclass(frozen=True)
class Marks:
    """The mark of each number, in the order they were typed."""

    of: Mapping[int, Mark]


def marks_of(typed: str, *, most: int) -> Marks:
    """The marks in `typed`, for numbers from 1 to `most`; the last one counts. Raises InvalidInput, with what is wrong,
    before any is taken."""
    mark: Mark | None = None
    found: dict[int, Mark] = {}
    place = 0
    while place < len(typed):
        part = _PART.match(typed, place)
        if part is None:
            raise InvalidInput(f"{typed[place:]!r} is not understood", suggestions=HINT)
        place = part.end()
        if part["word"]:
            mark = next((one for one in _MARKS if one.startswith(part["word"].casefold())), None)
            if mark is None:
                raise InvalidInput(f"{part['word']!r} is neither wrong nor forget", suggestions=HINT)
        elif part["first"]:
            numbers = range(int(part["first"]), int(part["last"] or part["first"]) + 1)
            if not numbers or numbers[0] < 1 or numbers[-1] > most:
                raise InvalidInput(f"there is no {part[0]}: the numbers are 1 to {most}", suggestions=HINT)
            if mark is None:
                raise InvalidInput(f"{part[0]} is wrong, or to be forgotten?", suggestions=HINT)
            found |= dict.fromkeys(numbers, mark)
    if not found:
        raise InvalidInput("no number is named", suggestions=HINT)
    return Marks(found)
