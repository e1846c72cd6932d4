"""The last node: what one event led to, and the state for the next. Pure."""

from collections.abc import Mapping
from typing import Final

from ragpp_services.governor.catalog_nodes import catalog_turn
from ragpp_services.governor.prompting import cut
from ragpp_services.governor.rule_nodes import rules_fired, rules_judged, rules_kept
from ragpp_services.governor.turn import Remaining, Turn
from ragpp_services.governor.values import (
    Answer,
    AssistantState,
    MemoryHealth,
    NodeName,
    RecentMessage,
    Response,
    TurnResult,
)

RECENT_CHARS: Final = 2_000
"""Characters of a message in the state's `recent`, which travels with every call."""
ANSWERED_FROM: Final[tuple[NodeName, ...]] = ("recall", "offer", "request")
"""The nodes in which the memory is waited for before the answer."""
_WELL: Final = frozenset({"ok", "partial", "skipped"})


def ask_what_is_unsaved(turn: Turn) -> Remaining:
    """The question which writes the state has to carry on."""
    return Remaining(user=turn.invocation.event.user_id, session=turn.invocation.event.session_id)


def report(turn: Turn, answer: Answer) -> Turn:
    """The result: the response, which memories it rests on, how the memory did, and the state for the next event."""
    state, answers = turn.invocation.state, turn.answers
    reply = answers["respond"].reply if "respond" in answers else None
    problems = tuple(
        f"{name}: {given.outcome}{f', {given.detail}' if given.detail else ''}"
        for name, given in answers.items()
        if given.outcome not in {"ok", "skipped"}
    )
    recalled = answers["recall"].recalled if "recall" in answers else None
    waited = [answers[name].ms for name in ANSWERED_FROM if name in answers]
    response = Response(
        id=turn.response_id,
        content=turn.text,
        text=turn.text,
        tool_calls=reply.tool_calls if reply else (),
        awaiting=turn.awaiting,
        session_id=turn.invocation.event.session_id,
        channel=turn.invocation.event.channel,
        metadata=reply.metadata if reply else {},
        at=turn.answered_at,
    )
    result = TurnResult(
        response=response,
        state=_next_state(turn, state, answer),
        memories_used=turn.used,
        memory=_health(answers),
        problems=problems,
        recall_ms=round(sum(waited), 2) if waited else None,
        relevance=recalled.relevance if recalled else None,
        undigested=recalled.receipt_pending if recalled else -1,
        catalog=catalog_turn(turn),
        rules_fired=rules_fired(turn),
        rules_judged=rules_judged(turn),
    )
    return turn.model_copy(update={"result": result})


def _next_state(turn: Turn, state: AssistantState, answer: Answer) -> AssistantState:
    event = turn.invocation.event
    said = turn.exchange[-1] if turn.exchange[-1].role == "assistant" else None
    heard = next(message for message in reversed(turn.exchange) if message.id == turn.message_id)
    name, heard_text = event.name or heard.name, cut(heard.content, RECENT_CHARS)
    recent = [*state.recent, RecentMessage(role=heard.role, name=name, content=heard_text, at=turn.said_at)]
    if said is not None and said.content:
        said_text = cut(said.content, RECENT_CHARS)
        recent.append(RecentMessage(role="assistant", content=said_text, at=turn.answered_at))
    return state.model_copy(
        update={
            "exchange": turn.exchange if turn.awaiting else (),
            "given": turn.given if turn.awaiting else None,
            "asked_stored": turn.mode == "catalog" and bool(turn.awaiting) and turn.asked_stored,
            "rules": rules_kept(turn),
            "recent": tuple(recent[max(0, len(recent) - turn.limits.recent) :]),
            "unsaved": answer.unsaved,
            "events": state.events + 1,
        }
    )


def _health(answers: Mapping[NodeName, Answer]) -> MemoryHealth:
    asked = [answers[name].outcome for name in ("store_message", *ANSWERED_FROM, "store_response") if name in answers]
    if any(outcome not in _WELL for outcome in asked):
        return "degraded"
    judged = answers["judge"].outcome if "judge" in answers else "ok"
    return "partial" if "partial" in (*asked, judged) or judged not in _WELL else "ok"
