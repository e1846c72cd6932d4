"""The calls of document 002 run as it writes them, on the real stores, its imports renamed."""

import dataclasses
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import pytest

import ragpp
from ragpp import HybridRetriever, LLMRetriever, MemoryManager, RAGRetriever, RetrievalMode
from ragpp.catalog import DEFAULT_CATEGORIES
from ragpp.client import AsyncMemoryClient
from ragpp.errors import ConfigurationError
from ragpp.tools import builtin
from tests.support.documents import awaited, ran, sample
from tests.support.each import each_case
from tests.support.real_gateway import RealGateway, done

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
USER: Final = "u1"
SOURCE: Final = "User: What's your pricing?\nAssistant: The basic plan costs $99 a month."


@pytest.fixture
def manager(memory: AsyncMemoryClient) -> MemoryManager:
    return MemoryManager(client=memory, user_id=USER)


@pytest.fixture
async def bound(
    gateway: RealGateway, tenant: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[AsyncMemoryClient]:
    """The environment that `MemoryManager()` finds its gateway and user in, and a client of the same."""
    key = await gateway.key(tenant, user_id=USER)
    monkeypatch.setenv("RAGPP_URL", address)
    monkeypatch.setenv("RAGPP_API_KEY", key)
    async with gateway.memory(key) as client:
        yield client


async def test_a_resource_is_stored_by_a_manager_of_the_environment(
    bound: AsyncMemoryClient, capsys: pytest.CaptureFixture[str]
) -> None:
    left = await awaited("002.06", MemoryManager=MemoryManager)
    resource, manager = left["resource"], left["manager"]
    assert f"Stored resource: {resource.resource_id}\n" in capsys.readouterr().out
    assert (await bound.resource(resource.resource_id)).metadata["messages"] == 2
    assert (resource.session_id, resource.resource_type) == ("sess_abc123", "conversation")
    await awaited("002.21", manager=manager)
    assert "degraded" not in capsys.readouterr().out, "it has connected"
    await awaited("002.21", manager=MemoryManager())
    assert "Memory system degraded - check logs\n" in capsys.readouterr().out
    await manager.aclose()


async def test_the_calls_run_one_after_another(
    gateway: RealGateway,
    tenant: str,
    memory: AsyncMemoryClient,
    manager: MemoryManager,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The second names a resource by an id that is cut off, so one has it."""
    await memory.store_resource(user_id=USER, id="res_550e8400...", resource_type="conversation", content=SOURCE)
    names = {"manager": manager, "RetrievalMode": RetrievalMode}
    for number in ("002.69", "002.09", "002.12", "002.16"):
        await done(gateway, tenant, awaited(number, **names))
    assert [one.name for one in await manager.list_categories()] == sorted(DEFAULT_CATEGORIES)
    said = capsys.readouterr().out
    assert re.search(r"Extracted 1 facts from resource\n  - .*The basic plan", said)
    assert "Mode used: rag" in said
    assert "Consolidated category:\n# Lead Preferences\n\n*No items yet.*" in said


async def test_statistics_are_there_once_they_are_awaited_and_before_it_is_told_how(manager: MemoryManager) -> None:
    with pytest.raises(ConfigurationError, match="total_resources is not there") as caught:
        ran("002.19", manager=manager)
    assert caught.value.suggestions == ("Await it: `stats = await manager.get_stats()`.",)


async def test_statistics_are_printed_as_the_document_prints_them(
    manager: MemoryManager, capsys: pytest.CaptureFixture[str]
) -> None:
    await manager.store_resource("The garage has 40 places.", "document")

    class Awaited:
        def __init__(self, stats: ragpp.MemoryStats) -> None:
            self.get_stats = lambda: stats

    ran("002.19", manager=Awaited(await manager.get_stats()))
    assert "Resources: 1\n  Items: 0\n  Categories: 0\n  Index size: 0\n" in capsys.readouterr().out


async def test_a_hybrid_retriever_takes_a_threshold(manager: MemoryManager) -> None:
    hybrid = HybridRetriever(RAGRetriever(manager.item_layer), LLMRetriever(manager.item_layer))
    result = (await awaited("002.38", hybrid_retriever=hybrid))["result"]
    assert (result.items, result.escalated) == ((), False)


async def test_the_workflow_runs_but_for_a_folder_of_its_own_in_whose_place_the_error_puts_the_stacks(
    gateway: RealGateway, tenant: str, bound: AsyncMemoryClient, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigurationError, match="no storage_dir") as caught:
        await awaited("002.67")
    assert "RAGPP_HOME" in caught.value.suggestions[0]

    class WithoutAFolder(MemoryManager):
        def __init__(self, storage_dir: object = None) -> None:
            assert storage_dir == "outputs/memory"
            super().__init__(client=bound)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ragpp, "MemoryManager", WithoutAFolder, raising=False)
        left = await done(gateway, tenant, awaited("002.67"))
    facts = [item.content for item in left["items"]]
    for price in ("$99", "$299"):
        assert any(price in fact for fact in facts), facts
    assert any("$" in item.content for item in left["result"].items)
    said = capsys.readouterr().out
    assert f"Extracted {len(facts)} facts" in said
    assert "Category content:\n# Product Knowledge" in said
    page_is_in_form(left["content"])


def page_is_in_form(page: str) -> None:
    """A page has the parts of documents' pages: the first's title, sections and facts, the second's sources and end."""
    shown, whole = sample("002.14").text, sample("002.43").text
    assert page.splitlines()[0] == shown.splitlines()[0] == "# Product Knowledge"
    kinds = (r"# \w", r"## \w", r"- .*\[\^\d+\]$", r"\[\^\d+\]: Extracted from .*\(res_[\w-]+\)$", "---$")
    ends = (r"\*Last consolidated: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\*$", r"\*Items: \d+ \| Resources: \d+\*$")
    for form in (*kinds, *ends):
        assert re.search(f"^{form}", page, re.MULTILINE), form
        assert re.search(f"^{form}", whole, re.MULTILINE), form
    assert "\n## Sources\n" in page
    assert "\n## Sources\n" in whole
    assert [
        line for line in page.splitlines() if line and not any(re.match(one, line) for one in (*kinds, *ends))
    ] == []


async def test_the_tools_of_the_environment_are_called_as_the_document_calls_them(bound: AsyncMemoryClient) -> None:
    left = ran("002.68")
    try:
        kept = await left["remember"].ainvoke(
            {"content": "Customer prefers annual billing over monthly", "category": "lead_preferences"}
        )
        assert re.match(
            r"Remembered: item_[\w-]+\nCategory: lead_preferences\nImportance: normal\nContent: Customer", kept
        )
        assert "annual billing" in await left["recall"].ainvoke(
            {"query": "annual billing", "category": "lead_preferences"}
        )
        assert "1. lead_preferences" in await left["list_categories"].ainvoke({})
        assert (await left["get_category"].ainvoke({"name": "prices"})).startswith("Category 'prices' not found.")
        assert [one.content for one in (await bound.items()).items] == ["Customer prefers annual billing over monthly"]
    finally:
        builtin.close()


PAYLOADS: Final = {
    "002.45": ("ResourceStoredPayload", ragpp.MemoryEventType.RESOURCE_STORED, {}),
    "002.46": ("ItemsExtractedPayload", ragpp.MemoryEventType.ITEMS_EXTRACTED, {}),
    "002.47": ("CategoryCreatedPayload", ragpp.MemoryEventType.CATEGORY_CREATED, {"description": "is content"}),
    "002.48": ("CategoryConsolidatedPayload", ragpp.MemoryEventType.CATEGORY_CONSOLIDATED, {}),
    "002.49": ("RetrievalPerformedPayload", ragpp.MemoryEventType.RETRIEVAL_PERFORMED, {}),
}
"""The payload of each event, and what no event has, since it would outlive what it is about."""


@pytest.fixture
async def recorded(
    gateway: RealGateway, tenant: str, manager: MemoryManager, memory: AsyncMemoryClient
) -> list[ragpp.MemoryEvent]:
    """One event of each type."""
    await manager.create_category("prices", "What the plans cost, and what they have")
    stored = await manager.store_resource("The basic plan costs $99 a month.", "document", {"title": "Prices"})
    await done(gateway, tenant, manager.extract_and_store(stored.resource_id, "prices"))
    await done(gateway, tenant, manager.consolidate_category("prices"))
    gateway.app.state.parts = replace(gateway.parts, record_retrievals=True)
    try:
        await manager.retrieve("What does it cost?")
    finally:
        gateway.app.state.parts = gateway.parts
    return list((await memory.events(USER, limit=200)).items)


async def test_a_payload_of_the_document_is_made_of_an_event_of_the_ledger(recorded: list[ragpp.MemoryEvent]) -> None:
    for number, (name, event_type, none_has) in PAYLOADS.items():
        kind = ran(number, dataclass=dataclasses.dataclass)[name]
        (event, *_) = [one for one in recorded if one.event_type == event_type]
        assert kind(**event.payload, **none_has), number


@each_case("event_type", [ragpp.MemoryEventType.RESOURCE_STORED])
async def test_events_are_read_by_the_documents_type(
    event_type: ragpp.MemoryEventType, manager: MemoryManager, memory: AsyncMemoryClient
) -> None:
    await manager.store_resource("The garage has 40 places.", "document")
    assert [one.event_type for one in (await memory.events(USER, event_type=event_type)).items] == [event_type]
