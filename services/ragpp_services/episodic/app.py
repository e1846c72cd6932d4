"""The composition root of the episodic tier, and its service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI

from ragpp.clock import Clock, system_clock
from ragpp.embedding import Embedder
from ragpp.embedding.factory import make_embedder
from ragpp.errors import ConfigurationError, TierUnavailable
from ragpp.settings import EmbeddingSettings, ForgettingSettings, PostgresSettings, TierSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.migrations import load_migrations, migrate_as_owner
from ragpp.stores.postgres import create_pool, warm
from ragpp.text.port import TokenSpans
from ragpp.text.tokens import TokenCounter
from ragpp.tiers import EpisodicTier
from ragpp.web.remote import tier_app
from ragpp_services.episodic.store import EpisodicStore
from ragpp_services.episodic.tier import PostgresEpisodicTier


async def migrate(settings: PostgresSettings) -> int:
    """Bring the schemas `ledger` and `episodic` up to date, as the owner; returns how many migrations were applied.

    Raises ConfigurationError without the owner's address, TierUnavailable, MigrationError.
    """
    return await migrate_as_owner(
        settings, load_migrations("ledger", "ragpp.ledger"), load_migrations("episodic", "ragpp_services.episodic")
    )


@asynccontextmanager
async def open_tier(
    settings: PostgresSettings,
    *,
    embedder: Embedder,
    counter: TokenSpans,
    clock: Clock,
    forgetting: ForgettingSettings | None = None,
) -> AsyncIterator[PostgresEpisodicTier]:
    """The tier on a pool of its own, closed when left; the embedder stays the caller's. `forgetting`: the environment's
    where None.

    A server that is down does not keep it from opening: calls answer TierUnavailable until it is back.
    Raises EmbeddingMismatch when the server is up and holds vectors of another model.
    """
    pool = create_pool(settings)
    marks = SourceMarks((forgetting or ForgettingSettings()).key)
    try:
        tier = PostgresEpisodicTier(EpisodicStore(pool, marks), embedder, counter, clock)
        with suppress(TierUnavailable):
            await warm(pool, settings)
            await tier.check_embedding()
        yield tier
    finally:
        await pool.close()


def create_app() -> FastAPI:
    """The tier as a service, from the environment's settings. Raises ConfigurationError without a credential."""
    credential = TierSettings().credential
    if credential is None:
        raise ConfigurationError("TIER_CREDENTIAL is not set: a tier service answers the gateway alone")
    postgres, embedding = PostgresSettings(), EmbeddingSettings()

    @asynccontextmanager
    async def open_service() -> AsyncIterator[EpisodicTier]:
        embedder = make_embedder(embedding)
        try:
            async with open_tier(postgres, embedder=embedder, counter=TokenCounter(), clock=system_clock) as tier:
                yield tier
        finally:
            await embedder.close()

    return tier_app(EpisodicTier, open_service, credential.get_secret_value())
