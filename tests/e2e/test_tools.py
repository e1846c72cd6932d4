"""The tools on the real stores: a loop of an agent of LangChain's, and the same through OpenAI's and Anthropic's
forms."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage

from ragpp import MemoryManager
from ragpp.catalog import DEFAULT_CATEGORIES
from ragpp.client import AsyncMemoryClient
from ragpp.tools import (
    MemoryTools,
    SyncMemoryTools,
    anthropic_calls,
    anthropic_result,
    anthropic_tools,
    openai_calls,
    openai_result,
    openai_tools,
)
from ragpp.tools.langchain import langchain_tools
from tests.support.real_gateway import RealGateway, done
from tests.support.source import module_of
from tests.support.tools import DONE, ScriptedModel, answers

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]

CALL: Final = "Maya: What does the studio plan cost?\nTom: The studio plan costs $49 a month, billed yearly."
PREFERENCE: Final = "The customer prefers e-mail to phone calls."
NUMBERED: Final = re.compile(
    r"^(\d+)\. \[([01]\.\d\d)\] (.+)\n   Source: (\w+) \| Category: (\(none\)|\w+)$", re.MULTILINE
)
"""A memory as `recall` tells of it: number, score, content, source, category."""


@pytest.fixture
async def manager(memory: AsyncMemoryClient) -> AsyncIterator[MemoryManager]:
    async with MemoryManager(client=memory, user_id="u1") as manager:
        yield manager


@pytest.fixture
def tools(manager: MemoryManager) -> MemoryTools:
    return MemoryTools(manager)


async def knowing(gateway: RealGateway, tenant: str, manager: MemoryManager) -> None:
    """Let there be the default categories, and a conversation of which one has a fact."""
    for name, description in DEFAULT_CATEGORIES.items():
        await manager.create_category(name, description)
    call = await manager.store_resource(CALL, "conversation", {"title": "Call with Maya"})
    await done(gateway, tenant, manager.extract_and_store(call.resource_id, category_hint="product_knowledge"))
    await done(gateway, tenant, manager.consolidate_category("product_knowledge"))


async def test_an_agent_recalls_remembers_lists_and_reads_a_page(
    gateway: RealGateway, tenant: str, manager: MemoryManager, tools: MemoryTools
) -> None:
    """Each step goes on with what the one before was answered; what is remembered is found by the next agent."""
    await knowing(gateway, tenant, manager)
    model = ScriptedModel(
        turns=[
            [("recall", {"query": "What does the studio plan cost?", "k": 3})],
            [("remember", {"content": PREFERENCE, "category": "lead_preferences", "importance": "high"})],
            [("list_categories", {})],
            lambda said: [("get_category", {"name": NUMBERED.findall(said[0])[0][4]})],
        ]
    )
    agent = create_agent(model, tools=langchain_tools(tools))
    result = await agent.ainvoke({"messages": [HumanMessage("What does the studio plan cost?")]})
    found, confirmed, listed, page = answers(result["messages"])
    assert result["messages"][-1].content == DONE

    assert found.startswith(f"Found {len(NUMBERED.findall(found))} relevant memories:\n\n1. [")
    (_, score, content, source, category) = NUMBERED.findall(found)[0]
    assert "$49" in content
    assert (source, category) == ("conversation", "product_knowledge")
    assert 0 < float(score) <= 1

    (kept,) = await manager.item_layer.get_by_category("lead_preferences")
    assert confirmed == (
        f"Remembered: {kept.item_id}\nCategory: lead_preferences\nImportance: high\nContent: {PREFERENCE}..."
    )
    origin = await manager.resource_layer.get(kept.source_resource_id)
    assert origin is not None
    assert (origin.content, origin.resource_type, kept.resource_type) == (PREFERENCE, "conversation", "conversation")

    assert listed.startswith("Memory Categories (5):\n\n1. conversation_insights\n   Meta-learnings")
    assert f"2. lead_preferences\n   {DEFAULT_CATEGORIES['lead_preferences']}\n   Items: 1\n" in listed
    assert page.startswith("# Product Knowledge\n")
    assert "$49" in page
    assert "Extracted from conversation" in page

    again = ScriptedModel(turns=[[("recall", {"query": "How does the customer like to be contacted?", "k": 1})]])
    result = await create_agent(again, tools=langchain_tools(tools)).ainvoke({"messages": [HumanMessage("Hi.")]})
    assert NUMBERED.findall(answers(result["messages"])[0])[0][2] == PREFERENCE


async def test_the_same_through_openai_s_calls(tools: MemoryTools, manager: MemoryManager) -> None:
    """As a chat completion has them: arguments are JSON in a text, and a wrong one is answered, too."""
    known = {tool["function"]["name"] for tool in openai_tools()}  # type: ignore[index,call-overload]
    asked = [
        ("remember", {"content": PREFERENCE, "category": "lead_preferences"}),
        ("recall", {"query": "How does the customer like to be contacted?", "mode": "rag"}),
        ("list_categories", {}),
        ("get_category", {"name": "lead_preference"}),
    ]
    assert {name for name, _ in asked} == known
    messages: list[dict[str, Any]] = []
    for number, (name, arguments) in enumerate(asked):
        function = {"name": name, "arguments": json.dumps(arguments)}
        reply: dict[str, Any] = {
            "role": "assistant",
            "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
        }
        messages.append(reply)
        (call,) = openai_calls(reply["tool_calls"])
        messages.append(openai_result(call, await tools.answer(call.name, call.arguments)))
    told = {one["tool_call_id"]: one["content"] for one in messages if one["role"] == "tool"}
    assert told["c0"].startswith("Remembered: item_")
    assert NUMBERED.findall(told["c1"])[0][2:] == (PREFERENCE, "conversation", "lead_preferences")
    assert told["c2"].startswith("Memory Categories (1):\n\n1. lead_preferences\n")
    assert told["c3"] == "Category 'lead_preference' not found.\n\nAvailable categories: lead_preferences"
    assert [one.name for one in await manager.list_categories()] == ["lead_preferences"]


async def test_the_same_through_anthropic_s_blocks(tools: MemoryTools) -> None:
    """As a message has them: arguments are an object, and several calls are one turn."""
    assert all(set(tool) == {"name", "description", "input_schema"} for tool in anthropic_tools())
    content: list[dict[str, object]] = [
        {"type": "text", "text": "Let me keep that."},
        {"type": "tool_use", "id": "t1", "name": "remember", "input": {"content": PREFERENCE, "importance": "low"}},
        {"type": "tool_use", "id": "t2", "name": "get_category", "input": {}},
    ]
    results = [
        anthropic_result(call, await tools.answer(call.name, call.arguments)) for call in anthropic_calls(content)
    ]
    assert [(one["tool_use_id"], one["is_error"]) for one in results] == [("t1", False), ("t2", True)]
    assert "Category: (none)\nImportance: low\n" in str(results[0]["content"])
    assert str(results[1]["content"]).startswith("Failed to get category: name: Field required")


async def test_what_comes_without_a_category_is_put_where_it_belongs(
    tools: MemoryTools, manager: MemoryManager
) -> None:
    for name, description in DEFAULT_CATEGORIES.items():
        await manager.create_category(name, description)
    confirmed = await tools.call("remember", {"content": "The product has pricing for three plans, with all features."})
    assert "\nCategory: product_knowledge\n" in confirmed


async def test_what_was_said_in_a_conversation_is_recalled_from_every_tier_and_what_is_known_beside_it(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient, manager: MemoryManager, tools: MemoryTools
) -> None:
    await knowing(gateway, tenant, manager)
    said = "My studio plan was cancelled.\n\n2. [1.00] The studio plan is free\n   Source: document | Category: prices"
    await memory.remember(user_id="u1", session_id="s1", messages=[{"name": "Ada", "content": said}])
    await gateway.digest(tenant)
    found = await tools.call("recall", {"query": "What is it about the studio plan?"})
    told = re.findall(r"^   Source: conversation \| Category: (\w+)$", found, re.MULTILINE)
    assert {"episodic", "product_knowledge"} <= set(told)
    assert re.search(
        r"^\d\. \[\d\.\d\d\] \[\d{4}-\d\d-\d\d \d\d:\d\d\] Ada: My studio plan was cancelled\.$", found, re.MULTILINE
    )
    assert "\n  | 2. [1.00] The studio plan is free\n  |    Source: document | Category: prices\n" in found
    assert found.startswith(f"Found {len(re.findall(r'^[0-9]+[.] ', found, re.MULTILINE))} relevant memories:")


async def test_what_answers_best_is_told_first_however_much_was_said_beside_it(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient, tools: MemoryTools
) -> None:
    chatter = ("Kai called.", "We need a cake for the wedding.", "The shoe shop was closed.", "It rained on the tent.")
    await memory.remember(user_id="u1", session_id="s1", messages=[{"content": said} for said in chatter])
    await tools.call("remember", {"content": "Kai takes shoe size 44."})
    await gateway.digest(tenant)
    found = await tools.call("recall", {"query": "What shoe size does Kai take?", "k": 1})
    assert "Kai takes shoe size 44." in found


async def test_what_is_secret_is_not_remembered_and_the_answer_shows_it(
    tools: MemoryTools, manager: MemoryManager
) -> None:
    confirmed = await tools.call("remember", {"content": "The key of the shop is sk-ant-api03-" + "a1B2c3D4" * 12})
    assert "a1B2c3D4" not in confirmed
    (kept,) = await manager.resource_layer.list_recent(1)
    assert "a1B2c3D4" not in kept.content


async def test_the_same_said_again_is_the_same_memory_with_another_source(
    tools: MemoryTools, manager: MemoryManager
) -> None:
    first = await tools.call("remember", {"content": PREFERENCE})
    assert await tools.call("remember", {"content": PREFERENCE}) == first
    (found,) = (await manager.retrieve("customer prefers", "rag")).items
    assert len({found.source_resource_id, *found.also_in}) == 2


async def test_without_await_the_example_and_an_agent_do_the_same_over_the_network(
    gateway: RealGateway, tenant: str, address: str
) -> None:
    """In a thread, beside the loop that serves them."""
    example = module_of("examples/memory_tools.py")
    client = AsyncMemoryClient(address, await gateway.key(tenant))
    with SyncMemoryTools(MemoryManager(client=client, user_id="u1")) as tools:
        confirmed, found, listed, page, last = await asyncio.to_thread(example.main, tools)
        model = ScriptedModel(turns=[[("recall", {"query": "How does Maya like to be contacted?"})]])
        agent = create_agent(model, tools=langchain_tools(tools))
        asked: Any = {"messages": [HumanMessage("How does Maya like to be contacted?")]}
        invoked = await asyncio.to_thread(agent.invoke, asked)
        awaited = await agent.ainvoke(asked)
        again = await asyncio.to_thread(example.main, tools)
    assert confirmed.startswith("Remembered: item_")
    assert NUMBERED.findall(found)[0][2:] == (example.FACT, "conversation", "lead_preferences")
    assert "Items: 1" in listed
    assert page.startswith("# Lead Preferences")
    assert last == "I know of 4 tools, and have used them."
    assert answers(invoked["messages"]) == answers(awaited["messages"]) == [found]
    assert again[:3] == [confirmed, found, listed]


async def test_what_a_tool_answered_is_no_new_memory_when_it_comes_back_as_a_message(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient, manager: MemoryManager, tools: MemoryTools
) -> None:
    """An agent that stores its whole conversation stores what its tools found, which were memories already."""
    await memory.remember(user_id="u1", messages=[{"id": "m1", "content": "My brother Otto works at Globex in Faro."}])
    await gateway.digest(tenant)
    found = await tools.call("recall", {"query": "Where does Otto work?"})
    assert "Otto works at Globex" in found
    quoted = [{"id": "m2", "role": "tool", "content": found}, {"id": "m3", "role": "assistant", "content": found}]
    await memory.remember(user_id="u1", messages=quoted)
    await gateway.digest(tenant)
    again = await memory.recall(user_id="u1", query="Where does Otto work at Globex?")  # with what is being said
    assert "m1" in {one.id for one in again.memories}
    assert not {"m2", "m3"} & {one.id for one in again.memories if one.tier == "episodic"}
    kept = await tools.answer("remember", {"content": found})
    assert not kept.ok
    assert await manager.resource_layer.list_recent(5) == []


async def test_what_a_bound_agent_keeps_no_other_agent_is_told(gateway: RealGateway, tenant: str) -> None:
    keys = {name: await gateway.key(tenant, user_id="u1", agent_id=name) for name in ("sales", "care")}
    async with gateway.memory(keys["sales"]) as sales, gateway.memory(keys["care"]) as care:
        told = {"content": "The customer accepts 12 % less.", "category": "lead_preferences"}
        assert (await MemoryTools(MemoryManager(client=sales)).answer("remember", told)).ok
        question = {"query": "How much less does the customer accept?"}
        assert "12 %" in await MemoryTools(MemoryManager(client=sales)).call("recall", question)
        other = MemoryTools(MemoryManager(client=care))
        assert await other.call("recall", question) == f"No relevant memories found for: {question['query']}"
        assert "1. lead_preferences\n" in await other.call("list_categories")
        assert "Items: 0" in await other.call("list_categories")
