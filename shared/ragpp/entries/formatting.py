"""Entries as an agent reads them: one line each, as data, under names that the other hooks resolve."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.context.layout import KNOWLEDGE
from ragpp.context.quoting import quoted

HEADING: Final = f"## {KNOWLEDGE}"
MOST_HANDLES: Final = 20
"""Entries that a catalog for one turn lists at most (the contract of the hooks)."""
_HANDLE: Final = re.compile(r"m([1-9][0-9]?)\Z")


@dataclass(frozen=True, slots=True)
class Line:
    """An entry as it is to be shown: what kind of thing it is, when it was, under which `handle` (or id), and what it
    says in the form that was chosen."""

    kind: str
    occurred_at: datetime
    handle: str
    text: str

    @property
    def lead(self) -> str:
        """The bracket that stands before the text: kind, date and handle."""
        return f"- [{self.kind} · {self.occurred_at:%Y-%m-%d} · {self.handle}]"

    def __str__(self) -> str:
        return f"{self.lead} {quoted(self.text)}"


def handles(ids: Sequence[str]) -> dict[str, str]:
    """A handle for each id, in their order: `m1`, `m2`, … Raises ValueError for more than MOST_HANDLES."""
    if len(ids) > MOST_HANDLES:
        raise ValueError(f"{len(ids)} entries are more than {MOST_HANDLES} handles")
    return {one: f"m{place}" for place, one in enumerate(ids, 1)}


def resolved(named: Sequence[str], ids: Sequence[str]) -> list[str]:
    """The ids that were `named` by handle or by id, each once, in their order; `ids`: those of the turn's catalog, in
    the order of their handles. A handle that nothing has stays as it is, as an id that nobody knows does."""
    found: list[str] = []
    for name in named:
        place = _HANDLE.match(name)
        is_handle = place is not None and name not in ids and int(place[1]) <= len(ids)
        found.append(ids[int(place[1]) - 1] if place is not None and is_handle else name)
    return list(dict.fromkeys(found))


def format_memories(lines: Sequence[Line]) -> str:
    """The lines, one below another; empty where there are none."""
    return "\n".join(map(str, lines))


def format_injection(lines: Sequence[Line]) -> str:
    """The same as a section of a context, under its heading; empty where there are none."""
    return f"{HEADING}\n{format_memories(lines)}\n" if lines else ""


def fitting(lines: Sequence[Line], budget: int, count: Callable[[str], int]) -> list[Line]:
    """The first of `lines` whose injection has at most `budget` tokens, as `count` says of the finished text: what was
    counted line by line may come to more where it is read in one."""
    kept = list(lines)
    while kept and count(format_injection(kept)) > budget:
        kept.pop()
    return kept
