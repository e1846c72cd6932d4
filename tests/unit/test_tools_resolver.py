"""Whatever a model calls a tool with, it is answered with a text that it can go on with."""

import json
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragpp import MemoryManager
from ragpp.api import RecalledMemory
from ragpp.client import AsyncMemoryClient
from ragpp.errors import EmbeddingError, InvalidInput, RetrievalError
from ragpp.models import LEAST_RELEVANCE, STANDING
from ragpp.tools import (
    TOOLS,
    MemoryTools,
    anthropic_calls,
    anthropic_result,
    openai_calls,
    openai_result,
)
from tests.support.each import each
from tests.support.knowing import NOON, KnowingGateway

WHAT = "What it costs, and what is in it"


@pytest.fixture
def tools(memory: MemoryManager) -> MemoryTools:
    return MemoryTools(memory)


async def test_what_is_remembered_has_a_source_and_is_recalled_with_it(
    tools: MemoryTools, gateway: KnowingGateway
) -> None:
    told = {"content": "Pro costs $299 a month.", "category": "product_knowledge", "importance": "high"}
    confirmed = await tools.call("remember", json.dumps(told))
    (kept,) = gateway.items.values()
    assert confirmed == (
        f"Remembered: {kept.item_id}\nCategory: product_knowledge\nImportance: high\n"
        "Content: Pro costs $299 a month...."
    )
    source = gateway.resources[kept.source_resource_id]
    assert (source.content, source.agent_id, source.resource_type) == (kept.content, "sales", "conversation")
    assert gateway.users == {"u1"}
    assert await tools.call("recall", {"query": "What does Pro cost?", "scope": "catalog"}) == (
        "Found 1 relevant memories:\n\n"
        "1. [0.90] Pro costs $299 a month.\n"
        "   Source: conversation | Category: product_knowledge"
    )


async def test_a_default_category_is_created_and_an_unknown_one_stores_nothing(
    tools: MemoryTools, gateway: KnowingGateway
) -> None:
    answer = await tools.answer("remember", {"content": "Pro costs $299.", "category": "prices"})
    assert not answer.ok
    assert answer.text == "Failed to remember: Category 'prices' not found. Available categories: (none)"
    assert gateway.resources == {}
    assert (await tools.answer("remember", {"content": "It is Pro.", "category": "product_knowledge"})).ok
    assert list(gateway.categories) == ["product_knowledge"]
    answer = await tools.answer("remember", {"content": "Pro costs $299.", "category": "Product Knowledge"})
    assert answer.text == (
        "Failed to remember: Category 'Product Knowledge' not found. Available categories: product_knowledge"
    )


async def test_where_the_fact_is_not_kept_its_source_is_not_either(tools: MemoryTools, gateway: KnowingGateway) -> None:
    gateway.broken["/v1/items"] = EmbeddingError("the embedder is down", suggestions=("Try again later.",))
    answer = await tools.answer("remember", {"content": "Pro costs $299 a month."})
    assert (answer.ok, answer.text) == (False, "Failed to remember: the embedder is down. Try again later.")
    assert gateway.resources == {}


async def test_categories_are_listed_and_a_page_is_read(
    tools: MemoryTools, memory: MemoryManager, gateway: KnowingGateway
) -> None:
    assert await tools.call("list_categories", "") == "Memory Categories (0):"
    for name in ("product_knowledge", "lead_preferences", "objections"):
        await memory.create_category(name, WHAT)
    gateway.categories["objections"] = gateway.categories["objections"].model_copy(update={"item_count": 7})
    listed = await tools.call("list_categories", "{}")
    assert listed.startswith(
        f"Memory Categories (3):\n\n1. lead_preferences\n   {WHAT}\n   Items: 0\n\n2. objections\n"
    )
    assert await tools.call("get_category", '{"name": "objections"}') == "*No items yet.*"


async def test_a_page_that_is_not_there_is_answered_with_those_that_are(
    tools: MemoryTools, memory: MemoryManager
) -> None:
    async def is_told(name: str) -> None:
        for tool, arguments in (("get_category", {"name": name}), ("recall", {"query": "x", "category": name})):
            answer = await tools.answer(tool, arguments)
            assert not answer.ok
            assert answer.text == f"Category '{name.strip()[:100]}' not found.\n\nAvailable categories: objections"

    await memory.create_category("objections", WHAT)
    await each(["prices", "Objection Patterns", "../items", "x" * 200, "\u202eobjections", "cat_1\n"], is_told)


