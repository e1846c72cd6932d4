"""The procedural tier's composition root."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from ragpp.clock import Clock, system_clock
from ragpp.embedding import Embedder
from ragpp.errors import TierUnavailable
from ragpp.settings import EmbeddingSettings, ForgettingSettings, PostgresSettings, ReaderSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.migrations import load_migrations, migrate_as_owner
from ragpp.stores.postgres import create_pool, measured_pool, warm
from ragpp.text.port import TokenMeter
from ragpp.tierkit.deployment import TierService
from ragpp.tiers import ProceduralTier
from ragpp_services.procedural.conversion import mark_sources_of_before
from ragpp_services.procedural.store import ProceduralStore
from ragpp_services.procedural.tier import PostgresProceduralTier


async def migrate(settings: PostgresSettings, *, forgetting: ForgettingSettings | None = None) -> int:
    """Bring the schemas `ledger` and `procedural` up to date, as the owner; returns how many migrations were applied.
    `forgetting`: the environment's where None.

    Raises ConfigurationError without the owner's address, TierUnavailable, MigrationError.
    """
    applied = await migrate_as_owner(
        settings, load_migrations("ledger", "ragpp.ledger"), load_migrations("procedural", "ragpp_services.procedural")
    )
    await mark_sources_of_before(settings, SourceMarks((forgetting or ForgettingSettings()).key))
    return applied


@asynccontextmanager
async def open_tier(
    settings: PostgresSettings,
    *,
    embedder: Embedder,
    counter: TokenMeter,
    clock: Clock = system_clock,
    forgetting: ForgettingSettings | None = None,
) -> AsyncIterator[PostgresProceduralTier]:
    """The tier on a pool of its own. It opens also while PostgreSQL is down, and works when it is back. `forgetting`:
    the environment's where None.

    Raises EmbeddingMismatch when the database holds vectors of another model.
    """
    pool = create_pool(settings)
    try:
        store = ProceduralStore(pool, SourceMarks((forgetting or ForgettingSettings()).key))
        tier = PostgresProceduralTier(store, embedder=embedder, counter=counter, clock=clock)
        with suppress(TierUnavailable):
            await warm(pool, settings)
            await tier.check_identity()
        async with measured_pool(pool, "procedural"):
            yield tier
    finally:
        await pool.close()


SERVICE: Final = TierService(
    "procedural",
    ProceduralTier,
    port=8704,
    open_tier=lambda tools: open_tier(
        PostgresSettings(), embedder=tools.embedder(), counter=tools.tokenizers.named(), clock=tools.clock
    ),
    migrate=lambda _tools: migrate(PostgresSettings()),
    settings=(PostgresSettings, ForgettingSettings, EmbeddingSettings, ReaderSettings),
)
