"""Agents of one user learn of each other what helps, over HTTP."""

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest

from ragpp import MemoryManager, TDLambdaLearner
from ragpp.catalog import generate_memory_key
from ragpp.errors import InvalidInput
from tests.support.hostile import Json
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
USER = "ann"


async def begun(api: httpx.AsyncClient, **given: str) -> str:
    answer = await api.post("/v1/learning/episodes", json={"user_id": USER, "goal": "valid_query", **given})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["episode_id"])


async def used(api: httpx.AsyncClient, episode: str, **given: object) -> dict[str, object]:
    answer = await api.post(f"/v1/learning/episodes/{episode}/access", json={"user_id": USER, **given})
    assert answer.status_code == 201, answer.text
    found: dict[str, object] = answer.json()
    return found


async def ended(api: httpx.AsyncClient, episode: str, reward: float) -> list[dict[str, object]]:
    answer = await api.post(f"/v1/learning/episodes/{episode}/end", json={"user_id": USER, "final_reward": reward})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, object]] = answer.json()["items"]
    return found


async def test_what_one_agent_found_helpful_the_other_is_shown_first(gateway: RealGateway) -> None:
    tenant = new_scope().tenant_id
    amy, bob = [await gateway.key(tenant, agent_id=agent) for agent in ("amy", "bob")]
    whole = await gateway.key(tenant)
    async with gateway.client(whole) as api:
        episode = await begun(api, domain="sql")
        for content in ("Dates are compared in UTC.", "Joins go by the surrogate key."):
            await used(api, episode, content=content, task_type="date_filter")
        await ended(api, episode, 0.5)
    async with gateway.client(amy) as api:
        episode = await begun(api, domain="sql")
        found = await used(api, episode, content="Dates are compared in UTC.", task_type="date_filter")
        (update,) = await ended(api, episode, 1.0)
        assert update["key"] == found["key"]
        assert update["new"] == pytest.approx(0.55)
    async with gateway.client(bob) as api:
        page = (await api.get("/v1/items", params={"user_id": USER, "domain": "sql", "goal": "valid_query"})).json()
        assert [one["content"] for one in page["items"]] == [
            "Dates are compared in UTC.",
            "Joins go by the surrogate key.",
        ]
        assert page["items"][0]["goal_values"]["valid_query"]["value"] == pytest.approx(0.55)
        assert page["items"][0]["level"] == "episodic"


async def test_what_nobody_has_said_is_kept_without_secrets_and_found_again(gateway: RealGateway) -> None:
    async with gateway.client(await gateway.key(new_scope().tenant_id)) as api:
        episode = await begun(api)
        said = "The key is sk-ant-api03-" + "a1B2c3D4" * 12 + " and it works."
        first = await used(api, episode, content=said)
        again = await used(api, episode, content=said)
        assert first["item_id"] == again["item_id"]
        item = (await api.get(f"/v1/items/{first['item_id']}", params={"user_id": USER})).json()
        assert item["content"].startswith("The key is ")
        assert item["content"].endswith(" and it works.")
        assert "a1B2c3D4" not in item["content"]


async def test_a_learner_in_python_teaches_what_a_list_by_value_shows(gateway: RealGateway) -> None:
    key = await gateway.key(new_scope().tenant_id)
    async with gateway.memory(key) as client:
        memory = MemoryManager(client=client, user_id=USER)
        learner = TDLambdaLearner(memory, alpha=0.2, gamma=1.0, lambda_=1.0)
        stored = await learner.store("Quote identifiers.", "procedural", "sql", "naming", "amy", reviewed=True)
        assert stored.metadata == {"agent_name": "amy", "reviewed": True}
        await learner.record_access("sql", "naming", "Quote identifiers.", goal="valid")
        await learner.record_access("sql", "naming", "Never abbreviate.", goal="valid")
        updates = await learner.end_episode("sql", "valid", 1.0)
        assert [(round(old, 3), round(new, 3)) for _, old, new in updates] == [(0.5, 0.6), (0.5, 0.6)]
        assert updates[0][0] == generate_memory_key("Quote identifiers.", "sql", "naming")
        assert await learner.end_episode("sql", "valid", 1.0) == []
        found = await memory.item_layer.retrieve_by_domain("sql", goal="valid", top_k=1)
        assert [one.content for one in found] == ["Never abbreviate."]
        of_task = await memory.item_layer.retrieve_by_task_type("naming", level="procedural", goal="valid")
        assert [one.content for one in of_task] == ["Quote identifiers."]


async def test_the_goal_may_come_at_the_end(gateway: RealGateway) -> None:
    async with gateway.memory(await gateway.key(new_scope().tenant_id)) as client:
        memory = MemoryManager(client=client, user_id=USER)
        learner = TDLambdaLearner(memory, alpha=0.2, gamma=1.0, lambda_=1.0)
        for expected in ([0.5, 0.6], [0.6, 0.68]):
            await learner.record_access("sql", "naming", "Quote identifiers.")
            ((key, old, new),) = await learner.end_episode("sql", "valid", 1.0)
            assert key == generate_memory_key("Quote identifiers.", "sql", "naming")
            assert [round(old, 3), round(new, 3)] == expected
        assert await learner.end_episode("sql", "valid", 1.0) == []
        (found,) = await memory.item_layer.retrieve_by_domain("sql", goal="valid", top_k=1)
        assert found.goal_values.keys() == {"valid"}