async def test_every_tier_is_asked_unless_the_catalog_is_meant(tools: MemoryTools, gateway: KnowingGateway) -> None:
    gateway.memories = [
        RecalledMemory(
            id=f"m{n}",
            tier="episodic",
            kind="interaction",
            text=f"I moved to Porto {n} years ago.",
            score=0.8,
            said_by="Ada",
            occurred_at=NOON,
        )
        for n in (2, 3)
    ]
    assert await tools.call("recall", {"query": "Where does Ada live?", "k": 1}) == (
        "Found 1 relevant memories:\n\n"
        "1. [0.80] [2026-03-08 12:00] Ada: I moved to Porto 2 years ago.\n"
        "   Source: conversation | Category: episodic"
    )
    wish = {"id": "p1", "tier": "procedural", "kind": "preference", "text": "communication: in Welsh", "score": 0.0}
    gateway.memories.append(RecalledMemory(**wish, metadata={STANDING: True}))
    assert "Welsh" not in await tools.call("recall", {"query": "Where does Ada live?"})
    gateway.memories.pop()
    gateway.relevance = "none"
    assert await tools.call("recall", {"query": "Who is Otto?"}) == "No relevant memories found for: Who is Otto?"
    gateway.relevance, gateway.seen = "some", []
    for every in ({}, {"scope": "all"}, {"scope": "all", "mode": "rag"}):
        assert (await tools.call("recall", {"query": "x", **every})).startswith("Found 2 ")
    assert {path for _, path in gateway.seen} == {"/v1/recall"}
    await tools.call("remember", {"content": "Pro costs $299.", "category": "product_knowledge"})
    gateway.seen = []
    for of_catalog in ({"scope": "catalog"}, {"mode": "rag"}, {"category": "product_knowledge"}):
        assert (await tools.call("recall", {"query": "x", **of_catalog})).startswith("Found 1 ")
    assert {path for _, path in gateway.seen} == {"/v1/retrieve"}
    gateway.confidence = LEAST_RELEVANCE / 2
    unknown = await tools.call("recall", {"query": "Who is Otto?", "scope": "catalog"})
    assert unknown == "No relevant memories found for: Who is Otto?"
    gateway.missing_tiers = ("episodic",)
    assert (await tools.answer("recall", {"query": "x", "scope": "all"})).ok
    gateway.memories = []
    answer = await tools.answer("recall", {"query": "x", "scope": "all"})
    assert not answer.ok
    assert answer.text.startswith("Failed to recall: a tier of the memory did not answer in time")


async def test_all_tiers_are_one_users_and_the_answer_says_so(gateway: KnowingGateway) -> None:
    async with AsyncMemoryClient("http://gateway", "k", transport=gateway) as client:
        answer = await MemoryTools(MemoryManager(client=client)).answer("recall", {"query": "x", "scope": "all"})
        assert not answer.ok
        assert "user_id" in answer.text
        assert gateway.seen == []
        told = await MemoryTools(MemoryManager(client=client)).call("recall", {"query": "x"})
    assert told == "No relevant memories found for: x"  # of what all users share there is the catalog alone
    assert gateway.seen == [("POST", "/v1/retrieve")]


UNFIT: Final[tuple[tuple[str, object, str], ...]] = (
    ("recall", "{", "the arguments are no valid JSON"),
    ("recall", "[]", "the arguments are no JSON object"),
    ("recall", 7, "the arguments are no JSON object"),
    ("recall", "[" * 100_000, "the arguments are no valid JSON"),
    ("recall", '{"query": "\\ud800"}', "the arguments are no valid JSON"),
    ("recall", b"\xff", "the arguments are no valid JSON"),
    ("recall", {}, "query: Field required"),
    ("recall", {"query": " \n"}, "query: is empty"),
    ("recall", {"query": "\ud800"}, "query: "),
    ("recall", {"query": "a\x00b"}, "query: contains a NUL"),
    ("recall", {"query": "x" * 10_001}, "query: String should have at most 10000 characters"),
    ("recall", {"query": "x", "k": 0}, "k: Input should be greater than or equal to 1"),
    ("recall", {"query": "x", "k": 21}, "k: Input should be less than or equal to 20"),
    ("recall", '{"query": "x", "k": 1e999}', "k: "),
    ("recall", '{"query": "x", "k": ' + "9" * 5_000 + "}", ""),
    ("recall", {"query": "x", "mode": "best"}, "mode: Input should be 'rag', 'llm' or 'hybrid'"),
    ("recall", {"query": "x", "user_id": "u2"}, "user_id: Extra inputs are not permitted"),
    ("recall", {"query": {"$ne": 1}}, "query: Input should be a valid string"),
    ("recall", {"query": "x", 7: "y"}, ""),
    ("recall", {"query": "x", "scope": "all", "category": "prices"}, "`category` is of the catalog alone"),
    ("remember", {"content": "x" * 16_001}, "content: String should have at most 16000 characters"),
    ("remember", {"content": "x", "importance": "urgent"}, "importance: Input should be 'low', 'normal' or 'high'"),
    ("get_category", "{}", "name: Field required"),
    ("list_categories", {"limit": 3}, "limit: Extra inputs are not permitted"),
)
"""A tool, arguments that it cannot have, and what is said of them first."""


