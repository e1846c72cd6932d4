"""The catalog over HTTP: conversations that are kept as resources, and whom of a team, or of all users, it is for."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final, cast

import pytest

from ragpp.api import ResourceIn
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Forbidden, InvalidInput, ResourceNotFoundError
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from tests.support.curating import PRICES, PRO, USER, keep, state
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.team import Team, read

pytestmark = pytest.mark.server


@pytest.fixture
async def admin(gateway: RealGateway, tenant: str) -> AsyncIterator[AsyncMemoryClient]:
    """A client that may also write what all users of the tenant share."""
    async with gateway.memory(await gateway.key(tenant, "read", "write", "forget", "global")) as client:
        yield client


MESSAGES: Final[list[dict[str, Json]]] = [
    {"name": "Ada", "content": "What does Pro cost?", "occurred_at": "2025-03-08T13:56:00Z"},
    {"role": "assistant", "content": PRO, "occurred_at": "2025-03-08T13:57:00Z"},
]


def conversation(messages: list[dict[str, Json]], **fields: object) -> ResourceIn:
    return ResourceIn.model_validate(
        {"user_id": USER, "resource_type": "conversation", "messages": messages, "session_id": "s1", **fields}
    )


async def test_a_remembered_conversation_is_interactions_as_well_and_repeating_it_is_harmless(
    memory: AsyncMemoryClient,
) -> None:
    body = conversation(MESSAGES, id="talk", remember=True)
    first, again = [await memory.store_resource(body) for _ in range(2)]
    assert (first.duplicate, again.duplicate) == (False, True)
    assert first.receipt is not None
    said = (await memory.interactions(USER, session_id="s1", newest_first=False)).items
    assert [one.content for one in said] == [one["content"] for one in MESSAGES]
    kept = await memory.resource("talk", user_id=USER)
    assert [one.interaction_id for one in kept.messages] == [one.id for one in said]
    assert kept.content == f"Ada: What does Pro cost?\nAssistant: {PRO}"


class ForgetsMeanwhile:
    """A catalog, of whose user something is forgotten after its epoch was read, the first time that is done."""

    def __init__(self, catalog: CatalogTier, forget: Callable[[], Awaitable[object]]) -> None:
        self._catalog, self._forget = catalog, forget
        self._is_told = False

    def __getattr__(self, verb: str) -> object:
        return getattr(self._catalog, verb)

    async def epoch(self, scope: Scope) -> int:
        epoch = await self._catalog.epoch(scope)
        if not self._is_told:
            self._is_told = True
            await self._forget()
        return epoch


async def test_a_conversation_is_kept_whatever_is_forgotten_of_its_user_meanwhile(
    gateway: RealGateway, memory: AsyncMemoryClient
) -> None:
    await memory.store_resource(conversation(MESSAGES, id="before", remember=True))
    gone, *_ = (await memory.resource("before", user_id=USER)).messages
    meanwhile = ForgetsMeanwhile(
        gateway.parts.catalog, lambda: memory.forget_interaction(USER, str(gone.interaction_id))
    )
    gateway.app.state.parts = replace(gateway.parts, catalog=cast("CatalogTier", meanwhile))
    try:
        stored = await memory.store_resource(conversation(MESSAGES, id="talk", remember=True))
    finally:
        gateway.app.state.parts = gateway.parts
    assert not stored.duplicate
    said = {one.id for one in (await memory.interactions(USER, session_id="s1")).items}
    kept = await memory.resource("talk", user_id=USER)
    assert len(kept.messages) == len(MESSAGES)
    assert {one.interaction_id for one in kept.messages} < said, "half of a request that is refused is not kept"


async def test_what_is_forgotten_of_a_conversation_goes_out_of_its_resource(memory: AsyncMemoryClient) -> None:
    await memory.store_resource(conversation(MESSAGES, id="talk", remember=True))
    kept = await memory.resource("talk", user_id=USER)
    question, answer = [str(one.interaction_id) for one in kept.messages]
    await memory.store_items(user_id=USER, items=[{"content": PRO, "source_resource_id": "talk"}])
    forgotten = await memory.forget_interaction(USER, answer)
    assert forgotten.tiers["catalog"] == "ok"
    left = await memory.resource("talk", user_id=USER)
    assert "$299" not in left.content
    assert [one.interaction_id for one in left.messages] == [question]
    jobs = (await memory.jobs(USER, stage="catalog")).items
    assert any("talk" in job.subject_id for job in jobs), "what is left is extracted anew"
    await memory.store_resource(conversation(MESSAGES, id="talk-2", remember=True))
    with pytest.raises(InvalidInput, match=r"messages\.0\.id"):
        await memory.store_resource(conversation([MESSAGES[1] | {"id": answer}]))


async def test_a_resource_of_interactions_says_what_they_say_and_is_seen_by_no_more_agents(team: Team) -> None:
    said = await team.say(1, "sales", "Otto pays by invoice.")
    body: dict[str, Json] = {
        "user_id": team.user_id,
        "resource_type": "conversation",
        "messages": [{"id": said, "content": "Otto pays by invoice."}],
    }
    otherwise = {"id": said, "content": "Something else"}
    for messages in ([otherwise], [otherwise, {"id": said, "content": "Otto pays by invoice."}]):
        other = await team.everyone.post("/v1/resources", json=body | {"messages": messages})
        checked_problem(other, 409, "MEM-011")
    await team.everyone.post(
        "/v1/interactions",
        json={
            "user_id": team.user_id,
            "agent_id": "sales",
            "visibility": "agent",
            "messages": [{"id": "private", "content": "Between us."}],
        },
    )
    kept = await team.everyone.post(
        "/v1/resources", json=body | {"messages": [{"id": "private", "content": "Between us."}]}
    )
    assert kept.json()["resource"]["visibility"] == "agent"
    resource_id = kept.json()["resource"]["resource_id"]
    params = {"user_id": team.user_id}
    assert (await team.sales.get(f"/v1/resources/{resource_id}", params=params)).status_code == 200
    checked_problem(await team.care.get(f"/v1/resources/{resource_id}", params=params), 404, "MEM-001")


async def test_an_agent_is_not_told_how_many_items_of_another_were_moved(team: Team) -> None:
    whose: dict[str, Json] = {"user_id": team.user_id}
    category: Json = {**whose, "name": "prices", "description": "What our plans cost"}
    assert (await team.everyone.post("/v1/categories", json=category)).status_code == 201
    moved: list[Json] = []
    for client in (team.everyone, team.sales):
        body: dict[str, Json] = {**whose, "resource_type": "document", "content": PRICES}
        kept = (await client.post("/v1/resources", json=body)).json()["resource"]
        items: Json = [{"content": PRO, "source_resource_id": kept["resource_id"]}]
        moved.append((await client.post("/v1/items", json={**whose, "items": items})).json()["items"][0]["item_id"])
    path = "/v1/categories/prices/items"
    assert (await team.everyone.post(path, json={**whose, "item_ids": moved})).status_code == 200
    told = {
        agent: await read(team.of(agent), "/v1/events", team, event_type="memory.category_updated")
        for agent in (None, "sales", "care")
    }
    moves = {agent: [cast("Mapping[str, Json]", one["payload"]) for one in events] for agent, events in told.items()}
    assert [one["items_moved"] for one in moves["care"]] == [1]
    assert [one["items_moved"] for one in moves["sales"]] == [1, 1]
    assert moves["sales"] == moves[None]
    assert not any("seen_by" in one for one in moves[None])


async def test_what_an_agents_key_keeps_is_that_agents_unless_it_says_otherwise(team: Team) -> None:
    body: dict[str, Json] = {"user_id": team.user_id, "resource_type": "document", "content": PRICES}
    own = (await team.sales.post("/v1/resources", json=body)).json()["resource"]["resource_id"]
    shared = (await team.sales.post("/v1/resources", json=body | {"visibility": "shared"})).json()["resource"][
        "resource_id"
    ]
    params = {"user_id": team.user_id}
    for client, resource_id, status in (
        (team.everyone, own, 200),
        (team.care, own, 404),
        (team.care, shared, 200),
    ):
        assert (await client.get(f"/v1/resources/{resource_id}", params=params)).status_code == status
    item = {"content": PRO, "source_resource_id": own}
    hidden = await team.care.post("/v1/items", json={"user_id": team.user_id, "items": [item]})
    checked_problem(hidden, 404, "MEM-001")
    checked_problem(await team.care.delete(f"/v1/resources/{shared}", params=params), 403, "MEM-022")
    assert (await team.sales.delete(f"/v1/resources/{shared}", params=params)).status_code == 200


SEEN: Final[dict[str | None, set[str | None]]] = {
    None: {None, "sales", "care"},
    "sales": {None, "sales"},
    "care": {None, "care"},
}
"""By reader, whose things it sees; None: a key that is bound to no agent, and what all agents share."""


async def test_of_every_two_agents_neither_reads_what_is_the_others_anywhere(team: Team) -> None:
    kept: dict[str | None, tuple[str, str]] = {}
    for agent in (None, "sales", "care"):
        document = {"user_id": team.user_id, "resource_type": "document", "content": f"The offer of qz{agent}."}
        stored = await team.of(agent).post("/v1/resources", json=document)
        resource_id = stored.json()["resource"]["resource_id"]
        item = {"content": f"The offer of qz{agent} is good.", "source_resource_id": resource_id}
        made = await team.of(agent).post("/v1/items", json={"user_id": team.user_id, "items": [item]})
        kept[agent] = (resource_id, made.json()["items"][0]["item_id"])
    whose = {"user_id": team.user_id}
    asked = {"user_id": team.user_id, "query": "What is the offer?"}
    for reader, seen in SEEN.items():
        client = team.of(reader)
        vector = {"user_id": team.user_id, "embedding": [1.0] * 384, "k": 100}
        read = [
            await client.get("/v1/resources", params=whose),
            await client.get("/v1/resources", params=whose | {"search": "offer"}),
            await client.get("/v1/items", params=whose | {"include": "vector"}),
            await client.post("/v1/retrieve", json=asked | {"k": 100}),
            await client.post("/v1/items/search", json=vector),
            await client.post("/v1/recall", json=asked),
        ]
        for answer in read:
            assert {agent for agent in SEEN if f"qz{agent}" in answer.text} == seen, (reader, answer.text)
        stats = (await client.get("/v1/memory/stats", params=whose)).json()
        assert (stats["total_resources"], stats["total_items"]) == (len(seen), len(seen))
        events = (await client.get("/v1/events", params=whose)).text
        assert {agent for agent, ids in kept.items() if ids[0] in events} == seen
        for agent, (resource_id, item_id) in kept.items():
            for path in (f"/v1/resources/{resource_id}", f"/v1/items/{item_id}"):
                status = (await client.get(path, params=whose)).status_code
                assert status == (200 if agent in seen else 404), (reader, agent)


async def test_what_all_users_share_is_read_by_all_and_changed_with_the_scope_global_alone(
    memory: AsyncMemoryClient, admin: AsyncMemoryClient
) -> None:
    resource_id = await keep(admin, visibility="global")
    stored = await admin.store_items(
        user_id="ben", visibility="global", items=[{"content": PRO, "source_resource_id": resource_id}]
    )
    (item,) = stored.items
    for user_id in (USER, "ben", "somebody"):
        assert (await memory.resource(resource_id, user_id=user_id)).visibility == "global"
        found = await memory.retrieve(user_id=user_id, query="What does Pro cost?")
        assert [one.item_id for one in found.items] == [item.item_id]
    for refused in (
        keep(memory, visibility="global"),
        memory.forget_resource(resource_id, user_id=USER),
        memory.forget_item(item.item_id, user_id=USER),
        memory.extract_resource(resource_id, user_id=USER),
    ):
        with pytest.raises(Forbidden):
            await refused
    assert (await admin.forget_resource(resource_id, user_id=USER)).forgotten == 1
    with pytest.raises(ResourceNotFoundError):
        await memory.resource(resource_id, user_id="ben")


async def test_without_a_user_it_is_what_all_users_share(memory: AsyncMemoryClient, admin: AsyncMemoryClient) -> None:
    resource_id = await keep(admin, user_id=None)
    own = await keep(memory)
    assert [one.resource_id for one in (await admin.resources()).items] == [resource_id]
    assert {one.resource_id for one in (await memory.resources(USER)).items} == {resource_id, own}
    with pytest.raises(Forbidden, match="no user is named"):
        await memory.resources()
    with pytest.raises(Forbidden, match="no user is named"):
        await keep(memory, user_id=None)
    job = await admin.extract_resource(resource_id)
    assert (job.user_id, (await admin.job(job.id)).id) == ("", job.id)


async def test_what_a_bound_key_asks_without_a_user_is_its_own_users(gateway: RealGateway, tenant: str) -> None:
    async with gateway.memory(await gateway.key(tenant, user_id=USER)) as bound:
        resource_id = await keep(bound, user_id=None)
        assert (await bound.resource(resource_id)).visibility == "shared"
        with pytest.raises(Forbidden):
            await bound.resource(resource_id, user_id="ben")


async def test_a_recall_shows_what_was_curated(memory: AsyncMemoryClient) -> None:
    item_id = await state(memory, await keep(memory))
    await memory.remember(user_id=USER, messages=({"content": "I moved to Porto."},))
    answer = await memory.recall(user_id=USER, query="What does Pro cost a month?", explain=True)
    assert answer.tiers["catalog"].status == "ok"
    assert f"## RELEVANT KNOWLEDGE\n- {PRO} (relevance: " in answer.context
    (shown,) = [one for one in answer.memories if one.tier == "catalog"]
    assert (shown.id, shown.in_context, shown.metadata["category"]) == (item_id, True, None)
    assert "words" in cast("dict[str, Json]", shown.explain)
    nothing_else = await memory.recall(user_id=USER, query="Where did I move to?")
    assert "RELEVANT KNOWLEDGE" not in nothing_else.context


async def test_a_recall_as_of_a_moment_knows_nothing_later(memory: AsyncMemoryClient) -> None:
    resource_id = await keep(memory, occurred_at="2025-05-01T00:00:00Z")
    await state(memory, resource_id, occurred_at="2025-05-01T00:00:00Z")
    for moment, known in (("2025-04-01T00:00:00Z", False), ("2025-06-01T00:00:00Z", True)):
        answer = await memory.recall(user_id=USER, query="What does Pro cost a month?", as_of=moment)
        assert (PRO in answer.context) is known
        found = await memory.retrieve(user_id=USER, query="What does Pro cost?", as_of=moment)
        assert bool(found.items) is known
