"""How much the catalog holds, and of whom; how its store is."""

from ragpp.catalog import MemoryStats
from ragpp.clock import Clock
from ragpp.health import StoreState
from ragpp.models import KnownUser, Scope
from ragpp.stores.cursors import page_size
from ragpp_services.catalog.store import CatalogStore


class Stats:
    """Counts what a scope sees, and what there is of all tenants."""

    def __init__(self, store: CatalogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def state(self) -> StoreState:
        """See the contract."""
        return await self._store.state(self._clock)

    async def stats(self, scope: Scope) -> MemoryStats:
        """See the contract. Every item has a vector, so the index has as many entries as there are items."""
        async with self._store.reading(scope) as rows:
            return await rows.categories.totals(scope.view)

    async def users(self, scope: Scope, after: str = "", limit: int = 50, only: str | None = None) -> list[KnownUser]:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.users_of_tenant(after, page_size(limit), only)
