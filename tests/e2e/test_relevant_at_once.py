"""The memories that matter for a message are found once in five minutes, and any write is seen at once: over HTTP."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx
import pytest

from ragpp.api import RelevantMemories
from ragpp.api.hooks import Injection, TurnCatalog
from ragpp.entries.values import EntryQuery, FoundEntry
from ragpp.models import Scope
from ragpp.retention import EntryRetention
from ragpp_services.workers.parts import LearningPolicy
from tests.support.hostile import Json
from tests.support.real_gateway import RealGateway
from tests.support.team import Team

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
CATALOG: Final = "/api/memory/catalog"
ASKED: Final = "Why did the import of the customers fail?"
FAILED: Final = "The import of the customers failed, since a certificate had expired."
RENEWED: Final = "The certificate of the import of the customers is renewed every year in May."
AGENTS: Final = ("sales", "care")


@dataclass
class Searches:
    """How often the catalog was searched."""

    count: int = 0


@pytest.fixture
def searches(gateway: RealGateway, monkeypatch: pytest.MonkeyPatch) -> Searches:
    found, made = gateway.parts.catalog.find_entries, Searches()

    async def counted(scope: Scope, query: EntryQuery) -> list[FoundEntry]:
        made.count += query.ids is None
        return await found(scope, query)

    monkeypatch.setattr(gateway.parts.catalog, "find_entries", counted)
    return made


async def answered(asked: Awaitable[httpx.Response]) -> httpx.Response:
    answer = await asked
    assert answer.is_success, answer.text
    return answer


async def kept(team: Team, agent: str | None, content: str, **fields: Json) -> str:
    body: Json = {"user_id": team.user_id, "content": content, **fields}
    return str((await answered(team.of(agent).post(CATALOG, json=body))).json()["memory_id"])


async def relevant(team: Team, agent: str | None, **more: str) -> RelevantMemories:
    asked = {"user_id": team.user_id, "message": ASKED, **more}
    answer = await answered(team.of(agent).get("/api/memory/relevant", params=asked))
    return RelevantMemories.model_validate_json(answer.content)


async def seen(team: Team) -> dict[str | None, set[str]]:
    """The ids of the memories that are offered to each, by all three ways, which have to agree."""
    offered: dict[str | None, set[str]] = {}
    for agent in (None, *AGENTS):
        offered[agent] = {one.entry.memory_id for one in (await relevant(team, agent)).memories}
    for agent in AGENTS:
        body: Json = {"user_id": team.user_id, "ci": agent, "prompt": ASKED}
        hook = await answered(team.of(agent).post("/v1/hooks/pre-prompt", json=body))
        catalog = TurnCatalog.model_validate_json(hook.content)
        assert {one.entry.memory_id for one in catalog.catalog} == offered[agent]
        body = {"user_id": team.user_id, "ci": agent, "message": ASKED}
        put = Injection.model_validate_json(
            (await answered(team.of(agent).post("/v1/hooks/pre-message", json=body))).text
        )
        assert set(put.memory_ids) <= offered[agent]
    return offered


async def test_a_message_is_searched_for_once_whatever_the_budget_and_whichever_the_hook(
    team: Team, searches: Searches
) -> None:
    failed = await kept(team, "sales", FAILED)
    first = await relevant(team, "sales")
    assert searches.count == 1
    assert await relevant(team, "sales") == first
    assert (await relevant(team, "sales", max_tokens="20")).tokens <= 20
    body: Json = {"user_id": team.user_id, "ci": "sales", "message": ASKED}
    for turn in (1, 2):
        injected = (await answered(team.sales.post("/v1/hooks/pre-message", json=body))).json()
        assert injected["memory_ids"] == [failed]
        whose = {"user_id": team.user_id}
        assert (await team.sales.get("/v1/agents/sales/usage", params=whose)).json()["turns"] == turn
    assert searches.count == 1
    await relevant(team, "care")
    await relevant(team, "sales", goal="close")
    await relevant(team, "sales", message="When is the certificate renewed?")
    assert searches.count == 4


async def test_whatever_is_written_is_seen_by_the_next_who_asks(team: Team) -> None:
    assert await seen(team) == {None: set(), "sales": set(), "care": set()}
    failed = await kept(team, "sales", FAILED)
    assert await seen(team) == {None: {failed}, "sales": {failed}, "care": set()}
    renewed = await kept(team, None, RENEWED)
    assert await seen(team) == {None: {failed, renewed}, "sales": {failed, renewed}, "care": {renewed}}

    before = {one.entry.memory_id: one.score for one in (await relevant(team, "sales")).memories}
    feedback: Json = {"user_id": team.user_id, "ci": "sales", "value": -1}
    await answered(team.sales.post(f"/v1/catalog/{failed}/feedback", json=feedback))
    after = {one.entry.memory_id: one.score for one in (await relevant(team, "sales")).memories}
    assert after[failed] < before[failed]
    assert after[renewed] == pytest.approx(before[renewed], abs=1e-6)

    await answered(team.sales.delete(f"{CATALOG}/{failed}", params={"user_id": team.user_id}))
    assert await seen(team) == {None: {renewed}, "sales": {renewed}, "care": {renewed}}


async def test_what_one_of_two_agents_takes_back_is_the_others_at_once(team: Team) -> None:
    for agent in AGENTS:
        body: Json = {"user_id": team.user_id, "content": FAILED, "visibility": "shared"}
        await answered(team.of(agent).post(CATALOG, json=body))
    (shown,) = (await relevant(team, "care")).memories
    assert shown.entry.agents == AGENTS[::-1]
    await answered(team.sales.delete(f"{CATALOG}/{shown.entry.memory_id}", params={"user_id": team.user_id}))
    (left,) = (await relevant(team, "care")).memories
    assert left.entry.agents == ("care",)


async def test_what_everybody_has_is_seen_by_every_user_at_once(team: Team) -> None:
    users = [f"{team.user_id}-{number}" for number in range(3)]

    async def all_see() -> list[set[str]]:
        asked = [await relevant(replace(team, user_id=user), None) for user in users]
        return [{one.entry.memory_id for one in answer.memories} for answer in asked]

    assert await all_see() == [set()] * 3
    key = await team.gateway.key(team.tenant_id, "read", "write", "forget", "global")
    async with team.gateway.client(key) as admin:
        stored = await answered(admin.post(CATALOG, json={"content": RENEWED, "visibility": "global"}))
        memory_id = stored.json()["memory_id"]
        assert await all_see() == [{memory_id}] * 3
        await answered(admin.delete(f"{CATALOG}/{memory_id}", params={"user_id": users[0]}))
    assert await all_see() == [set()] * 3


async def test_what_goes_for_its_age_or_with_its_user_is_gone_at_once(gateway: RealGateway, team: Team) -> None:
    limits = LearningPolicy(entries=EntryRetention(max_age_days=7, max_count=10, permanent_priority=8))
    worker = replace(gateway.worker, learning=limits, clock=lambda: datetime.now(UTC) + timedelta(days=8))
    failed, renewed = await kept(team, "sales", FAILED), await kept(team, "sales", RENEWED, priority=9)
    ways: list[tuple[Callable[[], Awaitable[httpx.Response]], set[str]]] = [
        (lambda: team.everyone.post("/api/memory/cleanup", json={"user_id": team.user_id}), {renewed}),
        (lambda: team.everyone.delete(f"/v1/users/{team.user_id}"), set()),
    ]
    assert (await seen(team))["sales"] == {failed, renewed}
    for way, left in ways:
        await answered(way())
        await replace(gateway, worker=worker).digest(team.tenant_id)
        assert await seen(team) == {None: left, "sales": left, "care": set()}
    again = await kept(team, "sales", FAILED)
    assert await seen(team) == {None: {again}, "sales": {again}, "care": set()}
