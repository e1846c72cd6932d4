"""The nodes of a turn, all of them pure: what to ask of the outside (`ask`), and what the answer makes of the turn
(`tell`). Who asks, with which deadlines, is the governor's business; a replay answers from a record.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from pydantic import JsonValue

from ragpp.api import MessageIn, RecallRequest, StoreRequest
from ragpp.errors import InvalidInput
from ragpp.fields import MAX_CONTENT_CHARS, storable_metadata
from ragpp_services.governor.prompting import assembled, cut, situation_text
from ragpp_services.governor.turn import Ask, Turn
from ragpp_services.governor.values import (
    ASSISTANT_RESPONSE,
    Answer,
    MemoryUsed,
    NodeName,
    Prompt,
    PromptMessage,
)

MAX_QUERY_CHARS: Final = 20_000
"""Characters of a recall's query; a longer message is asked for by its beginning."""
TRAVEL_SHARE: Final = 0.1
"""The part of the recall's deadline that the way to the gateway and back is given."""
TRACED: Final = 20
"""How many memories a stored response names as what it rests on, and how many tools."""


class Node(NamedTuple):
    """`ask`: None when there is nothing to ask. `tell` is called in either case."""

    name: NodeName
    ask: Callable[[Turn], Ask | None]
    tell: Callable[[Turn, Answer], Turn]


def nothing(_turn: Turn) -> None:
    """Asks nothing."""


def unchanged(turn: Turn, _answer: Answer) -> Turn:
    """Whatever the answer is, the turn goes on as it was."""
    return turn


def receive(turn: Turn, _answer: Answer) -> Turn:
    """The event joins the exchange: it begins a new one, or brings a tool's result to the one that waits for it.

    Raises InvalidInput for a result that nothing waits for.
    """
    event, state = turn.invocation.event, turn.invocation.state
    if not turn.goes_on:
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
    return turn.model_copy(update={"exchange": (*state.exchange, result), "awaiting": awaiting, "given": state.given})


def _outstanding(exchange: tuple[PromptMessage, ...]) -> dict[str, str]:
    """Id → name of the tool calls without a result."""
    calls = {call.id: call.name for message in exchange for call in message.tool_calls}
    answered = {message.tool_call_id for message in exchange}
    return {identifier: name for identifier, name in calls.items() if identifier not in answered}


def ask_to_store_message(turn: Turn) -> StoreRequest:
    """The request to remember the event's message, under its own id."""
    event = turn.invocation.event
    message = MessageIn(
        id=turn.message_id,
        role="tool" if turn.goes_on else "user",
        name=turn.exchange[-1].name if turn.goes_on else event.name,
        content=event.content,
        occurred_at=turn.said_at,
        message_type=event.message_type,
        channel=event.channel,
        domain=event.domain,
        task_type=event.task_type,
        metadata=event.metadata,
    )
    return StoreRequest(
        user_id=event.user_id, session_id=event.session_id, agent_id=event.agent_id, messages=(message,)
    )


def ask_to_recall(turn: Turn) -> RecallRequest:
    """The recall of what is known about the user's last message, that message and its exchange left out."""
    event, state, limits = turn.invocation.event, turn.invocation.state, turn.limits
    return RecallRequest(
        user_id=event.user_id,
        session_id=event.session_id,
        query=turn.asked.content.strip()[:MAX_QUERY_CHARS],
        name=turn.asked.name or None,
        limit=limits.memories,
        token_budget=limits.token_budget,
        tokenizer=limits.tokenizer,
        deadline_ms=max(1, int(limits.deadline_ms * (1 - TRAVEL_SHARE))),
        exclude=frozenset(message.id for message in turn.exchange if message.id),
        as_of=event.at,
        persona=state.persona,
        tools=tuple(tool.line for tool in turn.tools),
        situation=situation_text(state.situation, turn.said_at, event.channel),
    )


def assemble(turn: Turn, _answer: Answer) -> Turn:
    """The prompt, from the memory's context or from what is at hand without it."""
    answer = turn.answers.get("recall", Answer(outcome="skipped"))
    recalled, event, state = answer.recalled, turn.invocation.event, turn.invocation.state
    system = assembled(
        recalled,
        persona=state.persona,
        tools=turn.tools,
        situation=situation_text(state.situation, turn.said_at, event.channel),
        recent=state.recent,
    )
    memories = tuple(
        MemoryUsed.model_validate({field: getattr(memory, field) for field in _USED_FIELDS})
        for memory in (recalled.memories if recalled else ())
        if memory.in_context
    )
    prompt = Prompt(
        system=system,
        messages=turn.exchange,
        tools=turn.tools,
        memories=memories,
        recalled=recalled is not None,
        relevance=recalled.relevance if recalled else None,
    )
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
    """The request to remember the answer, with what it rests on; a long one is cut."""
    event, reply = turn.invocation.event, turn.answers["respond"].reply
    metadata: dict[str, JsonValue] = {"in_reply_to": turn.message_id}
    if memories := turn.used[:TRACED]:
        metadata["memories_used"] = [memory.id for memory in memories]
    if reply is not None and reply.tool_calls:
        metadata["tools_called"] = [call.name for call in reply.tool_calls[:TRACED]]
    text = cut(turn.text, MAX_CONTENT_CHARS)
    if text != turn.text:
        metadata["cut"] = True
    message = MessageIn(
        id=turn.response_id,
        role="assistant",
        content=text,
        occurred_at=turn.answered_at,
        message_type=ASSISTANT_RESPONSE,
        channel=event.channel,
        domain=event.domain,
        task_type=event.task_type,
        metadata=_beside(metadata, {} if reply is None else reply.metadata),
    )
    return StoreRequest(
        user_id=event.user_id, session_id=event.session_id, agent_id=event.agent_id, messages=(message,)
    )


def _beside(own: dict[str, JsonValue], told: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Our metadata of a response beside the responder's, which is left out where both are more than a message may
    have."""
    try:
        return storable_metadata({**told, **own})
    except ValueError:
        return own
