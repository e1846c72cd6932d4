"""The semantic tier's composition root."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from ragpp.clock import Clock, system_clock
from ragpp.embedding.port import Embedder, EmbeddingIdentity
from ragpp.settings import EmbeddingSettings, ForgettingSettings, Neo4jSettings, ReaderSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.neo4j import create_driver, measured_driver
from ragpp.text.port import TokenMeter
from ragpp.tierkit.deployment import TierService
from ragpp.tiers import SemanticTier
from ragpp_services.semantic.schema import migrate_graph
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.store import SemanticStore
from ragpp_services.semantic.tier import Neo4jSemanticTier


async def migrate(settings: Neo4jSettings, *, embedder: Embedder) -> int:
    """Bring the graph's schema up to date for the embedder's vectors; returns how many migrations were applied.

    Raises TierUnavailable, MigrationError, EmbeddingMismatch.
    """
    async with create_driver(settings) as driver:
        return await migrate_graph(driver, EmbeddingIdentity.of(embedder))


@asynccontextmanager
async def open_tier(
    settings: Neo4jSettings,
    *,
    embedder: Embedder,
    counter: TokenMeter,
    clock: Clock = system_clock,
    semantic: SemanticSettings | None = None,
    forgetting: ForgettingSettings | None = None,
) -> AsyncIterator[Neo4jSemanticTier]:
    """The tier on a driver of its own, warm. It opens also while Neo4j is down, and works when it is back.

    `semantic`: bounds and rates, `forgetting`: the key of marks; the environment's where None. Raises EmbeddingMismatch
    when the graph holds vectors of another model.
    """
    async with create_driver(settings) as driver:
        tier = Neo4jSemanticTier(
            SemanticStore(driver, timeout_s=settings.query_timeout_s),
            embedder=embedder,
            counter=counter,
            clock=clock,
            settings=semantic or SemanticSettings(),
            marks=SourceMarks((forgetting or ForgettingSettings()).key),
        )
        try:
            await tier.warm()
            async with measured_driver(driver, "semantic", timeout_s=settings.query_timeout_s):
                yield tier
        finally:
            await tier.close()


SERVICE: Final = TierService(
    "semantic",
    SemanticTier,
    port=8703,
    open_tier=lambda tools: open_tier(
        Neo4jSettings(), embedder=tools.embedder(), counter=tools.tokenizers.named(), clock=tools.clock
    ),
    migrate=lambda tools: migrate(Neo4jSettings(), embedder=tools.embedder()),
    settings=(Neo4jSettings, SemanticSettings, ForgettingSettings, EmbeddingSettings, ReaderSettings),
)
