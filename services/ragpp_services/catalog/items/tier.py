"""The items' part of the tier, but for storing them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter
from typing import Final, TypeVar

import numpy as np

from ragpp.catalog import SIMILARITY_THRESHOLD, GoalValue, ItemQuery, MemoryItem, RetrievalResult
from ragpp.embedding import FloatMatrix
from ragpp.errors import CategoryNotFoundError, NotFound
from ragpp.filtering import MetadataFilter
from ragpp.models import MemoryQuery, Page, Scope
from ragpp.ranking.choosing import choose
from ragpp.retrieval.calibration import Calibration
from ragpp.stores.cursors import cursor_of, page_size, place_of
from ragpp.stores.packed_columns import whole_numbers
from ragpp.text.lexical import query_terms
from ragpp.text.readers import Tokenizers
from ragpp.tierkit.segmenting import Segmenter
from ragpp_services.catalog.items.asking import Asked, Scanned
from ragpp_services.catalog.items.narrowing import Narrowing, narrowing_of
from ragpp_services.catalog.items.ranking import Answer, Ranked, Table, rank
from ragpp_services.catalog.items.reading import Shown, read
from ragpp_services.catalog.items.rows import ItemRows
from ragpp_services.catalog.items.scales import SAMPLED, Scales
from ragpp_services.catalog.passages.reading import with_passages
from ragpp_services.catalog.store import CatalogStore, Rows
from ragpp_services.catalog.vectors import Vectors

LOOKED_BEYOND: Final = 10
"""How many more than are asked for are read: one of them may replace what is among these."""

ShownT = TypeVar("ShownT")
GoalValues = dict[str, dict[str, GoalValue]]
VIEW_ROWS: Final = 5_000
"""Up to so many rows that a view shows are scanned by their index, whatever else the user has: segments would be read
of all of it."""
INLINE_ITEMS: Final = 2_000
"""Up to so many are ranked on the event loop, in about 1 ms; more go to a thread."""


class Items:
    """The part of `ragpp.tiers.CatalogTier` that is about items."""

    def __init__(self, store: CatalogStore, vectors: Vectors, segmenter: Segmenter, tokenizers: Tokenizers) -> None:
        self._store, self._vectors, self.segmenter, self._tokenizers = store, vectors, segmenter, tokenizers
        self._scales = Scales()

    async def get_item(self, scope: Scope, item_id: str, vector: bool = False) -> MemoryItem:
        async with self._store.reading(scope) as rows:
            place = await rows.items.place_of(item_id)
            shown = [] if place is None else await read_places(rows.items, [place], vectors=vector)
            if not shown:
                raise NotFound(f"there is no item {item_id!r}")
            item = shown[0].item
            known = await rows.values.of_items([item.item_id])
        return item.model_copy(update={"goal_values": known.get(item.item_id, {})})

    async def items_named(self, scope: Scope, name: str) -> list[str]:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.items.named(name)

    async def list_items(
        self,
        scope: Scope,
        category: str | None = None,
        resource_id: str | None = None,
        vectors: bool = False,
        cursor: str | None = None,
        limit: int = 50,
        metadata: MetadataFilter | None = None,
    ) -> Page[MemoryItem]:
        """See the contract. Those of a resource are those that it says, whichever said them first."""
        before, size = None if cursor is None else place_of("items", cursor), page_size(limit)
        async with self._store.reading(scope) as rows:
            places = await rows.items.page(category, resource_id, before, size + 1, metadata)
            shown = {one.found.ordinal: one for one in await read_places(rows.items, places[:size], vectors=vectors)}
        items = tuple(shown[place].item for place in places[:size] if place in shown)
        following = cursor_of("items", places[size - 1]) if len(places) > size else None
        return Page[MemoryItem](items=items, next_cursor=following)

    async def search_items(self, scope: Scope, query: ItemQuery) -> RetrievalResult:
        """See the contract. Of a vector without words the scores are cosines."""
        began = perf_counter()
        by_meaning = not query.text.strip()
        await self._vectors.check_identity()
        embedding = await self._vectors.of_question(query.text, query.embedding)
        terms = query_terms(query.text)
        narrowing = Narrowing(category=query.category, resource_id=query.resource_id)
        asked = Asked(narrowing, query.as_of, embedding, terms, query.k, passages=True)

        async def search(by_segments: bool) -> tuple[Answer, list[Shown], GoalValues, Calibration | None]:
            async with self._store.reading(scope) as rows:
                if query.category is not None:
                    await check_category(rows.items, query.category)
                scanned = await self._scan(rows, asked, by_segments=by_segments)
                answer = await answered(scanned, terms, limit=query.k + LOOKED_BEYOND, least=query.similarity_threshold)
                items = await read(rows.items, answer.ranked, as_of=query.as_of)
                shown = await with_passages(
                    rows, asked, scanned, answer, items, self._count, least=query.similarity_threshold
                )
                shown = shown[: query.k]
                values = await rows.values.of_items([one.item.item_id for one in shown])
                return answer, shown, values, None if by_meaning else await self.scale(scope, rows.items)

        answer, shown, values, scale = await self.segmenter.searched(scope, search)
        return RetrievalResult(
            items=tuple(one.item.model_copy(update={"goal_values": values.get(one.item.item_id, {})}) for one in shown),
            total_found=answer.total_found + sum(_is_similar(one) for one in shown if one.is_passage),
            search_time_ms=1_000 * (perf_counter() - began),
            confidence_scores=tuple(
                max(0.0, one.ranked.similarity or 0.0) if by_meaning else one.ranked.score for one in shown
            ),
            similarities=() if scale is None else tuple(scale.of(one.ranked.similarity) for one in shown),
        )

    async def answered(self, scope: Scope, asked: Asked, shown: Callable[[Rows, Answer], Awaitable[ShownT]]) -> ShownT:
        """The result of `shown` for the answer to a question, in the transaction that found it: `asked.limit` and some
        that may replace one of these."""

        async def search(by_segments: bool) -> ShownT:
            async with self._store.reading(scope) as rows:
                scanned = await self._scan(rows, asked, by_segments=by_segments)
                answer = await answered(scanned, asked.terms, limit=asked.limit + LOOKED_BEYOND, least=None)
                return await shown(rows, answer)

        return await self.segmenter.searched(scope, search)

    async def scale(self, scope: Scope, rows: ItemRows) -> Calibration:
        """The scale of the embedder's similarities; where nobody measured it, by the latest items."""

        async def latest() -> FloatMatrix:
            places = await rows.page(None, None, None, SAMPLED)
            shown = await read_places(rows, places, vectors=True, told_replaced=False)
            vectors = [one.item.embedding for one in shown if one.item.embedding is not None]
            return np.asarray(vectors, np.float32)

        return Calibration.of_model(self._vectors.model) or await self._scales.of(scope, latest)

    async def retrieve(self, query: MemoryQuery) -> list[Shown]:
        """See the contract of every tier. Without a text and an embedding: the latest within the filters."""
        narrowing = narrowing_of(query.filters)
        if narrowing is None:
            return []
        await self._vectors.check_identity()
        by_words = query.mode == "lexical"
        is_asked = bool(query.text.strip()) or query.embedding is not None
        embedding = None
        if is_asked and (not by_words or query.filters.similarity_threshold is not None):
            embedding = await self._vectors.of_question(query.text, query.embedding)
        terms = query_terms(query.text) if query.mode != "dense" else ()
        asked = Asked(narrowing, query.as_of, embedding, terms, query.limit, passages=is_asked)
        least, by_words_alone = query.filters.similarity_threshold, by_words and is_asked

        async def search(by_segments: bool) -> list[Shown]:
            async with self._store.reading(query.scope) as rows:
                scanned = await self._scan(rows, asked, by_segments=by_segments)
                answer = await answered(
                    scanned,
                    terms,
                    limit=query.limit + LOOKED_BEYOND,
                    least=least,
                    by_words_alone=by_words_alone,
                    explain=query.explain,
                )
                shown = await with_passages(
                    rows,
                    asked,
                    scanned,
                    answer,
                    await read(rows.items, answer.ranked, as_of=query.as_of),
                    self._count,
                    least=least,
                    by_words_alone=by_words_alone,
                    explain=query.explain,
                )
                return shown[: query.limit]

        return await self.segmenter.searched(query.scope, search)

    def _count(self, text: str) -> int:
        return self._tokenizers.named().count(text)

    async def _scan(self, rows: Rows, asked: Asked, *, by_segments: bool) -> Scanned:
        """The rows to be ranked, and what is around them. Raises VectorIndexError where they are chosen by segments
        that cannot be read."""
        segmented = None
        if await rows.entries.shows_at_most(VIEW_ROWS):
            columns = await rows.items.scan(asked.narrowing, asked.as_of, asked.embedding, asked.terms, of_view=True)
            lent_to = whole_numbers(columns.ordinals, "bigint").tolist()
            return Scanned(columns, await rows.items.around(asked, lent_to))
        if by_segments and asked.can_be_chosen:
            segmented = await rows.segments.read(rows.users, asked.terms)
        if segmented is None or not segmented.segments:
            columns = await rows.items.scan(asked.narrowing, asked.as_of, asked.embedding, asked.terms)
            self.segmenter.note(rows.scope, segmented, columns.items)
            return Scanned(columns, await rows.items.around(asked))
        chosen = await asyncio.to_thread(choose, segmented.segments, asked.of_view(rows.scope.view))
        places = chosen.ordinals.tolist()
        columns = await rows.items.scan(asked.narrowing, asked.as_of, asked.embedding, asked.terms, (places, segmented))
        ordinals = whole_numbers(columns.ordinals, "bigint")
        beside = ordinals[~np.isin(ordinals, chosen.ordinals)]
        self.segmenter.note(rows.scope, segmented, len(beside))
        lent_to = np.concatenate((chosen.better, beside)).tolist()
        return Scanned(columns, await rows.items.around(asked, lent_to), chosen)


