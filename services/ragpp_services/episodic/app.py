"""The episodic tier's composition root."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from ragpp.clock import Clock
from ragpp.embedding import Embedder, SecondEncoder
from ragpp.embedding.second import usable
from ragpp.errors import TierUnavailable
from ragpp.settings import EmbeddingSettings, ForgettingSettings, PostgresSettings, ReaderSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.migrations import load_migrations, migrate_as_owner
from ragpp.stores.postgres import create_pool, measured_pool, warm
from ragpp.text.port import TokenSpans
from ragpp.tierkit.deployment import TierService
from ragpp.tiers import EpisodicTier
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
    second: SecondEncoder | None = None,
) -> AsyncIterator[PostgresEpisodicTier]:
    """The tier on a pool of its own, closed when left; embedder and second encoder, if there is one, stay the caller's.
    `forgetting`: the environment's where None.

    A server that is down does not keep it from opening: calls answer TierUnavailable until it is back.
    Raises EmbeddingMismatch when the server is up and holds vectors of another model.
    """
    pool = create_pool(settings)
    marks = SourceMarks((forgetting or ForgettingSettings()).key)
    store, rows = EpisodicStore(pool, marks), settings.segments_from_rows
    tier = PostgresEpisodicTier(store, embedder, counter, clock, rows, await usable(second))
    try:
        with suppress(TierUnavailable):
            await warm(pool, settings)
            await tier.check_identity()
        async with measured_pool(pool, "episodic"):
            yield tier
    finally:
        await tier.segmenter.close()
        await pool.close()


SERVICE: Final = TierService(
    "episodic",
    EpisodicTier,
    port=8702,
    open_tier=lambda tools: open_tier(
        PostgresSettings(),
        embedder=tools.embedder(),
        counter=tools.counter,
        clock=tools.clock,
        second=tools.second(),
    ),
    migrate=lambda _tools: migrate(PostgresSettings()),
    settings=(PostgresSettings, ForgettingSettings, EmbeddingSettings, ReaderSettings),
)
