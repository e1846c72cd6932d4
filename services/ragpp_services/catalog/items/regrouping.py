"""Brings the rows of items in order after some came, went or were moved."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp_services.catalog.items.grouping import SAME_COSINE, Same, Statement, regrouped
from ragpp_services.catalog.items.rows import ItemRows, KeyVectors

NEARLY: Final = SAME_COSINE - 0.005
"""What is looked at: rounding in a product of many vectors at once must leave nothing out."""
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
        neighbours = _Neighbours(items, await items.vectors(category, seen_by))
        seeds = await neighbours.seeds(ordinals)
        grouped = await regrouped(seeds, neighbours.near, same)
        await items.group({one: leader for one, leader in grouped.items() if neighbours.was(one) != leader})


class _Neighbours:
    """The statements of one category and visibility, each read when it is first near to another."""

    def __init__(self, items: ItemRows, key: KeyVectors) -> None:
        self._items, self._key = items, key
        self._near: dict[int, list[int]] = {}
        self._read: dict[int, Statement] = {}
        self._was: dict[str, str | None] = {}

    def was(self, identifier: str) -> str | None:
        """What one that was read is one with in its row."""
        return self._was[identifier]

    async def seeds(self, ordinals: Sequence[int]) -> list[Statement]:
        """Those, with their neighbours read in one go."""
        places = np.flatnonzero(np.isin(self._key.ordinals, np.asarray(ordinals, np.int64)))
        for ordinal, near in zip(self._key.ordinals[places].tolist(), await self._nearest(places), strict=True):
            self._near[ordinal] = near
        await self._fetch({ordinal for near in self._near.values() for ordinal in near} | set(ordinals))
        return [self._read[ordinal] for ordinal in ordinals]

    async def near(self, one: Statement) -> list[Statement]:
        """Those nearly as near to it as makes them one, itself among them."""
        if one.ordinal not in self._near:
            places = np.flatnonzero(self._key.ordinals == one.ordinal)
            (self._near[one.ordinal],) = await self._nearest(places)
        await self._fetch(self._near[one.ordinal])
        return [self._read[ordinal] for ordinal in self._near[one.ordinal]]

    async def _nearest(self, places: npt.NDArray[np.intp]) -> list[list[int]]:
        if len(places) * len(self._key.ordinals) > INLINE_COSINES:
            return await asyncio.to_thread(nearest, self._key, places)
        return nearest(self._key, places)

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
