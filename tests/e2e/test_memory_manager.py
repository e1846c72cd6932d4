"""The catalog's face on the real stores: its layers, the demonstration, and the example of ours."""

import re
from collections.abc import AsyncIterator

import pytest

from ragpp import MemoryManager, RetrievalMode
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Forbidden, RetrievalError
from tests.support.real_gateway import RealGateway, done
from tests.support.source import module_of

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]


@pytest.fixture
async def manager(memory: AsyncMemoryClient) -> AsyncIterator[MemoryManager]:
    async with MemoryManager(client=memory, user_id="u1") as manager:
        assert manager.is_healthy
        yield manager


async def test_layers_keep_find_and_delete_as_the_document_has_it(
    gateway: RealGateway, tenant: str, manager: MemoryManager
) -> None:
    resources, items, categories = manager.resource_layer, manager.item_layer, manager.category_layer
    text = "The office in Lisbon opens at nine.\nThe parking garage has 40 places."
    source = await resources.store(text, "document", {"title": "Office"})
    assert await resources.search("Lisbon office", "document") != []
    assert await resources.search("Lisbon office", "feedback") == []
    taken = await done(gateway, tenant, manager.extract_and_store(source.resource_id))
    assert {one.content.rstrip(".") for one in taken} == {line.rstrip(".") for line in text.splitlines()}
    assert taken == await done(gateway, tenant, manager.extract_and_store(source.resource_id))
    first = taken[0]
    assert first.embedding is not None
    (best, score), (_, lower) = await items.search_by_embedding(first.embedding, 2)
    assert best.item_id == first.item_id
    assert 1 >= score > lower
    category = await categories.create("office_life", "What the offices have, and when they are open")
    linked = await categories.add_items(category.category_id, [one.item_id for one in taken])
    assert linked.item_count == 2
    assert {one.item_id for one in await items.get_by_category("office_life")} == {one.item_id for one in taken}
    page = await done(gateway, tenant, manager.consolidate_category("office_life"))
    assert "40 places" in page
    assert (await categories.update_content(category.category_id, "# Ours")).edited
    assert await done(gateway, tenant, manager.consolidate_category("office_life")) == "# Ours"
    assert "40 places" in await done(gateway, tenant, manager.consolidate_category("office_life", force=True))
    assert await done(gateway, tenant, manager.rebuild_index()) >= 2
    assert (await manager.retrieve("How many places has the garage?", RetrievalMode.RAG, k=1)).items[0].content in page
    assert await manager.delete_resource(source.resource_id)
    assert not await manager.delete_resource(source.resource_id)
    assert await items.get(first.item_id) is None
    assert "40 places" not in await manager.get_category_content("office_life")
    assert await categories.delete(category.category_id)


async def test_an_item_of_ones_own_has_its_vector_made_and_its_resource_named(
    gateway: RealGateway, tenant: str, manager: MemoryManager
) -> None:
    source = await manager.store_resource("The garage has 40 places.", "document")
    (taken,) = await done(gateway, tenant, manager.extract_and_store(source.resource_id))
    mine = taken.model_copy(
        update={"item_id": "item_mine", "content": "The roof was renewed in 2021.", "embedding": None}
    )
    kept = await manager.item_layer.store(mine)
    assert (kept.item_id, kept.source_resource_id) == ("item_mine", source.resource_id)
    found = await manager.item_layer.get("item_mine")
    assert found is not None
    assert found.embedding is not None
    assert {one.item_id for one in await manager.item_layer.get_by_resource(source.resource_id)} == {
        "item_mine",
        taken.item_id,
    }


async def test_without_a_language_model_hybrid_says_why_it_did_not_ask_one_and_llm_what_to_do(
    manager: MemoryManager,
) -> None:
    result = await manager.retrieve("Why is the sky blue?")
    assert (result.items, result.escalated) == ((), False)
    assert result.escalation_reason
    with pytest.raises(RetrievalError) as caught:
        await manager.retrieve("Why is the sky blue?", RetrievalMode.LLM)
    assert caught.value.suggestions


async def test_without_a_user_it_is_everybodys_memory_for_a_key_that_may_and_for_no_other(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    with pytest.raises(Forbidden):
        await MemoryManager(client=memory).get_stats()
    async with gateway.memory(await gateway.key(tenant, "read", "write", "global")) as client:
        everybodys = MemoryManager(client=client)
        stored = await everybodys.store_resource("The head office is in Porto.", "document")
        assert stored.visibility == "global"
        await done(gateway, tenant, everybodys.extract_and_store(stored.resource_id))
    found = await MemoryManager(client=memory, user_id="u1").retrieve("Where is the head office?", k=1)
    assert [one.visibility for one in found.items] == ["global"]


async def test_the_demonstration_shows_facts_a_page_with_its_sources_and_a_recall_that_knows_the_price(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient, capsys: pytest.CaptureFixture[str]
) -> None:
    await done(gateway, tenant, module_of("infra/scripts/catalog_demo.py").show(memory))
    said = capsys.readouterr().out
    page, recalled = said.split("The page of")[1].split("An assistant")
    assert re.search(r"- The Studio plan costs \$89 a month \[\^\d\]$", page, re.MULTILINE)
    assert "~~The Studio plan costs $79 a month~~" in page
    assert 'Extracted from conversation "Call with a bakery"' in page
    assert "## RELEVANT KNOWLEDGE\n  │ - The Studio plan costs $89 a month" in recalled


async def test_the_example_answers_its_question_each_time_that_it_is_run(
    gateway: RealGateway, tenant: str, manager: MemoryManager
) -> None:
    example = module_of("examples/curated_knowledge.py")
    for _ in range(2):
        answer, page = await done(gateway, tenant, example.main(manager))
        assert answer.rstrip(".") == "A refund takes 5 working days"
        assert page.startswith("# Shop Rules")
