"""The catalog over HTTP: what is kept is read back, and goes when it is to go."""

from dataclasses import replace
from hashlib import sha256
from typing import Any, cast

import httpx
import pytest

from ragpp.catalog import DEFAULT_CATEGORIES, RESOURCE_TYPES
from ragpp.client import AsyncMemoryClient
from ragpp.errors import CategoryNotFoundError, Conflict, InvalidInput, ResourceNotFoundError, RetrievalError
from tests.support.curating import PRICES, PRO, SECRET, USER, keep, state
from tests.support.hostile import Json
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server


async def test_a_resource_is_read_back_as_it_is_but_for_secrets(memory: AsyncMemoryClient) -> None:
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


async def test_repeating_a_write_is_harmless_and_other_content_under_its_id_is_refused(
    memory: AsyncMemoryClient,
) -> None:
    first, again = [
        await memory.store_resource(user_id=USER, id="r1", resource_type="document", content=PRICES) for _ in range(2)
    ]
    assert (first.duplicate, again.duplicate) == (False, True)
    assert first.resource == again.resource
    with pytest.raises(Conflict):
        await memory.store_resource(user_id=USER, id="r1", resource_type="document", content="other")


async def test_what_was_deleted_is_gone_with_its_items_and_stays_gone_under_its_id(memory: AsyncMemoryClient) -> None:
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


async def test_without_cascade_a_stub_keeps_its_items_sourced(memory: AsyncMemoryClient) -> None:
    resource_id = await keep(memory)
    item_id = await state(memory, resource_id)
    await memory.forget_resource(resource_id, user_id=USER, cascade=False)
    stub = await memory.resource(resource_id, user_id=USER)
    assert (stub.is_stub, stub.content) == (True, "")
    assert (await memory.item(item_id, user_id=USER)).source_resource_id == resource_id


async def test_resources_are_listed_by_kind_and_session_and_found_by_their_words(memory: AsyncMemoryClient) -> None:
    prices = await keep(memory, session_id="s1")
    hours = await keep(memory, "The office closes at six.", resource_type="config")
    assert [one.resource_id for one in (await memory.resources(USER)).items] == [hours, prices]
    assert [one.resource_id for one in (await memory.resources(USER, resource_type="config")).items] == [hours]
    assert [one.resource_id for one in (await memory.resources(USER, session_id="s1")).items] == [prices]
    assert [one.resource_id for one in (await memory.resources(USER, search="office hours")).items] == [hours]
    with pytest.raises(InvalidInput, match="cursor"):
        await memory.resources(USER, search="office", cursor="x")


async def test_a_million_characters_of_four_bytes_are_kept(memory: AsyncMemoryClient) -> None:
    content = "🜁" * 999_990 + "Otto lives"
    resource_id = await keep(memory, content)
    assert (await memory.resource(resource_id, user_id=USER)).content == content
    with pytest.raises(InvalidInput):
        await memory.store_resource(user_id=USER, resource_type="document", content=content + "!")


async def test_an_item_has_a_source_and_a_category_that_exist(memory: AsyncMemoryClient) -> None:
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


async def test_what_says_the_same_is_one_item_in_the_answer(memory: AsyncMemoryClient) -> None:
    first, second = await keep(memory), await keep(memory, f"Our offer. {PRO}")
    stored = await memory.store_items(
        user_id=USER, items=[{"content": PRO, "source_resource_id": source} for source in (first, second)]
    )
    one, same = stored.items
    assert one == same
    assert one.also_in == (second,)


async def test_a_thousand_items_are_answered_in_their_order(memory: AsyncMemoryClient) -> None:
    sources = [await keep(memory), await keep(memory, "More prices.")]
    items = [
        {"content": f"Plan {number} costs ${number} a month.", "source_resource_id": sources[number % 2]}
        for number in range(1_000)
    ]
    stored = await memory.store_items(user_id=USER, items=items)
    assert [item.content for item in stored.items] == [item["content"] for item in items]


