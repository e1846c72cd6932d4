"""The short-term tier's composition root."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from fastapi import FastAPI

from ragpp.clock import Clock, system_clock
from ragpp.errors import ConfigurationError, TierUnavailable
from ragpp.settings import ForgettingSettings, RedisSettings, ShortTermSettings, TierSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.redis import Keys, create_client
from ragpp.text.summaries import ExtractiveSummariser, Summariser
from ragpp.text.tokens import TokenCounter
from ragpp.tiers import ShortTermTier
from ragpp.web.remote import tier_app
from ragpp_services.short_term.store import ShortTermStore
from ragpp_services.short_term.tier import RedisShortTermTier

DAY_S: Final = 86_400


@asynccontextmanager
async def open_tier(
    redis: RedisSettings,
    window: ShortTermSettings,
    *,
    counter: TokenCounter,
    summariser: Summariser | None = None,
    clock: Clock = system_clock,
    forgetting: ForgettingSettings | None = None,
) -> AsyncIterator[RedisShortTermTier]:
    """The tier on a client of its own; extractive summaries unless another `summariser` is given. `forgetting`: the
    environment's where None.

    It opens also while Redis is down, and works when it is back. There is nothing to migrate.
    """
    client = create_client(redis)
    try:
        kept = forgetting or ForgettingSettings()
        keys = Keys(redis.key_prefix)
        store = ShortTermStore(client, keys, ttl_s=window.ttl_s, keep_marks_s=kept.keep_days * DAY_S)
        with suppress(TierUnavailable):
            await store.ping()
        yield RedisShortTermTier(
            store,
            window,
            summariser=summariser or ExtractiveSummariser(counter),
            counter=counter,
            clock=clock,
            marks=SourceMarks(kept.key),
        )
    finally:
        await client.aclose()


def create_app() -> FastAPI:
    """The tier as a service, from the environment's settings. Raises ConfigurationError without a credential."""
    credential = TierSettings().credential
    if credential is None:
        raise ConfigurationError("TIER_CREDENTIAL is not set: a tier service answers the gateway alone")

    @asynccontextmanager
    async def open_service() -> AsyncIterator[ShortTermTier]:
        async with open_tier(RedisSettings(), ShortTermSettings(), counter=TokenCounter()) as tier:
            yield tier

    return tier_app(ShortTermTier, open_service, credential.get_secret_value())
