"""Users who say something that is forgotten while the worker of one of the stages is stopped."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

import httpx
from pydantic import BaseModel

from ragpp.catalog import ResourceEntry, ResourceMessage
from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.errors import LedgerError, Outdated, TierUnavailable
from ragpp.ledger import Work, WorkKey
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.metered import LanguageModels
from ragpp.llm.port import Completion, Prompt, ReplyT
from ragpp.llm.replies import (
    EndingsReply,
    FactsReply,
    LearnedRule,
    MergesReply,
    NamedTheme,
    PageReply,
    RulesReply,
    SaidFact,
    SaidFinding,
    SaidPreference,
    SaidRelationship,
    SamePreferences,
    SummaryReply,
    ThemesReply,
    WindowReply,
)
from ragpp.models import Scope
from ragpp.settings import RedisSettings
from ragpp.stores.redis import Keys, create_client
from ragpp_services.short_term.store import AREAS
from ragpp_services.short_term.upkeep import INDEX
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.catalog.working import work_on_catalog
from ragpp_services.workers.stages.extract import extract
from ragpp_services.workers.stages.observe import observe
from ragpp_services.workers.stages.reflect import reflect
from ragpp_services.workers.stages.repair import short_term
from tests.support.models import Suggests
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stopping import Stop, run_with

USER: Final = "maria who is interrupted"
DAY: Final = "2024-03-11"
HINT: Final = "qzx"
"""Every planted word begins with it, and nothing else that any test stores."""
PURPOSES: Final = ("summary", "extraction", "consolidation", "reflection")
SIDE_BY_SIDE: Final = 6
"""So many plays at once leave connections for whoever forgets and digests: each may hold one of a pool's ten."""


@dataclass(frozen=True)
class Case:
    """A stage, and what it needs. `digested`: what was said has been observed before. `modelled`: it has a language
    model. `preference`: the key of one that a person set, which asks what a learned one asks."""

    stage: str
    run: Callable[[WorkerParts, Sequence[Work]], Awaitable[object]]
    digested: bool = True
    modelled: bool = False
    payload: Mapping[str, str] | None = None
    preference: str = "Maria's drinks"


RESOURCE: Final = "res_talk"
"""The conversation, as a resource."""
CATEGORY: Final = "boats"
WINDOW: Final = {"start": f"{DAY}T00:00:00Z", "end": f"{DAY}T23:00:00Z"}
NIGHT: Final = {"kind": "daily", "date": DAY}
CASES: Final = {
    "observe": Case("observe", observe, digested=False),
    "extract": Case("extract", extract, payload=WINDOW),
    "extract-modelled": Case("extract", extract, modelled=True, payload=WINDOW),
    "reflect": Case("reflect", reflect, payload=NIGHT),
    "reflect-modelled": Case("reflect", reflect, modelled=True, payload=NIGHT, preference="Maria's beverage"),
    "summaries": Case("short_term", short_term, digested=False, modelled=True),
    "catalog": Case("catalog", work_on_catalog, payload={"task": "extract", "resource_id": RESOURCE}),
    "catalog-modelled": Case(
        "catalog", work_on_catalog, modelled=True, payload={"task": "extract", "resource_id": RESOURCE}
    ),
    "page": Case("catalog", work_on_catalog, payload={"task": "consolidate", "category": CATEGORY, "force": "yes"}),
}


NOTHING: Final = (
    WindowReply(relationships=[], preferences=[], findings=[]),
    RulesReply(rules=[]),
    ThemesReply(themes=[]),
    MergesReply(merges=[]),
    EndingsReply(ended=[]),
    SummaryReply(lines=["Maria spoke of the weather"]),
    FactsReply(facts=[]),
    PageReply(sections=[]),
)
"""The model's reading of the other messages."""


def planted(word: str) -> str:
    """A message of which everything comes that can be learned."""
    return (
        f"I decided to sell the {word} boat. I prefer {word} tea over coffee. My sister {word} lives in Lisbon. "
        f"Please always answer with {word} jokes."
    )


