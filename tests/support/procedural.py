"""The procedural tier for tests: opened on the stack, with entries that a query finds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from ragpp.clock import Clock, system_clock
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.models import MemoryQuery, PreferenceEntry, RuleEntry, Scope
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.procedural.app import migrate, open_tier
from ragpp_services.procedural.tier import PostgresProceduralTier
from tests.support.episodic import postgres_settings

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


@asynccontextmanager
async def procedural_tier(
    endpoints: Endpoints, *, clock: Clock = system_clock
) -> AsyncIterator[PostgresProceduralTier]:
    """The tier, migrated, with the hashing embedder."""
    settings = postgres_settings(endpoints)
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


def preference(
    identifier: str,
    value: str,
    *,
    category: str = "food",
    key: str = "spice",
    confidence: float = 0.8,
    stated: bool = True,
    hours: float = 0,
    sources: tuple[str, ...] = (),
) -> PreferenceEntry:
    return PreferenceEntry(
        id=identifier,
        category=category,
        key=key,
        value=value,
        confidence=confidence,
        stated=stated,
        occurred_at=NOON + timedelta(hours=hours),
        sources=sources,
    )


def rule(identifier: str, text: str, *triggers: str, priority: int = 5, sources: tuple[str, ...] = ()) -> RuleEntry:
    return RuleEntry(id=identifier, text=text, triggers=triggers, priority=priority, occurred_at=NOON, sources=sources)


def heard(
    number: int, value: str, *, key: str = "morning", confidence: float = 0.4, stated: bool = False, source: str = ""
) -> PreferenceEntry:
    """Something taken from an interaction of its own, said `number` hours after noon."""
    return PreferenceEntry(
        id=f"e{number}",
        category="drinks",
        key=key,
        value=value,
        confidence=confidence,
        stated=stated,
        occurred_at=NOON + timedelta(hours=number),
        sources=(source or f"i{number}",),
    )
