"""The audit in PostgreSQL: marks that are those of Python, no forgotten id beside them, and an end for what is old."""

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import uuid4

import asyncpg
import pytest
from pydantic import JsonValue, SecretStr

from ragpp.ledger.forgotten import raise_epoch
from ragpp.ledger.schedule import ScheduleLedger
from ragpp.models import Scope
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Pool, as_tenant, create_pool, ensure_open, tenant_transaction, tenant_tx
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.gateway.store import SQL, Access, GatewayStore
from ragpp_services.gateway.store import migrate as migrate_gateway
from ragpp_services.workers.parts import LearningPolicy, SchedulePolicy
from ragpp_services.workers.running.schedule import Scheduler
from tests.support.asking import connected
from tests.support.episodic import episodic_tier, postgres_settings
from tests.support.ledger import Time
from tests.support.marks import MARKS
from tests.support.scopes import new_scope
from tests.support.semantic import semantic_tier
from tests.support.waiting import eventually

pytestmark = pytest.mark.server

LONG_AGO: Final = datetime(1930, 5, 1, 12, tzinfo=UTC)
"""Before anything that other tests ask for or forget."""
CHARACTERS: Final = "ab\x1e\x1f01'\"\\%{}\n é🙂\u202e"
DAY: Final = timedelta(days=1)
WAITING: Final = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"


@pytest.fixture(scope="module")
async def _migrated(endpoints: Endpoints) -> None:
    await migrate_gateway(postgres_settings(endpoints))
    async with episodic_tier(endpoints):
        pass


@pytest.fixture
async def pool(endpoints: Endpoints, _migrated: None) -> AsyncIterator[Pool]:
    opened = create_pool(postgres_settings(endpoints), vectors=False)
    await ensure_open(opened)
    yield opened
    await opened.close()


def access(
    scope: Scope,
    at: datetime,
    *memory_ids: str,
    action: str = "POST /v1/recall",
    details: dict[str, JsonValue] | None = None,
) -> Access:
    return Access(
        access_id=uuid4(),
        tenant_id=scope.tenant_id,
        at=at,
        key_id="key_1",
        user_id=scope.user_id,
        agent_id=None,
        action=action,
        status=200,
        elapsed_ms=1.0,
        details=details,
        memory_ids=memory_ids,
    )


async def known_ids(pool: Pool, scope: Scope) -> set[str]:
    async with tenant_tx(pool, scope) as connection:
        rows = await connection.fetch("SELECT id FROM ledger.marked_ids WHERE user_id = $1", scope.user_id)
    return {row["id"] for row in rows}


async def left(pool: Pool, scope: Scope) -> list[str]:
    async with tenant_tx(pool, scope) as connection:
        rows = await connection.fetch("SELECT action FROM audit.accesses ORDER BY at")
    return [row["action"] for row in rows]


@pytest.mark.parametrize("key", ["k", "k" * 64, "k" * 65, "ключ", ""])
async def test_postgresql_makes_the_marks_that_python_makes(pool: Pool, key: str) -> None:
    draw, marks = random.Random(7), SourceMarks(SecretStr(key))
    cases = [tuple("".join(draw.choices(CHARACTERS, k=draw.randint(1, 9))) for _ in range(3)) for _ in range(300)]
    statement = """
        SELECT audit.mark($1, $2, tenant, whose, id) FROM unnest($3::text[], $4::text[], $5::text[])
               WITH ORDINALITY AS one (tenant, whose, id, place) ORDER BY place"""
    rows = await pool.fetch(statement, *marks.blocks, *(list(column) for column in zip(*cases, strict=True)))
    made = [marks.of(Scope.trusted(tenant_id=tenant, user_id=whose), one) for tenant, whose, one in cases]
    assert [row[0].hex for row in rows] == made


async def test_a_forgetting_waits_for_entries_that_are_under_way_and_drops_what_they_make_known(pool: Pool) -> None:
    scope = new_scope()
    store, entry = GatewayStore(pool, MARKS), access(scope, datetime.now(UTC), "m-1")
    await store.insert_accesses([access(scope, datetime.now(UTC), "m-0")])
    assert await known_ids(pool, scope) == {"m-0"}

    async def forget() -> None:
        async with tenant_tx(pool, scope) as connection:
            await raise_epoch(connection, scope)

    async with tenant_transaction(pool, scope.tenant_id) as connection:
        await connection.execute(SQL["look_at_erased"], scope.tenant_id, [scope.user_id, ""])
        forgetting = asyncio.create_task(forget())
        await eventually(lambda: pool.fetchval(WAITING), within_s=30, what="the forgetting waits")
        await connection.execute(
            "INSERT INTO ledger.marked_ids (tenant_id, user_id, mark, id) VALUES ($1, $2, $3::text::uuid, 'm-1')",
            *(*scope.user_key, MARKS.of(scope, "m-1")),
        )
        assert not forgetting.done()
    await forgetting
    assert await known_ids(pool, scope) == set()
    await store.insert_accesses([entry])
    assert await known_ids(pool, scope) == set()
    later = datetime.now(UTC) + timedelta(minutes=2)
    await store.insert_accesses([access(scope, later, "m-1")])
    assert await known_ids(pool, scope) == {"m-1"}