def replies(word: str) -> Sequence[BaseModel]:
    """A language model's replies to the planted message, the second one."""
    cited: dict[str, Any] = {"messages": [2], "confidence": 0.9}
    window = WindowReply(
        relationships=[
            SaidRelationship(
                **cited,
                quote=f"My sister {word} lives in Lisbon",
                source=word,
                source_label="PERSON",
                type="ADMIRES",
                target="Lisbon",
                target_label="GPE",
                ended=False,
            )
        ],
        preferences=[
            SaidPreference(
                **cited, quote=f"I prefer {word} tea", category="jokes", key="humour", value=f"{word} fun", stated=True
            )
        ],
        findings=[
            SaidFinding(
                **cited, quote=f"I decided to sell the {word} boat", finding="plan", past=False, text=f"{word} goes"
            )
        ],
    )
    rule = LearnedRule(
        **cited, quote=f"always answer with {word} jokes", text=f"Joke about {word}", triggers=["jokes"], priority=5
    )
    return (
        window,
        RulesReply(rules=[rule]),
        ThemesReply(themes=[NamedTheme(text=f"{word} and tea", messages=[2])]),
        MergesReply(merges=[SamePreferences(kept=1, absorbed=[2, 3])]),
        SummaryReply(lines=[f"Maria is fond of {word}"]),
        FactsReply(facts=[SaidFact(**cited, quote=f"sell the {word} boat", text=f"{word} is sold", kind="fact")]),
        PageReply(sections=[]),
    )


class Reads(Suggests):
    """A language model that says of the planted word what there is to say, where it is shown it."""

    def __init__(self, word: str) -> None:
        super().__init__(*replies(word))
        self._word = word

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        if self._word.casefold() in prompt.user.casefold():
            return await super().complete(prompt, schema=schema)
        return await Suggests(*NOTHING).complete(prompt, schema=schema)


def new_word() -> str:
    return HINT.capitalize() + "".join(random.choices("abcdefghijklmnoprstuvw", k=8))


def new_scope_of_user() -> Scope:
    """A scope of USER in a tenant of its own."""
    return Scope(tenant_id=new_scope().tenant_id, user_id=USER)


