"""The semantic tier on a real Neo4j, at a noon that a test may move."""

from collections.abc import AsyncIterator, Iterator

import pytest

from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.semantic.tier import Neo4jSemanticTier
from tests.support.semantic import NOON, semantic_tier
from tests.support.validity import Clock


@pytest.fixture(scope="session")
def the_clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
async def tier(endpoints: Endpoints, the_clock: Clock) -> AsyncIterator[Neo4jSemanticTier]:
    async with semantic_tier(endpoints, clock=the_clock) as opened:
        yield opened


@pytest.fixture
def clock(the_clock: Clock) -> Iterator[Clock]:
    """The tier's clock, for who moves it: afterwards it is noon again."""
    yield the_clock
    the_clock.now = NOON
