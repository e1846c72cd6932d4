"""How much a manager's lists answer where nobody says it, as document 002 §1 and §3 have it."""

import inspect
from collections.abc import Callable

from ragpp import MemoryManager
from ragpp.memory.layers import ItemLayer
from tests.support.each import each_case


async def test_the_ten_latest_of_all_and_the_hundred_latest_of_a_type(memory: MemoryManager) -> None:
    for number in range(101):
        await memory.store_resource(f"Note {number}", "document")
    recent = await memory.resource_layer.list_recent()
    assert [one.content for one in recent] == [f"Note {number}" for number in range(100, 90, -1)]
    documents = await memory.resource_layer.list_by_type("document")
    assert [one.content for one in documents] == [f"Note {number}" for number in range(100, 0, -1)]


async def test_five_items_are_nearest_and_a_deletion_takes_items_along(memory: MemoryManager) -> None:
    stored = await memory.store_resource("\n".join(f"Fact {number}." for number in range(7)), "document")
    taken = await memory.extract_and_store(stored.resource_id)
    vector = taken[0].embedding
    assert vector is not None
    assert len(await memory.item_layer.search_by_embedding(vector)) == 5
    assert await memory.delete_resource(stored.resource_id)
    assert await memory.item_layer.get_by_resource(stored.resource_id) == []
    assert await memory.resource_layer.get(stored.resource_id) is None


@each_case("by", [ItemLayer.retrieve_by_domain, ItemLayer.retrieve_by_task_type])
def test_ten_are_worth_most_of_a_domain_or_a_kind_of_task(by: Callable[..., object]) -> None:
    assert inspect.signature(by).parameters["top_k"].default == 10
