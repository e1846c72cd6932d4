"""A memory with the hooks: it offers what it learned, gives what is chosen within a budget, and fails on request."""

import asyncio
from hashlib import sha256
from typing import Final, TypeAlias

from ragpp.api.hooks import (
    CatalogLine,
    MemoryRequestIn,
    PostMessageIn,
    PostResponseIn,
    PrePromptIn,
    Recommended,
    RequestedMemories,
    RequestedMemory,
    TurnCatalog,
    Usefulness,
)
from ragpp.entries.formatting import MOST_HANDLES, Line, format_injection, resolved
from ragpp.entries.usage import TokenBudget
from ragpp.entries.values import CatalogEntry, Form
from ragpp.errors import NotFound
from ragpp.jobs import Job
from ragpp.text.lexical import query_terms, terms
from tests.support import values
from tests.support.governor import NOON, KeepingMemory

HOOKS: Final = ("pre_prompt", "memory_request", "post_response", "post_message")
HookCall: TypeAlias = PrePromptIn | MemoryRequestIn | PostResponseIn | PostMessageIn
Whose: TypeAlias = tuple[str | None, str]


def id_of(text: str) -> str:
    """The id under which a text is learned."""
    return f"item_{sha256(text.encode()).hexdigest()[:12]}"


class CatalogMemory(KeepingMemory):
    """Implements the governor's `Memory` and `MemoryHooks`; a token is a word.

    `learned`: texts by user and agent; what a message of an exchange states joins them at once, where it is stored.
    `troubles`: what the hook of that name raises, or waits for. `hooked`: what the hooks were told, in order; `budget`:
    of a turn.
    """

    def __init__(self, *texts: str, user: str = "u1", ci: str = "assistant") -> None:
        super().__init__()
        self.learned: dict[Whose, list[str]] = {(user, ci): list(texts)}
        self.troubles: dict[str, Exception | asyncio.Event] = {}
        self.hooked: list[HookCall] = []
        self.budget = 200
        self._turns: dict[Whose, tuple[tuple[str, ...], int]] = {}

    def asked(self, kind: type[HookCall]) -> list[HookCall]:
        """The calls of one hook, in order."""
        return [call for call in self.hooked if isinstance(call, kind)]

    async def pre_prompt(self, request: PrePromptIn) -> TurnCatalog:
        await self._begin("pre_prompt", request)
        wanted = set(query_terms(request.prompt))
        texts = self.learned.get((request.user_id, request.ci), [])
        scored = [(len(wanted & set(terms(text))) / max(1, len(wanted)), text) for text in texts]
        ranked = sorted(scored, key=lambda pair: -pair[0])[:MOST_HANDLES]
        lines = [Line("fact", NOON, f"m{place}", text[:50]) for place, (_, text) in enumerate(ranked, 1)]
        formatted = format_injection(lines)
        used = len(formatted.split())
        self._turns[request.user_id, request.ci] = tuple(id_of(text) for _, text in ranked), used
        return TurnCatalog(
            catalog=tuple(
                CatalogLine(handle=f"m{place}", entry=_entry(text, request.ci), score=score)
                for place, (score, text) in enumerate(ranked, 1)
            ),
            formatted=formatted,
            token_budget=TokenBudget.of(self.budget, used),
            recommendation=tuple(
                Recommended(handle=f"m{place}", memory_id=id_of(text), tokens=len(text.split()), reason="it fits")
                for place, (score, text) in enumerate(ranked, 1)
                if score
            ),
        )

    async def memory_request(self, request: MemoryRequestIn) -> RequestedMemories:
        await self._begin("memory_request", request)
        whose = request.user_id, request.ci
        offered, used = self._turns.get(whose, ((), 0))
        texts = {id_of(text): text for text in self.learned.get(whose, [])}
        given: list[RequestedMemory] = []
        left_out: dict[str, str] = {}
        for identifier in resolved(request.memory_ids, offered):
            text = texts.get(identifier)
            handle = f"m{offered.index(identifier) + 1}" if identifier in offered else identifier
            if text is None:
                left_out[identifier] = "there is no such memory"
            elif used + len(text.split()) > self.budget:
                left_out[identifier] = "others are worth more"
            else:
                used += len(text.split())
                given.append(RequestedMemory(handle=handle, memory_id=identifier, form=Form.FULL, text=text))
        self._turns[whose] = offered, used
        return RequestedMemories(
            memories=tuple(given),
            formatted=format_injection([Line("fact", NOON, one.handle, one.text) for one in given]),
            tokens=sum(len(one.text.split()) for one in given),
            left_out=left_out,
            token_budget=TokenBudget.of(self.budget, used),
        )

    async def post_response(self, request: PostResponseIn) -> Usefulness:
        await self._begin("post_response", request)
        whose = request.user_id, request.ci
        said = set(terms(request.response))
        texts = {id_of(text): text for text in self.learned.get(whose, [])}
        useful = {one: float(bool(said & set(terms(texts[one])))) for one in request.memories_used if one in texts}
        return Usefulness(useful=useful, budget=TokenBudget.of(self.budget, self._turns.get(whose, ((), 0))[1]))

    async def post_message(self, request: PostMessageIn) -> Job:
        await self._begin("post_message", request)
        for identifier in (request.message_id, request.response_id):
            if (request.user_id, identifier) not in self.kept:
                raise NotFound(f"{identifier} is not stored")
        if not request.message.endswith("?"):
            self.learned.setdefault((request.user_id, request.ci), []).append(request.message)
        about = f"{len(self.hooked)}.catalog"
        return values.job(NOON, "catalog", id=about, user_id=request.user_id or "", subject_id="extract")

    async def _begin(self, hook: str, request: HookCall) -> None:
        self.hooked.append(request)
        await self._misbehave()
        trouble = self.troubles.get(hook)
        if isinstance(trouble, Exception):
            raise trouble
        if trouble is not None:
            await trouble.wait()


def _entry(text: str, ci: str) -> CatalogEntry:
    return CatalogEntry(
        memory_id=id_of(text), timestamp=NOON, ci=ci, summary=text[:50], abstract=text[:200], size=len(text.split())
    )
