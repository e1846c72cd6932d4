"""Transactions of the role that sees every tenant's work."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ragpp.observability.traces import step
from ragpp.stores.postgres import Connection, Pool, acquired, as_tenant, ensure_open, foreign_errors


@asynccontextmanager
async def relay_tx(pool: Pool, what: str, *, tenant_id: str | None = None) -> AsyncIterator[Connection]:
    """A transaction of the relay's role, which sees every tenant; with `tenant_id` set for what sees one alone. Raises
    TierUnavailable."""
    await ensure_open(pool)
    with step(f"ledger.{what.replace(' ', '_')}"):
        async with (
            foreign_errors(f"ledger {what}"),
            acquired(pool) as connection,
            connection.transaction() if tenant_id is None else as_tenant(connection, tenant_id),
        ):
            yield connection
