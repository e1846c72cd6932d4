"""The entries that are kept whatever retention says."""

from collections.abc import Collection

from ragpp.clock import Clock
from ragpp.ledger.events import SQL
from ragpp.models import Scope
from ragpp.retention import RetainedTier
from ragpp.stores.postgres import Connection, Pool, tenant_tx


class PinBoard:
    """The pins of each user, in the ledger's schema; `pool` of the app's or of the relay's role (which cannot pin).

    Raises, from any method: TierUnavailable when PostgreSQL does not answer.
    """

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool, self._clock = pool, clock

    async def pin(self, scope: Scope, tier: RetainedTier, item_id: str) -> None:
        """Keep the item; harmless to repeat. Whether it exists is not looked at: an id may be pinned beforehand."""
        async with tenant_tx(self._pool, scope) as connection:
            await connection.execute(SQL["pin"], *scope.user_key, tier, item_id, self._clock())

    async def unpin(self, scope: Scope, tier: RetainedTier, item_ids: Collection[str]) -> int:
        """Let the items go when their time comes; returns how many were pinned."""
        async with tenant_tx(self._pool, scope) as connection:
            rows = await connection.fetch(SQL["unpin"], *scope.user_key, tier, list(item_ids))
        return len(rows)

    async def pinned(self, scope: Scope, tier: RetainedTier) -> frozenset[str]:
        """The ids of the tier's pinned items."""
        async with tenant_tx(self._pool, scope) as connection:
            return await pinned_in(connection, scope, tier)


async def pinned_in(connection: Connection, scope: Scope, tier: RetainedTier) -> frozenset[str]:
    """The ids of the tier's pinned items, as the transaction of that connection sees them."""
    rows = await connection.fetch(SQL["pinned"], *scope.user_key, tier)
    return frozenset(row["item_id"] for row in rows)