async def test_arguments_that_cannot_be_are_answered_with_why_and_nothing_is_asked(
    tools: MemoryTools, gateway: KnowingGateway
) -> None:
    """Catches an argument that a model makes up which raises, gets to the gateway, or is refused without a reason."""
    offenders = []
    for tool, arguments, why in UNFIT:
        gateway.seen = []
        answer = await tools.answer(tool, arguments)
        begins = f"Failed to {tool.replace('_', ' ')}: {why}"
        ends = "Call the tool again with arguments as its description has them."
        if answer.ok or gateway.seen or not answer.text.startswith(begins) or not answer.text.endswith(ends):
            offenders.append(f"{tool} {arguments!r:.80}: {begins!r} is expected, came {answer}, asked {gateway.seen}")
    assert not offenders, "\n".join(offenders)


async def test_null_is_an_argument_that_is_left_out_and_a_number_may_be_written(
    tools: MemoryTools, gateway: KnowingGateway
) -> None:
    given = '{"query": "x", "k": "3", "mode": null, "category": null, "scope": null}'
    assert await tools.call("recall", given) == "No relevant memories found for: x"
    told = '{"content": "It is Pro.", "category": null, "importance": "HIGH"}'
    assert "Importance: high" in await tools.call("remember", told)
    assert len(gateway.items) == 1


async def test_a_tool_that_there_is_none_of_is_answered_with_those_that_are(tools: MemoryTools) -> None:
    answer = await tools.answer("forget\n" * 100, "{}")
    assert not answer.ok
    assert answer.text.endswith("Tools: recall, remember, list_categories, get_category.")
    assert len(answer.text.splitlines()) == 1
    assert len(answer.text) < 300


async def test_what_the_memory_refuses_is_told_with_what_to_do(tools: MemoryTools, gateway: KnowingGateway) -> None:
    gateway.broken["/v1/retrieve"] = RetrievalError("no language model is configured for retrieval")
    assert await tools.call("recall", {"query": "x", "mode": "llm"}) == (
        "Failed to recall: no language model is configured for retrieval. "
        "Ask again with mode=rag, which needs no language model. Try with simpler query. "
        "Check the index: `ready()`."
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from([tool.name for tool in TOOLS]),
    arguments=st.one_of(
        st.text(max_size=40),
        st.binary(max_size=40),
        st.dictionaries(
            st.sampled_from(["query", "k", "mode", "category", "scope", "content", "importance", "name", "self"]),
            st.one_of(st.none(), st.text(max_size=20), st.integers(), st.floats(), st.lists(st.none(), max_size=2)),
        ),
    ),
)
async def test_whatever_the_arguments_are_the_answer_is_a_text_that_can_be_sent(
    tools: MemoryTools, name: str, arguments: object
) -> None:
    answer = await tools.answer(name, arguments)
    assert answer.text.encode()
    assert "Traceback" not in answer.text


def test_calls_of_openai_are_read_and_answered_in_its_form() -> None:
    written = [{"id": "call_1", "type": "function", "function": {"name": "recall", "arguments": '{"query": "x"}'}}]
    (call,) = openai_calls(written)
    assert (call.name, call.arguments) == ("recall", '{"query": "x"}')
    assert openai_calls(None) == []
    with pytest.raises(InvalidInput):
        openai_calls([{"id": "call_1"}])


async def test_calls_of_both_libraries_own_kinds_are_answered(tools: MemoryTools) -> None:
    from anthropic.types import TextBlock, ToolUseBlock  # noqa: PLC0415 - large, and of this test alone
    from openai.types.chat import ChatCompletionMessageFunctionToolCall  # noqa: PLC0415

    wanted = {"id": "c1", "type": "function", "function": {"name": "recall", "arguments": '{"query": "x"}'}}
    (call,) = openai_calls([ChatCompletionMessageFunctionToolCall.model_validate(wanted)])
    assert openai_result(call, await tools.answer(call.name, call.arguments)) == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "No relevant memories found for: x",
    }
    blocks = [
        TextBlock(type="text", text="Let me look."),
        ToolUseBlock(type="tool_use", id="t1", name="get_category", input={"name": "prices"}),
    ]
    (call,) = anthropic_calls(blocks)
    assert anthropic_result(call, await tools.answer(call.name, call.arguments)) == {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": "Category 'prices' not found.\n\nAvailable categories: (none)",
        "is_error": True,
    }
