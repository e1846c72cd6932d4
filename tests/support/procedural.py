"""The procedural tier for tests: opened on the stack, with entries that a query finds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import uuid4

from ragpp.clock import Clock, system_clock
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.models import MemoryQuery, PreferenceEntry, Scope
from ragpp.settings import PostgresSettings
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.procedural.app import migrate, open_tier
from ragpp_services.procedural.tier import PostgresProceduralTier

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


@asynccontextmanager
async def procedural_tier(
    endpoints: Endpoints, *, clock: Clock = system_clock
) -> AsyncIterator[PostgresProceduralTier]:
    """The tier, migrated, with the hashing embedder."""
    settings = PostgresSettings(dsn=endpoints.postgres_app_dsn, owner_dsn=endpoints.postgres_owner_dsn)
    await migrate(settings)
    async with open_tier(settings, embedder=HashingEmbedder(), counter=TokenCounter(), clock=clock) as tier:
        yield tier


def procedural_entry(
    text: str, *, id: str | None = None, occurred_at: datetime = NOON, sources: tuple[str, ...] = ()
) -> PreferenceEntry:
    """A preference whose value is `text`, under a key of its own."""
    identifier = id or f"e-{uuid4().hex}"
    return PreferenceEntry(
        id=identifier,
        category="general",
        key=identifier[:100],
        value=text,
        occurred_at=occurred_at,
        sources=sources,
    )


def procedural_query(scope: Scope, text: str) -> MemoryQuery:
    """A query that finds the entry with that text."""
    return MemoryQuery(scope=scope, text=text)
