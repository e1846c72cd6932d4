"""The episodic tier for tests: opened on the stack, with entries that a query finds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from pydantic import JsonValue

from ragpp.clock import Clock, system_clock
from ragpp.embedding import Embedder, SecondEncoder
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.models import (
    DEFAULT_SESSION,
    EmbeddedChunk,
    Interaction,
    InteractionEntry,
    MemoryQuery,
    Role,
    Scope,
    Visibility,
)
from ragpp.settings import PostgresSettings
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.episodic.app import migrate, open_tier
from ragpp_services.episodic.tier import PostgresEpisodicTier

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
COUNTER = TokenCounter()


def postgres_settings(endpoints: Endpoints) -> PostgresSettings:
    """The stack's PostgreSQL, in all three roles; a machine that stops for some seconds ends nothing."""
    return PostgresSettings(
        dsn=endpoints.postgres_app_dsn,
        owner_dsn=endpoints.postgres_owner_dsn,
        relay_dsn=endpoints.postgres_relay_dsn,
        query_timeout_s=60,
        idle_transaction_s=19.5,
    )


@asynccontextmanager
async def episodic_tier(
    endpoints: Endpoints,
    *,
    embedder: Embedder | None = None,
    clock: Clock = system_clock,
    idle_s: float | None = None,
    second: SecondEncoder | None = None,
) -> AsyncIterator[PostgresEpisodicTier]:
    """The tier, migrated, with the hashing embedder or another, and without a second encoder or with one; `idle_s`: how
    long a transaction may be silent."""
    settings = postgres_settings(endpoints)
    if idle_s is not None:
        settings = settings.model_copy(update={"idle_transaction_s": idle_s})
    await migrate(settings)
    async with open_tier(
        settings, embedder=embedder or HashingEmbedder(), counter=COUNTER, clock=clock, second=second
    ) as tier:
        yield tier


async def all_indexed(tier: PostgresEpisodicTier, scope: Scope) -> int:
    """Index the sentences of the scope; returns how many chunks were looked at until none was left."""
    looked_at = 0
    while done := await tier.index_sentences(scope):
        looked_at += done
    return looked_at


def episodic_entry(
    text: str,
    *,
    id: str | None = None,
    occurred_at: datetime = NOON,
    session_id: str = DEFAULT_SESSION,
    agent_id: str | None = None,
    visibility: Visibility = "shared",
    role: Role = "user",
    name: str | None = None,
    message_type: str = "conversation",
    channel: str | None = None,
    domain: str | None = None,
    task_type: str | None = None,
    metadata: dict[str, JsonValue] | None = None,
    chunks: tuple[EmbeddedChunk, ...] = (),
) -> InteractionEntry:
    """An interaction with that content."""
    interaction = Interaction(
        id=id or f"m-{uuid4().hex}",
        session_id=session_id,
        agent_id=agent_id,
        visibility=visibility,
        role=role,
        name=name,
        content=text,
        occurred_at=occurred_at,
        message_type=message_type,
        channel=channel,
        domain=domain,
        task_type=task_type,
        metadata=metadata or {},
    )
    return InteractionEntry(interaction=interaction, chunks=chunks)


def episodic_query(scope: Scope, text: str) -> MemoryQuery:
    """A query that finds the entry with that text."""
    return MemoryQuery(scope=scope, text=text)


def at(minutes: float) -> datetime:
    """So many after noon."""
    return NOON + timedelta(minutes=minutes)


async def found(tier: PostgresEpisodicTier, query: MemoryQuery) -> list[str]:
    """The ids of what is retrieved, best first."""
    return [memory.id for memory in await tier.retrieve(query)]
