"""One user's rows, or those of a view, inside one transaction: what the parts of the store have in common."""

from collections.abc import Iterable, Sequence
from typing import Final

import asyncpg
from pgvector import HalfVector

from ragpp.models import Scope, Vector
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Connection
from ragpp.stores.queries import load_queries

SQL: Final = load_queries("ragpp_services.procedural", "queries.sql")

MAX_CANDIDATES: Final = 1_000
"""The most rules, and the most preferences, that one retrieval looks at."""


class UserRows:
    """Runs named statements for one user."""

    def __init__(self, connection: Connection, scope: Scope, marks: SourceMarks) -> None:
        self._connection = connection
        self._marks = marks
        self.scope = scope

    async def _fetch(self, name: str, *arguments: object) -> list[asyncpg.Record]:
        return await self._connection.fetch(SQL[name], *self.scope.view_key, *arguments)

    async def _fetchrow(self, name: str, *arguments: object) -> asyncpg.Record | None:
        return await self._connection.fetchrow(SQL[name], *self.scope.view_key, *arguments)

    async def _execute(self, name: str, *arguments: object) -> None:
        await self._connection.execute(SQL[name], *self.scope.view_key, *arguments)

    async def _execute_many(self, name: str, arguments: Iterable[Sequence[object]]) -> None:
        rows = [(*self.scope.view_key, *some) for some in arguments]
        if rows:
            await self._connection.executemany(SQL[name], rows)


def half(embedding: Vector | None) -> HalfVector | None:
    """The vector as the database takes it."""
    return None if embedding is None else HalfVector(list(embedding))
