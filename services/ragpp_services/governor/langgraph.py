"""The governor's nodes as a LangGraph graph, and a LangGraph agent as the governor's responder. Extra: `langgraph`.

    graph = memory_graph(Governor(memory, agent_responder(agent)), checkpointer=InMemorySaver())
    event = {"user_id": "u1", "content": "Hello"}
    answer = await graph.ainvoke(GovernorState(event=event), RunnableConfig(configurable={"thread_id": "u1"}))
    answer["response"]["content"]

With a checkpointer the governor's state is kept by thread; without one it is handed in as `state`.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypedDict

from pydantic import JsonValue, ValidationError

from ragpp.errors import ConfigurationError
from ragpp.errors.problems import invalid_fields
from ragpp_services.governor.graph import Governor
from ragpp_services.governor.orders import FIRST, LAST, ORDERS, after
from ragpp_services.governor.responders import Responder, chat_messages, reply_of
from ragpp_services.governor.turn import Turn
from ragpp_services.governor.values import Invocation, NodeName, Prompt, Reply

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph


class GovernorState(TypedDict, total=False):
    """The state of the graph's nodes, all of it JSON: the invocation's `state`, `event` and `available_tools`; `turn`,
    the event on its way; and the result's fields, as `Governor.invoke` answers them."""

    state: dict[str, JsonValue]
    event: dict[str, JsonValue]
    available_tools: list[JsonValue]
    turn: dict[str, JsonValue]
    response: dict[str, JsonValue]
    memories_used: list[JsonValue]
    transitions: list[JsonValue]
    memory: str
    problems: list[str]
    recall_ms: float | None
    relevance: str | None
    undigested: int
    catalog: dict[str, JsonValue] | None
    rules_fired: list[JsonValue]
    rules_judged: list[JsonValue]


MemoryGraph: TypeAlias = "CompiledStateGraph[GovernorState, None, GovernorState, GovernorState]"
Updates: TypeAlias = dict[str, JsonValue]


class _Step(Protocol):
    """A node as LangGraph calls it: by the name of its parameter."""

    def __call__(self, state: GovernorState) -> Awaitable[Updates]: ...


def memory_graph(governor: Governor, checkpointer: "BaseCheckpointSaver[str] | None" = None) -> MemoryGraph:
    """The governor as a compiled graph: the same nodes, the same transitions, the same result.

    Raises ConfigurationError where LangGraph is not installed.
    """
    try:  # not at import: an optional extra, and one whose import looks for the network
        from langgraph.graph import END, START, StateGraph  # noqa: PLC0415
    except ImportError as error:
        hint = ("Install it: pip install 'ragpp[langgraph]'.",)
        raise ConfigurationError(f"LangGraph cannot be imported: {error}", suggestions=hint) from error
    graph: StateGraph[GovernorState, None, GovernorState, GovernorState] = StateGraph(GovernorState)
    nodes = ORDERS[governor.mode]
    for name in nodes:
        graph.add_node(name, _runner(governor, name))
    graph.add_edge(START, FIRST)
    for name in nodes:
        if name == LAST:
            graph.add_edge(name, END)
        else:
            graph.add_conditional_edges(name, _chooser(name), list(nodes))
    return graph.compile(checkpointer=checkpointer)


def _runner(governor: Governor, name: NodeName) -> _Step:
    async def run(state: GovernorState) -> Updates:
        before = governor.begin(_invocation(state)) if name == FIRST else Turn.model_validate(state["turn"])
        turn = await governor.step(name, before)
        updates: Updates = {"turn": turn.model_dump(mode="json")}
        return updates if name != LAST else updates | governor.finish(turn).model_dump(mode="json")

    return run


def _chooser(name: NodeName) -> Callable[[GovernorState], str]:
    def choose(values: GovernorState) -> str:
        return after(name, Turn.model_validate(values["turn"])) or LAST

    return choose


def _invocation(values: GovernorState) -> Invocation:
    given = {field: values[field] for field in ("state", "event", "available_tools") if field in values}
    try:
        return Invocation.model_validate(given)
    except ValidationError as error:
        raise invalid_fields([dict(item) for item in error.errors()]) from error


class Agent(Protocol):
    """A compiled graph whose state has `messages`, such as every prebuilt agent."""

    @property
    def ainvoke(self) -> Callable[..., Awaitable[object]]:
        """Takes the state, answers the state after the agent's run."""
        ...


def agent_responder(agent: Agent) -> Responder:
    """Answers with an agent's last message; it is given the prompt as its messages and runs its own tools itself."""

    async def respond(prompt: Prompt) -> Reply:
        state = await agent.ainvoke({"messages": chat_messages(prompt)})
        messages = state.get("messages") if isinstance(state, Mapping) else None
        if not messages:
            raise TypeError("the agent's state has no messages")
        return reply_of(messages[-1])

    return respond
