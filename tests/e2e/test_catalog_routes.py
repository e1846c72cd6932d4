"""The catalog over HTTP: what is kept is read back, by those who may see it, and goes when it is to go."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final, cast

import httpx
import pytest

from ragpp.api import ResourceIn
from ragpp.catalog import DEFAULT_CATEGORIES
from ragpp.client import MemoryClient
from ragpp.errors import CategoryNotFoundError, Conflict, Forbidden, InvalidInput, ResourceNotFoundError, RetrievalError
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.team import Team, read

pytestmark = pytest.mark.server

USER: Final = "ann"
PRICES: Final = "Basic costs $99 a month. Pro costs $299 a month and has API access."
PRO: Final = "Pro costs $299 a month."
SECRET: Final = "my password is hunter2secret!9"


@pytest.fixture
async def admin(gateway: RealGateway, tenant: str) -> AsyncIterator[MemoryClient]:
    """A client that may also write what all users of the tenant share."""
    async with gateway.memory(await gateway.key(tenant, "read", "write", "forget", "global")) as client:
        yield client


async def keep(memory: MemoryClient, content: str = PRICES, user_id: str | None = USER, **fields: object) -> str:
    body = ResourceIn.model_validate({"user_id": user_id, "resource_type": "document", "content": content, **fields})
    stored = await memory.store_resource(body)
    return stored.resource.resource_id


async def state(memory: MemoryClient, resource_id: str, content: str = PRO, **fields: object) -> str:
    items = [{"content": content, "source_resource_id": resource_id, **fields}]
    stored = await memory.store_items(user_id=USER, items=items)
    (item,) = stored.items
    return item.item_id


async def test_a_resource_is_read_back_as_it_is_but_for_secrets(memory: MemoryClient) -> None:
    stored = await memory.store_resource(
        user_id=USER,
        resource_type="document",
        content=f"{PRICES}\n{SECRET}",
        metadata={"title": "Prices", "password": "tiger"},
        session_id="s1",
    )
    assert stored.redactions == 2
    kept = await memory.resource(stored.resource.resource_id, user_id=USER)
    assert kept.content.startswith(PRICES)
    assert "hunter2" not in kept.content
    assert kept.metadata["title"] == "Prices"
    assert kept.metadata["password"] != "tiger"
    assert (kept.resource_type, kept.session_id, kept.visibility) == ("document", "s1", "shared")
    assert kept.resource_id.startswith("res_")


async def test_repeating_a_write_is_harmless_and_other_content_under_its_id_is_refused(memory: MemoryClient) -> None:
    first, again = [
        await memory.store_resource(user_id=USER, id="r1", resource_type="document", content=PRICES) for _ in range(2)
    ]
    assert (first.duplicate, again.duplicate) == (False, True)
    assert first.resource == again.resource
    with pytest.raises(Conflict):
        await memory.store_resource(user_id=USER, id="r1", resource_type="document", content="other")


async def test_what_was_deleted_is_gone_with_its_items_and_stays_gone_under_its_id(memory: MemoryClient) -> None:
    resource_id = await keep(memory, id="r1")
    item_id = await state(memory, resource_id)
    assert (await memory.forget_resource(resource_id, user_id=USER)).forgotten == 1
    with pytest.raises(ResourceNotFoundError):
        await memory.resource(resource_id, user_id=USER)
    assert (await memory.items(USER)).items == ()
    found = await memory.retrieve(user_id=USER, query="What does Pro cost?")
    assert item_id not in {item.item_id for item in found.items}
    with pytest.raises(Conflict, match="was deleted"):
        await keep(memory, id="r1")


async def test_without_cascade_a_stub_keeps_its_items_sourced(memory: MemoryClient) -> None:
    resource_id = await keep(memory)
    item_id = await state(memory, resource_id)
    await memory.forget_resource(resource_id, user_id=USER, cascade=False)
    stub = await memory.resource(resource_id, user_id=USER)
    assert (stub.is_stub, stub.content) == (True, "")
    assert (await memory.item(item_id, user_id=USER)).source_resource_id == resource_id


async def test_resources_are_listed_by_kind_and_session_and_found_by_their_words(memory: MemoryClient) -> None:
    prices = await keep(memory, session_id="s1")
    hours = await keep(memory, "The office closes at six.", resource_type="config")
    assert [one.resource_id for one in (await memory.resources(USER)).items] == [hours, prices]
    assert [one.resource_id for one in (await memory.resources(USER, resource_type="config")).items] == [hours]
    assert [one.resource_id for one in (await memory.resources(USER, session_id="s1")).items] == [prices]
    assert [one.resource_id for one in (await memory.resources(USER, search="office hours")).items] == [hours]
    with pytest.raises(InvalidInput, match="cursor"):
        await memory.resources(USER, search="office", cursor="x")


async def test_a_million_characters_of_four_bytes_are_kept(memory: MemoryClient) -> None:
    content = "🜁" * 999_990 + "Otto lives"
    resource_id = await keep(memory, content)
    assert (await memory.resource(resource_id, user_id=USER)).content == content
    with pytest.raises(InvalidInput):
        await memory.store_resource(user_id=USER, resource_type="document", content=content + "!")


async def test_an_item_has_a_source_and_a_category_that_exist(memory: MemoryClient) -> None:
    with pytest.raises(ResourceNotFoundError):
        await state(memory, "res_none")
    resource_id = await keep(memory)
    with pytest.raises(CategoryNotFoundError) as missing:
        await state(memory, resource_id, category="product_knowledge")
    assert missing.value.suggestions
    await memory.create_default_categories(user_id=USER)
    item_id = await state(memory, resource_id, category="product_knowledge", importance="high", domain="sales")
    item = await memory.item(item_id, user_id=USER, include="vector")
    assert (item.content, item.category, item.importance, item.domain) == (PRO, "product_knowledge", "high", "sales")
    assert item.embedding is not None
    assert (await memory.item(item_id, user_id=USER)).embedding is None


async def test_what_says_the_same_is_one_item_in_the_answer(memory: MemoryClient) -> None:
    first, second = await keep(memory), await keep(memory, f"Our offer. {PRO}")
    stored = await memory.store_items(
        user_id=USER, items=[{"content": PRO, "source_resource_id": source} for source in (first, second)]
    )
    one, same = stored.items
    assert one == same
    assert one.also_in == (second,)


async def test_a_thousand_items_are_answered_in_their_order(memory: MemoryClient) -> None:
    sources = [await keep(memory), await keep(memory, "More prices.")]
    items = [
        {"content": f"Plan {number} costs ${number} a month.", "source_resource_id": sources[number % 2]}
        for number in range(1_000)
    ]
    stored = await memory.store_items(user_id=USER, items=items)
    assert [item.content for item in stored.items] == [item["content"] for item in items]


async def test_what_a_resource_has_from_a_context_of_this_memory_is_no_new_item(
    gateway: RealGateway, tenant: str, memory: MemoryClient
) -> None:
    pasted = f"Basic costs $99 a month.\n\n## RELEVANT KNOWLEDGE\n- {PRO} (relevance: 0.83)\n"
    resource_id = await keep(memory, pasted, extract=True)
    await gateway.digest(tenant)
    taken = [item.content for item in (await memory.items(USER, resource_id=resource_id)).items]
    assert any("$99" in content for content in taken)
    assert not any("$299" in content for content in taken)
    (job,) = (await memory.jobs(USER, stage="catalog")).items
    result = cast("dict[str, list[dict[str, Json]]]", (await memory.job(job.id)).result)
    assert [one["content"] for one in result["items"]] == taken


async def test_questions_become_events_only_where_that_is_wanted(gateway: RealGateway, memory: MemoryClient) -> None:
    await memory.retrieve(user_id=USER, query="qzquestion")
    assert (await memory.events(USER)).items == ()
    gateway.app.state.parts = replace(gateway.parts, record_retrievals=True)
    try:
        await memory.retrieve(user_id=USER, query="qzquestion")
    finally:
        gateway.app.state.parts = gateway.parts
    (event,) = (await memory.events(USER)).items
    assert (event.event_type, event.payload["result_count"]) == ("memory.retrieval_performed", 0)
    assert "qzquestion" not in event.model_dump_json()


async def test_an_item_that_was_deleted_is_told_of_and_not_stored_again(memory: MemoryClient) -> None:
    resource_id = await keep(memory)
    item_id = await state(memory, resource_id, id="i1")
    assert (await memory.forget_item(item_id, user_id=USER)).forgotten == 1
    again = await memory.store_items(
        user_id=USER, items=[{"id": "i1", "content": PRO, "source_resource_id": resource_id}]
    )
    assert (again.items, again.forgotten) == ((), ("i1",))


async def test_an_item_that_is_deleted_is_no_longer_pinned(gateway: RealGateway, tenant: str) -> None:
    async with gateway.client(await gateway.key(tenant, "read", "write", "forget")) as api:
        kept = {"user_id": USER, "id": "r1", "resource_type": "document", "content": PRICES}
        assert (await api.post("/v1/resources", json=kept)).is_success
        items = [{"id": "i1", "content": PRO, "source_resource_id": "r1"}]
        assert (await api.post("/v1/items", json={"user_id": USER, "items": items})).is_success
        assert (await api.put(f"/v1/users/{USER}/pins/catalog/i1")).is_success
        assert (await api.delete("/v1/items/i1", params={"user_id": USER})).is_success
        assert (await api.get(f"/v1/users/{USER}/pins")).json() == {"pins": []}


async def test_items_are_found_by_a_vector(memory: MemoryClient) -> None:
    resource_id = await keep(memory)
    wanted = await state(memory, resource_id)
    await state(memory, resource_id, "The office closes at six.")
    vector = (await memory.item(wanted, user_id=USER, include="vector")).embedding
    found = await memory.search_items(user_id=USER, embedding=vector, k=1)
    assert [item.item_id for item in found.items] == [wanted]
    with pytest.raises(InvalidInput, match="384"):
        await memory.search_items(user_id=USER, embedding=(1.0, 0.0))


async def test_a_question_is_answered_by_words_and_meaning_and_says_why_no_model_was_asked(
    memory: MemoryClient,
) -> None:
    resource_id = await keep(memory)
    item_id = await state(memory, resource_id)
    hybrid, rag = [
        await memory.retrieve(user_id=USER, query="What does Pro cost?", mode=mode) for mode in ("hybrid", "rag")
    ]
    assert hybrid.items[0].item_id == item_id
    assert (hybrid.mode_used, hybrid.escalated) == ("rag", False)
    assert "language model" in str(hybrid.escalation_reason)
    assert rag.escalation_reason is None
    with pytest.raises(RetrievalError):
        await memory.retrieve(user_id=USER, query="What does Pro cost?", mode="llm")
    with pytest.raises(CategoryNotFoundError):
        await memory.retrieve(user_id=USER, query="What does Pro cost?", category_filter="nothing")


async def test_the_question_is_audited_by_its_hash_alone(
    gateway: RealGateway, tenant: str, api: httpx.AsyncClient
) -> None:
    answer = await api.post("/v1/retrieve", json={"user_id": USER, "query": "qzsecretquestion"})
    assert answer.status_code == 200
    (entry,) = await gateway.audited(tenant)
    assert (entry["action"], entry["user_id"]) == ("POST /v1/retrieve", USER)
    assert entry["query_sha256"]
    assert "qzsecretquestion" not in str(dict(entry))
    assert entry["query_sha256"] != sha256(b"qzsecretquestion").hexdigest(), "a guess must not be confirmed"


async def test_a_category_is_created_read_edited_and_deleted(memory: MemoryClient) -> None:
    made = await memory.create_category(user_id=USER, name="prices", description="What our plans cost")
    assert await memory.category("prices", user_id=USER) == made
    edited = await memory.edit_category("prices", user_id=USER, content="# Prices\n\nAsk Ada.\n")
    assert (edited.markdown_content, edited.edited) == ("# Prices\n\nAsk Ada.\n", True)
    item_id = await state(memory, await keep(memory), category="prices")
    assert (await memory.delete_category("prices", user_id=USER)).forgotten == 1
    with pytest.raises(CategoryNotFoundError):
        await memory.category("prices", user_id=USER)
    assert (await memory.item(item_id, user_id=USER)).category is None


async def test_the_defaults_are_created_once_with_the_documents_words(memory: MemoryClient) -> None:
    for _ in range(2):
        page = await memory.create_default_categories(user_id=USER)
        assert {one.name: one.description for one in page.items} == dict(DEFAULT_CATEGORIES)


async def test_items_move_into_a_category(memory: MemoryClient) -> None:
    await memory.create_category(user_id=USER, name="prices", description="What our plans cost")
    item_id = await state(memory, await keep(memory))
    moved = await memory.put_in_category("prices", user_id=USER, item_ids=[item_id, "item_none"])
    assert (moved.item_ids, moved.item_count) == ((item_id,), 1)
    assert [item.item_id for item in (await memory.items(USER, category="prices")).items] == [item_id]


async def test_slow_work_is_one_job_while_it_waits(memory: MemoryClient) -> None:
    resource_id = await keep(memory)
    await memory.create_category(user_id=USER, name="prices", description="What our plans cost")
    asked = [
        (
            await memory.extract_resource(resource_id, user_id=USER),
            await memory.consolidate_category("prices", user_id=USER),
            await memory.rebuild_index(user_id=USER),
        )
        for _ in range(2)
    ]
    assert asked[0] == asked[1]
    assert {(job.stage, job.state) for job in asked[0]} == {("catalog", "pending")}
    assert len({job.id for job in asked[0]}) == 3
    with pytest.raises(ResourceNotFoundError):
        await memory.extract_resource("res_none", user_id=USER)
    with pytest.raises(CategoryNotFoundError):
        await memory.consolidate_category("nothing", user_id=USER)


async def test_what_happened_is_told_without_content(memory: MemoryClient) -> None:
    resource_id = await keep(memory, "qzcontent of a document")
    await memory.forget_resource(resource_id, user_id=USER)
    events = await memory.events(USER, subject_id=resource_id)
    assert [event.event_type for event in events.items] == ["memory.resource_deleted", "memory.resource_stored"]
    assert "qzcontent" not in events.model_dump_json()
    stored = await memory.events(USER, event_type="memory.resource_stored")
    assert [event.payload["resource_id"] for event in stored.items] == [resource_id]


@pytest.mark.parametrize("cascade", [True, False])
async def test_names_of_metadata_go_with_their_resource(memory: MemoryClient, cascade: bool) -> None:
    going, staying = [await keep(memory, metadata={"qzname": number}) for number in range(2)]
    await memory.forget_resource(going, user_id=USER, cascade=cascade)
    told = [await memory.events(USER, subject_id=one, event_type="memory.resource_stored") for one in (going, staying)]
    assert [one.items[0].payload.get("metadata_keys") for one in told] == [None, ["qzname"]]


async def test_the_catalog_is_counted(memory: MemoryClient) -> None:
    resource_id = await keep(memory)
    await state(memory, resource_id)
    stats = await memory.memory_stats(USER)
    assert (stats.total_resources, stats.total_items, stats.resources_by_type) == (1, 1, {"document": 1})


MESSAGES: Final[list[dict[str, Json]]] = [
    {"name": "Ada", "content": "What does Pro cost?", "occurred_at": "2025-03-08T13:56:00Z"},
    {"role": "assistant", "content": PRO, "occurred_at": "2025-03-08T13:57:00Z"},
]


def conversation(messages: list[dict[str, Json]], **fields: object) -> ResourceIn:
    return ResourceIn.model_validate(
        {"user_id": USER, "resource_type": "conversation", "messages": messages, "session_id": "s1", **fields}
    )


async def test_a_remembered_conversation_is_interactions_as_well_and_repeating_it_is_harmless(
    memory: MemoryClient,
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
    gateway: RealGateway, memory: MemoryClient
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


async def test_what_is_forgotten_of_a_conversation_goes_out_of_its_resource(memory: MemoryClient) -> None:
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
    memory: MemoryClient, admin: MemoryClient
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


async def test_without_a_user_it_is_what_all_users_share(memory: MemoryClient, admin: MemoryClient) -> None:
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


async def test_a_recall_shows_what_was_curated(memory: MemoryClient) -> None:
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


async def test_a_recall_as_of_a_moment_knows_nothing_later(memory: MemoryClient) -> None:
    resource_id = await keep(memory, occurred_at="2025-05-01T00:00:00Z")
    await state(memory, resource_id, occurred_at="2025-05-01T00:00:00Z")
    for moment, known in (("2025-04-01T00:00:00Z", False), ("2025-06-01T00:00:00Z", True)):
        answer = await memory.recall(user_id=USER, query="What does Pro cost a month?", as_of=moment)
        assert (PRO in answer.context) is known
        found = await memory.retrieve(user_id=USER, query="What does Pro cost?", as_of=moment)
        assert bool(found.items) is known
