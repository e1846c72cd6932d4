"""Which facts of a page hold now, and which gave way to a later one. Pure."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ragpp_services.catalog.pages.values import PageItem

ABOUT_THE_SAME: Final = 0.6
"""Cosine from which on a later fact may contradict an earlier one, with all-MiniLM-L6-v2."""
NEAREST: Final = 8
"""With how many later facts, the nearest, each is compared at most: a thousand customers of one plan are all near, and
comparing them all takes 40 s."""
ANOTHER_WORDING: Final = 0.85
"""Cosine from which on two facts stand side by side."""

Contradicts = Callable[[str, str], bool]
"""`contradicts(later, earlier)`: whether the text of the later fact says otherwise than that of the earlier one."""


class Placed(NamedTuple):
    """A fact at its place. `replaced_by`: the one that it gave way to; None while it holds."""

    item: PageItem
    replaced_by: PageItem | None


class Facts:
    """The facts of a page, which gave way to which, and how near they are to each other.

    A fact gives way to the earliest of the NEAREST later ones that contradicts it; of two of the same moment, and of
    two that one resource says at one time, neither does. What gave way to one that gave way itself does not come back:
    only the latest word holds.
    """

    def __init__(self, items: Sequence[PageItem], contradicts: Contradicts) -> None:
        """`contradicts` is asked about facts that are near in meaning, and not about two of the same words."""
        self._items = sorted(items, key=lambda item: (item.occurred_at, item.content, item.id))  # ids may be random
        self.vectors: npt.NDArray[np.float32] = np.stack([item.vector for item in self._items])
        self._replaced_by = [self._successor(row, contradicts) for row in range(len(self._items))]
        self._gave_way: dict[int, list[int]] = {}
        for row, successor in enumerate(self._replaced_by):
            if successor is not None:
                self._gave_way.setdefault(successor, []).append(row)
        self.current = [row for row, successor in enumerate(self._replaced_by) if successor is None]
        """Rows of those that hold, the earliest first; a row is the fact's place by time and words."""

    def text(self, row: int) -> str:
        """The text of the fact."""
        return self._items[row].content

    def in_order(self, rows: Sequence[int]) -> Iterator[Placed]:
        """The facts of `rows`, which hold, the newest first; right behind each what gave way to it, and then other
        wordings of it, with what gave way to those."""
        waiting = sorted(rows, reverse=True)
        while waiting:
            first, *others = waiting
            near = self.vectors[others] @ self.vectors[first]
            worded = [row for row, nearness in zip(others, near, strict=True) if nearness >= ANOTHER_WORDING]
            for row in (first, *worded):
                yield from self._with_replaced(row)
            waiting = [row for row in others if row not in set(worded)]

    def _with_replaced(self, row: int) -> Iterator[Placed]:
        waiting = [row]
        while waiting:
            place = waiting.pop()
            successor = self._replaced_by[place]
            yield Placed(self._items[place], None if successor is None else self._items[successor])
            waiting += self._gave_way.get(place, [])

    def _successor(self, row: int, contradicts: Contradicts) -> int | None:
        item = self._items[row]
        near = self.vectors[row + 1 :] @ self.vectors[row]
        nearest = np.argsort(-near, kind="stable")[:NEAREST]
        for place in np.sort(nearest[near[nearest] >= ABOUT_THE_SAME]) + row + 1:
            later = self._items[place]
            is_later = later.occurred_at > item.occurred_at and later.said.isdisjoint(item.said)
            if is_later and later.content != item.content and contradicts(later.content, item.content):
                return int(place)
        return None
