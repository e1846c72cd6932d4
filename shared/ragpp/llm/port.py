"""The protocols of a language model and of what a tenant may spend on it. All values are frozen."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

Purpose = Literal["summary", "extraction", "consolidation", "retrieval", "reflection", "chat"]
PURPOSES: Final[tuple[Purpose, ...]] = (
    "summary",
    "extraction",
    "consolidation",
    "retrieval",
    "reflection",
    "chat",
)
"""The purposes that a model is configured for; each has a setting of its own."""

ReplyT = TypeVar("ReplyT", bound=BaseModel)
ReplyT_co = TypeVar("ReplyT_co", bound=BaseModel, covariant=True)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the provider counted them."""

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question to a model: `system` are our instructions, `user` the data they are about, never mixed.

    `name` is that of its file, with the version ("extract.v1"). `max_tokens`: the longest reply.
    """

    name: str
    system: str
    user: str
    max_tokens: int = 2_000


@dataclass(frozen=True, slots=True)
class Completion(Generic[ReplyT_co]):
    """A reply that fits its schema. `model`: which one answered, as "provider:model"."""

    reply: ReplyT_co
    usage: Usage
    model: str


@dataclass(frozen=True, slots=True)
class ChatDelta:
    """A piece of a streamed answer; the last one has no text and the usage, where the provider tells it."""

    text: str = ""
    usage: Usage | None = None


class LanguageModel(Protocol):
    """One model of one provider; an instance serves many tasks of one event loop.

    Failures of connection, timeouts, rate limits and server errors are tried again a bounded number of times; then,
    from any method: ModelUnavailable, ModelRateLimited, ModelRefused, MalformedReply, BudgetSpent, all of them
    LanguageModelError.
    """

    @property
    def name(self) -> str:
        """As "provider:model"."""
        ...

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        """The model's answer as a value of `schema`. What does not fit it is a MalformedReply, never a guess."""
        ...

    def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int = 1_000) -> AsyncIterator[ChatDelta]:
        """The model's answer as it is written. A stream that breaks off is an error after what came before it;
        only one that has not begun is tried again."""
        ...

    async def close(self) -> None:
        """Let the connections go; harmless to repeat."""
        ...


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens that are set aside for a call, on the UTC day it began."""

    tenant_id: str
    day: date
    tokens: int


class SpendBudget(Protocol):
    """How many tokens a tenant may spend a UTC day. Raises, from any method: TierUnavailable."""

    async def reserve(self, tenant_id: str, tokens: int) -> Reservation | None:
        """Set tokens aside, in one step with looking whether they are there; None when they are not. What is never
        settled stays spent, so that a crash does not make a budget larger."""
        ...

    async def settle(self, reservation: Reservation, used: int) -> None:
        """Replace what was set aside by what was used, on the day of the reservation."""
        ...

    async def left(self, tenant_id: str) -> int | None:
        """Tokens that may still be spent today, at least 0; None where there is no limit."""
        ...
