"""The common ways of all tiers: how they are opened, how they say how they are, and whose vectors they hold."""

import pytest

from ragpp.embedding import EmbeddingIdentity
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import ConfigurationError, EmbeddingMismatch, TierUnavailable
from ragpp.models import TIER_NAMES
from ragpp.settings import TierSettings
from ragpp.tierkit.deployment import Tools, open_tiers
from ragpp.tierkit.health import health_of
from ragpp.tierkit.identity import IdentityCheck
from ragpp.tiers import PROTOCOLS

ADDRESS = "http://127.0.0.1:9"


def test_there_is_a_protocol_for_each_tier_that_is_a_service() -> None:
    assert tuple(PROTOCOLS) == ("short_term", "episodic", "semantic", "procedural", "catalog")
    assert {*PROTOCOLS, "catalog"} == {*TIER_NAMES}


async def test_what_is_missing_for_a_tier_that_is_not_in_this_process_is_named() -> None:
    settings = TierSettings(short_term_url=ADDRESS, episodic_url=ADDRESS, semantic_url="", procedural_url=None)
    missing = "TIER_SEMANTIC_URL, TIER_PROCEDURAL_URL, TIER_CATALOG_URL, TIER_CREDENTIAL"
    with pytest.raises(ConfigurationError, match=missing):
        async with open_tiers(settings, Tools(HashingEmbedder)):
            pytest.fail("tiers without an address were opened")


async def test_a_tier_is_well_while_its_store_says_its_version_and_else_says_why_not() -> None:
    async def version() -> str:
        return "18.4"

    async def down() -> str:
        raise TierUnavailable("the disk is full")

    well, ill = await health_of("episodic", "PostgreSQL", version), await health_of("episodic", "PostgreSQL", down)
    assert (well.name, well.ok, well.detail) == ("episodic", True, "PostgreSQL 18.4")
    assert (ill.name, ill.ok, ill.detail) == ("episodic", False, "the disk is full")


class Store:
    """Holds the vectors of nobody, or of one model."""

    def __init__(self, holds: EmbeddingIdentity | None = None) -> None:
        self.holds, self.asked = holds, 0

    async def record_identity(self, identity: EmbeddingIdentity) -> EmbeddingIdentity:
        self.asked += 1
        self.holds = self.holds or identity
        return self.holds


async def test_an_empty_store_is_asked_once_whose_vectors_it_holds() -> None:
    store, embedder = Store(), HashingEmbedder(8)
    check = IdentityCheck(embedder, store)
    await check()
    await check()
    assert (store.holds, store.asked) == (EmbeddingIdentity.of(embedder), 1)


async def test_vectors_of_another_model_are_refused_each_time() -> None:
    store = Store(EmbeddingIdentity("other/model", 8))
    check = IdentityCheck(HashingEmbedder(8), store)
    for _ in range(2):
        with pytest.raises(EmbeddingMismatch):
            await check()
    assert store.asked == 2
