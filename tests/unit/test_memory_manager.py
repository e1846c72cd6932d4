"""The catalog's face: what document 002 promises of the manager and its layers, whatever stands behind the gateway."""

import logging

import pytest
from pydantic import JsonValue

from ragpp import MemoryConfig, MemoryManager, RetrievalMode
from ragpp.catalog import DEFAULT_CATEGORIES, MemoryItem
from ragpp.client import AsyncMemoryClient
from ragpp.errors import (
    CategoryExistsError,
    CategoryNotFoundError,
    Conflict,
    ConsolidationError,
    EmbeddingError,
    InvalidInput,
    ResourceNotFoundError,
    StorageError,
    TierUnavailable,
    VectorIndexError,
)
from tests.support import values
from tests.support.each import each_case
from tests.support.knowing import NOON, KnowingGateway

PRICES = "Basic costs $99 a month.\nPro costs $299 a month.\n" + "It is billed yearly. " * 20
WHAT = "What it costs, and what is in it"


def item(identifier: str, source: str, content: str = "Basic costs $99 a month.", **more: object) -> MemoryItem:
    return values.item(NOON, content, item_id=identifier, source_resource_id=source, **more)


async def test_what_is_stored_comes_back_whole_and_says_whose_it_is(
    memory: MemoryManager, gateway: KnowingGateway
) -> None:
    """The gateway's answer has the first 200 characters alone."""
    metadata: dict[str, JsonValue] = {"agent_name": "sales_agent", "session_id": "sess_abc123", "messages": 2}
    stored = await memory.store_resource(content=PRICES, resource_type="conversation", metadata=metadata)
    assert (stored.content, stored.metadata) == (PRICES, metadata)
    assert stored.resource_id.startswith("res_")
    assert (stored.session_id, stored.agent_id) == ("sess_abc123", "sales")
    assert gateway.users == {"u1"}


@each_case(("content", "kind"), [("x", "A poem"), ("", "document"), ("x" * 1_000_001, "document")])
async def test_what_cannot_be_a_resource_is_a_value_error_and_nothing_is_sent(
    memory: MemoryManager, gateway: KnowingGateway, content: str, kind: str
) -> None:
    with pytest.raises(ValueError, match=r"resource_type|content"):
        await memory.store_resource(content, kind)
    assert gateway.seen == []


async def test_a_store_that_fails_is_raised(memory: MemoryManager, gateway: KnowingGateway) -> None:
    gateway.broken["/v1/resources"] = StorageError("the disk is full")
    with pytest.raises(StorageError):
        await memory.store_resource("x", "document")


async def test_extraction_waits_for_its_job_and_answers_every_item_in_its_order_with_its_vector(
    memory: MemoryManager, gateway: KnowingGateway
) -> None:
    """A page of the list has two, and one line is another resource's already."""
    gateway.polls_before_done = 2
    first = await memory.store_resource("Pro costs $299 a month.", "document")
    await memory.extract_and_store(first.resource_id)
    second = await memory.store_resource(
        "Basic costs $99 a month.\nPro costs $299 a month.\nSupport answers within a day.", "document"
    )
    items = await memory.extract_and_store(second.resource_id, category_hint="product_knowledge")
    assert [one.content for one in items] == second.content.splitlines()
    assert [one.source_resource_id for one in items] == [second.resource_id, first.resource_id, second.resource_id]
    assert items[0].category == "product_knowledge"
    assert all(one.embedding for one in items)
    assert await memory.extract_and_store(second.resource_id) == items


@each_case("told", ["MEM-005 Extraction failed: no facts", "KeyError at ragpp_services.workers:1 in x"])
async def test_an_extraction_that_fails_is_a_warning_and_no_items(
    memory: MemoryManager, gateway: KnowingGateway, caplog: pytest.LogCaptureFixture, told: str
) -> None:
    gateway.fails["extract"] = told
    caplog.clear()
    stored = await memory.store_resource(PRICES, "document")
    with caplog.at_level(logging.WARNING, logger="ragpp.memory"):
        assert await memory.extract_and_store(stored.resource_id) == []
    (record,) = caplog.records
    assert "Extraction failed" in record.getMessage()
    assert stored.resource_id in record.getMessage()
    assert "Basic" not in record.getMessage()


