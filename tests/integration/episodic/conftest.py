"""The episodic tier on PostgreSQL, and its rows as the services' role sees them."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.episodic.tier import PostgresEpisodicTier
from tests.support.asking import connected
from tests.support.episodic import episodic_tier


@pytest.fixture(scope="session")
async def tier(endpoints: Endpoints) -> AsyncIterator[PostgresEpisodicTier]:
    async with episodic_tier(endpoints) as opened:
        yield opened


@pytest.fixture
async def app(endpoints: Endpoints) -> AsyncIterator[asyncpg.Connection]:
    async with connected(endpoints.postgres_app_dsn) as connection:
        yield connection
