"""The catalog for tests: opened on the stack, with resources and items that a query finds."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final, cast
from uuid import uuid4

from ragpp.catalog import CatalogInput, ItemEntry, ResourceEntry, ResourceMessage, ResourceType
from ragpp.clock import Clock, system_clock
from ragpp.embedding import Embedder
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.models import Entry, MemoryQuery, Scope, Stored
from ragpp.settings import EntrySettings
from ragpp.text.tokens import TokenCounter
from ragpp.tiers import CatalogTier, MemoryTier
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog.app import migrate, open_tier
from ragpp_services.catalog.tier import PostgresCatalogTier
from tests.support.episodic import postgres_settings

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
LEDGER_BOOK: Final = "res_book"
"""The resource of all items that name no other."""


@asynccontextmanager
async def catalog_tier(
    endpoints: Endpoints,
    *,
    clock: Clock = system_clock,
    embedder: Embedder | None = None,
    entries: EntrySettings | None = None,
) -> AsyncIterator[PostgresCatalogTier]:
    """The tier, migrated, with the hashing embedder or another."""
    settings = postgres_settings(endpoints)
    await migrate(settings)
    embedder = embedder or HashingEmbedder()
    async with open_tier(settings, embedder=embedder, counter=TokenCounter(), clock=clock, entries=entries) as tier:
        yield tier


def resource(
    content: str = "a note",
    *,
    id: str | None = None,
    resource_type: ResourceType = "document",
    occurred_at: datetime = NOON,
    session_id: str | None = None,
    seen_by: str | None = None,
    contributor: str = "",
) -> ResourceEntry:
    """A resource that says that."""
    return ResourceEntry(
        id=id or f"res_{uuid4()}",
        resource_type=resource_type,
        content=content,
        occurred_at=occurred_at,
        session_id=session_id,
        agent_id=seen_by,
        seen_by=seen_by,
        contributor=contributor,
    )


def conversation(
    *turns: tuple[str, str], id: str | None = None, ids: Sequence[str | None] = (), occurred_at: datetime = NOON
) -> ResourceEntry:
    """A conversation of (name, text) turns, a line each; `ids`: of the interactions that they are."""
    content, messages = "", list[ResourceMessage]()
    for place, (name, text) in enumerate(turns):
        content += f"{name}: "
        end = len(content) + len(text)
        interaction = ids[place] if place < len(ids) else None
        messages.append(ResourceMessage(name=name, start=len(content), end=end, interaction_id=interaction))
        content += f"{text}\n"
    return ResourceEntry(
        id=id or f"res_{uuid4()}",
        resource_type="conversation",
        content=content,
        messages=tuple(messages),
        occurred_at=occurred_at,
    )


def item(
    text: str,
    of: str = LEDGER_BOOK,
    *,
    id: str | None = None,
    category: str | None = None,
    seen_by: str | None = None,
    sources: tuple[str, ...] = (),
    occurred_at: datetime = NOON,
    by_hand: bool = True,
) -> ItemEntry:
    """A statement that rests on the resource `of`."""
    return ItemEntry(
        id=id or f"item_{uuid4()}",
        content=text,
        source_resource_id=of,
        category=category,
        seen_by=seen_by,
        sources=sources,
        occurred_at=occurred_at,
        by_hand=by_hand,
    )


def catalog_entry(text: str, *, id: str | None = None, sources: tuple[str, ...] = ()) -> Entry:
    """A statement of the book that `WithBook` keeps."""
    return cast("Entry", item(text, id=id, sources=sources))


def catalog_query(scope: Scope, text: str) -> MemoryQuery:
    """A query that finds the item with that text."""
    return MemoryQuery(scope=scope, text=text)


class WithBook:
    """A catalog in which every user has the resource that `catalog_entry` names, so that the suite of all tiers can
    store a statement by itself."""

    def __init__(self, tier: CatalogTier) -> None:
        self._tier = tier

    def __getattr__(self, name: str) -> object:
        return getattr(self._tier, name)

    async def store(self, scope: Scope, entries: Sequence[CatalogInput], epoch: int | None = None) -> list[Stored]:
        if entries:
            await self._tier.store(scope, [resource("what was written down", id=LEDGER_BOOK)], epoch)
        return await self._tier.store(scope, entries, epoch)


def with_book(tier: MemoryTier) -> MemoryTier:
    """`tier`, which is a catalog, as `WithBook` has it."""
    return cast("MemoryTier", WithBook(cast("CatalogTier", tier)))
