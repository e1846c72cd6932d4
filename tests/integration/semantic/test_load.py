"""Recalls while a real Neo4j is slow, and when it comes back."""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.models import MemoryQuery
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.semantic.app import migrate, open_tier
from ragpp_services.semantic.tier import Neo4jSemanticTier
from tests.support.scopes import new_scope
from tests.support.semantic import NOON, neo4j_settings, semantic_entry, texts
from tests.support.wire import Wire, wired

pytestmark = pytest.mark.server
IMPATIENT_S = 0.4


@pytest_asyncio.fixture
async def wire(endpoints: Endpoints) -> AsyncIterator[Wire]:
    address = urlsplit(endpoints.neo4j_uri)
    assert address.hostname
    assert address.port
    async with wired(address.hostname, address.port) as opened:
        yield opened


@pytest_asyncio.fixture
async def tier(endpoints: Endpoints, wire: Wire) -> AsyncIterator[Neo4jSemanticTier]:
    settings = neo4j_settings(endpoints).model_copy(update={"uri": f"bolt://127.0.0.1:{wire.port}"})
    await migrate(settings, embedder=HashingEmbedder())
    async with open_tier(settings, embedder=HashingEmbedder(), counter=TokenCounter(), clock=lambda: NOON) as opened:
        yield opened


async def test_ten_recalls_that_give_up_leave_the_graph_open_to_the_next(tier: Neo4jSemanticTier, wire: Wire) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("Lisbon", label="GPE")])
    query = MemoryQuery(scope=scope, text="When was I in Lisbon?")
    wire.free.clear()
    late = await asyncio.gather(
        *(asyncio.wait_for(tier.retrieve(query), IMPATIENT_S) for _ in range(10)), return_exceptions=True
    )
    assert {type(one) for one in late} == {TimeoutError}
    patient = [asyncio.create_task(tier.retrieve(query)) for _ in range(10)]
    await asyncio.sleep(0)
    wire.free.set()
    for found in await asyncio.gather(*patient):
        assert texts(found, "entity") == ["Lisbon (GPE)"]


async def test_recalls_over_connections_that_broke_are_answered_by_the_server_that_is_back(
    tier: Neo4jSemanticTier, wire: Wire
) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("Lisbon", label="GPE")])
    query = MemoryQuery(scope=scope, text="When was I in Lisbon?")
    await asyncio.gather(*(tier.retrieve(query) for _ in range(10)))
    wire.cut()
    for found in await asyncio.gather(*(tier.retrieve(query) for _ in range(10))):
        assert texts(found, "entity") == ["Lisbon (GPE)"]
