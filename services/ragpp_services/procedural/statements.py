"""The statements of this tier by name, run on one user's rows, or those of a view, inside one transaction."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import asyncpg
from pgvector import HalfVector

from ragpp.models import Scope, Vector
from ragpp.stores.postgres import Connection
from ragpp.stores.queries import load_queries

FILES: Final = ("queries.sql", "rewording.sql")
SQL: Final[Mapping[str, str]] = {
    name: statement for file in FILES for name, statement in load_queries("ragpp_services.procedural", file).items()
}

MAX_CANDIDATES: Final = 1_000
"""The most rules, and the most preferences, that one retrieval looks at."""


class Statements:
    """Runs them for one user."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self._connection = connection
        self._scope = scope

    async def fetch(self, name: str, *arguments: object) -> list[asyncpg.Record]:
        return await self._connection.fetch(SQL[name], *self._scope.view_key, *arguments)

    async def fetchrow(self, name: str, *arguments: object) -> asyncpg.Record | None:
        return await self._connection.fetchrow(SQL[name], *self._scope.view_key, *arguments)

    async def execute(self, name: str, *arguments: object) -> None:
        await self._connection.execute(SQL[name], *self._scope.view_key, *arguments)

    async def execute_many(self, name: str, arguments: Iterable[Sequence[object]]) -> None:
        rows = [(*self._scope.view_key, *some) for some in arguments]
        if rows:
            await self._connection.executemany(SQL[name], rows)


def half(embedding: Vector | None) -> HalfVector | None:
    """The vector as the database takes it."""
    return None if embedding is None else HalfVector(list(embedding))


def cosine_of(row: asyncpg.Record) -> float | None:
    """The row's similarity; None without a query, 0 where a vector is so short that half precision made it zero."""
    value: float | None = row["similarity"]
    if value is None:
        return None
    return 0.0 if math.isnan(value) else max(-1.0, min(1.0, value))
