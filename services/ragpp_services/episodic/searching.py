"""Searching a user's past: by words and meaning, or by time alone."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.embedding import Embedder
from ragpp.embedding.port import SECOND_DIMENSION
from ragpp.embedding.vectors import vector
from ragpp.models import Memory, MemoryQuery
from ragpp.ranking.choosing import choose
from ragpp.stores.packed_columns import whole_numbers
from ragpp.text.lexical import query_terms
from ragpp.tierkit.segmenting import Segmenter
from ragpp_services.episodic.rows import Found
from ragpp_services.episodic.scan import Asked, Scanned
from ragpp_services.episodic.search import STEPS, Search, memory_of, to_look_at_next
from ragpp_services.episodic.store import EpisodicStore, Reader

INLINE_CHUNKS: Final = 2_000
"""Up to this many chunks are ranked on the event loop, in about 2 ms; more go to a thread."""


class Searching:
    """Answers questions; `check` refuses vectors of another model than the store's."""

    def __init__(
        self, store: EpisodicStore, embedder: Embedder, check: Callable[[], Awaitable[None]], segmenter: Segmenter
    ) -> None:
        self._store, self._embedder, self._check, self._segmenter = store, embedder, check, segmenter

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """See the protocol. Without a text and an embedding: the latest within the filters."""
        if not query.text.strip() and query.embedding is None:
            return await self._latest(query)
        await self._check()
        embedding = await self._query_vector(query)
        terms = query_terms(query.text) if query.mode != "dense" else ()
        second = None
        if query.second is not None:
            given = vector(query.second, SECOND_DIMENSION, "the query, by the second encoder,")
            second = given / np.linalg.norm(given)
        asked = Asked(query, embedding, terms, second)
        return await self._segmenter.searched(query.scope, lambda by_segments: self._search(asked, by_segments))

    async def _search(self, asked: Asked, by_segments: bool) -> list[Memory]:
        query = asked.query
        async with self._store.reader(query.scope, planned_once=not by_segments) as reader:
            scanned = await self._scan(reader, asked, by_segments=by_segments)
            if scanned.columns.chunks <= INLINE_CHUNKS:
                search = Search.of(scanned, asked)
            else:
                search = await asyncio.to_thread(Search.of, scanned, asked)
            if not search.ranked:
                return []
            found, groups = dict[int, Found](), list[list[Found]]()
            looked_at, wanted = 0, query.limit
            meant = None if query.mode == "lexical" else asked.embedding
            while looked_at < len(search.ranked) and len(groups) < query.limit:
                keys = search.keys(looked_at, wanted)
                found |= await reader.found(keys, meant, vectors=search.wants_vectors)
                looked_at += wanted
                groups = search.distinct(found)
                wanted = to_look_at_next(query.limit, looked_at, len(groups))
        return search.memories(groups[: query.limit])

    async def _scan(self, reader: Reader, asked: Asked, *, by_segments: bool) -> Scanned:
        """The rows to be ranked. Raises VectorIndexError where they are chosen by segments that cannot be read."""
        query, segmented = asked.query, None
        if by_segments and asked.can_be_chosen:
            segmented = await reader.segments.read([query.scope.user_id], asked.terms)
        if segmented is None or not segmented.segments:
            columns = await reader.scan(query.filters, query.as_of, asked.embedding, asked.terms, second=asked.second)
            self._segmenter.note(query.scope, segmented, columns.chunks)
            return Scanned(columns)
        chosen = await asyncio.to_thread(choose, segmented.segments, asked.of_segments, STEPS)
        places = chosen.ordinals.tolist()
        columns = await reader.scan(
            query.filters, query.as_of, asked.embedding, asked.terms, (places, segmented), asked.second
        )
        beside = ~np.isin(whole_numbers(columns.ordinals, "bigint"), chosen.ordinals)
        self._segmenter.note(query.scope, segmented, int(beside.sum()))
        return Scanned(columns, chosen)

    async def _query_vector(self, query: MemoryQuery) -> npt.NDArray[np.float32] | None:
        if query.mode == "lexical" and query.filters.similarity_threshold is None:
            return None
        if query.embedding is not None:
            return vector(query.embedding, self._embedder.dimension, "the query")
        return (await self._embedder.embed([query.text])).reshape(-1)

    async def _latest(self, query: MemoryQuery) -> list[Memory]:
        async with self._store.reader(query.scope) as reader:
            interactions = await reader.page(query.filters, query.as_of, None, query.limit, newest_first=True)
        return [memory_of(one, 1 - index / len(interactions), None) for index, one in enumerate(interactions)]
