"""The configured models, each call within the process's concurrency and the tenant's budget, and counted."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final, Protocol

import structlog

from ragpp.errors import BudgetSpent, LanguageModelError, MemorySystemError, ModelRateLimited, ModelUnavailable
from ragpp.llm.port import (
    ChatDelta,
    ChatMessage,
    Completion,
    LanguageModel,
    Prompt,
    Purpose,
    ReplyT,
    Reservation,
    SpendBudget,
    Usage,
)

CHARS_PER_TOKEN: Final = 3
"""For setting tokens aside before a call: fewer characters than a token has in most languages, so rather too many."""
OVERHEAD_TOKENS: Final = 600
"""Tokens of a call beyond its texts: the schema, and how a provider wraps the messages."""
_log = structlog.stdlib.get_logger(__name__)


PAUSE_S: Final = 30.0
LONGEST_PAUSE_S: Final = 600.0
"""How long a model that failed all its attempts is left alone, so that what waits for it is not slowed down again and
again; as long as it asks for, within the second."""


class Called(Protocol):
    """Is told of each call, or of one that would have been made: its purpose, how it ended, how many seconds it took,
    and the tokens that it spent; `unsplit` are those of which nobody knows the direction."""

    def __call__(
        self,
        purpose: str,
        outcome: str,
        seconds: float,
        *,
        input_tokens: int = 0,
        output_tokens: int = 0,
        unsplit: int = 0,
    ) -> None: ...


def untold(*_call: object, **_tokens: object) -> None:
    """Nobody counts."""


class LanguageModels:
    """The models of one process, by purpose. One that is unavailable or over its rate limit is not asked again for
    half a minute, except for a stream, which somebody waits for.

    `counts` holds for each purpose how its calls ended: `ok`, the kinds of LanguageModelError (`unavailable`,
    `rate_limited`, `malformed`, `refused`, `budget_spent`), `cancelled`, and the `tokens` spent.
    """

    def __init__(
        self,
        models: Mapping[Purpose, LanguageModel],
        budget: SpendBudget,
        *,
        concurrency: int,
        seconds: Callable[[], float] = monotonic,
        called: Called = untold,
    ) -> None:
        """`concurrency`: calls at once, of all purposes together; ValueError below 1. `seconds`: a clock that only
        goes forward. `called` is told of each call."""
        if concurrency < 1:
            raise ValueError(f"concurrency is {concurrency}, and must be at least 1")
        self._models = dict(models)
        self._budget = budget
        self._slots = asyncio.Semaphore(concurrency)
        self._counts: dict[Purpose, Counter[str]] = {}
        self._pauses, self._called = Pauses(seconds), called

    @property
    def configured(self) -> Mapping[Purpose, str]:
        """The names of the models there are, "provider:model", by purpose."""
        return {purpose: model.name for purpose, model in self._models.items()}

    @property
    def counts(self) -> Mapping[Purpose, Mapping[str, int]]:
        """A snapshot."""
        return {purpose: dict(counter) for purpose, counter in self._counts.items()}

    def of(self, purpose: Purpose, tenant_id: str, *, within_s: float | None = None) -> LanguageModel | None:
        """The model for a purpose, on the tenant's budget; None where none is configured. `within_s`: how long a reply
        may take with all its attempts, and waiting for its turn; one that takes longer is a ModelUnavailable."""
        model = self._models.get(purpose)
        if model is None:
            return None
        counter = self._counts.setdefault(purpose, Counter())
        return _MeteredModel(
            model, self._budget, self._slots, self._pauses, counter, self._called, purpose, tenant_id, within_s
        )

    async def close(self) -> None:
        """Close every model."""
        for model in dict.fromkeys(self._models.values()):
            await model.close()


class Pauses:
    """Which models are left alone, and until when."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._until: dict[str, float] = {}

    def begin(self, model: str, asked_s: float | None) -> None:
        """Leave `model` alone from now on, `asked_s` seconds where it asked for them."""
        self._until[model] = self._seconds() + min(LONGEST_PAUSE_S, max(PAUSE_S, asked_s or 0.0))

    def check(self, model: str) -> None:
        """Raises ModelUnavailable while `model` is left alone."""
        left_s = self._until.get(model, 0.0) - self._seconds()
        if left_s > 0:
            raise ModelUnavailable(f"{model} failed a moment ago and is left alone", retry_after_s=left_s)


