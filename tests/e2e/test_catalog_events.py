"""The ledger's events of the catalog are those that document 002 §4 lists, without anything that was said."""

from typing import Final

import pytest

from ragpp.catalog import CatalogEvent
from ragpp.client import AsyncMemoryClient
from ragpp.models import Scope
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

USER: Final = "ann"
SAID: Final = "The Qzplan costs $299 a month."
PAYLOADS: Final = {
    "memory.resource_stored": {"resource_id", "resource_type", "content_length"},
    "memory.items_extracted": {"resource_id", "item_ids", "item_count", "categories", "extraction_time_ms"},
    "memory.category_created": {"category_id", "name"},
    "memory.category_consolidated": {"category_id", "name", "item_count", "content_length", "consolidation_time_ms"},
    "memory.category_updated": {"category_id", "name"},
    "memory.category_deleted": {"category_id", "name"},
    "memory.item_deleted": {"item_id"},
    "memory.resource_deleted": {"resource_id"},
}
"""The least that an event of a kind tells, also when what it is about is gone: names of metadata go with it."""


async def told(memory: AsyncMemoryClient) -> list[CatalogEvent]:
    """The first first."""
    return list(reversed((await memory.events(USER, limit=200)).items))


async def test_each_change_is_one_event_that_says_what_the_document_lists_and_no_word_of_it(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    await memory.create_category(user_id=USER, name="prices", description="What the Qzplan costs, and what it has")
    await memory.store_resource(
        user_id=USER,
        id="r1",
        resource_type="document",
        content=SAID,
        metadata={"title": "Qztitle"},
        session_id="s1",
        extract=True,
        category_hint="prices",
    )
    await gateway.digest(tenant)
    await memory.consolidate_category("prices", user_id=USER)
    await gateway.digest(tenant)
    page = (await memory.category("prices", user_id=USER)).markdown_content
    assert "Qzplan" in page
    await memory.edit_category("prices", user_id=USER, content="# Qzprices")
    (item,) = (await memory.items(USER)).items
    await memory.forget_item(item.item_id, user_id=USER)
    (stored,) = [event for event in await told(memory) if event.event_type == "memory.resource_stored"]
    await memory.forget_resource("r1", user_id=USER)
    await memory.delete_category("prices", user_id=USER)
    events = await told(memory)
    by_kind = {event.event_type: event for event in events}
    for kind, fields in PAYLOADS.items():
        assert fields <= set(by_kind[kind].payload), kind
    assert "Qz" not in "".join(event.model_dump_json() for event in events)
    assert "metadata_keys" not in by_kind["memory.resource_stored"].payload
    extracted = by_kind["memory.items_extracted"]
    assert stored.payload == {
        "resource_id": "r1",
        "resource_type": "document",
        "content_length": len(SAID),
        "metadata_keys": ["title"],
    }
    assert extracted.payload["item_ids"] == [item.item_id]
    assert (extracted.payload["item_count"], extracted.payload["categories"]) == (1, ["prices"])
    took_ms = extracted.payload["extraction_time_ms"]
    assert isinstance(took_ms, float)
    assert took_ms > 0
    assert by_kind["memory.category_consolidated"].payload["content_length"] == len(page)
    assert (stored.session_id, extracted.session_id) == ("s1", "s1")
    numbers = [int(event.event_id) for event in events]
    assert numbers == sorted(set(numbers))


async def test_what_goes_for_its_age_is_told(gateway: RealGateway, tenant: str, memory: AsyncMemoryClient) -> None:
    await memory.store_resource(user_id=USER, id="r1", resource_type="document", content=SAID)
    assert await gateway.worker.catalog.expire(Scope(tenant_id=tenant, user_id=USER), ["r1"]) == 1
    (event,) = (await memory.events(USER, event_type="memory.entry_expired")).items
    assert event.payload == {"resource_id": "r1"}
    assert (await memory.resource("r1", user_id=USER)).is_stub
