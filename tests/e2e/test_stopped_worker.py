"""A worker that is stopped in its work, and goes on after something was forgotten, brings nothing of it back.

Each stage is stopped before each of its store calls and before each statement inside them, locks held. Meanwhile the
message is forgotten, and another worker finishes what there is to do. Then the first one goes on.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

import asyncpg
import httpx
import pytest
from pydantic import BaseModel

from ragpp.clock import system_clock
from ragpp.errors import LedgerError, Outdated, TierUnavailable
from ragpp.ledger import Work, WorkKey
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.metered import LanguageModels
from ragpp.llm.port import Completion, Prompt, ReplyT
from ragpp.llm.replies import (
    LearnedRule,
    MergesReply,
    NamedTheme,
    RulesReply,
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
from ragpp_infra.embedded.stack import Stack
from ragpp_services.short_term.store import AREAS, INDEX
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.extract import extract
from ragpp_services.workers.stages.observe import observe
from ragpp_services.workers.stages.reflect import reflect
from ragpp_services.workers.stages.repair import short_term
from tests.support.everywhere import places_of
from tests.support.models import Suggests
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stopping import SERVER_S, Stop, install_points, run_with, stoppable_worker

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]

USER: Final = "maria who is interrupted"
DAY: Final = "2024-03-11"
HINT: Final = "qzx"
"""Every planted word begins with it, and nothing else that any test stores."""
PURPOSES: Final = ("summary", "extraction", "consolidation", "reflection")


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


WINDOW: Final = {"start": f"{DAY}T00:00:00Z", "end": f"{DAY}T23:00:00Z"}
NIGHT: Final = {"kind": "daily", "date": DAY}
CASES: Final = {
    "observe": Case("observe", observe, digested=False),
    "extract": Case("extract", extract, payload=WINDOW),
    "extract-modelled": Case("extract", extract, modelled=True, payload=WINDOW),
    "reflect": Case("reflect", reflect, payload=NIGHT),
    "reflect-modelled": Case("reflect", reflect, modelled=True, payload=NIGHT, preference="Maria's beverage"),
    "summaries": Case("short_term", short_term, digested=False, modelled=True),
}


NOTHING: Final = (
    WindowReply(relationships=[], preferences=[], findings=[]),
    RulesReply(rules=[]),
    ThemesReply(themes=[]),
    MergesReply(merges=[]),
    SummaryReply(lines=["Maria spoke of the weather"]),
)
"""What the model makes of the other messages."""


def planted(word: str) -> str:
    """A message of which everything comes that can be learned."""
    return (
        f"I decided to sell the {word} boat. I prefer {word} tea over coffee. My sister {word} lives in Lisbon. "
        f"Please always answer with {word} jokes."
    )


def replies(word: str) -> Sequence[BaseModel]:
    """What a language model makes of it, the second message."""
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
            SaidFinding(**cited, quote=f"I decided to sell the {word} boat", finding="plan", text=f"{word} goes")
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


@pytest.fixture(scope="module", autouse=True)
def points() -> Any:
    with pytest.MonkeyPatch.context() as monkeypatch:
        install_points(monkeypatch)
        yield


@pytest.fixture(scope="module")
async def worker(gateway: RealGateway) -> AsyncIterator[WorkerParts]:
    """The one that is stopped; its window of a conversation is small, so that a summary is due."""
    window = {"SHORT_TERM_MAX_TOKENS": "100", "SHORT_TERM_KEEP_MESSAGES": "1"}
    async with stoppable_worker(gateway, window) as parts:
        yield parts


@dataclass(frozen=True)
class Play:
    """One user who says something that is forgotten while a worker is stopped."""

    gateway: RealGateway
    case: Case
    worker: WorkerParts
    scope: Scope
    word: str

    async def to_the_end(self, at: int | None) -> Stop:
        """Stop the worker at that point, or at none; everything is done when it returns."""
        stop = Stop(at)
        async with self.gateway.client(await self.gateway.key(self.scope.tenant_id)) as api:
            await self._said(api)
            works = await self._works()
            running = asyncio.create_task(run_with(stop, self.case.run(self._parts(), works)))
            stopped = asyncio.create_task(stop.reached.wait())
            await asyncio.wait({running, stopped}, return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            gone = await api.delete("/v1/interactions/m1", params={"user_id": USER})
            assert gone.status_code == 200, gone.text
            await self.gateway.digest(self.scope.tenant_id)
            stop.go.set()
            (end,) = await asyncio.gather(running, return_exceptions=True)
            if isinstance(end, BaseException) and not isinstance(end, Outdated | TierUnavailable | LedgerError):
                raise end
            await self.gateway.digest(self.scope.tenant_id)
        return stop

    async def _said(self, api: httpx.AsyncClient) -> None:
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
        if self.case.digested:
            await self.gateway.digest(self.scope.tenant_id)

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
        connection = await asyncpg.connect(self.gateway.settings["POSTGRES_RELAY_DSN"])
        try:
            statement = "SELECT event_id, subject_id FROM ledger.events WHERE tenant_id = $1 ORDER BY event_id"
            return [
                (row["event_id"], row["subject_id"]) for row in await connection.fetch(statement, self.scope.tenant_id)
            ]
        finally:
            await connection.close()

    async def _lose_session(self) -> None:
        """What was appended when it was acknowledged, so that it is the worker that appends."""
        keys = Keys(RedisSettings().key_prefix)
        async with create_client(RedisSettings()) as client:
            await client.delete(*(keys.session(area, self.scope) for area in AREAS), keys.user(INDEX, self.scope))

    def _parts(self) -> WorkerParts:
        if not self.case.modelled:
            return self.worker
        model = Reads(self.word)
        budget = InMemoryBudget(system_clock)
        return replace(self.worker, models=LanguageModels(dict.fromkeys(PURPOSES, model), budget, concurrency=1))


async def leave_nothing_due(stack: Stack) -> None:
    """Let the schedule of later tests not look after hundreds of users of this one."""
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    try:
        for table in ("debounce", "unreflected", "upkeep"):
            await connection.execute(f"DELETE FROM ledger.{table} WHERE user_id = $1", USER)  # noqa: S608 - as named
    finally:
        await connection.close()


def new_word() -> str:
    return HINT.capitalize() + "".join(random.choices("abcdefghijklmnoprstuvw", k=8))


@pytest.mark.parametrize("name", CASES)
async def test_nothing_forgotten_comes_back_from_a_worker_that_was_stopped(
    stack: Stack, gateway: RealGateway, worker: WorkerParts, name: str
) -> None:
    def play() -> Play:
        scope = Scope(tenant_id=new_scope().tenant_id, user_id=USER)
        return Play(gateway, CASES[name], worker, scope, new_word())

    whole = play()
    counted = await whole.to_the_end(None)
    points = {whole.word: "none"}
    for at, point in enumerate(counted.points):
        one = play()
        stop = await one.to_the_end(at)
        points[one.word] = f"{at} {stop.points[at] if at < len(stop.points) else point}"
    assert len(points) > 10
    await leave_nothing_due(stack)
    found = await places_of(stack, list(points), hint=HINT)
    assert {points[word]: sorted(places) for word, places in found.items()} == {}


async def test_what_is_planted_is_learned_where_nobody_forgets(stack: Stack, gateway: RealGateway) -> None:
    """So that the test above looks for what would be there."""
    word, scope = new_word(), new_scope()
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        body = {"user_id": USER, "messages": [{"id": "m1", "name": "Maria", "content": planted(word)}]}
        assert (await api.post("/v1/interactions", json=body)).status_code == 201
        await gateway.digest(scope.tenant_id)
        asked = await api.post(f"/v1/users/{USER}/reflect", json={})
        assert asked.status_code == 202, asked.text
        await gateway.digest(scope.tenant_id)
        found = await places_of(stack, [word], hint=HINT)
        assert found[word] >= {
            "Entity",
            "RELATES_TO",
            "STATES",
            "procedural.preferences",
            "procedural.findings",
            "procedural.rules",
            "procedural.reflections",
            "ragpp:st:texts:",
        }
        await api.delete("/v1/interactions/m1", params={"user_id": USER})
        await gateway.digest(scope.tenant_id)
    assert await places_of(stack, [word], hint=HINT) == {}


async def test_a_stopped_worker_holds_up_a_users_writes_no_longer_than_its_transaction_may_be_idle(
    gateway: RealGateway, worker: WorkerParts
) -> None:
    scope = Scope(tenant_id=new_scope().tenant_id, user_id=USER)
    stop = Stop()
    locked = 0
    while True:  # the first statement after the lock
        stop = Stop(locked)
        held = asyncio.create_task(run_with(stop, worker.procedural.forget_sources(scope, ["m9"])))
        await stop.reached.wait()
        if any("pg_advisory_xact_lock" in point for point in stop.points[:-1]):
            break
        stop.go.set()
        await held
        locked += 1
    began = time.perf_counter()
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        answer = await api.post("/v1/interactions", json={"user_id": USER, "messages": [{"content": "Hello."}]})
    assert answer.status_code == 201, answer.text
    waited = time.perf_counter() - began
    assert SERVER_S / 2 < waited < SERVER_S + 20
    stop.go.set()
    with pytest.raises(TierUnavailable):
        await held
