"""One event on its way through the nodes, what they may ask of the outside, and the digest of what they go by."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from pydantic import BaseModel, Field

from ragpp.api import RecallRequest, StoreRequest
from ragpp.api.hooks import MemoryRequestIn, PostMessageIn, PostResponseIn, PrePromptIn, TurnCatalog
from ragpp.models import Value
from ragpp_services.governor.tool_values import Tool
from ragpp_services.governor.values import (
    TOOL_RESULT,
    Answer,
    Given,
    Invocation,
    Limits,
    MemoryUsed,
    Mode,
    NodeName,
    Prompt,
    PromptMessage,
    Transition,
    TurnResult,
)

NOT_ALWAYS_ANSWERED: Final = ("offered", "chosen", "requested", "useful", "job", "rules")
"""The fields of an answer that not every node has."""
NOT_ALWAYS_KEPT: Final = ("given", "asked_stored", "rules")
"""The same of a state."""
NOT_ALWAYS_TOLD: Final = frozenset(
    {
        "tokenizer",
        "relevance",
        "coverage",
        "utc_offset",
        "focus_end",
        "may_correct",
        "speaker_role",
        "second_similarity",
        "feedback",
        "redacted",
    }
)
"""Fields that an event, a recall or an answer may have, and need not."""
ONCE_NOT_ASKED: Final = {"name", "fill", "filter"}
"""Fields that a recall once had not: who asks follows from the message, and the governor never fills nor filters."""


class Remaining(Value):
    """Which writes of this session has the memory not acknowledged yet?"""

    user: str
    session: str


class Choice(Value):
    """Which of what is offered does the agent want to read for this message?"""

    offered: TurnCatalog
    message: str


class Exchange(Value):
    """How useful was what was given for the answer, and what is to be kept of the exchange? `response` is None where
    nothing was given; `message` where the memory has not acknowledged both messages of the exchange, without which
    nothing is to be kept of it."""

    response: PostResponseIn | None
    message: PostMessageIn | None


class RulesTold(Value):
    """Which rules an answer was given under, once for the `activation`; and of which it is known how they worked, by
    id."""

    user: str
    activation: str
    fired: tuple[str, ...] = ()
    outcomes: dict[str, bool] = Field(default_factory=dict)


CatalogAsk: TypeAlias = PrePromptIn | Choice | MemoryRequestIn | Exchange
Ask: TypeAlias = StoreRequest | RecallRequest | Prompt | Remaining | RulesTold | CatalogAsk


class Turn(Value):
    """One event on its way through the nodes. `given`: what the catalog gave for the exchange; None where it was not
    asked, or did not answer."""

    invocation: Invocation
    limits: Limits
    started_at: datetime
    mode: Mode = "recall"
    exchange: tuple[PromptMessage, ...] = ()
    given: Given | None = None
    awaiting: tuple[str, ...] = ()
    prompt: Prompt | None = None
    answers: dict[NodeName, Answer] = Field(default_factory=dict)
    transitions: tuple[Transition, ...] = ()
    result: TurnResult | None = None

    @property
    def message_id(self) -> str:
        """The id of the event's message; the governor gives one to an event that has none."""
        return self.invocation.event.id or ""

    @property
    def goes_on(self) -> bool:
        """True where the event brings a tool's result to an exchange, which everything else begins anew."""
        return self.invocation.event.message_type == TOOL_RESULT

    @property
    def asked(self) -> PromptMessage:
        """The user's message of the exchange."""
        return next((message for message in reversed(self.exchange) if message.role == "user"), self.exchange[-1])

    @property
    def asked_stored(self) -> bool:
        """True once the memory has acknowledged the exchange's user message, in the turn in which it was said."""
        return self.invocation.state.asked_stored if self.goes_on else self.stored("store_message")

    def stored(self, name: NodeName) -> bool:
        """True where the memory has acknowledged what that node stores."""
        return name in self.answers and self.answers[name].outcome == "ok"

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Those that may be called in this turn."""
        rounds = sum(1 for message in self.exchange if message.tool_calls)
        return self.invocation.available_tools if rounds < self.limits.tool_rounds else ()

    @property
    def said_at(self) -> datetime:
        """When the event happened, in the conversation's own time."""
        return self.invocation.event.at or self.started_at

    @property
    def answered_at(self) -> datetime:
        """The event's time and what the turn has taken so far, at least a millisecond: an answer comes after its
        question."""
        return self.said_at + timedelta(milliseconds=max(1.0, sum(answer.ms for answer in self.answers.values())))

    @property
    def response_id(self) -> str | None:
        """The same for the same answer to the same message, and another for another; None when there is no text."""
        if not self.text:
            return None
        return "r_" + hashlib.sha256(f"{self.message_id}\n{self.text}".encode()).hexdigest()[:32]

    @property
    def text(self) -> str:
        """The answer; empty before there is one, and when tools are called without a word."""
        reply = self.answers["respond"].reply if "respond" in self.answers else None
        return reply.text.strip() if reply else ""

    @property
    def used(self) -> tuple[MemoryUsed, ...]:
        """The memories that were in the prompt, each with whether the reply says that it used it."""
        reply = self.answers["respond"].reply if "respond" in self.answers else None
        memories = self.prompt.memories if self.prompt else ()
        if reply is None or reply.cited is None:
            return memories
        return tuple(memory.model_copy(update={"cited": memory.id in reply.cited}) for memory in memories)


def digest(turn: Turn, ask: Ask | None) -> str:
    """SHA-256, in hex, of what a node goes by: what it asks, or the invocation and the answers so far, without how
    long they took.

    What only the catalog mode has, and what a recall need not say, counts where there is any, so a turn without it goes
    by what it always went by.
    """
    if ask is not None:
        given: object = _asked(ask)
    else:
        invocation = turn.invocation.model_dump()
        for name in NOT_ALWAYS_KEPT:
            if not getattr(turn.invocation.state, name):
                del invocation["state"][name]
        answers = {name: _told(answer) for name, answer in turn.answers.items()}
        given = [invocation, answers]
    return hashlib.sha256(json.dumps(_plain(given), sort_keys=True).encode()).hexdigest()


def _asked(ask: Ask) -> object:
    """The question as plain data; labels of the work count where there are any."""
    if isinstance(ask, Exchange):
        return {"response": ask.response, "message": None if ask.message is None else _asked_of_hook(ask.message)}
    if isinstance(ask, PrePromptIn):
        return _asked_of_hook(ask)
    return ask.model_dump(exclude=ONCE_NOT_ASKED if isinstance(ask, RecallRequest) else None)


def _asked_of_hook(ask: PrePromptIn | PostMessageIn) -> dict[str, object]:
    return ask.model_dump(exclude={name for name in ("domain", "task_type") if getattr(ask, name) is None})


def _told(answer: Answer) -> dict[str, object]:
    absent = {name for name in NOT_ALWAYS_ANSWERED if getattr(answer, name) is None}
    return answer.model_dump(exclude={"ms", *absent})


def _plain(value: object) -> object:
    """`value` as JSON, the same in every process: sets in order."""
    if isinstance(value, BaseModel):
        return _plain(value.model_dump())
    if isinstance(value, Mapping):
        told = {key: item for key, item in value.items() if key not in NOT_ALWAYS_TOLD or item not in (None, ())}
        return {str(key): _plain(item) for key, item in told.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value
