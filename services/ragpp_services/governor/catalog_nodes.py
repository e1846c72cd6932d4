"""The nodes of a turn in which the agent chooses its memories: what it is offered, what it asks for, and what is told
of its answer. Pure, as the others are.

A turn of the hooks begins with a user's message. A tool's result goes on with it: what was given is kept in the state
and stands in the prompt again, and it is judged once, behind the answer that ends the exchange.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from ragpp.api.hooks import (
    MAX_PROMPT_CHARS,
    CatalogLine,
    MemoryRequestIn,
    PostMessageIn,
    PostResponseIn,
    PrePromptIn,
    RequestedMemories,
    RequestedMemory,
    TurnCatalog,
)
from ragpp_services.governor.catalog_values import CatalogTurn, GivenMemory, OfferedMemory
from ragpp_services.governor.choosing import requestable
from ragpp_services.governor.prompting import composed, cut, situation_text
from ragpp_services.governor.turn import Choice, Exchange, Turn
from ragpp_services.governor.values import Answer, Given, MemoryUsed, Prompt, RecentMessage

DEFAULT_CI: Final = "assistant"
"""The agent whose turn it is where the event names none."""


def ci_of(turn: Turn) -> str:
    """The agent whose turn it is."""
    return turn.invocation.event.agent_id or DEFAULT_CI


def ask_for_a_catalog(turn: Turn) -> PrePromptIn:
    """The request for a catalog to choose from for the user's message."""
    event = turn.invocation.event
    return PrePromptIn(
        user_id=event.user_id,
        ci=ci_of(turn),
        prompt=turn.asked.content,
        domain=event.domain,
        task_type=event.task_type,
    )


def offer(turn: Turn, answer: Answer) -> Turn:
    """Where nothing is offered, nothing is what was given."""
    nothing = answer.offered is not None and not answer.offered.catalog
    return turn.model_copy(update={"given": Given() if nothing else None})


def ask_which(turn: Turn) -> Choice:
    """Which of it the agent wants to read."""
    offered = turn.answers["offer"].offered
    assert offered is not None, "what is not offered is not chosen from"  # noqa: S101 - the order of the nodes
    return Choice(offered=offered, message=turn.asked.content)


def choose(turn: Turn, answer: Answer) -> Turn:
    """Where nothing is chosen, nothing is what was given."""
    return turn if answer.chosen else turn.model_copy(update={"given": Given()})


def ask_for_what_was_chosen(turn: Turn) -> MemoryRequestIn:
    """By id: a handle is that of the agent's latest turn, which another process may have begun by now."""
    chosen = turn.answers["choose"].chosen or ()
    return MemoryRequestIn(user_id=turn.invocation.event.user_id, ci=ci_of(turn), memory_ids=chosen)


def request(turn: Turn, answer: Answer) -> Turn:
    """Keep what was given for the exchange."""
    if answer.requested is None:
        return turn
    lines = {line.entry.memory_id: line for line in _lines(turn)}
    memories = tuple(_used(memory, lines.get(memory.memory_id)) for memory in answer.requested.memories)
    return turn.model_copy(update={"given": Given(formatted=answer.requested.formatted, memories=memories)})


def assemble(turn: Turn, _answer: Answer) -> Turn:
    """The prompt: the conversation at hand, and what was given of what is known."""
    event, state = turn.invocation.event, turn.invocation.state
    system = composed(
        None if turn.given is None else turn.given.formatted,
        persona=state.persona,
        tools=turn.tools,
        situation=situation_text(state.situation, turn.said_at, event.channel),
        recent=_earlier(turn),
    )
    memories = () if turn.given is None else turn.given.memories
    prompt = Prompt(
        system=system,
        messages=turn.exchange,
        tools=turn.tools,
        memories=memories,
        recalled=turn.given is not None,
    )
    return turn.model_copy(update={"prompt": prompt})


def ask_what_came_of_it(turn: Turn) -> Exchange:
    """How useful what was given was for the answer, and to keep what the exchange tells that is new: under the ids of
    its messages, so where the memory has both of them."""
    user, response = turn.invocation.event.user_id, cut(turn.text, MAX_PROMPT_CHARS)
    memories = turn.given.memories if turn.given else ()
    given = requestable([memory.id for memory in memories])
    judged = PostResponseIn(user_id=user, ci=ci_of(turn), response=response, memories_used=given)
    said = PostMessageIn(
        user_id=user,
        ci=ci_of(turn),
        message=turn.asked.content,
        response=response,
        message_id=turn.asked.id,
        response_id=turn.response_id,
        domain=turn.invocation.event.domain,
        task_type=turn.invocation.event.task_type,
    )
    stored = turn.asked_stored and turn.stored("store_response")
    return Exchange(response=judged if given else None, message=said if stored else None)


def catalog_turn(turn: Turn) -> CatalogTurn | None:
    """The turn as far as the catalog had part in it; None where it had none."""
    answers = turn.answers
    if not answers.keys() & {"offer", "judge"}:
        return None
    offered = answers["offer"].offered if "offer" in answers else None
    requested = answers["request"].requested if "request" in answers else None
    judged = answers.get("judge", Answer())
    budgets = [one.token_budget for one in (requested, offered) if one is not None]
    return CatalogTurn(
        ci=ci_of(turn),
        offered=() if offered is None else _offered(offered),
        chosen=answers["choose"].chosen or () if "choose" in answers else (),
        given=() if requested is None else _given(requested),
        left_out={} if requested is None else requested.left_out,
        tokens=0 if requested is None else requested.tokens,
        budget=budgets[0] if budgets else None,
        useful=judged.useful.useful if judged.useful else None,
        job=judged.job.id if judged.job else None,
    )


def _lines(turn: Turn) -> Sequence[CatalogLine]:
    offered = turn.answers["offer"].offered if "offer" in turn.answers else None
    return () if offered is None else offered.catalog


def _used(memory: RequestedMemory, line: CatalogLine | None) -> MemoryUsed:
    return MemoryUsed(
        id=memory.memory_id,
        tier="catalog",
        kind="item",
        text=memory.text,
        score=0.0 if line is None else line.score,
        occurred_at=None if line is None else line.entry.timestamp,
    )


def _earlier(turn: Turn) -> Sequence[RecentMessage]:
    """The conversation before the exchange, whose messages the prompt has as they are."""
    recent = turn.invocation.state.recent
    if not turn.goes_on:
        return recent
    told = sum(1 for message in turn.invocation.state.exchange if message.role != "assistant" or message.content)
    return recent[: max(0, len(recent) - told)]


def _offered(offered: TurnCatalog) -> tuple[OfferedMemory, ...]:
    reasons: Mapping[str, str] = {one.memory_id: one.reason for one in offered.recommendation}
    return tuple(
        OfferedMemory(
            handle=line.handle,
            memory_id=line.entry.memory_id,
            kind=line.entry.type,
            summary=line.entry.summary,
            timestamp=line.entry.timestamp,
            score=line.score,
            recommended=reasons.get(line.entry.memory_id),
        )
        for line in offered.catalog
    )


def _given(requested: RequestedMemories) -> tuple[GivenMemory, ...]:
    return tuple(
        GivenMemory(handle=memory.handle, memory_id=memory.memory_id, form=memory.form) for memory in requested.memories
    )
