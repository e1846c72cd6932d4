"""How PostgreSQL is, as one tier's part of it."""

import asyncio
import re
from collections.abc import Mapping
from datetime import timedelta
from importlib.metadata import version
from time import perf_counter
from typing import Final

from ragpp.clock import Clock
from ragpp.errors import StorageError
from ragpp.health import SchemaState, StoreState
from ragpp.stores.migrations import load_migrations
from ragpp.stores.postgres import Pool, ensure_open, foreign_errors

STATE_S: Final = 5.0
_PARTITION: Final = re.compile(r"_[0-9]{1,3}$")
_CLOCK: Final = """
SELECT clock_timestamp() AS moment, current_setting('server_version') AS version,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vectors"""
_SCHEMA: Final = """
SELECT component AS part, max(version) AS applied FROM public.migrations WHERE component = ANY ($1::text[])
 GROUP BY component"""
_HELD: Final = """
SELECT relname AS name, greatest(reltuples, 0)::bigint AS items, pg_total_relation_size(pg_class.oid) AS bytes
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE nspname = $1 AND relkind = 'r'"""


async def state_of(pool: Pool, clock: Clock, schema: str, packages: Mapping[str, str]) -> StoreState:
    """The state of the database as far as `schema` is concerned. `packages`: those with the migrations of each part
    that it needs. Rows are as the planner estimates them, partitions together. Raises TierUnavailable, StorageError."""
    await ensure_open(pool)
    async with foreign_errors("state"), asyncio.timeout(STATE_S), pool.acquire(timeout=STATE_S) as connection:
        began, before = perf_counter(), clock()
        told = await connection.fetchrow(_CLOCK)
        took = perf_counter() - began
        applied = {row["part"]: row["applied"] for row in await connection.fetch(_SCHEMA, list(packages))}
        rows = await connection.fetch(_HELD, schema)
    if told is None:
        raise StorageError("state: PostgreSQL answered nothing")
    holds: dict[str, int] = {}
    for row in rows:
        name = _PARTITION.sub("", row["name"])
        holds[name] = holds.get(name, 0) + row["items"]
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
        holds={name: count for name, count in sorted(holds.items()) if count},
        bytes=sum(row["bytes"] for row in rows),
    )
