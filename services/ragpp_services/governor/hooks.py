"""The outside that the catalog mode asks: the memory's hooks, each under the deadline, and the chooser."""

import asyncio
from collections.abc import Awaitable
from typing import Final, Protocol, runtime_checkable

import structlog

from ragpp.api.hooks import (
    MemoryRequestIn,
    PostMessageIn,
    PostResponseIn,
    PrePromptIn,
    RequestedMemories,
    TurnCatalog,
    Usefulness,
)
from ragpp.errors.summaries import safe_summary
from ragpp.jobs import Job
from ragpp_services.governor.choosing import Chooser, chosen_of, recommended, requestable
from ragpp_services.governor.deadlines import MS, within
from ragpp_services.governor.foreign import cancelled_by_others_alone, words_of
from ragpp_services.governor.turn import CatalogAsk, Choice, Exchange
from ragpp_services.governor.values import Answer, Limits, StepOutcome

_WORST_FIRST: Final[tuple[StepOutcome, ...]] = ("refused", "unavailable", "late", "partial")
_NOT_TAKEN: Final = "post-message: not asked, no memories are taken from an exchange that is not stored"
_log = structlog.stdlib.get_logger(__name__)


@runtime_checkable
class MemoryHooks(Protocol):
    """The hooks of the memory that the catalog mode needs besides: four of `ragpp.client.AsyncMemoryClient`."""

    async def pre_prompt(self, request: PrePromptIn) -> TurnCatalog:
        """Begin a turn of the agent: what it may choose from for a prompt."""
        ...

    async def memory_request(self, request: MemoryRequestIn) -> RequestedMemories:
        """The memories that it chose, as far as the turn's budget goes."""
        ...

    async def post_response(self, request: PostResponseIn) -> Usefulness:
        """How useful the memories were for its answer."""
        ...

    async def post_message(self, request: PostMessageIn) -> Job:
        """Have memories taken from an exchange."""
        ...


class CatalogAsker:
    """Performs the asks of the catalog mode; it never raises. `choose` None: what is recommended is taken.

    What the memory is not told in time of an exchange is not told again. A guess of how useful a memory was is worth
    little and belongs to a turn that is over by then, and a repeated exchange would be kept twice. Nor is an exchange
    handed over whose messages the memory has not acknowledged: what is taken from it is to be forgotten with them. They
    wait in the outbox, and are learned from as in every conversation.
    """

    def __init__(self, hooks: MemoryHooks, choose: Chooser | None, limits: Limits) -> None:
        self._hooks, self._choose, self._limits = hooks, choose, limits

    async def perform(self, ask: CatalogAsk) -> Answer:
        """The answer to `ask`, or why there is none."""
        if isinstance(ask, PrePromptIn):
            return await self._in_time(self._offered(ask))
        if isinstance(ask, Choice):
            return await self._chosen(ask)
        if isinstance(ask, MemoryRequestIn):
            return await self._in_time(self._requested(ask))
        return await self._told(ask)

    async def _in_time(self, call: Awaitable[Answer]) -> Answer:
        return await within(self._limits.deadline_ms, call)

    async def _offered(self, ask: PrePromptIn) -> Answer:
        return Answer(offered=await self._hooks.pre_prompt(ask))

    async def _requested(self, ask: MemoryRequestIn) -> Answer:
        return Answer(requested=await self._hooks.memory_request(ask))

    async def _judged(self, ask: PostResponseIn) -> Answer:
        return Answer(useful=await self._hooks.post_response(ask))

    async def _kept(self, ask: PostMessageIn) -> Answer:
        return Answer(job=await self._hooks.post_message(ask))

    async def _chosen(self, ask: Choice) -> Answer:
        """The chooser's choice; what is recommended where it fails, takes too long or cannot be read."""
        if self._choose is None:
            return Answer(chosen=requestable(recommended(ask.offered)))
        limit_ms = self._limits.choose_ms
        try:
            async with asyncio.timeout(limit_ms / MS):
                with cancelled_by_others_alone():
                    chosen = await chosen_of(self._choose, ask.offered, ask.message)
        except TimeoutError:
            why = f"no choice within {limit_ms} ms"
        except Exception as error:  # noqa: BLE001 - a chooser is anybody's code, and no answer is lost for it
            _log.info("governor.chooser_failed", error=safe_summary(error))
            why = words_of(error)
        else:
            unknown = f"{chosen.unknown} names that nothing is offered under" if chosen.unknown else None
            return Answer(chosen=chosen.ids, detail=unknown)
        return Answer(outcome="fallback", detail=why, chosen=requestable(recommended(ask.offered)))

    async def _told(self, ask: Exchange) -> Answer:
        """Both hooks behind an answer, at once: who waits for it waits for the slower one. An exchange that is not to
        be handed over is told of as what no memories are taken from."""
        calls: dict[str, Awaitable[Answer]] = {}
        if ask.response is not None:
            calls["post-response"] = self._in_time(self._judged(ask.response))
        if ask.message is not None:
            calls["post-message"] = self._in_time(self._kept(ask.message))
        answers = dict(zip(calls, await asyncio.gather(*calls.values()), strict=True))
        failed = {hook: answer for hook, answer in answers.items() if answer.outcome != "ok"}
        wrong = [f"{hook}: {answer.outcome}, {answer.detail}" for hook, answer in failed.items()]
        outcomes: list[StepOutcome] = [answer.outcome for answer in failed.values()]
        if ask.message is None:
            wrong.append(_NOT_TAKEN)
            outcomes.append("partial")
        kept, judged = answers.get("post-message", Answer()), answers.get("post-response", Answer())
        come = Answer(useful=judged.useful, job=kept.job)
        if not wrong:
            return come
        return come.model_copy(update={"outcome": min(outcomes, key=_WORST_FIRST.index), "detail": "; ".join(wrong)})
