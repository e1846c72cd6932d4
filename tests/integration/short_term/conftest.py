"""The short-term tier on Redis, with its usual window and with a small one."""

from collections.abc import AsyncIterator

import pytest

from ragpp.stores.redis import Client, create_client
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.short_term.tier import RedisShortTermTier
from tests.support.short_term import SMALL, redis_settings, short_term_tier


@pytest.fixture(scope="session")
async def tier(endpoints: Endpoints) -> AsyncIterator[RedisShortTermTier]:
    async with short_term_tier(endpoints) as opened:
        yield opened


@pytest.fixture(scope="session")
async def small(endpoints: Endpoints) -> AsyncIterator[RedisShortTermTier]:
    async with short_term_tier(endpoints, window=SMALL) as opened:
        yield opened


@pytest.fixture(scope="session")
async def client(endpoints: Endpoints) -> AsyncIterator[Client]:
    opened = create_client(redis_settings(endpoints))
    yield opened
    await opened.aclose()
