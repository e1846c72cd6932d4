"""The short-term tier's composition root."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from ragpp.clock import Clock, system_clock
from ragpp.errors import TierUnavailable
from ragpp.settings import ForgettingSettings, ReaderSettings, RedisSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.redis import Keys, create_client, measured_client
from ragpp.text.readers import Tokenizers
from ragpp.tierkit.deployment import TierService
from ragpp.tiers import ShortTermTier
from ragpp_services.short_term.quoting import ExtractiveSummariser, Summariser
from ragpp_services.short_term.settings import ShortTermSettings
from ragpp_services.short_term.store import ShortTermStore
from ragpp_services.short_term.tier import RedisShortTermTier

DAY_S: Final = 86_400


@asynccontextmanager
async def open_tier(
    redis: RedisSettings,
    window: ShortTermSettings,
    *,
    tokenizers: Tokenizers,
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
            await store.upkeep.ping()
        tier = RedisShortTermTier(
            store,
            window,
            summariser=summariser or ExtractiveSummariser(tokenizers.named()),
            tokenizers=tokenizers,
            clock=clock,
            marks=SourceMarks(kept.key),
        )
        async with measured_client(client, "short_term"):
            yield tier
    finally:
        await client.aclose()


SERVICE: Final = TierService(
    "short_term",
    ShortTermTier,
    port=8701,
    open_tier=lambda tools: open_tier(
        RedisSettings(), ShortTermSettings(), tokenizers=tools.tokenizers, clock=tools.clock
    ),
    settings=(RedisSettings, ShortTermSettings, ForgettingSettings, ReaderSettings),
)