async def test_an_entry_that_is_moved_twice_is_one_and_an_id_is_known_once(pool: Pool) -> None:
    scope = new_scope()
    entry = access(scope, datetime.now(UTC), "m-1", "m-2", "m-1")
    store = GatewayStore(pool, MARKS)
    await store.insert_accesses([entry, access(scope, entry.at, "m-2")])
    await store.insert_accesses([entry])
    assert await known_ids(pool, scope) == {"m-1", "m-2"}
    async with tenant_tx(pool, scope) as connection:
        row = await connection.fetchrow("SELECT memories FROM audit.accesses WHERE access_id = $1", entry.access_id)
    assert row is not None
    assert [one.hex for one in row["memories"]] == [MARKS.of(scope, "m-1"), MARKS.of(scope, "m-2")]


async def test_what_is_old_goes_and_deletions_stay_for_as_long_as_a_restore_asks_for_them(
    endpoints: Endpoints, pool: Pool
) -> None:
    scope, other, time = new_scope(), new_scope(), Time()
    deleted: dict[str, JsonValue] = {"deleted": "graph", "count": 1, "marks": [MARKS.of(scope, "m-1")]}
    await GatewayStore(pool, MARKS).insert_accesses(
        [
            access(scope, LONG_AGO, "m-1", action="old"),
            access(other, LONG_AGO, "m-1", action="old"),
            access(scope, LONG_AGO, action="deleted", details=deleted),
            access(scope, LONG_AGO + 9 * DAY, "m-1", action="younger"),
        ]
    )
    relay = create_pool(
        postgres_settings(endpoints), dsn=endpoints.postgres_relay_dsn.get_secret_value(), vectors=False
    )
    await ensure_open(relay)
    async with semantic_tier(endpoints, clock=time) as semantic:
        policy = SchedulePolicy(keep_audit=5 * DAY, keep_marks=20 * DAY)
        schedule = Scheduler(ScheduleLedger(relay, time), policy, LearningPolicy(), time, semantic)
        time.now = LONG_AGO + 4 * DAY
        await schedule.tick("prune")
        assert sorted(await left(pool, scope)) == ["deleted", "old", "younger"]
        time.now = LONG_AGO + 6 * DAY
        assert await schedule.tick("prune") >= 2
        assert (await left(pool, scope), await left(pool, other)) == (["deleted", "younger"], [])
        time.now = LONG_AGO + 20 * DAY
        await schedule.tick("prune")
        assert await left(pool, scope) == ["deleted"]
        time.now = LONG_AGO + 22 * DAY
        await schedule.tick("prune")
        assert await left(pool, scope) == []
        forever = SchedulePolicy(keep_marks=400 * DAY)
        unlimited = Scheduler(ScheduleLedger(relay, time), forever, LearningPolicy(), time, semantic)
        await GatewayStore(pool, MARKS).insert_accesses([access(scope, LONG_AGO, action="kept")])
        time.now = LONG_AGO + 300 * DAY
        await unlimited.tick("prune")
        assert await left(pool, scope) == ["kept"]
    await relay.close()


async def test_no_role_prunes_or_reads_more_than_it_is_let_to(endpoints: Endpoints, pool: Pool) -> None:
    scope, now = new_scope(), datetime.now(UTC)
    await GatewayStore(pool, MARKS).insert_accesses([access(scope, LONG_AGO, "m-1")])
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await pool.fetchval("SELECT audit.prune($1, $1, 10)", now)
    async with connected(endpoints.postgres_app_dsn) as app, as_tenant(app, new_scope().tenant_id):
        await app.execute("SELECT set_config('ragpp.pruned_before', now()::text, true)")
        assert await app.fetchval("SELECT count(*) FROM audit.accesses") == 0
        assert await app.fetchval("SELECT count(*) FROM audit.refused_for('key_1')") == 0
    async with connected(endpoints.postgres_relay_dsn) as relay:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await relay.fetchval("SELECT count(*) FROM audit.accesses")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await relay.fetchval("SELECT count(*) FROM audit.refused_for('key_1')")
    assert await left(pool, scope) == ["POST /v1/recall"]
