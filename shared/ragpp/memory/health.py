"""How the parts of a memory are that a manager needs, each asked for by itself."""

import time
from collections.abc import Awaitable, Callable
from typing import Final

from ragpp.api import RetrieveRequest
from ragpp.catalog import RetrievalMode
from ragpp.errors import MemorySystemError
from ragpp.memory.whose import Whose
from ragpp.models import Health, Value

_QUESTION: Final = "Is the embedder well?"
"""It has to be turned into a vector; what is found does not matter."""


class MemoryHealth(Value):
    """`storage`: the catalog answers; `index`: every item can be found by its vector; `embedder`: a text becomes a
    vector."""

    storage: Health
    index: Health
    embedder: Health

    @property
    def ok(self) -> bool:
        """True where all of them are well."""
        return self.storage.ok and self.index.ok and self.embedder.ok


async def health_of(whose: Whose) -> MemoryHealth:
    """Each part as it is now. What cannot be asked is not well, and its detail says why."""

    async def storage() -> Health:
        return (await whose.client.ready()).tiers["catalog"]

    async def index() -> Health:
        stats = await whose.client.memory_stats(whose.user_id)
        whole = stats.vector_index_size >= stats.total_items
        detail = (
            "" if whole else f"{stats.vector_index_size} of {stats.total_items} items have a vector: rebuild_index()"
        )
        return Health(name="index", ok=whole, ms=0, detail=detail)

    async def embedder() -> Health:
        question = RetrieveRequest(user_id=whose.user_id, query=_QUESTION, mode=RetrievalMode.RAG, k=1)
        await whose.client.retrieve(question)
        return Health(name="embedder", ok=True, ms=0)

    return MemoryHealth(
        storage=await _asked("storage", storage),
        index=await _asked("index", index),
        embedder=await _asked("embedder", embedder),
    )


async def _asked(name: str, ask: Callable[[], Awaitable[Health]]) -> Health:
    began = time.perf_counter()
    try:
        found = await ask()
    except MemorySystemError as error:
        found = Health(name=name, ok=False, ms=0, detail=f"{error.title}: {error.message}")
    ms = round((time.perf_counter() - began) * 1_000, 3)
    return found.model_copy(update={"name": name, "ms": ms})
