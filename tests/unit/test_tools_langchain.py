"""The tools in LangChain's own loop of an agent, with a scripted model: either way, and whatever it calls them with."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from ragpp import MemoryManager
from ragpp.client import AsyncMemoryClient
from ragpp.errors import ConfigurationError
from ragpp.tools import MemoryTools, SyncMemoryTools, openai_tools
from ragpp.tools.langchain import langchain_tools
from tests.support.each import each_case
from tests.support.knowing import KnowingGateway
from tests.support.tools import DONE, ScriptedModel, answers, named

NOTHING = "No relevant memories found for: Pro"
ASKED: Any = {"messages": [HumanMessage("What does Pro cost?")]}


def manager() -> MemoryManager:
    return MemoryManager(client=AsyncMemoryClient("http://gateway", "k", transport=KnowingGateway()), user_id="u1")


@pytest.fixture
def tools() -> Iterator[list[BaseTool]]:
    with SyncMemoryTools(manager()) as shared:
        yield langchain_tools(shared)


async def test_a_tool_is_invoked_either_way(tools: list[BaseTool]) -> None:
    recall = named(tools, "recall")
    assert recall.invoke({"query": "Pro"}) == NOTHING
    assert await recall.ainvoke({"query": "Pro"}) == NOTHING
    assert named(tools, "list_categories").invoke({}) == "Memory Categories (0):"


def test_a_model_is_told_what_openai_s_are_told(tools: list[BaseTool]) -> None:
    assert [convert_to_openai_tool(tool) for tool in tools] == openai_tools()


def script() -> ScriptedModel:
    return ScriptedModel(
        turns=[
            [("recall", {"query": "Pro"}), ("list_categories", {})],
            [("remember", {"content": "Pro costs $299 a month.", "category": "product_knowledge"})],
            lambda said: [("get_category", {"name": said[-1].splitlines()[1].removeprefix("Category: ")})],
        ]
    )


def test_an_agent_runs_its_loop_without_await(tools: list[BaseTool]) -> None:
    result = create_agent(script(), tools=tools).invoke(ASKED)
    said = answers(result["messages"])
    assert said[:2] == [NOTHING, "Memory Categories (0):"]
    assert said[2].startswith("Remembered: ")
    assert said[3] == "*No items yet.*"
    assert result["messages"][-1].content == DONE


async def test_an_agent_awaits_its_loop(tools: list[BaseTool]) -> None:
    result = await create_agent(script(), tools=tools).ainvoke(ASKED)
    assert len(answers(result["messages"])) == 4
    assert result["messages"][-1].content == DONE


HOSTILE: list[dict[str, Any]] = [
    {"self": 1, "query": "x"},
    {"config": {"callbacks": [1]}, "query": "x"},
    {"run_manager": None, "callbacks": 3, "query": "x"},
    {"args": [], "kwargs": {}},
    {"k": {"deep": [{}] * 3}},
    {"query": "x" * 20_000},
]


@each_case("given", HOSTILE)
async def test_an_agent_goes_on_after_arguments_that_cannot_be(tools: list[BaseTool], given: dict[str, Any]) -> None:
    agent = create_agent(ScriptedModel(turns=[[("recall", given)]]), tools=tools)
    for result in (agent.invoke(ASKED), await agent.ainvoke(ASKED)):
        (answer,) = [one for one in result["messages"] if isinstance(one, ToolMessage)]
        assert answer.status == "error"
        assert str(answer.content).startswith("Failed to recall: ")
        assert result["messages"][-1].content == DONE


async def test_tools_of_one_loop_are_awaited_and_say_so_otherwise() -> None:
    recall = named(langchain_tools(MemoryTools(manager())), "recall")
    assert await recall.ainvoke({"query": "Pro"}) == NOTHING
    with pytest.raises(ConfigurationError) as refused:
        recall.invoke({"query": "Pro"})
    assert "SyncMemoryTools" in refused.value.suggestions[0]


def test_where_langchain_is_missing_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_core.tools", None)
    with pytest.raises(ConfigurationError) as refused:
        langchain_tools(MemoryTools(manager()))
    assert "ragpp[langchain]" in refused.value.suggestions[0]
