"""The short-term tier for tests: opened on the stack, with entries that a query finds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import uuid4

from ragpp.clock import Clock, system_clock
from ragpp.models import (
    DEFAULT_SESSION,
    Interaction,
    InteractionEntry,
    MemoryQuery,
    Role,
    Scope,
)
from ragpp.settings import RedisSettings
from ragpp.stores.redis import Keys, create_client, ping
from ragpp.text.readers import Tokenizers
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.short_term.app import open_tier
from ragpp_services.short_term.quoting import Summariser
from ragpp_services.short_term.settings import ShortTermSettings
from ragpp_services.short_term.store import AREAS
from ragpp_services.short_term.tier import RedisShortTermTier
from ragpp_services.short_term.upkeep import INDEX

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
TOKENIZERS = Tokenizers()
COUNTER = TOKENIZERS.named()
PATIENCE_S: Final = 30.0
"""Longest that a test waits for Redis, which answers nobody while its disk is busy: no test is about how busy it is."""


def redis_settings(endpoints: Endpoints, *, pool_max: int = 50) -> RedisSettings:
    """How to reach the stack's Redis."""
    return RedisSettings(url=endpoints.redis_url, timeout_s=PATIENCE_S, pool_max=pool_max)


@asynccontextmanager
async def short_term_tier(
    endpoints: Endpoints,
    *,
    window: ShortTermSettings | None = None,
    summariser: Summariser | None = None,
    clock: Clock = system_clock,
) -> AsyncIterator[RedisShortTermTier]:
    """The tier with its usual window, or another. It is opened when Redis answers, which it does not at once after much
    was written: who opens it waits two seconds, and leaves a connection half made."""
    settings = redis_settings(endpoints)
    async with create_client(settings) as client:
        await ping(client, timeout_s=PATIENCE_S)
    async with open_tier(
        settings,
        window or ShortTermSettings(),
        tokenizers=TOKENIZERS,
        summariser=summariser,
        clock=clock,
    ) as tier:
        yield tier


def short_term_entry(
    text: str,
    *,
    id: str | None = None,
    occurred_at: datetime = NOON,
    session_id: str = DEFAULT_SESSION,
    role: Role = "user",
    name: str | None = None,
    tokens: int = 0,
) -> InteractionEntry:
    """A message with that content."""
    interaction = Interaction(
        id=id or f"m-{uuid4().hex}",
        session_id=session_id,
        role=role,
        name=name,
        content=text,
        occurred_at=occurred_at,
    )
    return InteractionEntry(interaction=interaction, tokens=tokens)


def short_term_query(scope: Scope, text: str) -> MemoryQuery:
    """A query that finds the entry with that text."""
    return MemoryQuery(scope=scope, text=text)


SMALL = ShortTermSettings(max_tokens=100, keep_messages=5, summary_tokens=40, hard_cap_factor=3)


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def keys_of(scope: Scope) -> list[str]:
    keys = Keys("ragpp:")
    return [*(keys.session(area, scope) for area in AREAS), keys.user(INDEX, scope)]


async def fill(tier: RedisShortTermTier, scope: Scope, count: int, *, session_id: str = "default") -> None:
    """`count` messages of ten tokens each, a minute apart."""
    await tier.store(
        scope,
        [
            short_term_entry(
                f"number {n} one two three four five six seven eight",
                id=f"m{n}",
                occurred_at=at(n),
                session_id=session_id,
            )
            for n in range(count)
        ],
    )
