"""The passages' part of the tier: their vectors, which are made behind the writes."""

from contextlib import suppress
from datetime import datetime
from typing import Final

from ragpp.errors import Outdated
from ragpp.models import Scope
from ragpp.stores.cursors import page_size
from ragpp_services.catalog.store import CatalogStore
from ragpp_services.catalog.vectors import Vectors

DROPPED_AT_ONCE: Final = 100
"""Resources whose vectors go in one transaction."""


class Passages:
    """The passages' part of `ragpp.tiers.CatalogTier`."""

    def __init__(self, store: CatalogStore, vectors: Vectors) -> None:
        self._store, self._vectors = store, vectors

    async def index_passages(self, scope: Scope, limit: int = 32) -> int:
        """As the contract says; what is forgotten meanwhile is read again."""
        size = page_size(limit)
        await self._vectors.check_identity()
        while True:
            async with self._store.reading(scope) as rows:
                epoch = await rows.epoch()
                read = await rows.passages.unembedded(size)
            if not read:
                return 0
            vectors = await self._vectors.of_texts([one.text for one in read])
            with suppress(Outdated):
                async with self._store.writing(scope, epoch) as rows:
                    await rows.passages.put(read, vectors)
                return len(read)

    async def drop_vectors(self, scope: Scope, before: datetime) -> int:
        """As the contract says; of DROPPED_AT_ONCE resources at a time, between which other writers have their turn."""
        dropped = 0
        while True:
            async with self._store.writing(scope) as rows:
                some = await rows.passages.drop_vectors(before, DROPPED_AT_ONCE)
            dropped += some
            if some < DROPPED_AT_ONCE:
                return dropped
