"""A bare table with pgvector: a user's rows are found by an index on the user, and all of them are compared."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Final

import asyncpg
from pgvector.asyncpg import register_vector

from benchmarks.beside.system import Message, Place, System
from benchmarks.beside.systems.embedding import Embeddings

POOL: Final = 16
TABLE: Final = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS messages (
    user_id text NOT NULL, id text NOT NULL, content text NOT NULL, embedding vector({dimension}) NOT NULL,
    PRIMARY KEY (user_id, id)
)
"""
INSERT: Final = "INSERT INTO messages (user_id, id, content, embedding) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
SEARCH: Final = "SELECT id FROM messages WHERE user_id = $1 ORDER BY embedding <=> $2 LIMIT $3"


class Table:
    """The table, its pool and the endpoint. `indexes` are made with the table; `session`: settings of a connection."""

    def __init__(
        self, table: str = TABLE, indexes: Sequence[str] = (), session: Mapping[str, str] | None = None
    ) -> None:
        self._table, self._indexes, self._session = table, indexes, dict(session or {})
        self._open = contextlib.AsyncExitStack()

    async def open(self, place: Place) -> Mapping[str, str]:
        self._embeddings = Embeddings(place)
        setup = await asyncpg.connect(place.postgres)
        await setup.execute(self._table.format(dimension=place.dimension))
        for index in self._indexes:
            await setup.execute(index)
        await setup.close()
        self._pool = await asyncpg.create_pool(
            place.postgres,
            min_size=POOL,
            max_size=POOL,
            init=register_vector,
            server_settings=self._session,
        )
        self._open.push_async_callback(self._pool.close)
        vector = (await self._embeddings.later(["plan"]))[0]
        plan = await self._pool.fetch(f"EXPLAIN (COSTS off) {SEARCH}", "user-1", vector, 10)
        lines = " / ".join(row[0].strip() for row in plan if "Scan" in row[0])
        return {"pool": str(POOL), **self._session, "plan": lines}

    async def write(self, user: str, messages: Sequence[Message]) -> None:
        vectors = await self._embeddings.later([message.line for message in messages])
        rows = [(user, message.id, message.line, vector) for message, vector in zip(messages, vectors, strict=True)]
        await self._pool.executemany(INSERT, rows)

    async def settle(self) -> None:
        """Nothing is done later."""

    async def search(self, user: str, query: str, limit: int) -> list[str]:
        vector = (await self._embeddings.later([query]))[0]
        return [row["id"] for row in await self._pool.fetch(SEARCH, user, vector, limit)]

    async def close(self) -> None:
        await self._open.aclose()


def make() -> System:
    """The system that `benchmarks.beside.load` drives."""
    return Table()
