"""The lines of a section of a context: what each costs, and the order in which they are shown. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ragpp.context import layout
from ragpp.models import Memory

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Line:
    """A memory as it is shown: `head + day + rest + bracket`, and the end of the line. `tokens` without day and
    bracket; what these add is counted apart. `is_whole`: all of the memory's text stands in it."""

    memory: Memory
    head: str
    day: str
    rest: str
    tokens: int
    day_tokens: int
    bracket: str = ""
    bracket_tokens: int = 0
    is_whole: bool = True

    def cost(self, days: Collection[str]) -> int:
        """Tokens that it adds to a section whose lines have `days`."""
        return self.tokens + (0 if self.day in days else self.day_tokens)


@dataclass(frozen=True)
class Draft:
    """The lines of a section so far, in the order they were taken, and the days among them."""

    lines: tuple[Line, ...] = ()
    days: frozenset[str] = frozenset()

    @classmethod
    def of(cls, lines: Sequence[Line]) -> "Draft":
        """The draft of these lines."""
        return cls(tuple(lines), frozenset([line.day for line in lines]))


def within(most: int, line: Line | None, days: Collection[str]) -> Line | None:
    """`line`; None where there is none, or it adds more than `most` tokens to a section whose lines have `days`."""
    return line if line is not None and line.cost(days) <= most else None


def arranged(title: str, lines: Sequence[Line], said: Mapping[int, int]) -> list[Line]:
    """A section's lines as they are shown: the conversation as it went and knowledge as it was ranked (`said`: the
    places of these memories), past interactions by day and then by time, others as they were taken. Lines without a
    time keep their place among each other."""
    if title in {layout.RECENT, layout.KNOWLEDGE}:
        return sorted(lines, key=lambda line: said[id(line.memory)])
    if title != layout.PAST:
        return list(lines)
    places: dict[str, int] = {}
    for line in lines:
        places.setdefault(line.day, len(places))
    return sorted(lines, key=lambda line: (places[line.day], line.memory.occurred_at or _LONG_AGO))
