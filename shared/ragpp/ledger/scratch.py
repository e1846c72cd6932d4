"""The scratch tenant's part of the ledger: what a health report waits for there, and sweeps away."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.clock import to_moment
from ragpp.health import SCRATCH_TENANT
from ragpp.ledger.events import lock_user
from ragpp.models import Scope
from ragpp.stores.forgetting import SourceMarks, refuse_all_but_scratch
from ragpp.stores.postgres import Pool, tenant_transaction, tenant_tx
from ragpp.stores.queries import load_queries

SQL: Final = load_queries("ragpp.ledger", "scratch.sql")


@dataclass(frozen=True, slots=True)
class Waiting:
    """Works of a stage that are not done. `error`: why the last attempt at one failed, where any did."""

    stage: str
    state: str
    works: int
    error: str | None


class ScratchLedger:
    """`pool`: of the app's role. Raises, from any method: TierUnavailable; InvalidInput for another tenant's user."""

    def __init__(self, pool: Pool, marks: SourceMarks) -> None:
        self._pool, self._marks = pool, marks

    async def left_behind(self, before: datetime) -> list[str]:
        """Users of whom something is left by a report that was interrupted before that moment; a hundred at most."""
        async with tenant_transaction(self._pool, SCRATCH_TENANT) as connection:
            rows = await connection.fetch(SQL["left_behind"], SCRATCH_TENANT, before, to_moment(before))
        return [row["user_id"] for row in rows]

    async def waiting(self, scope: Scope) -> Sequence[Waiting]:
        """The works that the workers have still to do for the user."""
        refuse_all_but_scratch(scope)
        async with tenant_tx(self._pool, scope) as connection:
            rows = await connection.fetch(SQL["waiting"], scope.user_id)
        return [Waiting(row["stage"], row["state"], row["works"], row["error"]) for row in rows]

    async def drop_work(self, scope: Scope) -> bool:
        """Delete the user's events and what is to be done about them; False, and nothing done, while a worker does
        something for the user: it would bring back what it has read."""
        refuse_all_but_scratch(scope)
        async with tenant_tx(self._pool, scope) as connection:
            await lock_user(connection, scope)  # against who leases just now
            if await connection.fetchval(SQL["under_way"], scope.user_id):
                return False
            await connection.execute(SQL["drop_work"], *scope.user_key)
        return True

    async def sweep(self, scope: Scope, sources: Collection[str]) -> None:
        """Delete the rest: the user's epoch, by which `left_behind` knows of the user, and what is known of these
        interactions."""
        refuse_all_but_scratch(scope)
        async with tenant_tx(self._pool, scope) as connection:
            await connection.execute(SQL["sweep"], *scope.user_key, sorted(self._marks.of_all(scope, sources)))

    async def tombstones(self, scope: Scope, sources: Collection[str]) -> int:
        """How many rows the ledger has of the user, and of these interactions' marks."""
        refuse_all_but_scratch(scope)
        async with tenant_tx(self._pool, scope) as connection:
            marks = sorted(self._marks.of_all(scope, sources))
            found: int = await connection.fetchval(SQL["tombstones"], *scope.user_key, marks)
        return found
