"""Vectors, words and groups, made anew of what the rows say."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from ragpp.fields import StoredMetadata
from ragpp.models import Scope
from ragpp.stores.cursors import page_size
from ragpp.text.lexical import document_weights
from ragpp.text.port import TokenSpans
from ragpp.text.readers import Tokenizers
from ragpp.tierkit.segmenting import Segmenter
from ragpp_services.catalog.categories.standing import standing
from ragpp_services.catalog.entries.rows import Written
from ragpp_services.catalog.entries.writing import written
from ragpp_services.catalog.items.regrouping import regroup
from ragpp_services.catalog.items.sameness import same_fact
from ragpp_services.catalog.rebuilding_rows import Ids
from ragpp_services.catalog.resources.indexing import cut
from ragpp_services.catalog.store import CatalogStore
from ragpp_services.catalog.vectors import Vectors

MOST_CHARS: Final = 2_000_000
"""Characters of resources, of which about so many are read in one call."""


class Rebuilding:
    """Makes anew what a user's rows are found by. The user's lock is not held while anything is embedded or cut: what
    changed meanwhile has its vectors and words already, and is left as it is."""

    def __init__(
        self,
        store: CatalogStore,
        vectors: Vectors,
        counter: TokenSpans,
        tokenizers: Tokenizers,
        segmenter: Segmenter,
        most_summary: int,
    ) -> None:
        """`counter` bounds chunks. `most_summary`: characters of a summary that is made here."""
        self._store, self._vectors, self._segmenter = store, vectors, segmenter
        self._counter, self._tokenizers, self._most_summary = counter, tokenizers, most_summary

    async def rebuild(self, scope: Scope, after: str | None = None, limit: int = 500) -> str | None:
        """See the contract; also the vectors of categories, and which items are one; at last the segments, behind it.

        Raises EmbeddingMismatch, EmbeddingError.
        """
        size = page_size(limit)
        await self._vectors.check_identity()
        own = scope.seen_by(None)
        async with self._store.reading(own) as rows:
            ids = await rows.rebuilding.ids(after, size)
            items, categories = await rows.rebuilding.texts(ids)
            metadata = await rows.rebuilding.metadata(ids)
        last = await self._rebuild_resources(own, ids)
        await self._rebuild_texts(own, _up_to(items, last), _up_to(categories, last), metadata)
        is_all = last == ids.last and len(ids.items) + len(ids.resources) + len(ids.categories) < size
        if not is_all:
            return last
        self._segmenter.want(own)
        return None

    async def _rebuild_texts(
        self,
        scope: Scope,
        items: Mapping[str, str],
        categories: Mapping[str, str],
        metadata: Mapping[str, StoredMetadata],
    ) -> None:
        if not items and not categories:
            return
        made = await self._vectors.of_texts(list(items.values()))
        words = await asyncio.to_thread(_words, list(items.values()))
        indexed = {one: (vector, weights) for one, vector, weights in zip(items, made, words, strict=True)}
        entries = await asyncio.to_thread(self._entries, items, metadata)
        described = dict(zip(categories, await standing(self._vectors, list(categories.values())), strict=True))
        async with self._store.writing(scope) as rows:
            await rows.rebuilding.put_items(indexed)
            await rows.entries.put(entries)
            await rows.rebuilding.put_categories(described)
            await regroup(rows.items, list(items), same_fact)

    def _entries(self, items: Mapping[str, str], metadata: Mapping[str, StoredMetadata]) -> dict[str, Written]:
        return {
            one: written(text, metadata.get(one, {}), self._tokenizers, self._most_summary)
            for one, text in items.items()
        }

    async def _rebuild_resources(self, scope: Scope, ids: Ids) -> str | None:
        """The id up to which there was room for all."""
        read = 0
        for one in ids.resources:
            async with self._store.reading(scope) as rows:
                known = (await rows.resources.known([one])).get(one)
                resource = await rows.resources.get(one) if known is not None and not known.is_stub else None
            if known is None or resource is None:
                continue
            given = (resource.resource_type, resource.content, resource.metadata)
            chunks = await asyncio.to_thread(cut, *given, self._counter)
            async with self._store.writing(scope) as rows:
                there = await rows.rebuilding.resource(one, known.content_hash)
                if there is not None:
                    await rows.resources.replace_chunks(
                        there["ordinal"], there["resource_type"], there["seen_by"], chunks
                    )
            read += len(resource.content)
            if read >= MOST_CHARS:
                return one
        return ids.last


def _words(texts: Sequence[str]) -> list[Mapping[int, float]]:
    return [document_weights(text) for text in texts]


def _up_to(texts: Mapping[str, str], last: str | None) -> dict[str, str]:
    return {one: text for one, text in texts.items() if last is not None and one <= last}
