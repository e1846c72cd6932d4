"""The catalog: curated knowledge beside the four tiers."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal

from pydantic import JsonValue

from ragpp.catalog import CatalogInput, ItemEntry, MemoryItem, Resource, ResourceEntry, ResourceType
from ragpp.clock import Clock
from ragpp.embedding import Embedder, FloatMatrix
from ragpp.errors import InvalidInput, Outdated
from ragpp.models import Entry, Health, Memory, MemoryQuery, Scope, Stored
from ragpp.retention import EntryRetention
from ragpp.text.port import TokenSpans
from ragpp.text.readers import Tokenizers
from ragpp.tierkit.health import health_of
from ragpp.tierkit.segmenting import Segmenter
from ragpp_services.catalog import extracting, forgetting, storing
from ragpp_services.catalog.agents.tier import Agents
from ragpp_services.catalog.categories.tier import Categories
from ragpp_services.catalog.entries.limiting import make_room
from ragpp_services.catalog.entries.tier import Entries
from ragpp_services.catalog.items.rows import NewItem
from ragpp_services.catalog.items.tier import Items, read_places
from ragpp_services.catalog.items.writing import new_items
from ragpp_services.catalog.passages.tier import Passages
from ragpp_services.catalog.rebuilding import Rebuilding
from ragpp_services.catalog.resources.indexing import Said, indexed, without_turns
from ragpp_services.catalog.resources.rows import Indexed, NewResource
from ragpp_services.catalog.resources.tier import Resources
from ragpp_services.catalog.rewording import Rewording
from ragpp_services.catalog.statements import EVERYBODY
from ragpp_services.catalog.stats import Stats
from ragpp_services.catalog.store import CatalogStore
from ragpp_services.catalog.values.tier import Values
from ragpp_services.catalog.vectors import Vectors

INLINE_CHARS: Final = 4_000
"""Up to this much text is cut and indexed on the event loop; more goes to a thread, so that nobody waits for it."""


class PostgresCatalogTier:
    """Resources, items and categories in PostgreSQL. Implements `ragpp.tiers.CatalogTier`: what is said of all of them
    here, what is said of one layer in the room of that layer.

    Raises EmbeddingMismatch, before anything is written, while the database holds vectors of another model.
    """

    def __init__(
        self,
        store: CatalogStore,
        *,
        embedder: Embedder,
        counter: TokenSpans,
        tokenizers: Tokenizers,
        clock: Clock,
        segments_from_rows: int,
        most_summary: int,
        limits: EntryRetention,
    ) -> None:
        """`counter` bounds chunks; `most_summary`: characters of the summaries that are made from now on; `limits`: of
        what one agent alone sees."""
        self.name: Final[Literal["catalog"]] = "catalog"
        self._store, self._clock, self._most_summary = store, clock, most_summary
        self._counter, self._tokenizers, self._limits = counter, tokenizers, limits
        self._vectors = vectors = Vectors(store, embedder)
        self.check_identity = vectors.check_identity

        resources = Resources(store, clock)
        self.get_resource, self.list_resources = resources.get_resource, resources.list_resources
        self.search_resources = resources.search_resources
        self.delete_resource = resources.delete_resource
        self.expire, self.compress = resources.expire, resources.compress

        self.segmenter = segmenter = Segmenter(
            "catalog", store.segments, store.segments_writing, least_rows=segments_from_rows, shared=(EVERYBODY,)
        )
        self._items = items = Items(store, vectors, segmenter, tokenizers)
        self.get_item, self.items_named = items.get_item, items.items_named
        self.list_items, self.search_items = items.list_items, items.search_items

        passages = Passages(store, vectors)
        self.index_passages, self.drop_vectors = passages.index_passages, passages.drop_vectors

        entries = Entries(store, vectors, items, tokenizers, most_summary)
        self.find_entries, self.kept_entries = entries.find_entries, entries.kept_entries
        self.entry_statistics = entries.entry_statistics

        categories = Categories(store, vectors, clock)
        self.create_category = categories.create_category
        self.get_category = categories.get_category
        self.list_categories = categories.list_categories
        self.edit_category = categories.edit_category
        self.put_in_category = categories.put_in_category
        self.delete_category = categories.delete_category
        self.consolidate = categories.consolidate
        self.due_categories = categories.due_categories

        agents = Agents(store, clock)
        self.agent_usage, self.put_budget = agents.agent_usage, agents.put_budget
        self.put_source, self.begin_turn = agents.put_source, agents.begin_turn
        self.note_comparison, self.comparison = agents.note_comparison, agents.comparison
        self.compared_uses, self.shown_lately = agents.compared_uses, agents.shown_lately
        self.take_tokens = agents.take_tokens
        self.judge_uses = agents.judge_uses
        self.put_feedback = agents.put_feedback
        self.memory_uses = agents.memory_uses

        values = Values(store, clock)
        self.begin_episode = values.begin_episode
        self.get_episode = values.get_episode
        self.record_access = values.record_access
        self.end_episode = values.end_episode
        self.valued_items = values.valued_items

        stats = Stats(store, clock)
        self.stats, self.users, self.state = stats.stats, stats.users, stats.state
        rewording = Rewording(store, vectors, counter, tokenizers, most_summary, clock)
        self.texts, self.resting_on, self.reword = rewording.texts, rewording.resting_on, rewording.reword
        self.labels, self.relabel = rewording.labels, rewording.relabel
        self.rebuild = Rebuilding(store, vectors, counter, tokenizers, segmenter, most_summary).rebuild

    async def epoch(self, scope: Scope) -> int:
        """See the contract. The same as the episodic tier's, whose database it is."""
        async with self._store.reading(scope) as rows:
            return await rows.epoch()

    async def content_version(self, scope: Scope) -> str:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.content_version()

    async def store(
        self, scope: Scope, entries: Sequence[Entry | CatalogInput], epoch: int | None = None
    ) -> list[Stored]:
        """See the contract. What is forgotten of a conversation is left out of it, and it is the same without."""
        accepted = storing.accepted(scope, entries)
        if not accepted:
            return []
        await self._vectors.check_identity()
        wanted = {place: entry for place, entry in enumerate(accepted) if isinstance(entry, ItemEntry)}
        matrix = await self._vectors.of_texts([entry.embedding or entry.content for entry in wanted.values()])
        items = dict(zip(wanted, await self._new_items(list(wanted.values()), matrix), strict=True))
        without = frozenset[str]()
        while True:
            prepared = storing.Prepared(await self._resources(accepted, without), items, without)
            async with self._store.writing(scope, epoch) as rows:
                more = await storing.unknown_forgotten(rows, accepted, prepared)
                if not more:
                    now = self._clock()
                    stored = await storing.write(rows, accepted, prepared, now)
                    written = {stored[place].id for place in items} | {one.entry.id for one in items.values()}
                    await make_room(rows, written, self._limits, now)
                    return stored
            without |= more

    async def _new_items(self, entries: Sequence[ItemEntry], vectors: FloatMatrix) -> list[NewItem]:
        """Their rows, off the event loop where they say much: each is described, cut into words and counted."""
        given = (entries, vectors, self._tokenizers, self._most_summary)
        if sum(len(entry.content) for entry in entries) > INLINE_CHARS:
            return await asyncio.to_thread(new_items, *given)
        return new_items(*given)

    async def _resources(
        self, entries: Sequence[CatalogInput], without: Collection[str]
    ) -> dict[int, NewResource | None]:
        wanted = {place: entry for place, entry in enumerate(entries) if isinstance(entry, ResourceEntry)}
        if sum(len(entry.content) for entry in wanted.values()) > INLINE_CHARS:
            return await asyncio.to_thread(self._indexed, wanted, without)
        return self._indexed(wanted, without)

    def _indexed(self, entries: Mapping[int, ResourceEntry], without: Collection[str]) -> dict[int, NewResource | None]:
        result: dict[int, NewResource | None] = {}
        for place, entry in entries.items():
            said = without_turns(Said(entry.content, entry.messages), without)
            result[place] = None
            if said is not None:
                result[place] = NewResource(entry, self._row(entry.resource_type, said, entry.metadata))
        return result

    async def put_extracted(
        self,
        scope: Scope,
        resource_id: str,
        entries: Sequence[ItemEntry],
        epoch: int | None = None,
        took_ms: float | None = None,
    ) -> list[MemoryItem]:
        """See the contract. A stub's items stay as they are. PUT_AT_ONCE items are written together; where that is
        interrupted, it is to be repeated."""
        if any(entry.source_resource_id != resource_id for entry in entries):
            raise InvalidInput("an extracted item names another resource than that which it was extracted from")
        await self._vectors.check_identity()
        matrix = await self._vectors.of_texts([entry.embedding or entry.content for entry in entries])
        items = await self._new_items(entries, matrix)
        for begin in range(0, len(items), extracting.PUT_AT_ONCE):
            async with self._store.writing(scope, epoch) as rows:
                some = items[begin : begin + extracting.PUT_AT_ONCE]
                await extracting.put(rows, resource_id, some, self._limits, self._clock(), took_ms)
        async with self._store.writing(scope, epoch) as rows:
            places = await extracting.keep_only(rows, resource_id, [entry.id for entry in entries], self._clock())
            return [one.item for one in await read_places(rows.items, places, told_replaced=False)]

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """Items, as `ragpp_services.catalog.items.ranking` ranks them, the current before what it replaced; and
        passages where no item answers (`passages.ranking.told_once`)."""
        return [one.memory for one in await self._items.retrieve(query)]

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """By the id of a resource it and all that was taken from it, by that of an item all that says the same."""
        if not ids:
            return 0
        return await forgetting.forget_all(self._store, scope, ids, ids, self._clock)

    async def withdraw_item(self, scope: Scope, item_id: str, agent_id: str) -> int:
        """See the contract."""
        async with self._store.writing(scope) as rows:
            return await forgetting.withdraw_item(rows, item_id, agent_id, self._clock())

    async def expire_entries(self, scope: Scope, ids: Collection[str]) -> int:
        """See the contract."""
        if not ids:
            return 0
        async with self._store.writing(scope) as rows:
            return await forgetting.expire_items(rows, ids, self._clock())

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> list[str]:
        """See the contract. What is left of long resources is indexed before writers have to wait; what was forgotten
        meanwhile has it read again."""
        if not interaction_ids:
            return []
        while True:
            async with self._store.reading(scope) as rows:
                epoch = await rows.epoch()
                held = await rows.resources.holding(interaction_ids)
            left = await asyncio.to_thread(self._left, held, frozenset(interaction_ids))
            try:
                async with self._store.writing(scope, epoch) as rows:
                    if await rows.resources.holding_ids(interaction_ids) != {one.resource_id for one in held}:
                        continue  # another was stored meanwhile
                    await rows.raise_epoch()
                    await rows.add_forgotten(interaction_ids, self._clock())
                    return await forgetting.withdraw(rows, interaction_ids, held, left, self._clock())
            except Outdated:
                continue

    def _left(self, held: Sequence[Resource], gone: Collection[str]) -> dict[str, Indexed | None]:
        """The row of each of `held` without the interactions `gone`, by id; None where nothing is left."""
        result: dict[str, Indexed | None] = {}
        for one in held:
            said = without_turns(Said(one.content, one.messages), gone)
            result[one.resource_id] = None if said is None else self._row(one.resource_type, said, one.metadata)
        return result

    def _row(self, resource_type: ResourceType, said: Said, metadata: Mapping[str, JsonValue]) -> Indexed:
        return indexed(resource_type, said, metadata, self._counter, self._tokenizers.named())

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        """See the contract. What the user contributed to what all users share counts as well."""
        async with self._store.reading(scope) as rows:
            return await rows.holdings(sources, before)

    async def erase(self, scope: Scope, before: int) -> bool:
        """See the contract. ERASED_AT_ONCE of each layer at a time, of the user's own and of what the user contributed
        to what all users share; nothing is left to be cleaned by way of the ledger. Everybody's items leave a category
        that the user contributed."""
        now = self._clock()
        if scope.user_id == EVERYBODY:
            async with self._store.writing(scope) as rows:
                return await forgetting.erase(rows, before, None, now)
        everybodys = scope.model_copy(update={"user_id": EVERYBODY})
        async with self._store.reading(everybodys) as rows:
            contributed = await rows.contributed_categories(scope.user_id, before)
        for name in contributed:
            await self.delete_category(everybodys, name)
        async with self._store.writing_shared(scope) as (own, shared):
            more = await forgetting.erase(own, before, None, now)
            return await forgetting.erase(shared, before, scope.user_id, now) or more

    async def health_check(self) -> Health:
        return await health_of(self.name, "PostgreSQL", self._version)

    async def _version(self) -> str:
        version = await self._store.ping()
        await self._vectors.check_identity()
        return self.segmenter.told_in(version)
