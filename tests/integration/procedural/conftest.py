"""The procedural tier on PostgreSQL."""

from collections.abc import AsyncIterator

import pytest

from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.procedural.tier import PostgresProceduralTier
from tests.support.procedural import procedural_tier


@pytest.fixture(scope="session")
async def tier(endpoints: Endpoints) -> AsyncIterator[PostgresProceduralTier]:
    async with procedural_tier(endpoints) as opened:
        yield opened
