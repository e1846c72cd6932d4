"""Embedding what stored chunks tell, sentence by sentence, behind the writes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import numpy as np

from ragpp.embedding import Embedder
from ragpp.errors import Outdated
from ragpp.models import Scope
from ragpp_services.episodic.reading.traits import Trait, read_chunk, traits
from ragpp_services.episodic.sentences import Unread, told_by
from ragpp_services.episodic.store import EpisodicStore


class Telling:
    """Embeds sentences; `check` refuses vectors of another model than the store's."""

    def __init__(self, store: EpisodicStore, embedder: Embedder, check: Callable[[], Awaitable[None]]) -> None:
        self._store, self._embedder, self._check = store, embedder, check

    async def index_sentences(self, scope: Scope, limit: int = 32) -> int:
        """See the protocol. Read and embedded before writers have to wait. What was stored before chunks were read for
        what they do is read."""
        await self._check()
        while True:
            async with self._store.reader(scope) as reader:
                epoch = await reader.epoch()
                read = await reader.unread(max(0, limit))
                heard = await reader.heard(sorted({one.said.session_id for one in read if one.said.name}))
            if not read:
                return 0
            told = await asyncio.to_thread(told_by, read, heard)
            before = [one for one in read if not one.traits & Trait.READ]
            readings = await asyncio.to_thread(_readings, before) if before else []
            vectors = np.empty((0, self._embedder.dimension), np.float32)
            if told:
                vectors = await self._embedder.embed([line for _, line in told])
            try:
                async with self._store.writer(scope, epoch) as writer:
                    if before:
                        await writer.set_reading(before, readings)
                    await writer.insert_sentences(read, [index for index, _ in told], vectors)
            except Outdated:  # something was forgotten meanwhile: it is read again
                continue
            return len(read)


def _readings(chunks: Sequence[Unread]) -> list[tuple[int, Mapping[int, float]]]:
    """The traits and the weights of terms of each."""
    found: list[tuple[int, Mapping[int, float]]] = []
    for one in chunks:
        of_chunk, weights = read_chunk(one.said, one.said.content[one.start : one.end])
        found.append((int(traits(one.said) | of_chunk), weights))
    return found
