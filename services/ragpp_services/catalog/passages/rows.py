"""Rows of passages: stretches of resources, read with what they stand under."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from ragpp.catalog import CatalogVisibility, ResourceType
from ragpp.embedding import FloatMatrix
from ragpp.stores.compression import unpacked
from ragpp.stores.vector_values import halfvec
from ragpp_services.catalog.passages.leads import READ_ABOVE, lead_and_own, under_its_lead
from ragpp_services.catalog.resources.rows import visibility_of
from ragpp_services.catalog.statements import Statements

TOLD_AGAIN: Final = 0.4
"""The least share of an item's words, weighed as in itself, with which a chunk of its resource says it: a chunk is
longer, so each of its words weighs less. A judgement, not fitted: a greater share would keep passages that tell a
deleted item, a smaller one would withhold others that share words with it."""


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage without a vector: `content[start:end]` of the resource of that ordinal, `text` with its lead."""

    resource: int
    part: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage as it is read: `text` with its lead, which is `lead` characters long."""

    resource_id: str
    ordinal: int
    part: int
    text: str
    lead: int
    resource_type: ResourceType
    occurred_at: datetime
    created_at: datetime
    session_id: str | None
    agent_id: str | None
    visibility: CatalogVisibility


class PassageRows:
    """One user's passages."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def unembedded(self, limit: int) -> list[Unembedded]:
        """At most `limit` of the user's own, the first first."""
        rows = await self._run.own("passages_to_embed", limit, READ_ABOVE)
        return [
            Unembedded(row["resource"], row["part"], row["start"], row["end"], under_its_lead(*_read(row)))
            for row in rows
        ]

    async def put(self, read: Sequence[Unembedded], vectors: FloatMatrix) -> None:
        """Keep the vector of each, where it is still there."""
        columns = map(list, zip(*((one.resource, one.part, one.start, one.end) for one in read), strict=True))
        await self._run.change("put_passages", *columns, [halfvec(vector) for vector in vectors])

    async def drop_vectors(self, before: datetime, limit: int) -> int:
        """Let the passages of resources from before that moment, of at most `limit`, have no vector again; returns of
        how many."""
        row = await self._run.own_row("drop_vectors", before, limit)
        return 0 if row is None else int(row["resources"])

    async def found(self, keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], FoundPassage]:
        """Those of these (resource's ordinal, part) that the scope sees."""
        if not keys:
            return {}
        rows = await self._run.seen("found_passages", *map(list, zip(*keys, strict=True)), READ_ABOVE)
        return {(row["ordinal"], row["part"]): _found(row) for row in rows}

    async def withhold(self, item_ids: Collection[str]) -> None:
        """Let no passage say again what these items say, which somebody deletes."""
        if item_ids:
            await self._run.change("withhold_passages", list(item_ids), TOLD_AGAIN)


def _read(row: asyncpg.Record) -> tuple[str, str]:
    """The text before the passage of a row, and its own."""
    if not row["packed"]:
        return row["above"], row["content"]
    whole = unpacked("", row["packed"])
    return whole[max(0, row["start"] - READ_ABOVE) : row["start"]], whole[row["start"] : row["end"]]


def _found(row: asyncpg.Record) -> FoundPassage:
    lead, own = lead_and_own(*_read(row))
    return FoundPassage(
        resource_id=row["id"],
        ordinal=row["ordinal"],
        part=row["part"],
        text=lead + own,
        lead=len(lead),
        resource_type=row["resource_type"],
        occurred_at=row["occurred_at"],
        created_at=row["created_at"],
        session_id=row["session_id"],
        agent_id=row["agent_id"],
        visibility=visibility_of(row["user_id"], row["seen_by"]),
    )
