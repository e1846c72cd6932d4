"""The resources' part of the tier."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from typing import Final

import numpy as np

from ragpp.catalog import Resource, ResourceType
from ragpp.clock import Clock
from ragpp.errors import Outdated, ResourceNotFoundError
from ragpp.models import Page, Scope
from ragpp.ranking.coverage import coverage, document_frequencies, inverse_document_frequencies
from ragpp.stores.compression import packed_all
from ragpp.stores.cursors import cursor_of, page_size, place_of
from ragpp.stores.packed_columns import term_weights, whole_numbers
from ragpp.text.lexical import query_terms
from ragpp_services.catalog import forgetting
from ragpp_services.catalog.resources.rows import ScannedChunks
from ragpp_services.catalog.store import CatalogStore

COMPRESSED_AT_ONCE: Final = 20
"""Old contents that are read and compressed together: of a million characters each, a second's work."""


class Resources:
    """The part of `ragpp.tiers.CatalogTier` that is about resources, but for storing them."""

    def __init__(self, store: CatalogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def get_resource(self, scope: Scope, resource_id: str) -> Resource:
        async with self._store.reading(scope) as rows:
            found = await rows.resources.get(resource_id)
        if found is None:
            raise ResourceNotFoundError(resource_id)
        return found

    async def list_resources(
        self,
        scope: Scope,
        resource_type: ResourceType | None = None,
        session_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Resource]:
        """See the contract. The messages of a conversation are left out, as most of its content is."""
        before, size = None if cursor is None else place_of("resources", cursor), page_size(limit)
        async with self._store.reading(scope) as rows:
            found = await rows.resources.page(resource_type, session_id, before, size + 1)
        following = cursor_of("resources", found[size - 1].ordinal) if len(found) > size else None
        return Page[Resource](items=tuple(one.resource for one in found[:size]), next_cursor=following)

    async def search_resources(
        self, scope: Scope, text: str, resource_type: ResourceType | None = None, limit: int = 10
    ) -> list[Resource]:
        """See the contract. The best chunk is the one that holds most of the information of `text`
        (`ragpp.ranking.coverage`)."""
        terms = query_terms(text)
        size = page_size(limit)
        if not terms:
            return []
        async with self._store.reading(scope) as rows:
            keys = best_chunks(await rows.resources.scan(resource_type, terms), terms, size)
            found = await rows.resources.found(keys)
        return [found[ordinal] for ordinal, _ in keys if ordinal in found]

    async def delete_resource(self, scope: Scope, resource_id: str, cascade: bool = True) -> bool:
        if cascade:
            return await forgetting.forget_all(self._store, scope, [resource_id], [], self._clock) > 0
        async with self._store.writing(scope) as rows:
            return await forgetting.leave_stubs(rows, [resource_id], self._clock()) > 0

    async def expire(self, scope: Scope, resource_ids: Collection[str]) -> int:
        async with self._store.writing(scope) as rows:
            return await forgetting.expire(rows, resource_ids, self._clock())

    async def compress(self, scope: Scope, before: datetime) -> int:
        """See the contract. COMPRESSED_AT_ONCE contents at a time, read and packed before writers have to wait."""
        done = 0
        while True:
            async with self._store.reading(scope) as rows:
                epoch = await rows.epoch()
                contents = await rows.resources.compressible(before, COMPRESSED_AT_ONCE)
            smaller = await asyncio.to_thread(packed_all, contents)
            with suppress(Outdated):  # something was forgotten meanwhile: it is read again
                async with self._store.writing(scope, epoch) as rows:
                    await rows.resources.compress(smaller)
                done += sum(map(bool, smaller.values()))
                if len(contents) < COMPRESSED_AT_ONCE:
                    return done


def best_chunks(scanned: ScannedChunks, terms: tuple[int, ...], limit: int) -> list[tuple[int, int]]:
    """(ordinal, part) of the best chunk of each of the `limit` best resources, best first; of equals the later one.
    None without a word of the question."""
    resources = whole_numbers(scanned.resources, "bigint")
    if not len(resources) or scanned.lexical is None:
        return []
    parts = whole_numbers(scanned.parts, "int")
    weights = term_weights(scanned.lexical, terms)
    rarity = inverse_document_frequencies(len(resources), document_frequencies(weights > 0))
    scores = coverage(weights, rarity)
    best: dict[int, int] = {}
    for row in np.lexsort((parts, -resources, -scores)).tolist():
        if scores[row] <= 0 or len(best) == limit:
            break
        best.setdefault(int(resources[row]), int(parts[row]))
    return list(best.items())
