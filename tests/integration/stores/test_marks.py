"""The mark of a thing that was forgotten: it tells nobody whose it is, everywhere, and goes when it is old."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from pydantic import SecretStr

from ragpp.ledger.schedule import ScheduleLedger
from ragpp.models import Scope
from ragpp.settings import ForgettingSettings
from ragpp.stores.neo4j import create_driver
from ragpp.stores.postgres import create_pool, ensure_open
from ragpp.stores.redis import create_client
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.short_term.app import open_tier as open_short_term
from ragpp_services.short_term.settings import ShortTermSettings
from ragpp_services.workers.parts import LearningPolicy, SchedulePolicy
from ragpp_services.workers.running.schedule import Scheduler
from tests.support.asking import connected
from tests.support.episodic import episodic_entry, episodic_tier, postgres_settings
from tests.support.ledger import Time
from tests.support.marks import KEY
from tests.support.scopes import new_scope
from tests.support.semantic import entities, neo4j_settings, observation, relation, semantic_tier
from tests.support.short_term import TOKENIZERS, redis_settings, short_term_entry
from tests.support.stacks import StoreStack

pytestmark = pytest.mark.server

LONG_AGO: Final = datetime(1931, 3, 10, 12, tzinfo=UTC)
"""Before anything that other tests forget."""
KEPT: Final = timedelta(days=90)
HOUR: Final = timedelta(hours=1)


@pytest.fixture
def time() -> Time:
    moving = Time()
    moving.now = LONG_AGO
    return moving


@pytest.fixture
async def ledger(endpoints: Endpoints, time: Time) -> AsyncIterator[ScheduleLedger]:
    settings = postgres_settings(endpoints)
    pool = create_pool(settings, dsn=endpoints.postgres_relay_dsn.get_secret_value(), vectors=False)
    await ensure_open(pool)
    yield ScheduleLedger(pool, time)
    await pool.close()


async def test_an_id_stays_forgotten_for_as_long_as_marks_are_kept_and_in_both_stores_alike(
    endpoints: Endpoints, ledger: ScheduleLedger, time: Time, scope: Scope
) -> None:
    async with episodic_tier(endpoints, clock=time) as episodic, semantic_tier(endpoints, clock=time) as semantic:
        schedule = Scheduler(ledger, SchedulePolicy(keep_marks=KEPT), LearningPolicy(), time, semantic)
        said = episodic_entry("the combination is 1931", id="gone")
        late = observation("gone", relationships=(relation("Wilma", "LIVES_IN", "Porto"),))
        await episodic.store(scope, [said])
        await episodic.forget(scope, ["gone"])
        await semantic.forget_sources(scope, ["gone"])

        time.now = LONG_AGO + KEPT - HOUR
        await schedule.tick("prune")
        assert [one.forgotten for one in await episodic.store(scope, [said])] == [True]
        await semantic.observe(scope, [late])
        assert await entities(semantic, scope) == []

        time.now = LONG_AGO + KEPT + HOUR
        assert await schedule.tick("prune") >= 2
        assert [one.forgotten for one in await episodic.store(scope, [said])] == [False]
        again = late.model_copy(update={"event_id": "later"})
        await semantic.observe(scope, [again])
        assert len(await entities(semantic, scope)) == 2


async def test_redis_counts_the_same_age(endpoints: Endpoints, time: Time, scope: Scope) -> None:
    said = short_term_entry("the combination is 1931", id="gone")
    async with open_short_term(
        redis_settings(endpoints),
        ShortTermSettings(),
        tokenizers=TOKENIZERS,
        clock=time,
        forgetting=ForgettingSettings(key=SecretStr(KEY), keep_days=KEPT.days),
    ) as tier:
        await tier.store(scope, [said])
        assert await tier.forget(scope, ["gone"]) == 1
        time.now = LONG_AGO + KEPT - HOUR
        assert [one.duplicate for one in await tier.store(scope, [said])] == [True]
        await tier.forget(scope, ["another"])
        assert [one.duplicate for one in await tier.store(scope, [said])] == [True]
        time.now = LONG_AGO + KEPT + HOUR
        assert [one.duplicate for one in await tier.store(scope, [said])] == [False]


async def test_a_mark_holds_neither_the_user_nor_the_id(endpoints: Endpoints, stack: StoreStack, time: Time) -> None:
    scope = Scope(tenant_id=new_scope().tenant_id, user_id="qzuser")
    async with episodic_tier(endpoints, clock=time) as episodic, semantic_tier(endpoints, clock=time) as semantic:
        await episodic.store(scope, [episodic_entry("the combination is 1931", id="qzgone")])
        await episodic.forget(scope, ["qzgone"])
        await semantic.forget_sources(scope, ["qzgone"])
    async with connected(stack.postgres_superuser_dsn()) as connection:
        rows = [row["text"] for row in await connection.fetch("SELECT t::text AS text FROM ledger.forgotten AS t")]
        columns = {row["attname"] for row in await connection.fetch(COLUMNS)}
    async with create_driver(neo4j_settings(endpoints)) as driver:
        nodes = (await driver.execute_query("MATCH (f:Forgotten) RETURN properties(f) AS held")).records
    assert any(scope.tenant_id in row for row in rows)
    assert columns == {"tenant_id", "mark", "at"}
    assert all("qz" not in row for row in rows)
    assert {frozenset(node["held"]) for node in nodes} == {frozenset({"mark", "at"})}


COLUMNS: Final = """
    SELECT attname FROM pg_attribute
     WHERE attrelid = 'ledger.forgotten'::regclass AND attnum > 0 AND NOT attisdropped"""


async def test_no_session_keeps_the_id_of_what_was_forgotten(endpoints: Endpoints, scope: Scope) -> None:
    settings = redis_settings(endpoints)
    async with (
        open_short_term(settings, ShortTermSettings(), tokenizers=TOKENIZERS) as tier,
        create_client(settings) as client,
    ):
        await tier.store(scope, [short_term_entry("secret", id="qzgone"), short_term_entry("kept", id="kept")])
        await tier.forget(scope, ["qzgone"])
        known = [key async for key in client.scan_iter(match=f"*st:ids:*{scope.user_id}*", count=1_000)]
        assert [await client.hkeys(key) for key in known] == [[b"kept"]]
