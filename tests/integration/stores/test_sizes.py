"""How much the stores hold is told by the services' own accounts, and grows with what is stored."""

import re

import asyncpg
import pytest

from ragpp.observability import metrics
from ragpp.stores.neo4j import COUNTED, create_driver, graph_size
from ragpp.stores.postgres import create_pool, measured_pool, schema_size
from ragpp.stores.redis import create_client, measured_client, server_size
from ragpp_infra.embedded.stack import Endpoints
from tests.support.episodic import episodic_entry, episodic_tier, postgres_settings
from tests.support.scopes import new_scope
from tests.support.semantic import neo4j_settings, semantic_entry, semantic_tier
from tests.support.short_term import redis_settings
from tests.support.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]


def told(name: str, **labels: str) -> float | None:
    metrics.exposition()
    return metrics.REGISTRY.get_sample_value(name, labels)


async def test_rows_and_bytes_of_a_schema_are_told_to_a_role_that_sees_no_row(endpoints: Endpoints) -> None:
    async with episodic_tier(endpoints) as tier:
        pool = create_pool(postgres_settings(endpoints), vectors=False)
        owner = await asyncpg.connect(endpoints.postgres_owner_dsn.get_secret_value())
        await owner.execute("ANALYZE episodic.interactions")  # what earlier tests deleted still counts until then
        await owner.close()
        before = await schema_size(pool, "episodic")
        await tier.store(new_scope(), [episodic_entry(f"number {number} of many") for number in range(50)])

        async def grown() -> bool:  # PostgreSQL tells its counts once in a second
            now = await schema_size(pool, "episodic")
            return now.counts["interactions"] >= before.counts.get("interactions", 0) + 50

        await eventually(grown, within_s=60, what="50 rows more")
        after = await schema_size(pool, "episodic")
        assert "interactions" in after.counts
        assert not [kind for kind in after.counts if kind[-1].isdigit()], "a partition counts as its table"
        assert after.size is not None
        assert before.size is not None
        assert after.size >= before.size > 0
        assert await schema_size(pool, "no such schema") == metrics.Held({}, 0)
        await pool.close()


async def test_a_pool_is_told_while_it_is_open(endpoints: Endpoints) -> None:
    settings = postgres_settings(endpoints)
    pool = create_pool(settings, vectors=False)
    async with episodic_tier(endpoints), measured_pool(pool, "audit", "ledger"):

        async def looked() -> bool:  # what is held may have been told by an earlier test: the look's connection is back
            back = told("ragpp_pool_connections", part="audit", state="idle") == 1
            return back and (told("ragpp_held_bytes", part="ledger") or 0) > 0

        await eventually(looked, within_s=60, what="the ledger's size")
        async with pool.acquire():
            assert told("ragpp_pool_connections", part="audit", state="in_use") == 1
        assert told("ragpp_pool_connections", part="audit", state="idle") == 1
        assert told("ragpp_pool_limit", part="audit") == settings.pool_max
    assert told("ragpp_pool_limit", part="audit") is None
    await pool.close()


async def test_the_graph_is_counted_from_what_neo4j_keeps_count_of(endpoints: Endpoints) -> None:
    settings = neo4j_settings(endpoints)
    async with semantic_tier(endpoints) as tier, create_driver(settings) as driver:
        before = await graph_size(driver, timeout_s=settings.query_timeout_s)
        await tier.store(new_scope(), [semantic_entry("Porto"), semantic_entry("Elena")])
        after = await graph_size(driver, timeout_s=settings.query_timeout_s)
        assert after.counts.keys() == {"users", "entities", "relationships", "mentions"}
        assert after.counts["entities"] >= before.counts["entities"] + 2
        plan = (await driver.execute_query(f"EXPLAIN {COUNTED}")).summary.plan
        operators = str(plan)
        assert {"NodeCountFromCountStore", "RelationshipCountFromCountStore"} <= set(
            re.findall(r"\w+CountStore", operators)
        )
        assert not re.search(r"Scan|Expand", operators)


async def test_the_application_may_ask_redis_how_much_it_holds(endpoints: Endpoints) -> None:
    async with create_client(redis_settings(endpoints)) as client:
        held = await server_size(client)
        assert held.counts["keys"] >= 0
        assert held.size is not None
        assert held.size > 0
        assert held.limit is None or held.limit > held.size
        async with measured_client(client, "short_term"):
            await client.ping()
            assert (told("ragpp_pool_connections", part="short_term", state="idle") or 0) >= 1
            assert (told("ragpp_pool_limit", part="short_term") or 0) > 1
