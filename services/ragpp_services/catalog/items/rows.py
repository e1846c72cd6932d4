"""Rows of items."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import numpy as np
import numpy.typing as npt

from ragpp.catalog import ItemEntry, MemoryItem, ResourceType
from ragpp.filtering import MetadataFilter
from ragpp.stores.jsonpath import UNFILTERED, as_jsonpath
from ragpp.stores.packed_columns import direction, whole_numbers
from ragpp.stores.vector_values import halfvec, sparsevec
from ragpp_services.catalog.entries.rows import Written
from ragpp_services.catalog.items.grouping import Member, Statement
from ragpp_services.catalog.items.scanning import ItemScans
from ragpp_services.catalog.resources.rows import visibility_of

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item on its way in. `entry`: with the category and the visibility that it is to have. `lexical`: weights by
    hashed term."""

    entry: ItemEntry
    key: str
    vector: Vector
    lexical: Mapping[int, float]
    tokens: int
    written: Written


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A row as it is stored under its id."""

    id: str
    one_with: str | None
    resource_id: str
    content: str
    event_id: int
    seen_by: str | None
    by_hand: bool
    category: str | None


@dataclass(frozen=True, slots=True)
class GoneItem:
    """A row that was deleted, as its event describes it."""

    id: str
    one_with: str | None
    resource_id: str
    category: str | None
    occurred_at: datetime
    seen_by: str | None
    ordinal: int


@dataclass(frozen=True, slots=True)
class OfResource:
    """An item, as its resource sees it."""

    id: str
    by_hand: bool
    sources: tuple[str, ...]
    resource_id: str
    event_id: int


@dataclass(frozen=True, slots=True, eq=False)
class FoundItem:
    """A stored statement. `leader`: (user id, id) of the one that stands for its item."""

    item: MemoryItem
    ordinal: int
    leader: tuple[str, str]
    resource_type: ResourceType
    session_id: str | None
    vector: Vector


@dataclass(frozen=True, slots=True, eq=False)
class KeyVectors:
    """The statements of one category and visibility: (n,) ordinals and (n, dimension) vectors in halves."""

    ordinals: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float16]


class ItemRows(ItemScans):
    """One user's items."""

    async def known(self, ids: Collection[str]) -> dict[str, KnownItem]:
        """The rows that are stored under those of `ids` that exist, of the user's own."""
        return {row["id"]: KnownItem(**row) for row in await self._run.own("known_items", list(ids))}

    async def categories(self) -> list[tuple[str, Vector]]:
        """Names and vectors of the categories that an item of the user's may be put into."""
        return [(row["name"], direction(row["embedding"])) for row in await self._run.own("categories_of_items")]

    async def insert(self, new: Sequence[NewItem], events: Sequence[int], now: datetime, places: list[int]) -> None:
        """Add `new`, whose ids are new, in their order, the first at `places`; each stands for itself until grouped."""
        if new:
            columns = map(list, zip(*map(_values, new, events), strict=True))
            await self._run.change("insert_items", *columns, now, places)

    async def where(self, ids: Collection[str]) -> dict[tuple[str | None, str | None], list[int]]:
        """The ordinals of those of `ids` that exist, by category and visibility."""
        found: dict[tuple[str | None, str | None], list[int]] = {}
        for row in await self._run.own("where_items_are", list(ids)):
            found.setdefault((row["category"], row["seen_by"]), []).append(row["ordinal"])
        return found

    async def near(
        self, category: str | None, seen_by: str | None, ordinals: Sequence[int], least: float
    ) -> dict[int, list[int]]:
        """For each of `ordinals` those with a cosine of at least `least` or a little less, of all that share these."""
        found: dict[int, list[int]] = {ordinal: [] for ordinal in ordinals}
        for row in await self._run.own("near_items", category, seen_by, list(ordinals), least):
            found[row["asked"]].append(row["near"])
        return found

    async def vectors(self, category: str | None, seen_by: str | None) -> KeyVectors:
        """The vectors of all rows that share these."""
        row = await self._run.own_row("vectors_of_items", category, seen_by)
        ordinals = whole_numbers(None if row is None else row["ordinals"], "bigint")
        packed = b"" if row is None else row["vectors"] or b""
        if not len(ordinals):
            return KeyVectors(ordinals, np.empty((0, 0), np.float16))
        sent = np.frombuffer(packed, ">f2").reshape(len(ordinals), -1)  # two numbers stand before each vector
        return KeyVectors(ordinals, sent[:, 2:].astype(np.float16))

    async def to_group(self, ordinals: Collection[int]) -> list[Statement]:
        """The statements of those, as grouping reads them."""
        return [
            Statement(
                row["id"],
                row["ordinal"],
                row["one_with"],
                row["content"],
                direction(row["vector"]),
                row["memory_key"].rpartition(":")[0],
            )
            for row in await self._run.own("items_to_group", list(ordinals))
        ]

    async def group(self, grouped: Mapping[str, str | None]) -> None:
        """Let statements be one with others, by their ids."""
        if grouped:
            await self._run.change("group_items", list(grouped), list(grouped.values()))

    async def found(self, ordinals: Sequence[int]) -> dict[int, FoundItem]:
        """Those of these statements that the scope sees, by ordinal."""
        rows = await self._run.seen("found_items", list(ordinals))
        return {row["ordinal"]: found_of(row) for row in rows}

    async def groups(
        self, leaders: Iterable[tuple[str, str]], as_of: datetime | None
    ) -> dict[tuple[str, str], list[Member]]:
        """All that are one with these (user id, id), by those; the first first."""
        wanted = list(dict.fromkeys(leaders))
        found: dict[tuple[str, str], list[Member]] = {}
        columns = ([user for user, _ in wanted], [identifier for _, identifier in wanted])
        for row in await self._run.seen("items_of_groups", *columns, as_of):
            members = found.setdefault((row["user_id"], row["leader"]), [])
            moment = row["occurred_at"], row["ordinal"]
            members.append(Member(row["id"], row["resource_id"], tuple(row["sources"]), moment, row["agent_id"]))
        return found

    async def place_of(self, identifier: str) -> int | None:
        """The ordinal of the item of that id, or of what stands for it; of what the scope sees."""
        row = await self._run.seen_row("item_by_id", identifier)
        return None if row is None else row["ordinal"]

    async def named(self, name: str) -> list[str]:
        """Ids of what stands for the items that are called that, by their own ids or elsewhere."""
        return [row["id"] for row in await self._run.seen("items_named", name)]

    async def places_of(self, ids: Collection[str]) -> list[int]:
        """The ordinals of those of the user's own items, or of what stands for them; each once, in their order."""
        return [row["ordinal"] for row in await self._run.own("places_of_items", list(ids))]

    async def page(
        self,
        category: str | None,
        resource_id: str | None,
        before: int | None,
        limit: int,
        metadata: MetadataFilter | None = None,
    ) -> list[int]:
        """The ordinals of at most `limit` items that the scope sees, the latest first."""
        matched = UNFILTERED if metadata is None else as_jsonpath(metadata)
        rows = await self._run.seen("page_of_items", category, resource_id, before, limit, *matched)
        return [row["ordinal"] for row in rows]

    async def of_resources(self, resource_ids: Collection[str]) -> list[OfResource]:
        """Every statement of these resources, in the order of arrival."""
        rows = await self._run.own("items_of_resources", list(resource_ids))
        return [OfResource(**{**row, "sources": tuple(row["sources"])}) for row in rows]

    async def of_sources(self, interaction_ids: Collection[str]) -> set[str]:
        """Ids of the statements that rest on any of these interactions."""
        return {row["id"] for row in await self._run.own("items_of_sources", list(interaction_ids))}

    async def whole(self, ids: Collection[str]) -> set[str]:
        """These, of what the scope sees, with all that are one with any of them."""
        return {row["id"] for row in await self._run.own("whole_items", list(ids), self._run.scope.view)}

    async def sources_alone(self, ids: Collection[str], staying: Collection[str] = ()) -> set[str]:
        """Ids of the resources that say nothing but one of these items, stored by hand, which nobody else sees, and
        have no other; without those that are `staying`."""
        if not ids:
            return set()
        return {row["resource_id"] for row in await self._run.own("sources_alone", list(ids), list(staying))}

    async def of_agent(self, ids: Collection[str], agent_id: str) -> set[str]:
        """Those of these that the agent contributed."""
        return {row["id"] for row in await self._run.own("items_of_agent", list(ids), agent_id)}

    async def delete(self, ids: Collection[str]) -> list[GoneItem]:
        """Delete these; what was one with them is left to be grouped."""
        return [GoneItem(**row) for row in await self._run.own("delete_items", list(ids))]

    async def orphans(self, gone: Collection[str]) -> set[str]:
        """Ids of what is one with any of `gone`, which are not there."""
        return {row["id"] for row in await self._run.own("orphans", list(gone))}


