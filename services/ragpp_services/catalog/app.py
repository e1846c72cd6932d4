"""The catalog's composition root."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from ragpp.clock import Clock, system_clock
from ragpp.embedding import Embedder
from ragpp.errors import TierUnavailable
from ragpp.settings import EmbeddingSettings, EntrySettings, ForgettingSettings, PostgresSettings, ReaderSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.migrations import load_migrations, migrate_as_owner
from ragpp.stores.postgres import create_pool, measured_pool, warm
from ragpp.text.port import TokenSpans
from ragpp.text.readers import Tokenizers
from ragpp.tierkit.deployment import TierService
from ragpp.tiers import CatalogTier
from ragpp_services.catalog.store import CatalogStore
from ragpp_services.catalog.tier import PostgresCatalogTier


async def migrate(settings: PostgresSettings) -> int:
    """Bring the schemas `ledger` and `catalog` up to date, as the owner; returns how many migrations were applied.

    Raises ConfigurationError without the owner's address, TierUnavailable, MigrationError.
    """
    return await migrate_as_owner(
        settings, load_migrations("ledger", "ragpp.ledger"), load_migrations("catalog", "ragpp_services.catalog")
    )


@asynccontextmanager
async def open_tier(
    settings: PostgresSettings,
    *,
    embedder: Embedder,
    counter: TokenSpans,
    tokenizers: Tokenizers | None = None,
    clock: Clock = system_clock,
    forgetting: ForgettingSettings | None = None,
    entries: EntrySettings | None = None,
) -> AsyncIterator[PostgresCatalogTier]:
    """The tier on a pool of its own. It opens also while PostgreSQL is down, and works when it is back. `tokenizers`:
    with the default one for the usual where None; `forgetting`, `entries`: the environment's where None.

    Raises EmbeddingMismatch when the database holds vectors of another model.
    """
    pool = create_pool(settings)
    entries = entries or EntrySettings()
    marks = SourceMarks((forgetting or ForgettingSettings()).key)
    store = CatalogStore(pool, marks, entries.consolidation_interval)
    tier = PostgresCatalogTier(
        store,
        embedder=embedder,
        counter=counter,
        tokenizers=tokenizers or Tokenizers(),
        clock=clock,
        segments_from_rows=settings.segments_from_rows,
        most_summary=entries.summary_max_length,
        limits=entries.limits,
    )
    try:
        with suppress(TierUnavailable):
            await warm(pool, settings)
            await tier.check_identity()
        async with measured_pool(pool, "catalog"):
            yield tier
    finally:
        await tier.segmenter.close()
        await pool.close()


SERVICE: Final = TierService(
    "catalog",
    CatalogTier,
    port=8705,
    open_tier=lambda tools: open_tier(
        PostgresSettings(),
        embedder=tools.embedder(),
        counter=tools.counter,
        tokenizers=tools.tokenizers,
        clock=tools.clock,
    ),
    migrate=lambda _tools: migrate(PostgresSettings()),
    settings=(PostgresSettings, ForgettingSettings, EmbeddingSettings, EntrySettings, ReaderSettings),
)
