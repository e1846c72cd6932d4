"""Entries that an agent alone sees go when their time is over, and nothing else does: over HTTP, by the landed jobs."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from ragpp.retention import EntryRetention
from ragpp_services.workers.parts import LearningPolicy
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.team import Team

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
Object = dict[str, Json]
LIMITS = EntryRetention(max_age_days=7, max_count=2, permanent_priority=8)


@pytest.fixture
async def cleaning(gateway: RealGateway, team: Team) -> Team:
    """The team, with workers under LIMITS whose clock is eight days ahead."""
    ahead = timedelta(days=8)
    worker = replace(gateway.worker, learning=LearningPolicy(entries=LIMITS), clock=lambda: datetime.now(UTC) + ahead)
    return replace(team, gateway=replace(gateway, worker=worker))


async def kept(team: Team, agent: str | None, content: str, **fields: Json) -> str:
    body = {"user_id": team.user_id, "content": content, **fields}
    answer = await team.of(agent).post("/api/memory/catalog", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["memory_id"])


async def cleaned(team: Team, *, dry_run: bool = False) -> Object:
    """A cleanup's result for entries."""
    asked = await team.everyone.post("/api/memory/cleanup", json={"user_id": team.user_id, "dry_run": dry_run})
    assert asked.status_code == 202, asked.text
    await team.digest()
    job = (await team.everyone.get(asked.headers["location"])).json()
    assert job["state"] == "done", job
    return cast("Object", job["result"]["tiers"].get("entries", {"due": 0}))


async def left(team: Team) -> set[str]:
    answer = await team.everyone.get("/api/memory/catalog", params={"user_id": team.user_id})
    return {entry["memory_id"] for entry in answer.json()["memories"]}


async def test_a_cleanup_says_what_goes_and_why_and_then_exactly_that_is_gone(cleaning: Team) -> None:
    team = cleaning
    old = await kept(team, "sales", "The offer to Qzcorp ends in May.")
    permanent = await kept(team, "sales", "Invoices go out on Mondays.", priority=9)
    shared = await kept(team, None, "The shop opens at nine.")
    later = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    until = await kept(team, "sales", "The fair is in hall four.", expires=later)
    dry = await cleaned(team, dry_run=True)
    assert (dry["due"], dry["reasons"]) == (1, {"expired": 1})
    assert "Qzcorp" not in str(dry)
    assert await left(team) == {old, permanent, shared, until}
    gone = await cleaned(team)
    assert [(item["id"], item["reason"]) for item in cast("list[Object]", gone["items"])] == [(old, "expired")]
    assert await left(team) == {permanent, shared, until}
    resources = (await team.everyone.get("/v1/resources", params={"user_id": team.user_id})).text
    assert "Qzcorp" not in resources
    assert (await cleaned(team))["due"] == 0
    told = (await team.everyone.get("/api/memory/catalog/statistics", params={"user_id": team.user_id})).json()
    assert told["total_memories"] == 3
    assert told["total_tokens"] > 10
    assert told["last_cleanup"] is not None
    assert told["oldest_memory"] is not None


async def test_what_went_for_its_age_may_be_kept_again(cleaning: Team) -> None:
    first = await kept(cleaning, "sales", "The offer to Qzcorp ends in May.", memory_id="mem_1")
    await cleaned(cleaning)
    assert await left(cleaning) == set()
    assert await kept(cleaning, "sales", "The offer to Qzcorp ends in May.", memory_id="mem_1") == first


async def test_over_its_limit_an_agent_loses_the_least_relevant_but_what_is_pinned(
    gateway: RealGateway, team: Team
) -> None:
    worker = replace(gateway.worker, learning=LearningPolicy(entries=LIMITS))
    team = replace(team, gateway=replace(gateway, worker=worker))
    least = await kept(team, "sales", "The kettle is red.", priority=1)
    pinned = await kept(team, "sales", "The kettle stands in the kitchen.", priority=0)
    others = [await kept(team, "sales", f"Shelf {place} holds box {place}9.", priority=5) for place in range(2)]
    of_care = await kept(team, "care", "The lamp is green.", priority=1)
    put = await team.everyone.put(f"/v1/users/{team.user_id}/pins/catalog/{pinned}")
    assert put.is_success
    gone = await cleaned(team)
    assert gone["reasons"] == {"count": 2}
    assert pinned in await left(team)
    assert of_care in await left(team)
    assert least not in await left(team)
    assert len(await left(team) & set(others)) == 1


async def test_two_cleanups_at_once_and_a_key_of_one_agent(cleaning: Team) -> None:
    for place in range(5):
        await kept(cleaning, "sales", f"Box {place} stands on shelf {place}.")
    refused = await cleaning.sales.post("/api/memory/cleanup", json={"user_id": cleaning.user_id})
    checked_problem(refused, 403)
    await asyncio.gather(cleaned(cleaning), cleaned(cleaning))
    assert await left(cleaning) == set()