async def test_what_a_resource_has_from_a_context_of_this_memory_is_no_new_item(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
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


async def test_a_type_of_the_operators_is_kept_listed_and_read_as_a_document_and_no_other_is(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    text = "The studio plan costs $79 a month.\n\n" + "It has ten seats. " * 20
    given: dict[str, Any] = {"user_id": USER, "resource_type": "ticket", "content": text}
    with pytest.raises(InvalidInput, match="is none of conversation, document, config, feedback") as caught:
        await memory.store_resource(**given)
    assert "GATEWAY_RESOURCE_TYPES" in caught.value.suggestions[0]
    gateway.app.state.parts = replace(gateway.parts, resource_types=(*RESOURCE_TYPES, "ticket"))
    try:
        stored = (await memory.store_resource(**given, extract=True)).resource
        assert (stored.content, stored.content_truncated) == (text[:200], True)
        await gateway.digest(tenant)
        (one,) = (await memory.resources(USER, resource_type="ticket")).items
        assert (one.resource_id, one.content_truncated) == (stored.resource_id, True)
        with pytest.raises(InvalidInput, match="is none of"):
            await memory.resources(USER, resource_type="poem")
    finally:
        gateway.app.state.parts = gateway.parts
    whole = await memory.resource(stored.resource_id, user_id=USER)
    assert (whole.content, whole.resource_type, whole.content_truncated) == (text, "ticket", False)
    assert any("$79" in item.content for item in (await memory.items(USER)).items)
    assert (await memory.memory_stats(USER)).resources_by_type == {"ticket": 1}


async def test_questions_become_events_only_where_that_is_wanted(
    gateway: RealGateway, memory: AsyncMemoryClient
) -> None:
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


async def test_an_item_that_was_deleted_is_told_of_and_not_stored_again(memory: AsyncMemoryClient) -> None:
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


async def test_items_are_found_by_a_vector(memory: AsyncMemoryClient) -> None:
    resource_id = await keep(memory)
    wanted = await state(memory, resource_id)
    await state(memory, resource_id, "The office closes at six.")
    vector = (await memory.item(wanted, user_id=USER, include="vector")).embedding
    found = await memory.search_items(user_id=USER, embedding=vector, k=1)
    assert [item.item_id for item in found.items] == [wanted]
    with pytest.raises(InvalidInput, match="384"):
        await memory.search_items(user_id=USER, embedding=(1.0, 0.0))


async def test_a_question_is_answered_by_words_and_meaning_and_says_why_no_model_was_asked(
    memory: AsyncMemoryClient,
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


async def test_a_category_is_created_read_edited_and_deleted(memory: AsyncMemoryClient) -> None:
    made = await memory.create_category(user_id=USER, name="prices", description="What our plans cost")
    assert await memory.category("prices", user_id=USER) == made
    edited = await memory.edit_category("prices", user_id=USER, content="# Prices\n\nAsk Ada.\n")
    assert (edited.markdown_content, edited.edited) == ("# Prices\n\nAsk Ada.\n", True)
    item_id = await state(memory, await keep(memory), category="prices")
    assert (await memory.delete_category("prices", user_id=USER)).forgotten == 1
    with pytest.raises(CategoryNotFoundError):
        await memory.category("prices", user_id=USER)
    assert (await memory.item(item_id, user_id=USER)).category is None


async def test_the_defaults_are_created_once_with_the_documents_words(memory: AsyncMemoryClient) -> None:
    for _ in range(2):
        page = await memory.create_default_categories(user_id=USER)
        assert {one.name: one.description for one in page.items} == dict(DEFAULT_CATEGORIES)


async def test_items_move_into_a_category(memory: AsyncMemoryClient) -> None:
    await memory.create_category(user_id=USER, name="prices", description="What our plans cost")
    item_id = await state(memory, await keep(memory))
    moved = await memory.put_in_category("prices", user_id=USER, item_ids=[item_id, "item_none"])
    assert (moved.item_ids, moved.item_count) == ((item_id,), 1)
    assert [item.item_id for item in (await memory.items(USER, category="prices")).items] == [item_id]


async def test_slow_work_is_one_job_while_it_waits(memory: AsyncMemoryClient) -> None:
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


async def test_what_happened_is_told_without_content(memory: AsyncMemoryClient) -> None:
    resource_id = await keep(memory, "qzcontent of a document")
    await memory.forget_resource(resource_id, user_id=USER)
    events = await memory.events(USER, subject_id=resource_id)
    assert [event.event_type for event in events.items] == ["memory.resource_deleted", "memory.resource_stored"]
    assert "qzcontent" not in events.model_dump_json()
    stored = await memory.events(USER, event_type="memory.resource_stored")
    assert [event.payload["resource_id"] for event in stored.items] == [resource_id]


@pytest.mark.parametrize("cascade", [True, False])
async def test_names_of_metadata_go_with_their_resource(memory: AsyncMemoryClient, cascade: bool) -> None:
    going, staying = [await keep(memory, metadata={"qzname": number}) for number in range(2)]
    await memory.forget_resource(going, user_id=USER, cascade=cascade)
    told = [await memory.events(USER, subject_id=one, event_type="memory.resource_stored") for one in (going, staying)]
    assert [one.items[0].payload.get("metadata_keys") for one in told] == [None, ["qzname"]]


async def test_the_catalog_is_counted(memory: AsyncMemoryClient) -> None:
    resource_id = await keep(memory)
    await state(memory, resource_id)
    stats = await memory.memory_stats(USER)
    assert (stats.total_resources, stats.total_items, stats.resources_by_type) == (1, 1, {"document": 1})
