"""The catalog, in process and over HTTP."""

from collections.abc import AsyncIterator

import pytest

from ragpp.tiers import CatalogTier
from ragpp_infra.embedded.stack import Endpoints
from tests.support.catalog import catalog_tier
from tests.support.contract import both_ways


@pytest.fixture(scope="session")
async def ways(endpoints: Endpoints) -> AsyncIterator[dict[str, CatalogTier]]:
    async with both_ways("catalog", CatalogTier, lambda: catalog_tier(endpoints)) as opened:
        yield opened
