"""LangGraph's AsyncPostgresStore with an index: a namespace a user, an item a message."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Final

from langgraph.store.base import PutOp, SearchOp
from langgraph.store.postgres import AsyncPostgresStore

from benchmarks.beside.system import Message, Place, System
from benchmarks.beside.systems.embedding import Embeddings

POOL: Final = 16


class LangGraph:
    """One store with a pool, for all tasks."""

    def __init__(self) -> None:
        self._open = contextlib.AsyncExitStack()

    async def open(self, place: Place) -> Mapping[str, str]:
        embeddings = Embeddings(place)

        async def embed(texts: Sequence[str]) -> list[list[float]]:
            return await embeddings.later(texts)

        index = {"dims": place.dimension, "embed": embed, "fields": ["text"], "distance_type": "cosine"}
        pool = {"min_size": POOL, "max_size": POOL}
        made = AsyncPostgresStore.from_conn_string(place.postgres, pool_config=pool, index=index)
        self._store = await self._open.enter_async_context(made)
        await self._store.setup()
        return {"index": "hnsw, cosine (the default)", "fields": "text", "pool": str(POOL)}

    async def write(self, user: str, messages: Sequence[Message]) -> None:
        await self._store.abatch(
            [PutOp(("memories", user), message.id, {"text": message.line}) for message in messages]
        )

    async def settle(self) -> None:
        """Nothing is done later."""

    async def search(self, user: str, query: str, limit: int) -> list[str]:
        # `asearch` would hand all tasks' questions to one that asks one batch after the other
        [found] = await self._store.abatch([SearchOp(("memories", user), query=query, limit=limit)])
        return [item.key for item in found]

    async def close(self) -> None:
        await self._open.aclose()


def make() -> System:
    """The system that `benchmarks.beside.load` drives."""
    return LangGraph()
