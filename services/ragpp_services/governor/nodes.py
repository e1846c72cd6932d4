"""The machine's nodes, all of them pure: what to ask of the outside (`ask`), and what the answer makes of the turn
(`tell`). Who asks, with which deadlines, is the governor's business; a replay answers from a record.

    receive → store_message → recall → assemble → respond → store_response → report
                            └─ tools still out ──────────────┬── no text ──┘
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from pydantic import JsonValue

from ragpp.api import MessageIn, RecallRequest, StoreRequest
from ragpp.errors import InvalidInput
from ragpp.fields import MAX_CONTENT_CHARS
from ragpp_services.governor.prompting import assembled, situation_text
from ragpp_services.governor.turn import Ask, Remaining, Turn
from ragpp_services.governor.values import (
    ASSISTANT_RESPONSE,
    TOOL_RESULT,
    Answer,
    AssistantState,
    MemoryHealth,
    MemoryUsed,
    NodeName,
    Prompt,
    PromptMessage,
    RecentMessage,
    Response,
    Tool,
    TurnResult,
)

MAX_QUERY_CHARS: Final = 20_000
"""Of a recall's query; a longer message is asked for by its beginning."""
TRAVEL_SHARE: Final = 0.1
"""The part of the recall's deadline that the way to the gateway and back is given."""
CUT_MARK: Final = " …"
TRACED: Final = 20
"""How many memories a stored response names as what it rests on, and how many tools."""
RECENT_CHARS: Final = 2_000
"""Of a message in the state's `recent`, which travels with every call."""


class Node(NamedTuple):
    """`ask`: None when there is nothing to ask. `tell` is called in either case."""

    name: NodeName
    ask: Callable[[Turn], Ask | None]
    tell: Callable[[Turn, Answer], Turn]


def _nothing(_turn: Turn) -> None:
    return None


def _unchanged(turn: Turn, _answer: Answer) -> Turn:
    return turn


def receive(turn: Turn, _answer: Answer) -> Turn:
    """The event joins the exchange: it begins a new one, or brings a tool's result to the one that waits for it.

    Raises InvalidInput for a result that nothing waits for.
    """
    event, state = turn.invocation.event, turn.invocation.state
    if event.message_type != TOOL_RESULT:
        message = PromptMessage(id=turn.message_id, role="user", content=event.content, name=event.name)
        return turn.model_copy(update={"exchange": (message,)})
    outstanding = _outstanding(state.exchange)
    identifier = event.metadata.get("tool_call_id")
    if not isinstance(identifier, str) or identifier not in outstanding:
        raise InvalidInput(
            f"no tool call {identifier!r} is waiting for a result",
            suggestions=(
                "Send the state that the call with `tool_calls` answered, and its id as metadata.tool_call_id.",
            ),
        )
    result = PromptMessage(
        id=turn.message_id,
        role="tool",
        content=event.content,
        name=outstanding[identifier],
        tool_call_id=identifier,
    )
    awaiting = tuple(call for call in outstanding if call != identifier)
    return turn.model_copy(update={"exchange": (*state.exchange, result), "awaiting": awaiting})


def _outstanding(exchange: tuple[PromptMessage, ...]) -> dict[str, str]:
    """Id → name of the tool calls without a result."""
    calls = {call.id: call.name for message in exchange for call in message.tool_calls}
    answered = {message.tool_call_id for message in exchange}
    return {identifier: name for identifier, name in calls.items() if identifier not in answered}


def ask_to_store_message(turn: Turn) -> StoreRequest:
    """What was said, to be remembered under its own id."""
    event = turn.invocation.event
    tool = event.message_type == TOOL_RESULT
    message = MessageIn(
        id=turn.message_id,
        role="tool" if tool else "user",
        name=turn.exchange[-1].name if tool else event.name,
        content=event.content,
        occurred_at=turn.said_at,
        message_type=event.message_type,
        channel=event.channel,
        metadata=event.metadata,
    )
    return StoreRequest(user_id=event.user, session_id=event.session, agent_id=event.agent, messages=(message,))


