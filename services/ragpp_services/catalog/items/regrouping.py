"""Brings the rows of items in order after some came, went or were moved."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp_services.catalog.items.grouping import SAME_COSINE, Same, Statement, regrouped
from ragpp_services.catalog.items.rows import ItemRows, KeyVectors

NEARLY: Final = SAME_COSINE - 0.005
"""The least cosine: rounding must leave nothing out, and vectors in halves are of length 1 to a thousandth."""
FEW: Final = 30
"""Up to so many statements are compared with all others by the database, in about 1 ms each among 10,000; for more the
vectors of all are fetched, in 40 ms."""
BLOCK: Final = 8_192
"""Vectors that are compared at once."""
INLINE_COSINES: Final = 1_000_000
"""Up to so many are computed on the event loop, in about 20 ms; more in a thread."""


async def regroup(items: ItemRows, ids: Collection[str], same: Same) -> None:
    """Find out what each of `ids` is one with, where it now is, and whatever else that changes; ids of none are
    ignored. For what came, for what was moved, with its whole item, and for what was one with what went."""
    if not ids:
        return
    for (category, seen_by), ordinals in (await items.where(ids)).items():
        neighbours = _Neighbours(items, category, seen_by)
        seeds = await neighbours.seeds(ordinals)
        grouped = await regrouped(seeds, neighbours.near, same)
        await items.group({one: leader for one, leader in grouped.items() if neighbours.was(one) != leader})


class _Neighbours:
    """The statements of one category and visibility, each read when it is first near to another."""

    def __init__(self, items: ItemRows, category: str | None, seen_by: str | None) -> None:
        self._items, self._category, self._seen_by = items, category, seen_by
        self._near: dict[int, list[int]] = {}
        self._read: dict[int, Statement] = {}
        self._was: dict[str, str | None] = {}

    def was(self, identifier: str) -> str | None:
        """The item that a statement that was read is one with in its row."""
        return self._was[identifier]

    async def seeds(self, ordinals: Sequence[int]) -> list[Statement]:
        """Those, with their neighbours read in one go."""
        if len(ordinals) <= FEW:
            self._near |= await self._items.near(self._category, self._seen_by, ordinals, NEARLY)
        else:
            key = await self._items.vectors(self._category, self._seen_by)
            places = np.flatnonzero(np.isin(key.ordinals, np.asarray(ordinals, np.int64)))
            in_thread = len(places) * len(key.ordinals) > INLINE_COSINES
            found = await asyncio.to_thread(nearest, key, places) if in_thread else nearest(key, places)
            self._near |= dict(zip(key.ordinals[places].tolist(), found, strict=True))
        await self._fetch({ordinal for near in self._near.values() for ordinal in near} | set(ordinals))
        return [self._read[ordinal] for ordinal in ordinals]

    async def near(self, one: Statement) -> list[Statement]:
        """Those nearly as near to it as makes them one, itself among them."""
        if one.ordinal not in self._near:
            self._near |= await self._items.near(self._category, self._seen_by, [one.ordinal], NEARLY)
        await self._fetch(self._near[one.ordinal])
        return [self._read[ordinal] for ordinal in self._near[one.ordinal]]

    async def _fetch(self, ordinals: Collection[int]) -> None:
        missing = [ordinal for ordinal in ordinals if ordinal not in self._read]
        if missing:
            for one in await self._items.to_group(missing):
                self._read[one.ordinal] = one
                self._was[one.id] = one.one_with


def nearest(key: KeyVectors, places: npt.NDArray[np.intp]) -> list[list[int]]:
    """For each of the rows at `places` the ordinals of those with a cosine of NEARLY or more, itself among them."""
    asked = _unit(key.vectors[places])
    found: list[list[int]] = [[] for _ in places]
    for begin in range(0, len(key.ordinals), BLOCK):
        block = _unit(key.vectors[begin : begin + BLOCK])
        rows, columns = np.nonzero(asked @ block.T >= NEARLY)
        ordinals = key.ordinals[begin + columns]
        for row, ordinal in zip(rows.tolist(), ordinals.tolist(), strict=True):
            found[row].append(ordinal)
    return found


def _unit(halves: npt.NDArray[np.float16]) -> npt.NDArray[np.float32]:
    vectors = halves.astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
