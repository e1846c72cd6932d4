"""Casts on their way into the stores: COPY, UNWIND, pipeline."""

import asyncio
import io
from collections.abc import Callable, Sequence
from typing import Final

import asyncpg

from benchmarks.seeding.binary import file_of
from benchmarks.seeding.casting import Cast, Mould
from benchmarks.seeding.columns import SEQUENCES
from ragpp.models import Scope
from ragpp_infra.backup.conversations import load_conversations
from ragpp_infra.backup.graph import load_graph
from ragpp_infra.backup.places import Client, Place

AT_ONCE: Final = 20
"""Users that are written together: a COPY of each table, a transaction of the graph, a pipeline."""


async def seed(
    place: Place,
    connection: asyncpg.Connection,
    moulds: Sequence[Mould],
    scopes: Sequence[Scope],
    advance: Callable[[int], None] = lambda _: None,
) -> None:
    """Cast a memory for each of `scopes`, who have none, from one mould after another. `connection`: of a superuser.

    `advance` is told how many users were written. Raises what the stores raise; what was written stays.
    """
    ordinals, events = (max(len(numbers) for numbers in of) for of in _numbers(moulds))
    ordinal = await _reserved(connection, SEQUENCES["ordinals"], ordinals * len(scopes))
    event = await _reserved(connection, SEQUENCES["events"], events * len(scopes))
    async with place.neo4j() as driver, place.redis() as client:
        for start in range(0, len(scopes), AT_ONCE):
            part = range(start, min(start + AT_ONCE, len(scopes)))
            casts = [
                moulds[one % len(moulds)].cast(scopes[one], ordinal + ordinals * one, event + events * one)
                for one in part
            ]
            await asyncio.gather(
                _copy(connection, moulds, casts),
                load_graph(driver, [line for one in casts for line in one.graph]),
                _pipeline(client, place.key_prefix, casts),
            )
            advance(len(part))
    await connection.execute("ANALYZE")


def _numbers(moulds: Sequence[Mould]) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    return [mould.names.ordinals for mould in moulds], [mould.names.events for mould in moulds]


async def _reserved(connection: asyncpg.Connection, sequence: str, count: int) -> int:
    """The first of so many numbers that nobody else is given any more."""
    last: int = await connection.fetchval("SELECT nextval($1::text::regclass)", sequence)
    await connection.execute("SELECT setval($1::text::regclass, $2)", sequence, last + count)
    return last


async def _copy(connection: asyncpg.Connection, moulds: Sequence[Mould], casts: Sequence[Cast]) -> None:
    columns = {name: columns for mould in moulds for name, columns in mould.columns.items()}
    async with connection.transaction():
        for name, of in columns.items():
            rows = [row for one in casts for row in one.rows.get(name, ())]
            schema, table = name.split(".")
            await connection.copy_to_table(
                table,
                schema_name=schema,
                columns=list(of),
                source=io.BytesIO(file_of(rows)),
                format="binary",
            )


async def _pipeline(client: Client, prefix: str, casts: Sequence[Cast]) -> None:
    await load_conversations(client, prefix, [list(line) for one in casts for line in one.keys])