def ask_to_recall(turn: Turn) -> RecallRequest:
    """What the memory knows about the user's last message, that message and its exchange left out."""
    event, state, limits = turn.invocation.event, turn.invocation.state, turn.limits
    asked = next((message for message in reversed(turn.exchange) if message.role == "user"), turn.exchange[-1])
    return RecallRequest(
        user_id=event.user,
        session_id=event.session,
        query=asked.content.strip()[:MAX_QUERY_CHARS],
        limit=limits.memories,
        token_budget=limits.token_budget,
        deadline_ms=max(1, int(limits.deadline_ms * (1 - TRAVEL_SHARE))),
        exclude=frozenset(message.id for message in turn.exchange if message.id),
        as_of=event.at,
        persona=state.persona,
        tools=tuple(tool.line for tool in _tools(turn)),
        situation=situation_text(state.situation, turn.said_at, event.channel),
    )


def _tools(turn: Turn) -> tuple[Tool, ...]:
    """Those that may be called in this turn."""
    rounds = sum(1 for message in turn.exchange if message.tool_calls)
    return turn.invocation.available_tools if rounds < turn.limits.tool_rounds else ()


def assemble(turn: Turn, _answer: Answer) -> Turn:
    """The prompt, from the memory's context or from what is at hand without it."""
    answer = turn.answers.get("recall", Answer(outcome="skipped"))
    recalled, event, state = answer.recalled, turn.invocation.event, turn.invocation.state
    tools = _tools(turn)
    system = assembled(
        recalled,
        persona=state.persona,
        tools=tools,
        situation=situation_text(state.situation, turn.said_at, event.channel),
        recent=state.recent,
    )
    memories = tuple(
        MemoryUsed.model_validate({field: getattr(memory, field) for field in _USED_FIELDS})
        for memory in (recalled.memories if recalled else ())
        if memory.in_context
    )
    recalls = recalled is not None
    prompt = Prompt(system=system, messages=turn.exchange, tools=tools, memories=memories, recalled=recalls)
    return turn.model_copy(update={"prompt": prompt})


_USED_FIELDS: Final = tuple(name for name in MemoryUsed.model_fields if name != "cited")


def ask_to_respond(turn: Turn) -> Prompt:
    """The prompt for the responder."""
    assert turn.prompt is not None, "assembled one node earlier"  # noqa: S101 - the order of the nodes
    return turn.prompt


def respond(turn: Turn, answer: Answer) -> Turn:
    """The reply joins the exchange."""
    reply = answer.reply
    if reply is None:
        return turn
    said = PromptMessage(id=turn.response_id, role="assistant", content=turn.text, tool_calls=reply.tool_calls)
    awaiting = tuple(call.id for call in reply.tool_calls)
    return turn.model_copy(update={"exchange": (*turn.exchange, said), "awaiting": awaiting})


def ask_to_store_response(turn: Turn) -> StoreRequest:
    """What was answered, with what it rests on."""
    event, reply = turn.invocation.event, turn.answers["respond"].reply
    metadata: dict[str, JsonValue] = {"in_reply_to": turn.message_id}
    if memories := _used(turn)[:TRACED]:
        metadata["memories_used"] = [memory.id for memory in memories]
    if reply is not None and reply.tool_calls:
        metadata["tools_called"] = [call.name for call in reply.tool_calls[:TRACED]]
    text = _cut(turn.text, MAX_CONTENT_CHARS)
    if text != turn.text:
        metadata["cut"] = True
    message = MessageIn(
        id=turn.response_id,
        role="assistant",
        content=text,
        occurred_at=turn.answered_at,
        message_type=ASSISTANT_RESPONSE,
        channel=event.channel,
        metadata=metadata,
    )
    return StoreRequest(user_id=event.user, session_id=event.session, agent_id=event.agent, messages=(message,))


