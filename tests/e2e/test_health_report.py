"""A health report tries everything out, names what does not work, and leaves nothing behind."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import asyncpg
import httpx
import pytest

from ragpp.api import HealthReport
from ragpp.errors import InvalidInput, TierUnavailable
from ragpp.health import SCRATCH_TENANT, StoreState
from ragpp.ledger import NewEvent, record
from ragpp.ledger.scratch import ScratchLedger
from ragpp.models import Scope
from ragpp.settings import Neo4jSettings, PostgresSettings, RedisSettings
from ragpp.stores.neo4j import create_driver, scope_key
from ragpp.stores.postgres import create_pool, ensure_open, tenant_tx
from ragpp.stores.redis import create_client
from ragpp_services.gateway.health import scratch
from ragpp_services.gateway.health.states import CLOCK_MS
from tests.support.marks import MARKS
from tests.support.real_gateway import RealGateway, done
from tests.support.stacks import StoreStack
from tests.support.waiting import eventually

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]


@pytest.fixture(autouse=True)
async def _all_tiers_are_well(gateway: RealGateway) -> None:
    """Neo4j warms up for some seconds after its start, in which a report is right to call it away."""

    async def well() -> bool:
        return all([(await tier.health_check()).ok for tier in gateway.parts.by_name().values()])

    await eventually(well, within_s=120, what="every tier answers")


@asynccontextmanager
async def administrator(gateway: RealGateway, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    async with gateway.client(await gateway.key(tenant, "admin")) as client:
        client.timeout = httpx.Timeout(120)
        yield client


async def reported(gateway: RealGateway, api: httpx.AsyncClient) -> HealthReport:
    """A report that is made while a worker works."""
    answer = await done(gateway, SCRATCH_TENANT, api.post("/v1/health/report"))
    assert answer.status_code == 200, answer.text
    return HealthReport.model_validate_json(answer.content)


async def rows_of_scratch(stack: StoreStack) -> dict[str, int]:
    """How many rows each table has that say the scratch tenant, reports left out."""
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    try:
        tables = await connection.fetch(
            """SELECT table_schema || '.' || table_name AS name FROM information_schema.columns
                WHERE column_name = 'tenant_id' AND table_schema IN ('ledger', 'episodic', 'procedural', 'catalog',
                      'audit', 'identity') AND table_name NOT IN ('health_reports', 'rounds')"""
        )
        counts = {
            row["name"]: await connection.fetchval(
                f"SELECT count(*) FROM {row['name']} WHERE tenant_id = $1",  # noqa: S608 - a table of ours
                SCRATCH_TENANT,
            )
            for row in tables
        }
    finally:
        await connection.close()
    return {name: count for name, count in counts.items() if count}


async def keys_and_nodes_of_scratch() -> tuple[list[bytes], int]:
    async with create_client(RedisSettings()) as client:
        keys = [key async for key in client.scan_iter(match="*ragpp%3Ahealth*", count=1_000)]
    async with create_driver(Neo4jSettings()) as driver, driver.session() as session:
        begins = scope_key(Scope(tenant_id=SCRATCH_TENANT, user_id="u"))[:-1]
        result = await session.run(
            "MATCH (n) WHERE n.scope STARTS WITH $begins RETURN count(n) AS n", {"begins": begins}
        )
        record = await result.single()
    assert record is not None
    return keys, record["n"]


async def forgotten_marks() -> int:
    async with create_driver(Neo4jSettings()) as driver, driver.session() as session:
        record = await (await session.run("MATCH (f:Forgotten) RETURN count(f) AS n")).single()
    assert record is not None
    return int(record["n"])


async def test_everything_works_and_nothing_is_left(gateway: RealGateway, tenant: str, stack: StoreStack) -> None:
    marks = await forgotten_marks()
    async with administrator(gateway, tenant) as api:
        report = await reported(gateway, api)
        again = HealthReport.model_validate_json((await api.get("/v1/health/report")).content)
    assert [(check.name, check.cause) for check in report.checks if check.status in {"failed", "skipped"}] == []
    assert report.status in {"healthy", "degraded"}
    assert again == report
    assert set(report.tiers) == {"short_term", "episodic", "semantic", "procedural", "catalog"}
    for tier in report.tiers.values():
        assert tier.state is not None
        assert tier.state.version
        assert all(schema.applied == schema.known for schema in tier.state.schemas)
    assert await rows_of_scratch(stack) == {}
    assert await keys_and_nodes_of_scratch() == ([], 0)
    assert await forgotten_marks() == marks


class Wrapped:
    """A tier but for what is given."""

    def __init__(self, tier: object, **instead: object) -> None:
        self.__dict__.update(instead)
        self._tier = tier

    def __getattr__(self, name: str) -> object:
        return getattr(self._tier, name)


async def down(*_given: object, **_named: object) -> None:
    raise TierUnavailable("read: Neo4j did not answer (ServiceUnavailable)")


@asynccontextmanager
async def with_parts(gateway: RealGateway, **instead: object) -> AsyncIterator[None]:
    parts = gateway.app.state.parts
    gateway.app.state.parts = replace(parts, **instead)
    try:
        yield
    finally:
        gateway.app.state.parts = parts


async def test_a_tier_that_is_away_is_named_with_its_cause_and_what_to_do_and_the_next_report_sweeps(
    gateway: RealGateway, tenant: str, stack: StoreStack
) -> None:
    semantic = gateway.parts.semantic
    verbs = ("state", "retrieve", "forget_sources", "erase", "holdings", "sweep", "epoch")
    away = Wrapped(semantic, **dict.fromkeys(verbs, down))
    async with administrator(gateway, tenant) as api, with_parts(gateway, semantic=away):
        report = await reported(gateway, api)
    by_name = {check.name: check for check in report.checks}
    assert report.status == "failing"
    assert report.tiers["semantic"].status == "failed"
    reach = by_name["reach semantic"]
    assert (reach.status, "Neo4j did not answer" in (reach.cause or "")) == ("failed", True)
    assert any("ragpp logs neo4j" in fix and "docker compose logs neo4j" in fix for fix in reach.fix)
    assert by_name["observe"].cause == "it needs `reach semantic`"
    assert by_name["find episodic"].status in {"ok", "slow"}
    assert by_name["sweep"].status == "failed"
    left = await rows_of_scratch(stack)
    assert left["ledger.epochs"] == 1
    async with administrator(gateway, tenant) as api:
        later = replace(gateway.parts, clock=lambda: gateway.parts.clock() + scratch.LEFT_AFTER + timedelta(minutes=1))
        assert await scratch.sweep_left_behind(later, later.health._ledger, later.clock()) == 1
    assert await rows_of_scratch(stack) == {}
    assert await keys_and_nodes_of_scratch() == ([], 0)


async def test_workers_that_do_nothing_are_told_with_what_waits(
    gateway: RealGateway, tenant: str, stack: StoreStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragpp_services.gateway.health.trial.WORKERS_S", 0.3)
    async with administrator(gateway, tenant) as api:
        answer = await api.post("/v1/health/report")
    report = HealthReport.model_validate_json(answer.content)
    by_name = {check.name: check for check in report.checks}
    assert report.status == "failing"
    assert "of stage observe pending" in (by_name["observe"].cause or "")
    assert any("ragpp up" in fix for fix in by_name["observe"].fix)
    assert by_name["extract"].status == "skipped"
    assert by_name["sweep"].status == "ok", by_name["sweep"].cause
    assert await rows_of_scratch(stack) == {}


async def test_a_schema_that_is_behind_and_a_clock_that_is_ahead_are_told(gateway: RealGateway, tenant: str) -> None:
    async def behind() -> StoreState:
        state = await gateway.parts.procedural.state()
        schemas = tuple(one.model_copy(update={"applied": one.known - 1}) for one in state.schemas)
        late = state.service_time + timedelta(milliseconds=3 * CLOCK_MS)
        return state.model_copy(update={"schemas": schemas, "store_time": late, "asked_ms": 1.0})

    odd = Wrapped(gateway.parts.procedural, state=behind)
    async with administrator(gateway, tenant) as api, with_parts(gateway, procedural=odd):
        report = await reported(gateway, api)
    by_name = {check.name: check for check in report.checks}
    assert "procedural is at migration" in (by_name["schema"].cause or "")
    assert "PostgreSQL's clock is +3.0 s" in (by_name["clock"].cause or "")
    assert by_name["recall"].status in {"ok", "slow"}


async def test_only_an_administrator_asks_and_nobody_has_a_key_of_the_scratch_tenant(
    gateway: RealGateway, api: httpx.AsyncClient
) -> None:
    for answer in (await api.post("/v1/health/report"), await api.get("/v1/health/report")):
        assert (answer.status_code, answer.json()["detail"]) == (403, "this key lacks the scope `admin`")
    with pytest.raises(InvalidInput):
        await gateway.key(SCRATCH_TENANT)


async def test_who_asks_while_a_report_is_made_is_answered_with_that_one(gateway: RealGateway, tenant: str) -> None:
    async with administrator(gateway, tenant) as api:

        async def twice() -> tuple[httpx.Response, httpx.Response]:
            return await asyncio.gather(api.post("/v1/health/report"), api.post("/v1/health/report"))

        first, second = await done(gateway, SCRATCH_TENANT, twice())
    assert first.json() == second.json()


async def test_nobody_elses_tombstones_can_be_swept_away_whatever_statement_asks(gateway: RealGateway) -> None:
    other = Scope(tenant_id="acme", user_id="u1")
    pool = create_pool(PostgresSettings(), vectors=False)
    await ensure_open(pool)
    try:
        with pytest.raises(InvalidInput):
            await ScratchLedger(pool, MARKS).sweep(other, ["m1"])
        async with tenant_tx(pool, other) as connection:
            await connection.execute("INSERT INTO ledger.epochs VALUES ('acme', 'u1', 1) ON CONFLICT DO NOTHING")
            await connection.execute("INSERT INTO ledger.forgotten VALUES ('acme', 'm', now()) ON CONFLICT DO NOTHING")
            await record(connection, other, [NewEvent("extract.requested", "asked:x", NOON)], now=NOON)
            for table in ("epochs", "forgotten", "events", "work", "queues"):
                assert await connection.fetchval(f"SELECT count(*) FROM ledger.{table}") > 0  # noqa: S608 - one of these
                deleted = await connection.execute(f"DELETE FROM ledger.{table}")  # noqa: S608 - one of these
                assert deleted == "DELETE 0", table
    finally:
        await pool.close()
    for tier in (gateway.parts.short_term, gateway.parts.semantic):
        with pytest.raises(InvalidInput):
            await tier.sweep(other, ["m1"])
