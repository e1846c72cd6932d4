"""Rows of the light view of items."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from ragpp.catalog import DEFAULT_VALUE
from ragpp.entries.usage import EntryStatistics
from ragpp.entries.values import Description, EntryQuery
from ragpp.fields import StoredMetadata
from ragpp.retention import KeptEntry
from ragpp_services.catalog.statements import Statements


@dataclass(frozen=True, slots=True)
class Written:
    """The part of an entry that is kept in columns."""

    told: Description
    tags: tuple[str, ...]
    priority: int | None = None
    expires: datetime | None = None
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Undescribed:
    """An item from before there were entries."""

    user_id: str
    id: str
    content: str
    metadata: StoredMetadata


class EntryRows:
    """The entries that one user sees."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def page(self, query: EntryQuery) -> list[int]:
        """Ordinals of those that are asked for, the latest first."""
        alone = None if query.visibility is None else query.visibility == "agent"
        narrowed = (query.ci, query.kind, list(query.tags) or None, alone, query.imported or None, query.before)
        rows = await self._run.seen("page_of_entries", *narrowed, query.offset, query.limit)
        return [row["ordinal"] for row in rows]

    async def places(self, ids: Sequence[str]) -> dict[str, int]:
        """Ordinals by these ids, own or external, as far as there are such."""
        rows = await self._run.seen("places_of_entries", list(ids))
        return {row["asked"]: row["ordinal"] for row in rows}

    async def described(self, ordinals: Collection[int]) -> Mapping[int, Description]:
        """The descriptions that are kept of these, by ordinal, as far as there are any."""
        rows = await self._run.seen("described_items", list(ordinals))
        return {
            row["ordinal"]: Description.model_validate_json(row["entry"]) for row in rows if row["entry"] is not None
        }

    async def undescribed(self, limit: int) -> list[Undescribed]:
        """The latest of which nothing is kept."""
        rows = await self._run.seen("items_without_entry", limit)
        return [Undescribed(row["user_id"], row["id"], row["content"], json.loads(row["metadata"])) for row in rows]

    async def put(self, written: Mapping[str, Written]) -> None:
        """Keep these, by the ids of the user's own items; what is gone is left."""
        rows = [
            (item_id, one.told.model_dump_json(), list(one.tags), one.priority, one.expires)
            for item_id, one in written.items()
        ]
        await self._run.change_many("put_entry", rows)

    async def kept(self) -> list[KeptEntry]:
        """The user's own items that one agent alone sees, or that expire."""
        return [_kept(row) for row in await self._run.own("kept_entries", DEFAULT_VALUE)]

    async def kept_of(self, agent_id: str) -> list[KeptEntry]:
        """The user's own items that this agent alone sees."""
        return [_kept(row) for row in await self._run.own("kept_entries_of_agent", DEFAULT_VALUE, agent_id)]

    async def over_limit(self, ids: Collection[str], most: int) -> list[str]:
        """The agents that alone see one of these of the user's own items, and more than `most` items."""
        return [row["seen_by"] for row in await self._run.own("agents_over_limit", list(ids), most)]

    async def statistics(self, agent_id: str | None) -> EntryStatistics:
        """Statistics of what the scope sees, of one agent's where that is named."""
        row = await self._run.seen_row("entry_statistics", agent_id)
        return EntryStatistics() if row is None else EntryStatistics.model_validate(dict(row))

    async def shows_at_most(self, most: int) -> bool:
        """True where the scope has a view, which shows at most so many rows."""
        if self._run.scope.view is None:
            return False
        row = await self._run.seen_row("rows_of_view", most + 1)
        return row is not None and row["count"] <= most


def _kept(row: Record) -> KeptEntry:
    return KeptEntry(
        id=row["id"],
        agent_id=row["seen_by"],
        kept_at=row["created_at"],
        expires=row["expires"],
        priority=row["priority"],
        worth=row["worth"],
        size=row["tokens"],
    )
