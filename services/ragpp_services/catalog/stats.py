"""How much the catalog holds."""

from ragpp.catalog import MemoryStats
from ragpp.models import Scope
from ragpp_services.catalog.store import CatalogStore


class Stats:
    """Counts what a scope sees."""

    def __init__(self, store: CatalogStore) -> None:
        self._store = store

    async def stats(self, scope: Scope) -> MemoryStats:
        """See the contract. Every item has a vector, so the index has as many entries as there are items."""
        async with self._store.reading(scope) as rows:
            return await rows.categories.totals(scope.view)
