"""The entries' part of the tier: the light view of items, searched and listed."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from ragpp.catalog import GoalValue
from ragpp.entries.making import entry_of
from ragpp.entries.usage import EntryStatistics
from ragpp.entries.values import Description, EntryQuery, FoundEntry
from ragpp.models import Scope
from ragpp.retention import KeptEntry
from ragpp.retrieval.calibration import Calibration
from ragpp.text.lexical import query_terms
from ragpp.text.readers import Tokenizers
from ragpp_services.catalog.entries.rows import Undescribed, Written
from ragpp_services.catalog.entries.writing import written
from ragpp_services.catalog.items.asking import Asked
from ragpp_services.catalog.items.narrowing import Narrowing
from ragpp_services.catalog.items.ranking import Answer, Ranked
from ragpp_services.catalog.items.reading import Shown, read
from ragpp_services.catalog.items.tier import Items
from ragpp_services.catalog.store import CatalogStore, Rows
from ragpp_services.catalog.vectors import Vectors

DESCRIBED_AT_ONCE: Final = 500
"""Items from before there were entries that are described in one transaction, in about 0.2 s."""


class Entries:
    """The part of `ragpp.tiers.CatalogTier` that is about entries."""

    def __init__(
        self, store: CatalogStore, vectors: Vectors, items: Items, tokenizers: Tokenizers, most_summary: int
    ) -> None:
        """`most_summary`: characters of a summary that is made here."""
        self._store, self._vectors, self._items = store, vectors, items
        self._tokenizers, self._most_summary = tokenizers, most_summary

    async def find_entries(self, scope: Scope, query: EntryQuery) -> list[FoundEntry]:
        """See the contract."""
        await self._make_up_for(scope)
        if query.ids is not None:
            return await self._named(scope, query, query.ids)
        if query.text.strip() or query.embedding is not None:
            return await self._searched(scope, query)
        while True:
            async with self._store.reading(scope) as rows:
                places = await rows.entries.page(query)
                shown = await _in_order(rows, places, query)
                if shown or not places:  # else all of them went between the two statements, and others may follow
                    return await self._found(rows, shown, query, None)

    async def kept_entries(self, scope: Scope) -> list[KeptEntry]:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.entries.kept()

    async def entry_statistics(self, scope: Scope, agent_id: str | None = None) -> EntryStatistics:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.entries.statistics(agent_id)

    async def _named(self, scope: Scope, query: EntryQuery, ids: Sequence[str]) -> list[FoundEntry]:
        async with self._store.reading(scope) as rows:
            places = await rows.entries.places(ids)
            shown = await _in_order(rows, list(dict.fromkeys(places.values())), query)
            found = await self._found(rows, shown, query, None)
        by_place = {one.found.ordinal: entry for one, entry in zip(shown, found, strict=True)}
        named = [(one, places[one]) for one in dict.fromkeys(ids) if one in places]
        return [by_place[place].model_copy(update={"asked": one}) for one, place in named if place in by_place]

    async def _searched(self, scope: Scope, query: EntryQuery) -> list[FoundEntry]:
        await self._vectors.check_identity()
        embedding = await self._vectors.of_question(query.text, query.embedding)
        narrowing = Narrowing(agent_id=query.ci, kind=query.kind, tags=query.tags or None)
        most = query.offset + query.limit
        asked = Asked(narrowing, query.as_of, embedding, query_terms(query.text), most)

        async def found(rows: Rows, answer: Answer) -> list[FoundEntry]:
            shown = await read(rows.items, answer.ranked, as_of=query.as_of, vectors=query.vectors)
            scale = await self._items.scale(scope, rows.items)
            return await self._found(rows, shown[query.offset : most], query, scale)

        return await self._items.answered(scope, asked, found)

    async def _found(
        self, rows: Rows, shown: Sequence[Shown], query: EntryQuery, scale: Calibration | None
    ) -> list[FoundEntry]:
        described = await rows.entries.described([one.found.ordinal for one in shown])
        values = await rows.values.of_items([one.item.item_id for one in shown])

        return [
            _entry(one, described.get(one.found.ordinal), values.get(one.item.item_id, {}), query, scale)
            for one in shown
        ]

    async def _make_up_for(self, scope: Scope) -> None:
        """Describe what is from before there were entries, so that it is found by its tags."""
        while True:
            async with self._store.reading(scope) as rows:
                left = await rows.entries.undescribed(DESCRIBED_AT_ONCE)
            if not left:
                return
            made = await asyncio.to_thread(self._described, left)
            for user_id, described in made.items():
                whose = scope.model_copy(update={"user_id": user_id})
                async with self._store.writing(whose) as rows:
                    await rows.entries.put(described)

    def _described(self, left: Sequence[Undescribed]) -> dict[str, dict[str, Written]]:
        made: dict[str, dict[str, Written]] = {}
        for one in left:
            made.setdefault(one.user_id, {})[one.id] = written(
                one.content, one.metadata, self._tokenizers, self._most_summary
            )
        return made


async def _in_order(rows: Rows, places: Sequence[int], query: EntryQuery) -> list[Shown]:
    """The items at these places, in this order."""
    ranked = [Ranked(place, 0.0, None) for place in places]
    shown = await read(rows.items, ranked, vectors=query.vectors, told_replaced=False)
    by_place = {one.found.ordinal: one for one in shown}
    return [by_place[place] for place in places if place in by_place]


def _entry(
    shown: Shown,
    described: Description | None,
    values: Mapping[str, GoalValue],
    query: EntryQuery,
    scale: Calibration | None,
) -> FoundEntry:
    item = shown.item.model_copy(update={"goal_values": values})
    entry = entry_of(item, described, content=query.contents)
    found = FoundEntry(
        entry=entry.model_copy(update={"agents": shown.agents}),
        score=None if scale is None else shown.ranked.score,
        similarity=None if scale is None else scale.of(shown.ranked.similarity),
        values={goal: known.value for goal, known in values.items()},
        tokens={} if described is None else described.tokens,
        tokenizer=None if described is None else described.tokenizer,
        replaced_by=shown.item.replaced_by,
        place=shown.found.ordinal,
    )
    if not query.whole:
        return found
    filed = {name: getattr(item, name) for name in ("metadata", "category", "level", "domain", "task_type")}
    return found.model_copy(update=filed)