async def answered(
    scanned: Scanned,
    terms: Sequence[int],
    *,
    limit: int,
    least: float | None,
    by_words_alone: bool = False,
    explain: bool = False,
) -> Answer:
    """The answer of a scan; see `ragpp_services.catalog.items.ranking.rank`."""

    def answer() -> Answer:
        return rank(
            Table.of(scanned.columns, terms, scanned.around),
            limit=limit,
            least=least,
            by_words_alone=by_words_alone,
            explain=explain,
            chosen=scanned.chosen,
        )

    return answer() if scanned.columns.items <= INLINE_ITEMS else await asyncio.to_thread(answer)


async def read_places(
    items: ItemRows, places: Sequence[int], *, vectors: bool = False, told_replaced: bool = True
) -> list[Shown]:
    """The items at these places, of which none answers a question better than another."""
    return await read(
        items, [Ranked(place, 0.0, None) for place in places], vectors=vectors, told_replaced=told_replaced
    )


def _is_similar(one: Shown) -> bool:
    return one.ranked.similarity is not None and one.ranked.similarity >= SIMILARITY_THRESHOLD


async def check_category(items: ItemRows, name: str) -> None:
    """Raises CategoryNotFoundError for one that is neither the user's nor everybody's."""
    available = [known for known, _ in await items.categories()]
    if name not in available:
        raise CategoryNotFoundError(name, available)
