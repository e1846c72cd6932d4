"""All that the stores hold of one user: rows as COPY writes them, the graph's lines, and keys."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Final, cast

import asyncpg

from benchmarks.seeding.binary import Row, rows_of
from benchmarks.seeding.columns import LEFT_OUT, TABLES
from ragpp.models import Scope
from ragpp.stores.neo4j import scope_key
from ragpp.stores.redis import Keys
from ragpp_infra.backup.conversations import OF_SESSION, Line, read_keys
from ragpp_infra.backup.graph import read_graph
from ragpp_infra.backup.places import Client, Place
from ragpp_infra.backup.tables import quoted, tables_of

INDEX: Final = "st:sessions"
OF_USER: Final = {"tenant_id", "user_id"}


@dataclass(frozen=True)
class Rows:
    """The rows of one table. `columns`: their names, in order."""

    columns: tuple[str, ...]
    rows: list[Row]


@dataclass(frozen=True)
class Memory:
    """All of one user's. `graph`: lines as a backup has them; `keys`: names without the stack's prefix, with values."""

    scope: Scope
    tables: dict[str, Rows]
    graph: list[object]
    keys: list[Line]


async def read_memory(place: Place, connection: asyncpg.Connection, scope: Scope) -> Memory:
    """The user's memory, while nobody writes to it. `connection`: of a superuser, for it sees all tenants. ValueError
    for rows in a table that is not known."""
    async with place.neo4j() as driver, place.redis() as client:
        return Memory(
            scope=scope,
            tables=await _tables(connection, scope),
            graph=await read_graph(driver, scope_key(scope)),
            keys=await _keys(client, place.key_prefix, scope),
        )


async def _tables(connection: asyncpg.Connection, scope: Scope) -> dict[str, Rows]:
    found: dict[str, Rows] = {}
    for name, table in (await tables_of(connection)).items():
        if OF_USER - table.columns.keys() or name in LEFT_OUT:
            continue
        pieces: list[bytes] = []

        async def keep(piece: bytes, pieces: list[bytes] = pieces) -> None:
            pieces.append(piece)

        columns = ", ".join(f'"{column}"' for column in table.columns)
        query = f"SELECT {columns} FROM {quoted(name)} WHERE (tenant_id, user_id) = ($1, $2)"  # noqa: S608 - names from the catalog
        await connection.copy_from_query(query, *scope.user_key, output=keep, format="binary")
        rows = rows_of(b"".join(pieces))
        if rows and name not in TABLES:
            raise ValueError(f"{name} has rows of {scope.user_id}: benchmarks/seeding/columns.py does not know it")
        if rows:
            found[name] = Rows(tuple(table.columns), rows)
    return found


async def _keys(client: Client, prefix: str, scope: Scope) -> list[Line]:
    keys = Keys("")
    index = keys.user(INDEX, scope)
    sessions = cast("Sequence[str]", await cast("Awaitable[object]", client.zrange(f"{prefix}{index}", 0, -1)))
    of_sessions = [scope.model_copy(update={"session_id": session}) for session in sessions]
    return await read_keys(
        client, prefix, [index, *(keys.session(area, one) for one in of_sessions for area in OF_SESSION)]
    )