async def test_an_extraction_that_the_workers_gave_up_is_a_warning_and_no_items(
    memory: MemoryManager, gateway: KnowingGateway, caplog: pytest.LogCaptureFixture
) -> None:
    """After its retries such a job is done, lest it fail for ever."""
    gateway.ends_with["extract"] = {"item_ids": [], "item_count": 0, "fallback": "MEM-005"}
    stored = await memory.store_resource(PRICES, "document")
    assert await memory.extract_and_store(stored.resource_id) == []
    assert "Extraction failed" in caplog.text


async def test_a_resource_that_goes_while_it_waits_is_not_there_and_not_empty(
    memory: MemoryManager, gateway: KnowingGateway
) -> None:
    gateway.ends_with["extract"] = {"gone": True}
    stored = await memory.store_resource(PRICES, "document")
    with pytest.raises(ResourceNotFoundError):
        await memory.extract_and_store(stored.resource_id)


async def test_a_default_category_is_created_where_it_is_hinted_at_and_another_is_an_error(
    memory: MemoryManager, gateway: KnowingGateway
) -> None:
    """Document 002's own example files facts under one that nobody created."""
    stored = await memory.store_resource("Pro costs $299 a month.", "document")
    (one,) = await memory.extract_and_store(stored.resource_id, category_hint="product_knowledge")
    assert one.category == "product_knowledge"
    assert gateway.categories["product_knowledge"].description == DEFAULT_CATEGORIES["product_knowledge"]
    with pytest.raises(CategoryNotFoundError):
        await memory.extract_and_store(stored.resource_id, category_hint="product_knowlege")
    assert set(gateway.categories) == {"product_knowledge"}


async def test_an_embedding_that_fails_is_raised(memory: MemoryManager, gateway: KnowingGateway) -> None:
    gateway.fails["extract"] = "MEM-004 Embedding failed: the endpoint refuses the key, from APIError at x:1"
    stored = await memory.store_resource(PRICES, "document")
    with pytest.raises(EmbeddingError, match="refuses the key"):
        await memory.extract_and_store(stored.resource_id)


async def test_what_there_is_not_cannot_be_extracted_from(memory: MemoryManager) -> None:
    with pytest.raises(ResourceNotFoundError):
        await memory.extract_and_store("res_none")


async def test_workers_that_do_not_get_to_it_are_told_of_and_not_waited_for_without_end(
    gateway: KnowingGateway,
) -> None:
    gateway.polls_before_done = 1_000
    async with AsyncMemoryClient("http://gateway", "k", retries=0, transport=gateway) as client:
        memory = MemoryManager(client=client, patience_s=0.01)
        stored = await memory.store_resource(PRICES, "document")
        with pytest.raises(TierUnavailable, match="workers") as caught:
            await memory.extract_and_store(stored.resource_id)
    assert any("ragpp jobs show" in one for one in caught.value.suggestions)


async def test_a_question_takes_its_defaults_from_the_configuration(memory: MemoryManager) -> None:
    stored = await memory.store_resource("\n".join(f"Fact number {n}." for n in range(8)), "document")
    await memory.extract_and_store(stored.resource_id)
    assert len((await memory.retrieve("Which facts?")).items) == 5
    assert len((await memory.retrieve("Which facts?", RetrievalMode.RAG, k=7)).items) == 7
    three = MemoryManager(client=memory._whose.client, config=MemoryConfig(default_k=3))
    result = await three.retrieve("Which facts?", mode=RetrievalMode.HYBRID)
    assert len(result.items) == 3
    assert result.mode_used.value == "rag"


