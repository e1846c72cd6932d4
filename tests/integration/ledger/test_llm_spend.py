"""The budget of tokens in PostgreSQL: one for all processes, by tenant and day."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from typing import Final
from uuid import uuid4

import asyncpg
import pytest

from ragpp.llm.budget import SQL, PostgresBudget
from ragpp.llm.port import Reservation
from ragpp.stores.migrations import load_migrations, migrate_as_owner
from ragpp.stores.postgres import Pool, create_pool, ensure_open, tenant_transaction
from ragpp_infra.embedded.stack import Endpoints
from tests.support.episodic import postgres_settings

pytestmark = pytest.mark.server

LATE: Final = datetime(2025, 1, 1, 23, 59, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = LATE

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module", params=["app", "relay"])
async def pool(request: pytest.FixtureRequest, endpoints: Endpoints) -> AsyncIterator[Pool]:
    settings = postgres_settings(endpoints)
    await migrate_as_owner(settings, load_migrations("ledger", "ragpp.ledger"))
    dsn = endpoints.postgres_app_dsn if request.param == "app" else endpoints.postgres_relay_dsn
    opened = create_pool(settings, dsn=dsn.get_secret_value(), vectors=False)
    yield opened
    await opened.close()


@pytest.fixture
def tenant() -> str:
    return f"t-{uuid4().hex}"


async def test_every_statement_can_be_prepared(pool: Pool) -> None:
    await ensure_open(pool)
    async with pool.acquire() as connection:
        for name in SQL:
            assert await connection.prepare(SQL[name]), name


async def test_what_is_set_aside_is_replaced_by_what_was_used(pool: Pool, tenant: str) -> None:
    budget = PostgresBudget(pool, Clock(), tokens_per_day=1_000)
    assert await budget.left(tenant) == 1_000
    reservation = await budget.reserve(tenant, 600)
    assert reservation == Reservation(tenant, date(2025, 1, 1), 600)
    assert await budget.left(tenant) == 400
    assert await budget.reserve(tenant, 401) is None
    await budget.settle(reservation, 150)
    assert await budget.left(tenant) == 850
    assert await budget.reserve(tenant, 850) is not None
    assert await budget.left(tenant) == 0


async def test_more_than_a_day_has_is_never_set_aside(pool: Pool, tenant: str) -> None:
    assert await PostgresBudget(pool, Clock(), tokens_per_day=1_000).reserve(tenant, 1_001) is None


async def test_a_call_that_used_more_than_was_set_aside_leaves_nothing(pool: Pool, tenant: str) -> None:
    budget = PostgresBudget(pool, Clock(), tokens_per_day=1_000)
    reservation = await budget.reserve(tenant, 900)
    assert reservation is not None
    await budget.settle(reservation, 1_200)
    assert await budget.left(tenant) == 0


async def test_a_day_is_a_utc_day_and_a_call_is_paid_on_the_day_it_began(pool: Pool, tenant: str) -> None:
    clock = Clock()
    budget = PostgresBudget(pool, clock, tokens_per_day=1_000)
    reservation = await budget.reserve(tenant, 1_000)
    assert reservation is not None
    clock.now += timedelta(minutes=2)
    assert await budget.left(tenant) == 1_000
    await budget.settle(reservation, 10)
    assert await budget.left(tenant) == 1_000
    clock.now = LATE
    assert await budget.left(tenant) == 990


async def test_calls_at_once_never_overspend_together(pool: Pool, tenant: str) -> None:
    budgets = [PostgresBudget(pool, Clock(), tokens_per_day=1_000) for _ in range(2)]
    given = await asyncio.gather(*(budgets[number % 2].reserve(tenant, 150) for number in range(20)))
    assert sum(reservation is not None for reservation in given) == 6
    assert await budgets[0].left(tenant) == 100


async def test_without_a_limit_what_is_spent_is_counted_all_the_same(pool: Pool, tenant: str) -> None:
    endless = PostgresBudget(pool, Clock(), tokens_per_day=0)
    assert await endless.reserve(tenant, 10**12) is not None
    assert await endless.left(tenant) is None
    assert await PostgresBudget(pool, Clock(), tokens_per_day=1_000).left(tenant) == 0


async def test_a_tenant_spends_its_own_budget_and_sees_no_other(pool: Pool, tenant: str) -> None:
    budget = PostgresBudget(pool, Clock(), tokens_per_day=1_000)
    assert await budget.reserve(tenant, 1_000) is not None
    assert await budget.left(f"{tenant}-2") == 1_000
    async with tenant_transaction(pool, f"{tenant}-2") as connection:
        assert await connection.fetch("SELECT * FROM ledger.spend") == []
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(SQL["reserve_tokens"], tenant, LATE.date(), 1, None)