@dataclass
class Play:
    """One user who says something that is forgotten while `worker` is stopped at the point `at`, or at none."""

    gateway: RealGateway
    case: Case
    worker: WorkerParts
    at: int | None = None
    scope: Scope = field(default_factory=new_scope_of_user)
    word: str = field(default_factory=new_word)
    stop: Stop = field(init=False)
    _running: "asyncio.Task[object] | None" = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.stop = Stop(self.at)

    async def say(self, api: httpx.AsyncClient) -> None:
        """Say what is planted, between other messages."""
        if self.case.digested:
            body = {"user_id": USER, "category": "food", "key": self.case.preference, "value": "water"}
            assert (await api.post("/v1/preferences", json=body)).is_success
        texts = (f"The harbour was quiet, {'and ' * 60}calm.", planted(self.word), f"It rained {'and ' * 60}blew.")
        messages = [
            {"id": f"m{number}", "name": "Maria", "content": text, "occurred_at": f"{DAY}T08:{number}0:00Z"}
            for number, text in enumerate(texts)
        ]
        answer = await api.post("/v1/interactions", json={"user_id": USER, "messages": messages})
        assert answer.status_code == 201, answer.text
        if self.case.stage == "catalog":
            await self._keep(texts)

    async def _keep(self, texts: Sequence[str]) -> None:
        """The messages as a resource; of what a page is to be made of, items."""
        catalog, content, held = self.gateway.worker.catalog, "", list[ResourceMessage]()
        for number, text in enumerate(texts):
            end = len(content) + len(text)
            held.append(ResourceMessage(name="Maria", start=len(content), end=end, interaction_id=f"m{number}"))
            content += f"{text}\n"
        at = datetime(2024, 3, 11, 8, tzinfo=UTC)
        entry = ResourceEntry(
            id=RESOURCE, resource_type="conversation", content=content, messages=tuple(held), occurred_at=at
        )
        await catalog.store(self.scope, [entry])
        if "category" in (self.case.payload or {}):
            await catalog.create_category(self.scope, CATEGORY, "What is told of boats and their owners.")
            asked = {"task": "extract", "resource_id": RESOURCE, "category_hint": CATEGORY}
            await work_on_catalog(self.gateway.worker, [self._work(1, "s", asked)])

    async def stop_and_forget(self, memory: AsyncMemoryClient) -> None:
        """Begin the stage, and forget the message as soon as its worker is at the point. By a client that repeats what
        is answered with 503: where the machine stands still for seconds, PostgreSQL ends what was open."""
        works = await self._works()
        self._running = running = asyncio.create_task(run_with(self.stop, self.case.run(self._parts(), works)))
        stopped = asyncio.create_task(self.stop.reached.wait())
        await asyncio.wait({running, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        await memory.forget_interaction(USER, "m1")

    async def go_on(self) -> None:
        """Let the stopped worker go on, to its end."""
        assert self._running is not None
        self.stop.go.set()
        (end,) = await asyncio.gather(self._running, return_exceptions=True)
        if isinstance(end, BaseException) and not isinstance(end, Outdated | TierUnavailable | LedgerError):
            raise end

    async def leave(self) -> None:
        """Let nobody wait any more for a worker that is stopped, whatever became of the play: what it has open would
        never be given back."""
        self.stop.go.set()
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _works(self) -> Sequence[Work]:
        """Those of the ledger, as under a lease that has run out by now, or one that is made up."""
        if self.case.stage == "short_term":
            await self._lose_session()
        if self.case.payload is None:
            return [self._work(event_id, subject, {}) for event_id, subject in await self._stored()]
        return [self._work(1, "s", self.case.payload)]

    def _work(self, event_id: int, subject_id: str, payload: Mapping[str, str]) -> Work:
        return Work(
            key=WorkKey(event_id, self.case.stage),
            scope=self.scope,
            kind="interaction.stored",
            subject_id=subject_id,
            occurred_at=datetime(2024, 3, 11, 23, tzinfo=UTC),
            attempts=1,
            payload=payload,
        )

    async def _stored(self) -> Sequence[tuple[int, str]]:
        statement = "SELECT event_id, subject_id FROM ledger.events WHERE tenant_id = $1 ORDER BY event_id"
        found = await self.gateway.relay.fetch(statement, self.scope.tenant_id)
        return [(row["event_id"], row["subject_id"]) for row in found]

    async def _lose_session(self) -> None:
        """Delete what was appended when it was acknowledged, so that it is the worker that appends."""
        keys = Keys(RedisSettings().key_prefix)
        async with create_client(RedisSettings()) as client:
            await client.delete(*(keys.session(area, self.scope) for area in AREAS), keys.user(INDEX, self.scope))

    def _parts(self) -> WorkerParts:
        if not self.case.modelled:
            return self.worker
        model = Reads(self.word)
        budget = InMemoryBudget(system_clock)
        return replace(self.worker, models=LanguageModels(dict.fromkeys(PURPOSES, model), budget, concurrency=1))


async def play_side_by_side(plays: Sequence[Play]) -> None:
    """Play them to the end, some at once; everything is done when it returns. One worker digests for all who play
    together, and no play sees another's user."""
    for first in range(0, len(plays), SIDE_BY_SIDE):
        await _play_together(plays[first : first + SIDE_BY_SIDE])


async def _play_together(plays: Sequence[Play]) -> None:
    gateway = plays[0].gateway
    tenants = [play.scope.tenant_id for play in plays]
    async with AsyncExitStack() as clients:
        keys = await asyncio.gather(*map(gateway.key, tenants))
        apis = [await clients.enter_async_context(gateway.client(key)) for key in keys]
        for play in plays:
            clients.push_async_callback(play.leave)
        await asyncio.gather(*(play.say(api) for play, api in zip(plays, apis, strict=True)))
        if plays[0].case.digested:
            await gateway.digest(*tenants)
        memories = [await clients.enter_async_context(gateway.memory(key)) for key in keys]
        await asyncio.gather(*(play.stop_and_forget(memory) for play, memory in zip(plays, memories, strict=True)))
        await gateway.digest(*tenants)
        await asyncio.gather(*(play.go_on() for play in plays))
        await gateway.digest(*tenants)
