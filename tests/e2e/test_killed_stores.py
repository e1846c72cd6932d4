"""A store that is killed comes back with what it had, and until then takes its tiers with it and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import pytest

from ragpp.models import TierName
from ragpp_infra.embedded.servers.server import ServerName
from tests.support.asking import in_redis
from tests.support.examples import some_of
from tests.support.real_gateway import RealGateway, open_gateway
from tests.support.scopes import new_scope
from tests.support.stacks import RunStack
from tests.support.waiting import eventually, waited_for

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

TIERS: Final[dict[ServerName, set[TierName]]] = {
    "postgres": {"episodic", "procedural", "catalog"},
    "valkey": {"short_term"},
    "neo4j": {"semantic"},
}
USED_AGAIN_S: Final = 90.0


def test_redis_killed_comes_back_with_its_accounts_and_every_write_that_is_in_its_file(
    own_stack: RunStack,
) -> None:
    with in_redis(own_stack.endpoints()) as client:
        for number in range(1000):
            client.set(f"ragpp:kept:{number}", number)
    # at once, unless the disk is at a sync just then: then what is acknowledged waits for up to two seconds
    waited_for(lambda: in_the_file(own_stack, b"ragpp:kept:999"), within_s=60, what="the last write is in the file")
    own_stack.kill("valkey")
    own_stack.revive("valkey")
    with in_redis(own_stack.endpoints()) as client:
        assert all(client.get(f"ragpp:kept:{number}") == str(number).encode() for number in range(1000))


def in_the_file(stack: RunStack, written: bytes) -> bool:
    return any(written in content for content in stack.append_only_files())


@pytest.fixture(scope="module")
async def gateway(own_stack: RunStack, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RealGateway]:
    """One on stores that may be killed."""
    async with open_gateway(own_stack.endpoints(), tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.mark.parametrize("name", some_of(TIERS, ["postgres"]))
async def test_a_killed_store_is_missing_alone_and_used_again_once_it_is_back_by_who_used_it_before(
    gateway: RealGateway, own_stack: RunStack, name: ServerName
) -> None:
    tenant = new_scope().tenant_id
    said = [{"id": "m1", "name": "Ann", "content": "My sister Elena moved to Porto."}]
    asked = {"user_id": "ann", "session_id": "s1", "query": "Where did Elena move?"}
    async with gateway.client(await gateway.key(tenant)) as api:

        async def statuses() -> dict[str, str]:
            answer = await api.post("/v1/recall", json=asked)
            assert answer.status_code == 200, answer.text
            return {tier: told["status"] for tier, told in answer.json()["tiers"].items()}

        async def all_answer() -> bool:
            return set((await statuses()).values()) == {"ok"}

        stored = await api.post("/v1/interactions", json={"user_id": "ann", "session_id": "s1", "messages": said})
        assert stored.status_code == 201, stored.text
        await gateway.digest(tenant)
        assert await all_answer()
        await asyncio.to_thread(own_stack.kill, name)
        try:
            found = await statuses()
            assert {tier for tier, status in found.items() if status != "ok"} == TIERS[name]
        finally:
            await asyncio.to_thread(own_stack.revive, name)

        await eventually(all_answer, within_s=USED_AGAIN_S, what="every tier answers again")
        answer = (await api.post("/v1/recall", json=asked)).json()
        assert "My sister Elena moved to Porto." in answer["context"]
        assert "KNOWN RELATIONSHIPS" in answer["context"]
        more = [{"id": "m2", "name": "Ann", "content": "My brother Otto works at Globex."}]
        again = await api.post("/v1/interactions", json={"user_id": "ann", "session_id": "s1", "messages": more})
        assert again.json()["tiers"] == {"episodic": "ok", "short_term": "ok"}
        await gateway.digest(tenant)
        entities = (await api.get("/v1/entities", params={"user_id": "ann"})).json()["items"]
        assert "Otto" in {entity["name"] for entity in entities}
