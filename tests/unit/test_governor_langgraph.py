"""The governor as a LangGraph graph, an agent inside it, and the examples."""

import ast
import importlib.util
import runpy
import sys
from types import ModuleType

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import JsonValue

from ragpp.errors import ConfigurationError
from ragpp_services.governor.graph import Governor
from ragpp_services.governor.langgraph import GovernorState, agent_responder, memory_graph
from ragpp_services.governor.orders import ORDERS
from ragpp_services.governor.tool_values import ToolCall
from ragpp_services.governor.values import (
    Event,
    Invocation,
    Limits,
    Prompt,
    Reply,
)
from tests.support.choosing import CatalogMemory
from tests.support.each import each_case
from tests.support.governor import NOON, KeepingMemory, served
from tests.support.source import ROOT

PATIENT = Limits(deadline_ms=30_000, store_ms=30_000)


async def under_the_pot(_prompt: Prompt) -> str:
    return "under the pot"


def governor_of(memory: KeepingMemory) -> Governor:
    return Governor(memory, under_the_pot, limits=PATIENT, clock=lambda: NOON)


async def test_the_graph_comes_to_the_same_result_as_the_governor_itself() -> None:
    event = Event(user_id="u1", content="Where is the key?", id="m-1")
    alone = (await governor_of(KeepingMemory()).turn(Invocation(event=event))).model_dump(mode="json")
    graph = memory_graph(governor_of(KeepingMemory()))
    in_graph = await graph.ainvoke(GovernorState(event=event.model_dump(mode="json")))
    assert set(alone) - set(in_graph) == set()
    assert in_graph["response"]["text"] == alone["response"]["text"]
    assert in_graph["response"]["id"] == alone["response"]["id"]
    steps = [(step["node"], step["outcome"]) for step in in_graph["transitions"]]
    assert steps == [(step["node"], step["outcome"]) for step in alone["transitions"]]
    assert [name for name, _ in steps] == list(ORDERS["recall"])


async def test_the_graph_has_the_nodes_of_the_governors_mode_and_comes_to_the_same() -> None:
    event = Event(user_id="u1", content="Where is the key?", id="m-1")

    def choosing() -> Governor:
        memory = CatalogMemory("The key is under the pot.")
        return Governor(memory, under_the_pot, mode="catalog", limits=PATIENT, clock=lambda: NOON)

    alone = (await choosing().turn(Invocation(event=event))).model_dump(mode="json")
    in_graph = await memory_graph(choosing()).ainvoke(GovernorState(event=event.model_dump(mode="json")))
    assert [step["node"] for step in in_graph["transitions"]] == list(ORDERS["catalog"])
    assert in_graph["catalog"] == alone["catalog"]
    assert in_graph["memories_used"] == alone["memories_used"]


async def test_in_a_graph_a_tools_result_goes_on_with_what_was_given() -> None:
    replies = [Reply(text="here"), Reply(tool_calls=(ToolCall(id="c1", name="weather"),))]
    prompts: list[Prompt] = []

    async def respond(prompt: Prompt) -> Reply:
        prompts.append(prompt)
        return replies.pop()

    governor = Governor(CatalogMemory("The key is under the pot."), respond, mode="catalog", limits=PATIENT)
    graph = memory_graph(governor, InMemorySaver())
    thread = RunnableConfig(configurable={"thread_id": "t1"})
    tools: list[JsonValue] = [{"name": "weather"}]
    await graph.ainvoke(GovernorState(event={"user_id": "u1", "content": "The key?"}, available_tools=tools), thread)
    event: dict[str, JsonValue] = {
        "user_id": "u1",
        "content": "rain",
        "message_type": "tool_result",
        "metadata": {"tool_call_id": "c1"},
    }
    result = await graph.ainvoke(GovernorState(event=event), thread)
    assert [step["node"] for step in result["transitions"]][:3] == ["receive", "store_message", "assemble"]
    assert all("The key is under the pot." in prompt.system for prompt in prompts)
    assert len(prompts) == 2


