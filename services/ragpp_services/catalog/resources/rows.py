"""Rows of resources, of their chunks, and of the interactions that they hold."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import asyncpg

from ragpp.catalog import CatalogVisibility, Resource, ResourceEntry, ResourceMessage, ResourceType
from ragpp.stores.compression import LEAST_BYTES, beginning, unpacked
from ragpp.stores.vector_values import asked_terms, sparsevec
from ragpp_services.catalog.statements import EVERYBODY, Statements

SHOWN_CHARS: Final = 200
"""Characters of a content, where resources are listed."""
_SHOWN_BYTES: Final = 4_096
"""Bytes of a content that is packed, which hold that much of it."""


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A stretch of a resource, `content[start:end]`, with the weights of its words by hashed term. `passage`: it may be
    shown as it stands."""

    part: int
    start: int
    end: int
    lexical: Mapping[int, float]
    passage: bool


@dataclass(frozen=True, slots=True)
class Indexed:
    """A resource's content, as it is stored and found. `tokens`: of the content."""

    content: str
    messages: tuple[ResourceMessage, ...]
    content_hash: bytes
    tokens: int
    chunks: tuple[NewChunk, ...]


@dataclass(frozen=True, slots=True)
class NewResource:
    """A resource on its way in: an entry, and what is kept of what it says."""

    entry: ResourceEntry
    said: Indexed


@dataclass(frozen=True, slots=True)
class KnownResource:
    """A resource as it is stored under its id."""

    id: str
    content_hash: bytes
    event_id: int
    seen_by: str | None
    is_stub: bool
    session_id: str | None
    contributor: str


@dataclass(frozen=True, slots=True)
class GoneResource:
    """A resource that was deleted, or left as a stub, as the event describes it."""

    id: str
    ordinal: int
    session_id: str | None
    resource_type: ResourceType
    occurred_at: datetime
    seen_by: str | None


@dataclass(frozen=True, slots=True)
class StoredResource:
    """A stored resource, and its place in the order of arrival."""

    resource: Resource
    ordinal: int


@dataclass(frozen=True, slots=True)
class ScannedChunks:
    """The packed columns of the statement `scan_chunks`; None where there is no chunk."""

    resources: bytes | None
    parts: bytes | None
    lexical: bytes | None