def ask_what_is_unsaved(turn: Turn) -> Remaining:
    """What the state has to carry on."""
    return Remaining(user=turn.invocation.event.user, session=turn.invocation.event.session)


def report(turn: Turn, answer: Answer) -> Turn:
    """The result: the response, which memories it rests on, how the memory did, and the state for the next event."""
    state, answers = turn.invocation.state, turn.answers
    reply = answers["respond"].reply if "respond" in answers else None
    problems = tuple(
        f"{name}: {given.outcome}{f', {given.detail}' if given.detail else ''}"
        for name, given in answers.items()
        if given.outcome not in {"ok", "skipped"}
    )
    recall = answers.get("recall")
    recalled = recall.recalled if recall else None
    response = Response(
        id=turn.response_id,
        text=turn.text,
        tool_calls=reply.tool_calls if reply else (),
        awaiting=turn.awaiting,
        at=turn.answered_at,
    )
    result = TurnResult(
        response=response,
        state=_next_state(turn, state, answer),
        memories_used=_used(turn),
        memory=_health(answers),
        problems=problems,
        recall_ms=recall.ms if recall else None,
        undigested=recalled.receipt_pending if recalled else -1,
    )
    return turn.model_copy(update={"result": result})


def _next_state(turn: Turn, state: AssistantState, answer: Answer) -> AssistantState:
    event = turn.invocation.event
    said = turn.exchange[-1] if turn.exchange[-1].role == "assistant" else None
    heard = next(message for message in reversed(turn.exchange) if message.id == turn.message_id)
    name, heard_text = event.name or heard.name, _cut(heard.content, RECENT_CHARS)
    recent = [*state.recent, RecentMessage(role=heard.role, name=name, content=heard_text, at=turn.said_at)]
    if said is not None and said.content:
        said_text = _cut(said.content, RECENT_CHARS)
        recent.append(RecentMessage(role="assistant", content=said_text, at=turn.answered_at))
    return state.model_copy(
        update={
            "exchange": turn.exchange if turn.awaiting else (),
            "recent": tuple(recent[max(0, len(recent) - turn.limits.recent) :]),
            "unsaved": answer.unsaved,
            "events": state.events + 1,
        }
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - len(CUT_MARK)] + CUT_MARK


def _used(turn: Turn) -> tuple[MemoryUsed, ...]:
    reply = turn.answers["respond"].reply if "respond" in turn.answers else None
    memories = turn.prompt.memories if turn.prompt else ()
    if reply is None or reply.cited is None:
        return memories
    return tuple(memory.model_copy(update={"cited": memory.id in reply.cited}) for memory in memories)


def _health(answers: Mapping[NodeName, Answer]) -> MemoryHealth:
    asked = [answers[name].outcome for name in ("store_message", "recall", "store_response") if name in answers]
    if any(outcome not in {"ok", "partial", "skipped"} for outcome in asked):
        return "degraded"
    return "partial" if "partial" in asked else "ok"


NODES: Final[Mapping[NodeName, Node]] = {
    node.name: node
    for node in (
        Node("receive", _nothing, receive),
        Node("store_message", ask_to_store_message, _unchanged),
        Node("recall", ask_to_recall, _unchanged),
        Node("assemble", _nothing, assemble),
        Node("respond", ask_to_respond, respond),
        Node("store_response", ask_to_store_response, _unchanged),
        Node("report", ask_what_is_unsaved, report),
    )
}
FIRST: Final[NodeName] = "receive"
_ORDER: Final = tuple(NODES)


def after(name: NodeName, turn: Turn) -> NodeName | None:
    """The node that follows; None at the end. While tools are out nothing is asked and nothing said; a reply without
    a text leaves nothing to store."""
    if (name == "store_message" and turn.awaiting) or (name == "respond" and not turn.text):
        return "report"
    place = _ORDER.index(name) + 1
    return _ORDER[place] if place < len(_ORDER) else None
