"""The governor: an assistant's state machine on top of a memory.

governor = MemoryAwareGovernorGraph(memory_client, respond)
answer = await governor.invoke({"state": {}, "event": {"user_id": "u1", "content": "Hello"}, "available_tools": []})
answer["response"]["content"], answer["state"]          # hand the state in again with the next event
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final, Self
from uuid import uuid4

import structlog
from pydantic import JsonValue, ValidationError

from ragpp.api import RecallRequest, StoreRequest
from ragpp.clock import Clock, system_clock
from ragpp.errors import ConfigurationError, MemorySystemError
from ragpp.errors.problems import invalid_fields
from ragpp.errors.summaries import safe_summary, trace_of
from ragpp_services.governor.choosing import Chooser
from ragpp_services.governor.deadlines import MS, within
from ragpp_services.governor.errors import ReplayDiverged, ResponderFailed
from ragpp_services.governor.foreign import cancelled_by_others_alone, words_of
from ragpp_services.governor.hooks import CatalogAsker, MemoryHooks
from ragpp_services.governor.orders import FIRST, ORDERS, after
from ragpp_services.governor.outbox import Memory, Outbox
from ragpp_services.governor.responders import OnText, Responder, ask_responder
from ragpp_services.governor.rules import RulesAsker
from ragpp_services.governor.turn import Ask, Remaining, RulesTold, Turn, digest
from ragpp_services.governor.values import (
    Answer,
    Invocation,
    Limits,
    Mode,
    NodeName,
    Prompt,
    Record,
    Transition,
    TurnResult,
)

OnRecord = Callable[[Record], None]
_log = structlog.stdlib.get_logger(__name__)
_SENT_AGAIN: Final = frozenset({"late", "unavailable"})


class MemoryAwareGovernorGraph:
    """Runs events through the nodes; one instance serves many users and tasks at once and keeps nothing of them but
    the writes that the memory has not acknowledged.

    `respond`: any callable or chat model (ragpp_services.governor.responders). In the `mode` catalog the agent chooses
    its memories at each turn, by `choose` (ragpp_services.governor.choosing); without one it takes what is recommended.
    `on_record` is given the record of each turn, for a replay.

    Raises ConfigurationError for the mode `catalog` with a memory that has no hooks, and for a `choose` without it.
    """

    def __init__(
        self,
        memory: Memory,
        respond: Responder,
        *,
        mode: Mode = "recall",
        choose: Chooser | None = None,
        limits: Limits | None = None,
        clock: Clock = system_clock,
        outbox: Outbox | None = None,
        on_record: OnRecord | None = None,
    ) -> None:
        self._memory, self._respond, self._clock = memory, respond, clock
        self._limits = limits or Limits()
        self._outbox = outbox or Outbox(memory)
        self._on_record = on_record
        self._rules = RulesAsker(memory, self._limits)
        self._mode, self._catalog = mode, _asker(memory, mode, choose, self._limits)

    @property
    def mode(self) -> Mode:
        """How its turns come by memories."""
        return self._mode

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self, patience_s: float = 5.0) -> tuple[StoreRequest, ...]:
        """Stop sending again; returns the writes that the memory has not acknowledged, which the states hold too."""
        return await self._outbox.aclose(patience_s)

    async def invoke(self, given: Mapping[str, object]) -> dict[str, JsonValue]:
        """`turn` for plain data: {state, event, available_tools} in; {response, state, memories_used, transitions,
        memory, problems, recall_ms, relevance, undigested, catalog, rules_fired, rules_judged} out, all of it JSON.
        Raises also InvalidInput, which names the fields.
        """
        try:
            invocation = Invocation.model_validate(given)
        except ValidationError as error:
            raise invalid_fields([dict(item) for item in error.errors()]) from error
        result: dict[str, JsonValue] = (await self.turn(invocation)).model_dump(mode="json")
        return result

    async def turn(self, invocation: Invocation, *, on_text: OnText | None = None) -> TurnResult:
        """One event through all nodes. `on_text` is given the pieces of the answer as they are written, where the
        responder streams.

        Raises ResponderFailed: the user's message is remembered by then, and the same event may be sent again;
        InvalidInput for a tool's result that nothing waits for. Never for the memory.
        """
        turn = self.begin(invocation)
        name: NodeName | None = FIRST
        while name is not None:
            turn = await self.step(name, turn, on_text=on_text)
            name = after(name, turn)
        return self.finish(turn)

    def begin(self, invocation: Invocation) -> Turn:
        """The turn before its first node; an event without an id is given one."""
        if invocation.event.id is None:
            event = invocation.event.model_copy(update={"id": f"m_{uuid4().hex}"})
            invocation = invocation.model_copy(update={"event": event})
        return Turn(invocation=invocation, limits=self._limits, started_at=self._clock(), mode=self._mode)

    async def step(self, name: NodeName, turn: Turn, *, on_text: OnText | None = None) -> Turn:
        """One node: ask what it asks, tell it the answer, note the transition."""
        node, at, began = ORDERS[turn.mode][name], self._clock(), time.perf_counter()
        ask = node.ask(turn)
        inputs = digest(turn, ask)
        answer = Answer() if ask is None else await self._perform(ask, turn, on_text)
        ms = round((time.perf_counter() - began) * MS, 2)
        if ask is not None:
            answer = answer.model_copy(update={"ms": ms})
        transition = Transition(node=name, at=at, ms=ms, outcome=answer.outcome, inputs=inputs, detail=answer.detail)
        if answer.outcome == "failed":
            passed = [item.model_dump(mode="json") for item in (*turn.transitions, transition)]
            raise ResponderFailed(answer.detail or "the responder failed", details={"transitions": passed})
        return _passed(turn, transition, ask, answer)

    def finish(self, turn: Turn) -> TurnResult:
        """The result with its transitions; the record goes to `on_record`."""
        result = _result(turn)
        if self._on_record is not None:
            record = Record(
                mode=turn.mode,
                invocation=turn.invocation,
                started_at=turn.started_at,
                limits=turn.limits,
                answers=turn.answers,
                result=result,
            )
            try:
                self._on_record(record)
            except OSError as error:  # an answer is not lost for a full disk
                _log.warning("governor.not_recorded", error=safe_summary(error))
        return result

    async def _perform(self, ask: Ask, turn: Turn, on_text: OnText | None) -> Answer:
        if isinstance(ask, StoreRequest):
            return await self._store(ask, turn)
        if isinstance(ask, RecallRequest):
            return await self._recall(ask)
        if isinstance(ask, Prompt):
            return await self._ask_responder(ask, on_text)
        if isinstance(ask, Remaining):
            return Answer(unsaved=self._outbox.waiting(ask.user, ask.session))
        if isinstance(ask, RulesTold):
            return await self._rules.perform(ask)
        assert self._catalog is not None, "only the catalog mode has nodes that ask it"  # noqa: S101
        return await self._catalog.perform(ask)

    async def _store(self, request: StoreRequest, turn: Turn) -> Answer:
        """Store, or leave it to the outbox: also what an earlier process could not store, and the answer to a message
        that waits there itself, which need not be tried and would come before it."""
        full = not self._outbox.put(turn.invocation.state.unsaved)
        before = turn.answers.get("store_message")
        if before is not None and before.outcome in _SENT_AGAIN:
            answer = Answer(outcome=before.outcome, detail="waits behind the message that it answers")
        else:
            answer = await within(self._limits.store_ms, self._remembered(request))
        if answer.outcome in _SENT_AGAIN:
            full = not self._outbox.put([request]) or full
        if full:
            return answer.model_copy(update={"outcome": "refused", "detail": "too many writes wait to be sent again"})
        return answer

    async def _remembered(self, request: StoreRequest) -> Answer:
        return Answer(stored=await self._memory.remember(request))

    async def _recall(self, request: RecallRequest) -> Answer:
        return await within(self._limits.deadline_ms, self._recalled(request))

    async def _recalled(self, request: RecallRequest) -> Answer:
        recalled = await self._memory.recall(request)
        missing = ", ".join(name for name, tier in recalled.tiers.items() if tier.status not in {"ok", "skipped"})
        whole = recalled.status == "complete"
        return Answer(outcome="ok" if whole else "partial", detail=missing or None, recalled=recalled)

    async def _ask_responder(self, prompt: Prompt, on_text: OnText | None) -> Answer:
        try:
            async with asyncio.timeout(self._limits.respond_ms / MS):
                with cancelled_by_others_alone():
                    return Answer(reply=await ask_responder(self._respond, prompt.model_copy(deep=True), on_text))
        except TimeoutError:
            return Answer(outcome="failed", detail=f"no answer within {self._limits.respond_ms / MS:g} s")
        except MemorySystemError as error:
            return Answer(outcome="failed", detail=words_of(error))
        except Exception as error:  # noqa: BLE001 - a responder is anybody's code; what it raises is told as ours
            _log.error("governor.responder_failed", error=safe_summary(error), where=trace_of(error))
            return Answer(outcome="failed", detail=words_of(error))


Governor = MemoryAwareGovernorGraph
"""The same, for short."""


def replay(record: Record, *, strict: bool = True) -> TurnResult:
    """Run a recorded turn again, with the answers that memory, chooser and responder gave then; nothing is asked or
    stored.

    Raises ReplayDiverged, naming the node, when one goes by something else than it did then, such as after a change
    of the prompt; not so with `strict` off.
    """
    turn = Turn(invocation=record.invocation, limits=record.limits, started_at=record.started_at, mode=record.mode)
    recorded = {transition.node: transition for transition in record.result.transitions}
    name: NodeName | None = FIRST
    while name is not None:
        ask = ORDERS[turn.mode][name].ask(turn)
        inputs, then = digest(turn, ask), recorded.get(name)
        if then is None and name == "judge" and turn.mode == "recall":  # of a turn from before rules were told of
            name = after(name, turn)
            continue
        if strict and (then is None or then.inputs != inputs):
            raise ReplayDiverged(f"{name} goes by something else than it did when the turn was recorded")
        answer = record.answers.get(name, Answer())
        transition = Transition(
            node=name,
            at=then.at if then else record.started_at,
            ms=then.ms if then else 0.0,
            outcome=answer.outcome,
            inputs=inputs,
            detail=answer.detail,
        )
        turn = _passed(turn, transition, ask, answer)
        name = after(name, turn)
    return _result(turn)


def _passed(turn: Turn, transition: Transition, ask: Ask | None, answer: Answer) -> Turn:
    """`turn` behind a node: its answer is kept where something was asked, the transition in any case."""
    answers = turn.answers if ask is None else turn.answers | {transition.node: answer}
    asked = turn.model_copy(update={"answers": answers, "transitions": (*turn.transitions, transition)})
    return ORDERS[turn.mode][transition.node].tell(asked, answer)


def _result(turn: Turn) -> TurnResult:
    assert turn.result is not None, "the last node reports"  # noqa: S101 - the order of the nodes
    return turn.result.model_copy(update={"transitions": turn.transitions})


def _asker(memory: Memory, mode: Mode, choose: Chooser | None, limits: Limits) -> CatalogAsker | None:
    if mode == "catalog" and isinstance(memory, MemoryHooks):
        return CatalogAsker(memory, choose, limits)
    if mode == "catalog":
        raise ConfigurationError(
            "the governor's mode is catalog, and its memory has no hooks to offer one",
            suggestions=(
                "Give it a ragpp.client.AsyncMemoryClient, or what has those four methods of it (MemoryHooks).",
            ),
        )
    if choose is not None:
        raise ConfigurationError(
            "a chooser is given, and the governor's mode is recall, in which nothing is chosen",
            suggestions=("Set mode='catalog'.",),
        )
    return None
