"""The budget of a tenant for language models, by day: kept in PostgreSQL, or in memory for a single process."""

from datetime import UTC, date
from typing import Final

from ragpp.clock import Clock
from ragpp.llm.port import Reservation
from ragpp.stores.postgres import Pool, tenant_transaction
from ragpp.stores.queries import load_queries

SQL: Final = load_queries("ragpp.llm", "queries.sql")


class PostgresBudget:
    """Tokens by tenant and UTC day, one for all processes. Implements `SpendBudget`; `pool` of the app's or the
    relay's role."""

    def __init__(self, pool: Pool, clock: Clock, *, tokens_per_day: int) -> None:
        """`tokens_per_day`: 0 is no limit; what is spent is counted all the same."""
        self._pool, self._clock, self._limit = pool, clock, tokens_per_day

    async def reserve(self, tenant_id: str, tokens: int) -> Reservation | None:
        today = _utc_day(self._clock)
        async with tenant_transaction(self._pool, tenant_id) as connection:
            row = await connection.fetchrow(SQL["reserve_tokens"], tenant_id, today, tokens, self._limit or None)
        return None if row is None else Reservation(tenant_id, today, tokens)

    async def settle(self, reservation: Reservation, used: int) -> None:
        async with tenant_transaction(self._pool, reservation.tenant_id) as connection:
            difference = used - reservation.tokens
            await connection.execute(SQL["settle_tokens"], reservation.tenant_id, reservation.day, difference)

    async def left(self, tenant_id: str) -> int | None:
        if self._limit == 0:
            return None
        async with tenant_transaction(self._pool, tenant_id) as connection:
            spent = await connection.fetchval(SQL["spent_tokens"], tenant_id, _utc_day(self._clock))
        return max(0, self._limit - (spent or 0))


class InMemoryBudget:
    """Tokens of this process alone: for a program at a terminal, and for tests. Implements `SpendBudget`."""

    def __init__(self, clock: Clock, *, tokens_per_day: int = 0) -> None:
        """`tokens_per_day`: 0 is no limit."""
        self._clock, self._limit = clock, tokens_per_day
        self._spent: dict[tuple[str, date], int] = {}

    async def reserve(self, tenant_id: str, tokens: int) -> Reservation | None:
        day = _utc_day(self._clock)
        spent = self._spent.get((tenant_id, day), 0) + tokens
        if self._limit and spent > self._limit:
            return None
        self._spent[tenant_id, day] = spent
        return Reservation(tenant_id, day, tokens)

    async def settle(self, reservation: Reservation, used: int) -> None:
        self._spent[reservation.tenant_id, reservation.day] += used - reservation.tokens

    async def left(self, tenant_id: str) -> int | None:
        if not self._limit:
            return None
        return max(0, self._limit - self._spent.get((tenant_id, _utc_day(self._clock)), 0))


def _utc_day(clock: Clock) -> date:
    return clock().astimezone(UTC).date()
