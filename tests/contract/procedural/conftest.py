"""The procedural tier, in process and over HTTP."""

from collections.abc import AsyncIterator

import pytest

from ragpp.tiers import ProceduralTier
from ragpp_infra.embedded.stack import Endpoints
from tests.support.contract import both_ways
from tests.support.procedural import procedural_tier


@pytest.fixture(scope="session")
async def ways(endpoints: Endpoints) -> AsyncIterator[dict[str, ProceduralTier]]:
    async with both_ways("procedural", ProceduralTier, lambda: procedural_tier(endpoints)) as opened:
        yield opened