def found_of(row: asyncpg.Record) -> FoundItem:
    """The statement in a row of `found_items`."""
    item = MemoryItem.trusted(
        item_id=row["id"],
        content=row["content"],
        source_resource_id=row["resource_id"],
        sources=tuple(row["sources"]),
        resource_type=row["resource_type"],
        category=row["category"],
        confidence=row["confidence"],
        importance=row["importance"],
        kind=row["item_kind"],
        occurred_at=row["occurred_at"],
        created_at=row["created_at"],
        key=row["memory_key"],
        level=row["level"],
        domain=row["domain"],
        task_type=row["task_type"],
        agent_id=row["agent_id"],
        metadata=json.loads(row["metadata"]),
        visibility=visibility_of(row["user_id"], row["seen_by"]),
        tokens=row["tokens"],
    )
    return FoundItem(
        item=item,
        ordinal=row["ordinal"],
        leader=(row["user_id"], row["one_with"] or row["id"]),
        resource_type=row["resource_type"],
        session_id=row["session_id"],
        vector=direction(row["vector"]),
    )


def _values(new: NewItem, event_id: int) -> tuple[object, ...]:
    entry = new.entry
    return (
        entry.id,
        event_id,
        entry.source_resource_id,
        json.dumps(list(dict.fromkeys(entry.sources)), ensure_ascii=False),
        entry.content,
        new.key,
        entry.item_kind,
        entry.category,
        entry.confidence,
        entry.importance,
        entry.level,
        entry.domain,
        entry.task_type,
        entry.agent_id,
        json.dumps(entry.metadata, ensure_ascii=False),
        entry.occurred_at,
        entry.seen_by,
        entry.contributor,
        entry.by_hand,
        new.tokens,
        halfvec(new.vector),
        sparsevec(new.lexical),
        new.written.told.model_dump_json(),
        json.dumps(list(new.written.tags), ensure_ascii=False),
        new.written.priority,
        new.written.expires,
        new.written.external_id,
    )
