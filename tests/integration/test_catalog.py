"""The catalog's own promises, on PostgreSQL."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from ragpp.models import Scope
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog.statements import SQL
from ragpp_services.catalog.tier import PostgresCatalogTier
from tests.support.catalog import catalog_tier
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
async def tier(endpoints: Endpoints) -> AsyncIterator[PostgresCatalogTier]:
    async with catalog_tier(endpoints) as opened:
        yield opened


@pytest.fixture
def scope() -> Scope:
    return new_scope()


@pytest.mark.usefixtures("tier")
async def test_every_statement_can_be_prepared(endpoints: Endpoints) -> None:
    connection = await asyncpg.connect(endpoints.postgres_app_dsn.get_secret_value())
    try:
        for name, statement in SQL.items():
            try:
                await connection.prepare(statement)
            except asyncpg.PostgresError as error:
                pytest.fail(f"{name}: {error}")
    finally:
        await connection.close()
