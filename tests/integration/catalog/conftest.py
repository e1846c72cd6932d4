"""The catalog on PostgreSQL at a noon, and connections to its rows."""

from collections.abc import AsyncIterator

import pytest

from ragpp.stores.postgres import Pool, create_pool, ensure_open
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog.tier import PostgresCatalogTier
from tests.support.catalog import catalog_tier
from tests.support.episodic import postgres_settings
from tests.support.prices import noon


@pytest.fixture(scope="session")
async def tier(endpoints: Endpoints) -> AsyncIterator[PostgresCatalogTier]:
    async with catalog_tier(endpoints, clock=noon) as opened:
        yield opened


@pytest.fixture(scope="session")
async def pool(endpoints: Endpoints, tier: PostgresCatalogTier) -> AsyncIterator[Pool]:
    assert tier
    made = create_pool(postgres_settings(endpoints))
    await ensure_open(made)
    yield made
    await made.close()
