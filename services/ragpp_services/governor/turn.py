"""One event on its way through the nodes, what they may ask of the outside, and the digest of what they go by."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TypeAlias

from pydantic import BaseModel, Field

from ragpp.api import RecallRequest, StoreRequest
from ragpp.models import Value
from ragpp_services.governor.values import (
    Answer,
    Invocation,
    Limits,
    NodeName,
    Prompt,
    PromptMessage,
    Transition,
    TurnResult,
)


class Remaining(Value):
    """Which writes of this session has the memory not acknowledged yet?"""

    user: str
    session: str


Ask: TypeAlias = StoreRequest | RecallRequest | Prompt | Remaining


class Turn(Value):
    """One event on its way through the nodes."""

    invocation: Invocation
    limits: Limits
    started_at: datetime
    exchange: tuple[PromptMessage, ...] = ()
    awaiting: tuple[str, ...] = ()
    prompt: Prompt | None = None
    answers: dict[NodeName, Answer] = Field(default_factory=dict)
    transitions: tuple[Transition, ...] = ()
    result: TurnResult | None = None

    @property
    def message_id(self) -> str:
        """Of the event's message; the governor gives one to an event that has none."""
        return self.invocation.event.id or ""

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
        """What was answered; empty before that, and when tools are called without a word."""
        reply = self.answers["respond"].reply if "respond" in self.answers else None
        return reply.text.strip() if reply else ""


def digest(turn: Turn, ask: Ask | None) -> str:
    """SHA-256, in hex, of what a node goes by: what it asks, or the invocation and the answers so far, without how
    long they took."""
    if ask is not None:
        given: object = ask.model_dump()
    else:
        answers = {name: answer.model_dump(exclude={"ms"}) for name, answer in turn.answers.items()}
        given = [turn.invocation.model_dump(), answers]
    return hashlib.sha256(json.dumps(_plain(given), sort_keys=True).encode()).hexdigest()


def _plain(value: object) -> object:
    """`value` as JSON, the same in every process: sets in order."""
    if isinstance(value, BaseModel):
        return _plain(value.model_dump())
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value
