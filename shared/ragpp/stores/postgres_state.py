"""How PostgreSQL is, as one tier's part of it."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from importlib.metadata import version
from time import perf_counter
from typing import Final

from ragpp.clock import Clock
from ragpp.errors import StorageError
from ragpp.health import SchemaState, StoreState
from ragpp.stores.migrations import load_migrations
from ragpp.stores.postgres import Pool, ensure_open, foreign_errors, schema_size

STATE_S: Final = 5.0
_CLOCK: Final = """
SELECT clock_timestamp() AS moment, current_setting('server_version') AS version,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vectors"""
_SCHEMA: Final = """
SELECT component AS part, max(version) AS applied FROM public.migrations WHERE component = ANY ($1::text[])
 GROUP BY component"""


async def state_of(pool: Pool, clock: Clock, schema: str, packages: Mapping[str, str]) -> StoreState:
    """The state of the database as far as `schema` is concerned. `packages`: those with the migrations of each part
    that it needs. Raises TierUnavailable, StorageError."""
    await ensure_open(pool)
    async with foreign_errors("state"), asyncio.timeout(STATE_S), pool.acquire(timeout=STATE_S) as connection:
        began, before = perf_counter(), clock()
        told = await connection.fetchrow(_CLOCK)
        took = perf_counter() - began
        applied = {row["part"]: row["applied"] for row in await connection.fetch(_SCHEMA, list(packages))}
    if told is None:
        raise StorageError("state: PostgreSQL answered nothing")
    held = await schema_size(pool, schema)
    return StoreState(
        product="PostgreSQL",
        version=f"{told['version'].split()[0]}, pgvector {told['vectors'] or 'missing'}",
        service_version=version("ragpp"),
        schemas=tuple(
            SchemaState(part=part, applied=applied.get(part, 0), known=load_migrations(part, package)[-1].version)
            for part, package in packages.items()
        ),
        store_time=told["moment"],
        service_time=before + timedelta(seconds=took / 2),
        asked_ms=took * 1_000,
        holds={kind: count for kind, count in held.counts.items() if count},
        bytes=held.size,
    )
