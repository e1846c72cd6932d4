"""Transactions of the role that sees every tenant's work."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ragpp.postgres import Connection, Pool, ensure_open, foreign_errors


@asynccontextmanager
async def relay_tx(pool: Pool, what: str) -> AsyncIterator[Connection]:
    """A transaction of the relay's role, which sees every tenant. Raises TierUnavailable."""
    await ensure_open(pool)
    async with foreign_errors(f"ledger {what}"), pool.acquire(timeout=2.0) as connection, connection.transaction():
        yield connection