@each_case(
    "asked",
    [
        {"query": ""},
        {"query": "x" * 10_001},
        {"query": "x", "k": 0},
        {"query": "x", "k": 101},
        {"query": "x", "mode": "guess"},
        {"query": "x", "escalation_threshold": -0.1},
    ],
)
async def test_a_question_that_cannot_be_is_a_value_error(memory: MemoryManager, asked: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        await memory.retrieve(**asked)  # type: ignore[arg-type]  # on purpose


async def test_a_category_that_is_not_there_is_named_with_those_that_are(memory: MemoryManager) -> None:
    await memory.create_category("lead_preferences", WHAT)
    with pytest.raises(CategoryNotFoundError) as caught:
        await memory.get_category_content("prices")
    assert caught.value.details["available"] == ["lead_preferences"]
    with pytest.raises(CategoryNotFoundError):
        await memory.retrieve("x", category_filter="prices")
    with pytest.raises(CategoryNotFoundError):
        await memory.consolidate_category("prices")


async def test_a_page_is_made_and_answered_and_one_that_cannot_be_made_stays_and_is_told(
    memory: MemoryManager, gateway: KnowingGateway
) -> None:
    await memory.create_category("product_knowledge", WHAT)
    assert await memory.get_category_content("product_knowledge") == "*No items yet.*"
    stored = await memory.store_resource("Pro costs $299 a month.", "document")
    await memory.extract_and_store(stored.resource_id, category_hint="product_knowledge")
    made = await memory.consolidate_category("product_knowledge")
    assert made == "- Pro costs $299 a month."
    gateway.fails["consolidate"] = "MEM-006 Consolidation failed: the model declined"
    with pytest.raises(ConsolidationError):
        await memory.consolidate_category("product_knowledge", force=True)
    assert await memory.get_category_content("product_knowledge") == made


async def test_categories_are_listed_by_name_all_of_them(memory: MemoryManager) -> None:
    for name in ("plans", "answers", "objections", "leads", "wins"):
        await memory.create_category(name, WHAT)
    assert [one.name for one in await memory.list_categories()] == ["answers", "leads", "objections", "plans", "wins"]
    with pytest.raises(CategoryExistsError):
        await memory.create_category("plans", WHAT)
    for name, description in (("Not Snake", WHAT), ("x" * 65, WHAT), ("plan", "too short"), ("plan", "x" * 501)):
        with pytest.raises(ValueError, match=r"name|description"):
            await memory.create_category(name, description)


async def test_deleting_says_whether_there_was_anything(memory: MemoryManager, gateway: KnowingGateway) -> None:
    stored = await memory.store_resource("Pro costs $299 a month.", "document")
    await memory.extract_and_store(stored.resource_id)
    assert await memory.delete_resource(stored.resource_id, cascade=False)
    assert len(gateway.items) == 1
    assert not await memory.delete_resource(stored.resource_id)


async def test_the_resource_layer_lists_what_there_is_and_answers_none_for_what_there_is_not(
    memory: MemoryManager,
) -> None:
    layer = memory.resource_layer
    stored = [await layer.store(f"Note {n}", "document", {}) for n in range(5)]
    feedback = await layer.store("Great service", "feedback", {"rating": 5})
    assert await layer.get(stored[0].resource_id) == stored[0]
    assert await layer.get("res_none") is None
    assert [one.content for one in await layer.list_by_type("document")] == [f"Note {n}" for n in (4, 3, 2, 1, 0)]
    assert len(await layer.list_by_type("document", limit=3)) == 3
    assert await layer.list_recent(1) == [feedback]
    assert await layer.list_recent(0) == []
    assert await layer.search("service") == [feedback]
    assert await layer.search("service", "document") == []
    with pytest.raises(ValueError, match="resource_type"):
        await layer.list_by_type("poem")
    assert await layer.delete(feedback.resource_id)
    assert not await layer.delete(feedback.resource_id)


async def test_the_item_layer_keeps_what_it_is_given_and_finds_it_by_its_vector(memory: MemoryManager) -> None:
    source = (await memory.store_resource("Prices", "document")).resource_id
    layer = memory.item_layer
    near = await layer.store(item("item_near", source, embedding=(1.0, 0.0), category="prices"))
    assert (near.item_id, near.category) == ("item_near", "prices")
    rest = await layer.store_batch([item(f"item_{n}", source, f"Fact {n}", embedding=(0.0, 1.0)) for n in range(3)])
    assert [one.item_id for one in rest] == ["item_0", "item_1", "item_2"]
    assert await layer.get("item_near") == near
    assert await layer.get("item_none") is None
    assert {one.item_id for one in await layer.get_by_resource(source)} == {"item_near", "item_0", "item_1", "item_2"}
    assert await layer.get_by_category("prices") == [near]
    assert await layer.search_by_embedding([1.0, 0.0], k=1) == [(near, 1.0)]
    with pytest.raises(ResourceNotFoundError):
        await layer.store(item("item_lost", "res_none"))
    assert await layer.delete("item_near")
    assert not await layer.delete("item_near")
    with pytest.raises(Conflict, match="item_near"):
        await layer.store(near)
    assert await layer.store_batch([]) == []


async def test_the_index_is_made_anew_and_a_failure_is_raised(memory: MemoryManager, gateway: KnowingGateway) -> None:
    stored = await memory.store_resource("One fact.\nAnother fact.", "document")
    await memory.extract_and_store(stored.resource_id)
    assert await memory.rebuild_index() == await memory.item_layer.rebuild_index() == 2
    gateway.fails["rebuild"] = "OSError at ragpp_services.catalog:1 in rebuild"
    with pytest.raises(VectorIndexError):
        await memory.rebuild_index()


async def test_the_category_layer_takes_ids_and_names_for_what_they_are(memory: MemoryManager) -> None:
    layer = memory.category_layer
    made = await layer.create("product_knowledge", WHAT)
    assert await layer.get(made.category_id) == made
    assert await layer.get("product_knowledge") is None
    assert await layer.get_by_name("product_knowledge") == made
    assert await layer.get_by_name(made.category_id) is None
    assert await layer.get_by_name("none") is None
    edited = await layer.update_content(made.category_id, "# Ours")
    assert (edited.markdown_content, edited.edited) == ("# Ours", True)
    stored = await memory.store_resource("One fact.", "document")
    (fact,) = await memory.extract_and_store(stored.resource_id)
    assert (await layer.add_items(made.category_id, [fact.item_id, "item_none"])).item_ids == (fact.item_id,)
    assert [one.name for one in await layer.list_all()] == ["product_knowledge"]
    assert await layer.delete(made.category_id)
    assert not await layer.delete(made.category_id)


def is_healthy(memory: MemoryManager) -> bool:
    """The property, which a type checker takes to stay as it was."""
    return memory.is_healthy


async def test_it_is_healthy_once_all_parts_were_seen_to_be(memory: MemoryManager, gateway: KnowingGateway) -> None:
    assert not is_healthy(memory)
    health = await memory.check_health()
    assert health.ok
    assert is_healthy(memory)
    gateway.broken["/v1/retrieve"] = EmbeddingError("the endpoint is away")
    health = await memory.check_health()
    assert (health.storage.ok, health.index.ok, health.embedder.ok) == (True, True, False)
    assert "the endpoint is away" in health.embedder.detail
    assert not is_healthy(memory)


async def test_an_index_that_misses_items_is_not_well(memory: MemoryManager, gateway: KnowingGateway) -> None:
    stored = await memory.store_resource("One fact.\nAnother fact.", "document")
    (one, _) = await memory.extract_and_store(stored.resource_id)
    gateway.items[one.item_id] = one.model_copy(update={"embedding": None})
    health = await memory.check_health()
    assert (health.storage.ok, health.index.ok, health.embedder.ok) == (True, False, True)
    assert "1 of 2 items" in health.index.detail


async def test_a_gateway_that_is_away_is_found_out_on_entering_and_a_given_client_stays_open(
    gateway: KnowingGateway,
) -> None:
    gateway.broken["/"] = TierUnavailable("away")
    client = AsyncMemoryClient("http://gateway", "k", retries=0, transport=gateway)
    async with MemoryManager(client=client) as memory:
        assert not memory.is_healthy
    assert not gateway.closed
    await client.aclose()
    assert gateway.closed


async def test_how_much_there_is_is_told(memory: MemoryManager) -> None:
    stored = await memory.store_resource("One fact.\nAnother fact.", "document")
    await memory.extract_and_store(stored.resource_id)
    stats = await memory.get_stats()
    assert (stats.total_resources, stats.total_items, stats.vector_index_size) == (1, 2, 2)
