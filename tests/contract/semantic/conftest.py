"""The semantic tier, in process and over HTTP."""

from collections.abc import AsyncIterator

import pytest

from ragpp.tiers import SemanticTier
from ragpp_infra.embedded.stack import Endpoints
from tests.support.contract import both_ways
from tests.support.semantic import NOON, semantic_tier


@pytest.fixture(scope="session")
async def ways(endpoints: Endpoints) -> AsyncIterator[dict[str, SemanticTier]]:
    async with both_ways("semantic", SemanticTier, lambda: semantic_tier(endpoints, clock=lambda: NOON)) as opened:
        yield opened
