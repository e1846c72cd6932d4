"""Embedding what stored chunks tell, sentence by sentence, and as a whole by the second encoder, behind the writes."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence

import numpy as np

from ragpp.embedding import Embedder, FloatMatrix, SecondEncoder
from ragpp.embedding.port import SECOND_DIMENSION
from ragpp.errors import Outdated
from ragpp.models import Scope
from ragpp_services.episodic.reading.traits import Trait, read_chunk, traits
from ragpp_services.episodic.sentences import Reading, Unread, lines_to_embed, without_second
from ragpp_services.episodic.store import EpisodicStore


class SentenceIndex:
    """Embeds sentences; `check` refuses vectors of another model than the store's."""

    def __init__(
        self,
        store: EpisodicStore,
        embedder: Embedder,
        check: Callable[[], Awaitable[None]],
        second: SecondEncoder | None = None,
    ) -> None:
        self._store, self._embedder, self._check, self._second = store, embedder, check, second

    async def index_sentences(self, scope: Scope, limit: int = 32) -> int:
        """As the protocol says. Read and embedded before writers have to wait. What was stored before chunks were read
        as they are now is read again, and embedded without the name that stood before it; what was before there was a
        second encoder gets its vectors."""
        await self._check()
        while True:
            async with self._store.reader(scope) as reader:
                epoch = await reader.epoch()
                read = await reader.unread(max(0, limit), second=self._second is not None)
                participants = await reader.participants(sorted({one.said.session_id for one in read if one.said.name}))
            if not read:
                return 0
            lines_of = await asyncio.to_thread(lines_to_embed, read, participants)
            before = [one for one in read if not one.traits & Trait.READ]
            bare = [one.text for one in before if one.said.name]
            whole = [] if self._second is None else without_second(read)
            lines = [*(line for _, line in lines_of), *bare]
            vectors, seconds = await asyncio.gather(self._embedded(lines), self._encoded(whole))
            readings = await asyncio.to_thread(_readings, before, iter(vectors[len(lines_of) :])) if before else []
            try:
                async with self._store.writer(scope, epoch) as writer:
                    if before:
                        await writer.set_reading(before, readings)
                    await writer.insert_sentences(read, [index for index, _ in lines_of], vectors[: len(lines_of)])
                    if self._second is not None:
                        await writer.insert_second(read, [index for index, _ in whole], seconds)
            except Outdated:  # something was forgotten meanwhile: it is read again
                continue
            return len(read)

    async def _embedded(self, lines: Sequence[str]) -> FloatMatrix:
        """A row for each line."""
        return await self._embedder.embed(lines) if lines else np.empty((0, self._embedder.dimension), np.float32)

    async def _encoded(self, whole: Sequence[tuple[int, str]]) -> FloatMatrix:
        """The same by the second encoder."""
        if self._second is None or not whole:
            return np.empty((0, SECOND_DIMENSION), np.float32)
        return await self._second.encode_passages([line for _, line in whole])


def _readings(chunks: Sequence[Unread], vectors: Iterator[FloatMatrix]) -> list[Reading]:
    """A reading of each; `vectors`: of those that have a name, in order."""
    found: list[Reading] = []
    for one in chunks:
        of_chunk, weights = read_chunk(one.said, one.text)
        vector = next(vectors) if one.said.name else None
        found.append(Reading(int(traits(one.said) | of_chunk), weights, vector))
    return found
