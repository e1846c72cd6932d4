"""How PostgreSQL is, as one tier's part of it."""

import asyncio
from datetime import datetime
from typing import Final

from ragpp.clock import Clock
from ragpp.health import SchemaState, StoreState
from ragpp.stores.migrations import load_migrations
from ragpp.stores.postgres import Pool, acquired, ensure_open, foreign_errors, schema_size
from ragpp.stores.state import STATE_S, read_clock, store_state

_VERSION: Final = """
SELECT split_part(current_setting('server_version'), ' ', 1) || ', pgvector '
       || coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), 'missing')"""
_SCHEMA: Final = """
SELECT component AS part, max(version) AS applied FROM public.migrations WHERE component = ANY ($1::text[])
 GROUP BY component"""


async def state_of(pool: Pool, clock: Clock, schema: str, package: str) -> StoreState:
    """The state of the database as far as `schema` is concerned, whose migrations are in `package`, and the ledger.
    Raises TierUnavailable, StorageError."""
    packages = {"ledger": "ragpp.ledger", schema: package}
    await ensure_open(pool)
    async with foreign_errors("state"), asyncio.timeout(STATE_S), acquired(pool, timeout_s=STATE_S) as connection:

        async def now() -> datetime:
            moment: datetime = await connection.fetchval("SELECT clock_timestamp()")
            return moment

        reading = await read_clock(clock, now)
        version: str = await connection.fetchval(_VERSION)
        applied = {row["part"]: row["applied"] for row in await connection.fetch(_SCHEMA, list(packages))}
    schemas = [
        SchemaState(part=part, applied=applied.get(part, 0), known=load_migrations(part, of)[-1].version)
        for part, of in packages.items()
    ]
    return store_state("PostgreSQL", version, reading, await schema_size(pool, schema), schemas)
