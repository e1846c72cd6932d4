"""Forgotten words leave the files of the stores, too."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import asyncpg
import httpx
import pytest
import redis

from ragpp.errors import InvalidInput
from ragpp.ledger.erasing import TOUCHED_TABLES
from ragpp.stores.redis import AppendOnlyFile
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.clean import EVERY_S, VALKEY, clean
from tests.support.real_gateway import RealGateway
from tests.support.stacks import RunStack
from tests.support.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]


@pytest.fixture
async def worker(gateway: RealGateway, stack: RunStack) -> AsyncIterator[WorkerParts]:
    url = stack.endpoints().redis_rewrite_url.get_secret_value()
    rewriting = AppendOnlyFile(url, timeout_s=5.0)
    yield replace(gateway.worker, append_only_file=rewriting)
    await rewriting.aclose()


def in_the_file(stack: RunStack, word: str) -> bool:
    """True where Redis' append-only file has the word."""
    return any(word.encode() in content for content in stack.append_only_files())


async def test_the_append_only_file_is_rewritten_and_what_was_touched_is_vacuumed_every_while_at_most(
    api: httpx.AsyncClient, gateway: RealGateway, worker: WorkerParts, tenant: str, stack: RunStack
) -> None:
    word, user = f"qzcleaned{uuid4().hex}", f"u{uuid4().hex[:8]}"
    body = {"user_id": user, "session_id": "s1", "messages": [{"id": "m1", "content": f"My sister {word} is here."}]}
    assert (await api.post("/v1/interactions", json=body)).status_code == 201
    await gateway.digest(tenant)
    assert in_the_file(stack, word)
    assert (await api.delete(f"/v1/users/{user}")).status_code == 202
    await gateway.digest(tenant)

    cleaned = await clean(worker, 0)

    assert VALKEY in cleaned
    assert {name.partition("_")[0] for name in cleaned} >= {
        "episodic.interactions",
        "episodic.chunks",
        "episodic.sentences",
        "ledger.events",
    }
    assert "procedural.preferences" in cleaned
    await eventually(lambda: gone(stack, word), within_s=60, what="the rewritten file")
    assert await clean(worker, 0) == []
    other = {**body, "messages": [{"id": "m2", "content": "The weather is fine."}]}
    assert (await api.post("/v1/interactions", json=other)).status_code == 201
    assert (await api.delete("/v1/interactions/m2", params={"user_id": user})).status_code == 200
    await gateway.digest(tenant)
    # The same tables are wanted, and it is not their turn yet; the user's new account may lie in another partition.
    assert not set(await clean(worker, EVERY_S)) & set(cleaned)
    assert VALKEY in await clean(worker, 0)


async def gone(stack: RunStack, word: str) -> bool:
    return not in_the_file(stack, word)


@pytest.mark.parametrize(
    "command", ["INFO", "DBSIZE", "KEYS *", "GET ragpp:st:mark", "FLUSHALL", "CONFIG GET dir", "ACL LIST"]
)
async def test_the_account_that_rewrites_may_do_nothing_else(stack: RunStack, command: str) -> None:
    client = redis.Redis.from_url(stack.endpoints().redis_rewrite_url.get_secret_value())
    try:
        with pytest.raises(redis.exceptions.NoPermissionError):
            client.execute_command(*command.split())  # type: ignore[no-untyped-call]  # the driver has no types for it
    finally:
        client.close()


async def test_the_planner_learns_no_word_that_was_said(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, stack: RunStack
) -> None:
    word, user = f"qzknown{uuid4().hex}", f"u{uuid4().hex}"
    said = f"I prefer {word} tea over coffee. Please always answer with {word} jokes. I decided to buy {word}."
    messages = [{"id": f"m{number}", "name": word, "content": f"{said} {number}"} for number in range(5)]
    body = {"user_id": user, "session_id": "s1", "messages": messages}
    assert (await api.post("/v1/interactions", json=body)).status_code == 201
    await gateway.digest(tenant)
    assert (await api.get("/v1/preferences", params={"user_id": user})).json()["items"]
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    known = """SELECT schemaname || '.' || tablename || '.' || attname FROM pg_stats
                WHERE concat(most_common_vals, histogram_bounds, most_common_elems) LIKE $1"""
    try:
        await connection.execute("ANALYZE")
        assert await connection.fetch(known, f"%{user}%")
        assert await connection.fetch(known, f"%{word}%") == []
    finally:
        await connection.close()


async def test_every_table_that_is_touched_can_be_vacuumed(worker: WorkerParts, stack: RunStack) -> None:
    before = await vacuums(stack)
    for table in TOUCHED_TABLES:
        await worker.erasures.vacuum(table)

    async def all_done() -> bool:
        after = await vacuums(stack)
        return all(after[table] > before[table] for table in TOUCHED_TABLES)

    await eventually(all_done, within_s=60, what="a vacuum of each, for PostgreSQL only warns of what a role may not")


async def vacuums(stack: RunStack) -> dict[str, int]:
    """How often each table was vacuumed by hand."""
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    try:
        rows = await connection.fetch("SELECT schemaname, relname, vacuum_count FROM pg_stat_user_tables")
    finally:
        await connection.close()
    return {f"{row['schemaname']}.{row['relname']}": row["vacuum_count"] for row in rows}


async def test_the_relay_vacuums_what_erasures_touch_and_nothing_else(worker: WorkerParts) -> None:
    for table in ("identity.tenants", "episodic.interactions_1; DROP TABLE x", "pg_authid"):
        with pytest.raises(InvalidInput):
            await worker.erasures.vacuum(table)
