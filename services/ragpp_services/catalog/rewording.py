"""Other words in the place of what the user's own things say, so that nothing is left of what they said."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.catalog import CatalogTexts, ItemEntry, ItemText, Resource
from ragpp.clock import Clock
from ragpp.models import Scope
from ragpp.stores.cursors import page_size
from ragpp.text.port import TokenSpans
from ragpp.text.readers import Tokenizers
from ragpp_services.catalog.categories.mending import mend
from ragpp_services.catalog.categories.standing import standing
from ragpp_services.catalog.forgetting import drop_items
from ragpp_services.catalog.items.regrouping import regroup
from ragpp_services.catalog.items.rows import NewItem
from ragpp_services.catalog.items.sameness import same_fact
from ragpp_services.catalog.items.writing import new_items
from ragpp_services.catalog.resources.indexing import Said, indexed
from ragpp_services.catalog.resources.rows import Indexed, KnownResource
from ragpp_services.catalog.store import CatalogStore, Rows
from ragpp_services.catalog.vectors import Vectors

MOST_CHARS: Final = 2_000_000
"""Characters of resources, of which about so many are read in one call."""


class _Reworded:
    """A resource of another content, as pages are told of it: those that were made here lose what names it."""

    def __init__(self, known: KnownResource) -> None:
        self.resource_id, self.seen_by = known.id, known.seen_by


class Rewording:
    """Reads what the user's own things say, and puts other words there, in one transaction."""

    def __init__(
        self,
        store: CatalogStore,
        vectors: Vectors,
        counter: TokenSpans,
        tokenizers: Tokenizers,
        most_summary: int,
        clock: Clock,
    ) -> None:
        self._store, self._vectors, self._clock = store, vectors, clock
        self._counter, self._tokenizers, self._most_summary = counter, tokenizers, most_summary

    async def texts(self, scope: Scope, after: str | None = None, limit: int = 50) -> CatalogTexts:
        """See the contract."""
        size = page_size(limit)
        async with self._store.reading(scope.seen_by(None)) as rows:
            ids = await rows.rebuilding.ids(after, size)
            resources, last = await _resources(rows, ids.resources, ids.last)
            within = [one for one in (*ids.items, *ids.categories) if last is None or one <= last]
            items, categories = await rows.rewording.items(within), await rows.rewording.categories(within)
        is_all = last == ids.last and len(ids.items) + len(ids.resources) + len(ids.categories) < size
        return CatalogTexts(
            resources=tuple(resources),
            items=tuple(items),
            categories=tuple(categories),
            last=None if is_all else last,
        )

    async def resting_on(self, scope: Scope, interaction_ids: Collection[str]) -> list[Resource]:
        """See the contract."""
        if not interaction_ids:
            return []
        async with self._store.reading(scope) as rows:
            return await rows.resources.holding(interaction_ids)

    async def reword(self, scope: Scope, texts: CatalogTexts, epoch: int | None = None) -> None:
        """See the contract. What is long is cut and embedded before writers have to wait."""
        await self._vectors.check_identity()
        matrix = await self._vectors.of_texts([one.content for one in texts.items])
        items = await asyncio.to_thread(self._new_items, texts.items, matrix)
        said = await asyncio.to_thread(self._indexed, texts.resources)
        vectors = await standing(self._vectors, [one.description for one in texts.categories])
        async with self._store.writing(scope.seen_by(None), epoch) as rows:
            for one, vector in zip(texts.categories, vectors, strict=True):
                await rows.rewording.put_category(one, vector)  # before pages are mended, which dates them anew
            resources = await self._put_resources(rows, texts.resources, said)
            known = await rows.items.known([one.entry.id for one in items])
            await rows.rewording.put_items([one for one in items if one.entry.id in known])
            await regroup(rows.items, list(known), same_fact)
            await mend(rows, (), self._clock(), [*known.values(), *resources])
            await rows.raise_epoch()

    async def labels(self, scope: Scope) -> list[str]:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.rewording.labels()

    async def relabel(self, scope: Scope, labels: Mapping[str, str]) -> None:
        """See the contract."""
        async with self._store.writing(scope) as rows:
            await rows.rewording.relabel(labels)

    async def _put_resources(
        self, rows: Rows, resources: Sequence[Resource], said: Mapping[str, Indexed]
    ) -> list[_Reworded]:
        """Those that are there, whose extracted items go and are asked for anew."""
        known = await rows.resources.known([one.resource_id for one in resources])
        put = [
            one for one in resources if await rows.rewording.put_resource(rows.resources, one, said[one.resource_id])
        ]
        ids = [one.resource_id for one in put]
        now = self._clock()
        taken = [one.id for one in await rows.items.of_resources(ids) if not one.by_hand]
        gone = await drop_items(rows, taken, now)
        await rows.drop_metadata_keys(ids)
        for identifier in dict.fromkeys(one.resource_id for one in gone):
            await rows.resources.vacate(identifier, [one.ordinal for one in gone if one.resource_id == identifier])
            await rows.extract_anew(identifier, now)
        return [_Reworded(known[identifier]) for identifier in ids]

    def _indexed(self, resources: Sequence[Resource]) -> dict[str, Indexed]:
        return {
            one.resource_id: indexed(
                one.resource_type,
                Said(one.content, one.messages),
                one.metadata,
                self._counter,
                self._tokenizers.named(),
            )
            for one in resources
        }

    def _new_items(self, items: Sequence[ItemText], matrix: npt.NDArray[np.float32]) -> list[NewItem]:
        entries = [
            ItemEntry.trusted(
                id=one.id,
                content=one.content,
                source_resource_id="",
                occurred_at=self._clock(),
                metadata=one.metadata,
                domain=one.domain,
                task_type=one.task_type,
            )
            for one in items
        ]
        return new_items(entries, matrix, self._tokenizers, self._most_summary)


async def _resources(rows: Rows, ids: Sequence[str], last: str | None) -> tuple[list[Resource], str | None]:
    """The words of these, and the id up to which there was room."""
    found: list[Resource] = []
    read = 0
    for identifier in ids:
        resource = await rows.rewording.resource(identifier)
        if resource is None or resource.is_stub:
            continue
        found.append(resource)
        read += len(resource.content)
        if read >= MOST_CHARS:
            return found, identifier
    return found, last