async def test_a_checkpointer_keeps_the_governors_state_by_thread() -> None:
    graph = memory_graph(governor_of(KeepingMemory()), InMemorySaver())
    thread = RunnableConfig(configurable={"thread_id": "t1"})
    for count in (1, 2):
        result = await graph.ainvoke(GovernorState(event={"user_id": "u1", "content": "hello"}), thread)
        assert result["state"]["events"] == count


async def test_tools_that_are_out_lead_straight_to_the_report() -> None:
    replies = [Reply(tool_calls=(ToolCall(id="c1", name="weather"), ToolCall(id="c2", name="weather")))]

    async def respond(_prompt: Prompt) -> Reply:
        return replies.pop()

    graph = memory_graph(Governor(KeepingMemory(), respond, limits=PATIENT), InMemorySaver())
    thread = RunnableConfig(configurable={"thread_id": "t1"})
    tools: list[JsonValue] = [{"name": "weather"}]
    await graph.ainvoke(GovernorState(event={"user_id": "u1", "content": "weather?"}, available_tools=tools), thread)
    event: dict[str, JsonValue] = {
        "user_id": "u1",
        "content": "rain",
        "message_type": "tool_result",
        "metadata": {"tool_call_id": "c1"},
    }
    result = await graph.ainvoke(GovernorState(event=event), thread)
    assert result["response"]["awaiting"] == ["c2"]
    assert [step["node"] for step in result["transitions"]] == ["receive", "store_message", "report"]


async def test_an_agent_answers_with_what_is_remembered_before_it() -> None:
    def model(state: MessagesState) -> dict[str, list[AIMessage]]:
        system, asked = state["messages"][0], state["messages"][-1]
        return {"messages": [AIMessage(f"{asked.text} {'blue pot' in system.text}")]}

    agent = StateGraph(MessagesState).add_node("model", model).add_edge(START, "model").compile()
    memory = KeepingMemory()
    governor = Governor(memory, agent_responder(agent), limits=PATIENT)
    await governor.turn(Invocation(event=Event(user_id="u1", content="The key is under the blue pot.")))
    result = await governor.turn(Invocation(event=Event(user_id="u1", content="Where is the key?")))
    assert result.response.text == "Where is the key? True"


async def test_an_agent_without_messages_is_refused() -> None:
    class Silent:
        async def ainvoke(self, _state: object, /) -> object:
            return {}

    with pytest.raises(Exception, match="no messages"):
        await Governor(KeepingMemory(), agent_responder(Silent()), limits=PATIENT).turn(
            Invocation(event=Event(user_id="u1", content="hello"))
        )


def test_where_langgraph_is_missing_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langgraph.graph", None)
    with pytest.raises(ConfigurationError) as refused:
        memory_graph(governor_of(KeepingMemory()))
    assert "ragpp[langgraph]" in refused.value.suggestions[0]


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_the_example_around_a_function_remembers_from_one_session_to_the_next() -> None:
    with served(KeepingMemory()) as url:
        answers = await example("governed_assistant").main(url, "rk_test", limits=PATIENT)
    assert "My locker is number 418." in answers[1]


@each_case(
    ("given", "said"),
    [
        ({}, "export $(ragpp env)"),
        ({"RAGPP_URL": "http://127.0.0.1:1"}, "RAGPP_API_KEY is not set"),
        ({"RAGPP_URL": "http://127.0.0.1:1", "RAGPP_API_KEY": "rk_test"}, "The gateway cannot be reached"),
    ],
)
def test_the_example_around_a_function_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: dict[str, str], said: str
) -> None:
    for name in ("RAGPP_URL", "RAGPP_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(ROOT / "examples" / "governed_assistant.py"), run_name="__main__")
    assert said in str(left.value.code)
    assert capsys.readouterr().out == ""


async def test_the_example_around_an_agent_works_in_under_30_lines() -> None:
    memory = KeepingMemory()
    with served(memory) as url:
        answer = await example("langgraph_agent").main(url, "rk_test", limits=PATIENT)
    assert "memory and instructions" in answer
    assert [message.role for message in memory.of("example")] == ["user", "assistant"]
    text = (ROOT / "examples" / "langgraph_agent.py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text)) or ""
    lines = [line for line in text.splitlines() if line.strip() and docstring not in line]
    assert len(lines) < 30