async def test_what_was_used_without_a_goal_is_learned_beside_what_was_used_for_it(gateway: RealGateway) -> None:
    async with gateway.memory(await gateway.key(new_scope().tenant_id)) as client:
        learner = TDLambdaLearner(MemoryManager(client=client, user_id=USER))
        await learner.record_access("sql", "naming", "Quote identifiers.", goal="valid")
        await learner.record_access("sql", "naming", "Never abbreviate.")
        await learner.record_access("sql", "naming", "Quote identifiers.")
        await learner.record_access("art", "naming", "Sign the back.")
        assert len(await learner.end_episode("sql", "valid", 1.0)) == 2
        assert len(await learner.end_episode("art", "sold", 1.0)) == 1


async def test_nothing_that_was_used_at_once_or_whose_end_was_refused_is_lost(gateway: RealGateway) -> None:
    async with gateway.memory(await gateway.key(new_scope().tenant_id)) as client:
        learner = TDLambdaLearner(MemoryManager(client=client, user_id=USER))
        await asyncio.gather(*(learner.record_access("sql", "naming", f"memory {place}") for place in range(6)))
        for goal, reward in (("valid", 5.0), ("", 1.0)):
            with pytest.raises(InvalidInput):
                await learner.end_episode("sql", goal, reward)
        assert len(await learner.end_episode("sql", "valid", 1.0)) == 6


async def test_a_memory_of_a_domain_is_one_for_all_agents_whoever_keeps_it_and_by_whichever_route(
    gateway: RealGateway,
) -> None:
    tenant, said = new_scope().tenant_id, "Dates are compared in UTC."
    kept: Json = {"user_id": USER, "content": said, "domain": "sql", "task_type": "date_filter", "visibility": "shared"}
    ids = set()
    for agent in ("amy", "bob"):
        async with gateway.client(await gateway.key(tenant, agent_id=agent)) as api:
            answer = await api.post("/api/memory/catalog", json=kept)
            assert answer.status_code == 201, answer.text
            ids.add(answer.json()["memory_id"])
            found = await used(api, await begun(api, domain="sql"), content=said, task_type="date_filter")
            assert found["item_id"] in ids
            assert found["key"] == generate_memory_key(said, "sql", "date_filter", agent_name=agent)
    assert len(ids) == 1
    async with gateway.client(await gateway.key(tenant)) as api:
        for asked in ({"domain": "sql"}, {"task_type": "date_filter"}):
            page = (await api.get("/v1/items", params={"user_id": USER, "goal": "valid_query", **asked})).json()
            assert [one["item_id"] for one in page["items"]] == [*ids]


async def test_two_agents_whose_episodes_end_at_once_both_have_moved_what_they_used(gateway: RealGateway) -> None:
    tenant, said = new_scope().tenant_id, "Dates are compared in UTC."
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(gateway.client(await gateway.key(tenant, agent_id=agent)))
            for agent in ("amy", "bob")
        ]
        kept: Json = {"user_id": USER, "content": said, "domain": "sql", "visibility": "shared"}
        assert (await clients[0].post("/api/memory/catalog", json=kept)).status_code == 201
        episodes = [await begun(api, domain="sql") for api in clients]
        for api, episode in zip(clients, episodes, strict=True):
            await used(api, episode, content=said)
        await asyncio.gather(*(ended(api, one, 1.0) for api, one in zip(clients, episodes, strict=True)))
        page = (await clients[0].get("/v1/items", params={"user_id": USER, "goal": "valid_query"})).json()
    assert page["items"][0]["goal_values"]["valid_query"]["value"] == pytest.approx(0.6)


async def test_what_cannot_be_is_refused_in_words(gateway: RealGateway) -> None:
    async with gateway.client(await gateway.key(new_scope().tenant_id)) as api:
        episode = await begun(api)
        for body, status in (
            ({"memory_id": "item_none"}, 404),
            ({"memory_id": "x", "content": "y"}, 422),
            ({}, 422),
            ({"content": "y", "step_reward": 2}, 422),
        ):
            answer = await api.post(f"/v1/learning/episodes/{episode}/access", json={"user_id": USER, **body})
            assert answer.status_code == status, answer.text
        await ended(api, episode, 0.0)
        late = await api.post(f"/v1/learning/episodes/{episode}/end", json={"user_id": USER, "final_reward": 1})
        assert late.status_code == 404
        mixed = await api.get("/v1/items", params={"user_id": USER, "goal": "g", "category": "pricing"})
        assert mixed.status_code == 422