class ResourceRows:
    """One user's resources."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def known(self, ids: Collection[str]) -> dict[str, KnownResource]:
        """The resources that are stored under those of `ids` that exist, of the user's own."""
        return {row["id"]: KnownResource(**row) for row in await self._run.own("known_resources", list(ids))}

    async def insert(self, new: Sequence[NewResource], event_ids: Sequence[int], now: datetime) -> None:
        """Add `new`, whose ids are new, in their order; `event_ids` are those of their events."""
        if not new:
            return
        columns = map(list, zip(*map(_values, new, event_ids), strict=True))
        rows = await self._run.own("insert_resources", *columns, now)
        ordinals = {row["id"]: row["ordinal"] for row in rows}
        for one in new:
            seen_by = one.entry.seen_by
            await self._insert_chunks(ordinals[one.entry.id], one.entry.resource_type, seen_by, one.said.chunks)
        turns = [
            (message.interaction_id, one.entry.id)
            for one in new
            for message in one.said.messages
            if message.interaction_id is not None
        ]
        if turns:
            await self._run.change("insert_turns", *map(list, zip(*turns, strict=True)))

    async def change_content(self, identifier: str, said: Indexed, occurred_at: datetime) -> None:
        """Let the resource say that, and have occurred then."""
        values = (said.content, said.content_hash, messages_json(said.messages), said.tokens, occurred_at)
        row = await self._run.own_row("change_content", identifier, *values)
        if row is not None:
            await self._run.change("delete_chunks", [row["ordinal"]])
            await self._insert_chunks(row["ordinal"], row["resource_type"], row["seen_by"], said.chunks)

    async def _insert_chunks(
        self, ordinal: int, resource_type: ResourceType, seen_by: str | None, chunks: Sequence[NewChunk]
    ) -> None:
        count = len(chunks)
        await self._run.change(
            "insert_chunks",
            [ordinal] * count,
            [one.part for one in chunks],
            [one.start for one in chunks],
            [one.end for one in chunks],
            [resource_type] * count,
            [seen_by] * count,
            [sparsevec(one.lexical) for one in chunks],
            [one.passage for one in chunks],
        )

    async def replace_chunks(
        self, ordinal: int, resource_type: ResourceType, seen_by: str | None, chunks: Sequence[NewChunk]
    ) -> None:
        """Let these be the chunks of a resource; what meets one that was withheld stays so."""
        spans = [(row["start"], row["end"]) for row in await self._run.own("withheld_chunks", ordinal)]
        kept = [
            replace(one, passage=one.passage and all(one.end <= start or end <= one.start for start, end in spans))
            for one in chunks
        ]
        await self._run.change("delete_chunks", [ordinal])
        await self._insert_chunks(ordinal, resource_type, seen_by, kept)

    async def get(self, identifier: str) -> Resource | None:
        """The resource that the scope sees under that id."""
        row = await self._run.seen_row("get_resource", identifier)
        return None if row is None else stored_of(row).resource

    async def page(
        self, resource_type: ResourceType | None, session_id: str | None, before: int | None, limit: int
    ) -> list[StoredResource]:
        """At most `limit` that the scope sees, the one stored last first, their contents cut to SHOWN_CHARS."""
        values = (resource_type, session_id, before, limit, SHOWN_CHARS, _SHOWN_BYTES)
        return [stored_of(row, SHOWN_CHARS) for row in await self._run.seen("list_resources", *values)]

    async def scan(self, resource_type: ResourceType | None, terms: Collection[int]) -> ScannedChunks:
        """Every chunk that the scope sees, with its weights of `terms`."""
        row = await self._run.seen_row("scan_chunks", resource_type, asked_terms(terms))
        return ScannedChunks(None, None, None) if row is None else ScannedChunks(**row)

    async def found(self, keys: Sequence[tuple[int, int]]) -> dict[int, Resource]:
        """The resources of those (ordinal, part), by ordinal, their contents cut to that part."""
        columns = tuple(map(list, zip(*keys, strict=True))) or ([], [])
        found = {}
        for row in await self._run.seen("found_chunks", *columns):
            whole = stored_of(row)
            part = whole.resource.content
            truncated = row["truncated"]
            if row["packed"]:
                part, whole_chars = part[row["found_start"] : row["found_end"]], len(part)
                truncated = len(part) < whole_chars
            found[whole.ordinal] = whole.resource.model_copy(update={"content": part, "content_truncated": truncated})
        return found

    async def delete(self, ids: Collection[str]) -> list[GoneResource]:
        """Delete those of `ids` that the scope sees, with their chunks and turns."""
        gone = [GoneResource(**row) for row in await self._run.own("delete_resources", list(ids), self._run.scope.view)]
        await self._drop_parts(gone)
        return gone

    async def leave_stubs(self, ids: Collection[str]) -> list[GoneResource]:
        """Drop what those of `ids` say that the scope sees; the rows stay."""
        gone = [GoneResource(**row) for row in await self._run.own("leave_stubs", list(ids), self._run.scope.view)]
        if gone:
            await self._run.change("delete_chunks", [one.ordinal for one in gone])
        return gone

    async def _drop_parts(self, gone: Sequence[GoneResource]) -> None:
        if gone:
            await self._run.change("delete_chunks", [one.ordinal for one in gone])
            await self._run.change("delete_turns", [one.id for one in gone], [])

    async def holding(self, interaction_ids: Collection[str]) -> list[Resource]:
        """The user's own that hold any of these interactions, whoever sees them."""
        return [stored_of(row).resource for row in await self._run.own("holding_turns", list(interaction_ids))]

    async def holding_ids(self, interaction_ids: Collection[str]) -> set[str]:
        """The ids of those."""
        return {row["id"] for row in await self._run.own("holding_turns", list(interaction_ids))}

    async def drop_turns(self, interaction_ids: Collection[str]) -> None:
        """Let no resource hold these interactions."""
        await self._run.change("delete_turns", [], list(interaction_ids))

    async def vacate(self, identifier: str, ordinals: Sequence[int]) -> None:
        """Keep the places of items that were taken from it, for those that are taken anew."""
        if ordinals:
            await self._run.change("vacate", identifier, list(ordinals))

    async def occupy(self, identifier: str, count: int) -> list[int]:
        """The first of the vacated places, `count` at most, which are so no longer."""
        row = await self._run.own_row("occupy", identifier, count)
        return [] if row is None else list(row["ordinals"])

    async def note_extracted(self, identifier: str, now: datetime) -> None:
        """That its items were taken from it."""
        await self._run.change("note_extracted", identifier, now)

    async def compressible(self, before: datetime, limit: int) -> dict[str, str]:
        """At most `limit` long contents from before that moment which were not looked at yet, by their ids."""
        rows = await self._run.own("compressible_resources", before, LEAST_BYTES, limit)
        return {row["id"]: row["content"] for row in rows}

    async def compress(self, smaller: Mapping[str, bytes]) -> None:
        """Keep these contents, by id, as they were packed; as they are where nothing was."""
        await self._run.change("compress_resources", list(smaller), list(smaller.values()))


def stored_of(row: asyncpg.Record, shown: int | None = None) -> StoredResource:
    """The resource in a row, its content cut to `shown` characters."""
    packed = row["packed"]
    content = unpacked(row["content"], packed) if shown is None else beginning(row["content"], packed, shown + 1)
    # what was validated when it came in is not validated again
    resource = Resource.trusted(
        resource_id=row["id"],
        resource_type=row["resource_type"],
        content=content[:shown],
        content_truncated=shown is not None and len(content) > shown,
        metadata=json.loads(row["metadata"]),
        messages=tuple(ResourceMessage.model_validate(one) for one in json.loads(row["messages"])),
        occurred_at=row["occurred_at"],
        created_at=row["created_at"],
        session_id=row["session_id"],
        agent_id=row["agent_id"],
        visibility=visibility_of(row["user_id"], row["seen_by"]),
        tokens=row["tokens"],
        is_stub=row["is_stub"],
        vectors_dropped=row["vectors_dropped"],
    )
    return StoredResource(resource, row["ordinal"])


def visibility_of(user_id: str, seen_by: str | None) -> CatalogVisibility:
    """Who sees a row of that user's."""
    if user_id == EVERYBODY:
        return "global"
    return "shared" if seen_by is None else "agent"


def _values(new: NewResource, event_id: int) -> tuple[object, ...]:
    entry = new.entry
    return (
        entry.id,
        event_id,
        entry.resource_type,
        new.said.content,
        new.said.content_hash,
        json.dumps(entry.metadata, ensure_ascii=False),
        messages_json(new.said.messages),
        entry.occurred_at,
        entry.session_id,
        entry.seen_by or entry.agent_id,
        entry.seen_by,
        entry.contributor,
        entry.redactions,
        new.said.tokens,
    )


def messages_json(messages: Sequence[ResourceMessage]) -> str:
    """As they are kept in a row."""
    return json.dumps([one.model_dump(mode="json", exclude_defaults=True) for one in messages], ensure_ascii=False)
