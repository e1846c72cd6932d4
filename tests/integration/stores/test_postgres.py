"""The answers of PostgreSQL and its driver, in the words of this project."""

import signal
import time
from datetime import UTC, datetime

import pytest

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import StorageError, TierUnavailable
from ragpp.ledger import Work, WorkLedger, lock_user
from ragpp.ledger.events import SQL
from ragpp.ledger.leasing import LEARNING_LOCK
from ragpp.ledger.relaying import relay_tx
from ragpp.stores.postgres import create_pool, ensure_open, foreign_errors, tenant_tx
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.episodic.app import migrate
from ragpp_services.episodic.statements import SQL as STATEMENTS
from ragpp_services.episodic.store import EpisodicStore
from ragpp_services.episodic.tier import PostgresEpisodicTier
from ragpp_services.procedural.store import ProceduralStore
from ragpp_services.procedural.tier import PostgresProceduralTier
from tests.support.asking import connected
from tests.support.episodic import COUNTER, episodic_entry, episodic_query, postgres_settings
from tests.support.marks import MARKS
from tests.support.scopes import new_scope
from tests.support.stacks import RunStack

pytestmark = pytest.mark.server


async def test_a_value_that_the_driver_refuses_is_no_outage(endpoints: Endpoints) -> None:
    async with connected(endpoints.postgres_app_dsn) as connection:
        with pytest.raises(StorageError):
            async with foreign_errors("test"):
                await connection.fetchval("SELECT $1::int", 2**40)
    with pytest.raises(TierUnavailable):
        async with foreign_errors("test"):
            await connection.fetchval("SELECT 1")


async def test_health_is_answered_in_time_also_when_the_server_hangs(endpoints: Endpoints, stack: RunStack) -> None:
    settings = postgres_settings(endpoints).model_copy(update={"pool_max": 1})
    await migrate(settings)
    pool = create_pool(settings)
    await ensure_open(pool)
    embedder = HashingEmbedder()
    tiers = (
        PostgresEpisodicTier(EpisodicStore(pool, MARKS), embedder, COUNTER, lambda: datetime.now(UTC), 20_000),
        PostgresProceduralTier(
            ProceduralStore(pool, MARKS), embedder=embedder, counter=COUNTER, clock=lambda: datetime.now(UTC)
        ),
    )
    backend: int = await pool.fetchval("SELECT pg_backend_pid()")
    stack.signal_backend(backend, signal.SIGSTOP)
    try:
        for tier in tiers:
            began = time.perf_counter()
            health = await tier.health_check()
            assert not health.ok
            assert health.detail
            assert time.perf_counter() - began < 40.0  # two seconds and a busy machine; a hang takes a minute
    finally:
        stack.signal_backend(backend, signal.SIGCONT)
        await pool.close()


async def test_what_a_search_asks_is_planned_once_a_connection(endpoints: Endpoints) -> None:
    """PostgreSQL takes planning for free, and chooses to plan a statement on a partitioned table anew each time."""
    settings = postgres_settings(endpoints).model_copy(update={"pool_max": 1})
    await migrate(settings)
    pool = create_pool(settings)
    await ensure_open(pool)
    store = EpisodicStore(pool, MARKS)
    tier = PostgresEpisodicTier(store, HashingEmbedder(), COUNTER, lambda: datetime.now(UTC), 20_000)
    scope = new_scope()
    try:
        await tier.store(scope, [episodic_entry("The zeppelin landed in the orchard.", id="m")])
        for _ in range(8):
            assert await tier.retrieve(episodic_query(scope, "Where did the zeppelin land?"))
        async with pool.acquire() as connection:
            known = await connection.fetch("SELECT statement, custom_plans, generic_plans FROM pg_prepared_statements")
    finally:
        await pool.close()
    planned = {name: row for name in ("scan", "found") for row in known if row["statement"] == STATEMENTS[name]}
    assert planned.keys() == {"scan", "found"}
    # the first search does not know yet that the user has no segments, among which another statement chooses
    assert [(row["custom_plans"], row["generic_plans"]) for row in planned.values()] == [(1, 7), (1, 7)]


async def test_who_is_ended_by_the_server_in_the_middle_of_a_transaction_is_told_why(endpoints: Endpoints) -> None:
    pool = create_pool(postgres_settings(endpoints), vectors=False)

    async def slow() -> None:
        async with tenant_tx(pool, new_scope()) as connection:
            await connection.execute("SET LOCAL transaction_timeout = 50; SELECT pg_sleep(60)")  # with no pause between

    try:
        with pytest.raises(TierUnavailable, match="TransactionTimeoutError"):
            await slow()
    finally:
        await pool.close()


@pytest.mark.parametrize("midway", [False, True], ids=["between statements", "between the halves of one"])
async def test_who_stops_with_a_users_lock_is_ended_by_the_server_and_that_is_an_outage(
    endpoints: Endpoints, midway: bool
) -> None:
    settings = postgres_settings(endpoints)
    await migrate(settings)
    scope = new_scope()
    hasty = create_pool(settings.model_copy(update={"idle_transaction_s": 0.1, "query_timeout_s": 0.5}))
    patient = create_pool(settings)

    others = 0

    async def stopped() -> None:
        nonlocal others
        async with tenant_tx(hasty, scope) as connection:
            await lock_user(connection, scope)
            if midway:  # the server waits for the values of a statement that it knows: that is no idle transaction
                await connection.prepare("SELECT 1 + $1::int")
            async with tenant_tx(patient, scope) as other:
                await lock_user(other, scope)
                others += 1
            await connection.fetchval("SELECT 1")

    try:
        with pytest.raises(TierUnavailable):
            await stopped()
        assert others == 1
        async with tenant_tx(hasty, scope) as connection:
            assert await connection.fetchval("SELECT 1") == 1
    finally:
        await hasty.close()
        await patient.close()


@pytest.mark.parametrize("midway", [False, True], ids=["between statements", "between the halves of one"])
async def test_who_stops_while_work_is_handed_out_is_ended_by_the_server_and_others_go_on(
    endpoints: Endpoints, midway: bool
) -> None:
    settings = postgres_settings(endpoints)
    await migrate(settings)
    dsn = endpoints.postgres_relay_dsn.get_secret_value()
    short = settings.model_copy(update={"idle_transaction_s": 0.1, "query_timeout_s": 0.5})
    hasty, patient = create_pool(short, dsn=dsn, vectors=False), create_pool(settings, dsn=dsn, vectors=False)
    ledger = WorkLedger(patient, lambda: datetime.now(UTC))
    taken: list[list[Work]] = []

    async def stopped() -> None:
        async with relay_tx(hasty, "lease") as connection:
            await connection.fetchval(SQL["round"], "maintain", LEARNING_LOCK)
            if midway:
                await connection.prepare("SELECT 1 + $1::int")
            taken.append(await ledger.lease("maintain", limit=1, owner="another", lease_s=0.1))
            await connection.fetchval("SELECT 1")

    try:
        with pytest.raises(TierUnavailable):
            await stopped()
        assert len(taken) == 1
    finally:
        await hasty.close()
        await patient.close()