class _MeteredModel:
    """A model that spends from one tenant's budget. Implements `LanguageModel`."""

    def __init__(
        self,
        model: LanguageModel,
        budget: SpendBudget,
        slots: asyncio.Semaphore,
        pauses: Pauses,
        counter: Counter[str],
        called: Called,
        purpose: Purpose,
        tenant_id: str,
        within_s: float | None,
    ) -> None:
        self._model, self._budget, self._slots, self._within_s, self._called = model, budget, slots, within_s, called
        self._pauses, self._counter, self._purpose, self._tenant_id = pauses, counter, purpose, tenant_id

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        asked = False
        expected = _tokens(len(prompt.system) + len(prompt.user), prompt.max_tokens)
        try:
            async with asyncio.timeout(self._within_s) as limit, self._metered(prompt.name, expected, limit) as spent:
                self._pauses.check(self.name)
                asked = True
                completion = await self._model.complete(prompt, schema=schema)
                spent.append(completion.usage)
        except TimeoutError as error:
            if asked:  # else it waited for its turn, which is no fault of the model
                self._pauses.begin(self.name, None)
            raise ModelUnavailable(f"{self.name} did not reply within {self._within_s} s") from error
        except (ModelUnavailable, ModelRateLimited) as error:
            if asked:
                self._pauses.begin(self.name, error.retry_after_s)
            raise
        return completion

    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int = 1_000) -> AsyncIterator[ChatDelta]:
        expected = _tokens(sum(len(message.content) for message in messages), max_tokens)
        async with self._metered("chat", expected) as spent:
            async for delta in self._model.stream(messages, max_tokens=max_tokens):
                if delta.usage is not None:
                    spent.append(delta.usage)
                yield delta

    async def close(self) -> None:
        await self._model.close()

    @asynccontextmanager
    async def _metered(
        self, prompt: str, expected: int, limit: asyncio.Timeout | None = None
    ) -> AsyncIterator[list[Usage]]:
        """Set `expected` tokens aside, wait for a slot, and settle and count however the call ends.

        The body appends what was used; a call that succeeds and tells nothing costs what was expected. One that is
        cancelled costs it as well: it may be under way at the provider. Cancelled by its `limit` it is `unavailable`.
        """
        spent: list[Usage] = []
        outcome, used = "cancelled", expected
        reservation: Reservation | None = None
        began = monotonic()
        try:
            reservation = await self._reserve(expected)
            async with self._slots:
                yield spent
            outcome = "ok"
            used = sum(usage.total for usage in spent) or expected
        except LanguageModelError as error:
            outcome, used = error.kind, error.tokens_used or sum(usage.total for usage in spent)
            raise
        finally:
            if outcome == "cancelled" and limit is not None and limit.expired():
                outcome = ModelUnavailable.kind
            self._counter[outcome] += 1
            self._count(outcome, used if reservation is not None else 0, spent, monotonic() - began)
            if reservation is not None:
                self._counter["tokens"] += used
                await self._settle(reservation, used)
            log = _log.info if outcome == "ok" else _log.warning
            log(
                "llm.called",
                purpose=self._purpose,
                model=self._model.name,
                prompt=prompt,
                outcome=outcome,
                tokens=used if reservation is not None else 0,
            )

    def _count(self, outcome: str, used: int, spent: Sequence[Usage], seconds: float) -> None:
        given, written = sum(usage.input_tokens for usage in spent), sum(usage.output_tokens for usage in spent)
        if given + written == used:
            self._called(self._purpose, outcome, seconds, input_tokens=given, output_tokens=written)
        else:
            self._called(self._purpose, outcome, seconds, unsplit=used)

    async def _reserve(self, tokens: int) -> Reservation:
        try:
            reservation = await self._budget.reserve(self._tenant_id, tokens)
        except MemorySystemError as error:
            raise ModelUnavailable(f"the budget of tokens cannot be read: {error.message}") from error
        if reservation is None:
            raise BudgetSpent(f"{tokens} tokens for {self._purpose} are more than is left of today's")
        return reservation

    async def _settle(self, reservation: Reservation, used: int) -> None:
        try:
            await self._budget.settle(reservation, used)
        except MemorySystemError as error:  # what was set aside stays spent, which is the safe side
            _log.warning("llm.not_settled", code=error.code)


def _tokens(characters: int, reply: int) -> int:
    return characters // CHARS_PER_TOKEN + reply + OVERHEAD_TOKENS
