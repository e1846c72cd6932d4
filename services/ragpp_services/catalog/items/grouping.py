"""Which statements are one item. Pure.

The statements of one category, one visibility and one user are taken in the order in which they came: each joins the
first before it that stands for itself and says the same of the same domain and kind of task, or stands for itself. So
what is there alone decides, and after anything goes, the rest is grouped as if that had never been.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ragpp.catalog import generate_memory_key

SAME_COSINE: Final = 0.92
"""From which on two statements may say the same; numbers, names and polarity decide then."""
NO_FIELD: Final = generate_memory_key("").rpartition(":")[0]
"""The field of what belongs to no domain and no kind of task."""
UNGROUPED: Final = ""
"""The place of an id that is still to be found out, of what a statement is one with: no id, and not None."""

Same = Callable[[str, str], bool]
"""True where two texts, the earlier one first, state the same fact."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A statement among those of its category and visibility. `one_with`: the id of the one that stands for it, None
    where it stands for itself. `vector`: unit length. `field`: its domain and kind of task, as keys spell them."""

    id: str
    ordinal: int
    one_with: str | None
    content: str
    vector: npt.NDArray[np.float32]
    field: str = NO_FIELD


class Member(NamedTuple):
    """A statement among those that are one item. `moment`: when it was made; of two at one time the one that arrived
    later is later. `agent_id`: who contributed it."""

    id: str
    resource_id: str
    sources: tuple[str, ...]
    moment: tuple[datetime, int]
    agent_id: str | None = None


Near = Callable[[Statement], Awaitable[Sequence[Statement]]]
"""Those that are, or are nearly, as near as SAME_COSINE to a statement; whether it is among them does not matter."""


def are_one(earlier: Statement, later: Statement, same: Same) -> bool:
    """True where they say the same of the same."""
    if earlier.field != later.field:
        return False
    cosine = np.dot(earlier.vector.astype(np.float64), later.vector.astype(np.float64))
    return bool(cosine >= SAME_COSINE) and same(earlier.content, later.content)


async def regrouped(seeds: Iterable[Statement], near: Near, same: Same) -> dict[str, str | None]:
    """The item that each of `seeds` is one with now, by id, and that of each other that this changes.

    `seeds`: statements that came, that were moved here, or whose item is gone; all others are grouped as they are to
    be without them. What begins to stand for itself may take later ones from others; what ceases to leaves those that
    were one with it to be grouped anew.
    """
    known = {one.id: one for one in seeds}
    grouped: dict[str, str | None] = dict.fromkeys(known, UNGROUPED)
    waiting = [(one.ordinal, one.id) for one in known.values()]
    queued = set(known)
    heapify(waiting)
    while waiting:
        _, identifier = heappop(waiting)
        queued.discard(identifier)
        one = known[identifier]
        around = [other for other in await near(one) if other.id != identifier]
        before = grouped.get(identifier, one.one_with)
        leader = _leader(one, around, grouped, same)
        grouped[identifier] = leader
        if leader is None and before is not None:
            moved = [
                other
                for other in around
                if other.ordinal > one.ordinal and other.id not in queued and are_one(one, other, same)
            ]
        elif leader is not None and before is None:
            moved = [other for other in around if grouped.get(other.id, other.one_with) == identifier]
        else:
            moved = []
        for other in moved:
            known[other.id] = other
            if other.id not in queued:
                queued.add(other.id)
                heappush(waiting, (other.ordinal, other.id))
    return grouped


def _leader(one: Statement, around: Sequence[Statement], grouped: dict[str, str | None], same: Same) -> str | None:
    """The id of the first before it that stands for itself and says the same."""
    for other in sorted(around, key=lambda other: other.ordinal):
        if other.ordinal >= one.ordinal:
            return None
        if grouped.get(other.id, other.one_with) is None and are_one(other, one, same):
            return other.id
    return None
