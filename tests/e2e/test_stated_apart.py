"""A statement, where a user's agents are apart, stays theirs for whom it was, and overturns nobody's word."""

from typing import Final

import httpx
import pytest

from ragpp_services.workers.stages.views import build_views
from tests.support.hostile import Json
from tests.support.team import Team, read

pytestmark = pytest.mark.server

ELENA: Final = "My sister Elena lives in Oslo."
QUIET: Final = "The harbour was quiet."


async def told(team: Team, *said: tuple[str | None, str], first: int = 0) -> None:
    for number, (agent, content) in enumerate(said, first):
        await team.say(number, agent, content)
    await team.digest()


async def state(
    client: httpx.AsyncClient, team: Team, source: str, kind: str, target: str, **more: Json
) -> httpx.Response:
    body: dict[str, Json] = {"user_id": team.user_id, "source": source, "type": kind, "target": target, **more}
    return await client.post("/v1/relationships", json=body)


async def stated(client: httpx.AsyncClient, team: Team, source: str, kind: str, target: str, **more: Json) -> str:
    """The id of the relationship."""
    answer = await state(client, team, source, kind, target, **more)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def of_type(client: httpx.AsyncClient, team: Team, kind: str, **params: str) -> list[dict[str, Json]]:
    return [one for one in await read(client, "/v1/relationships", team, **params) if one["type"] == kind]


async def targets(client: httpx.AsyncClient, team: Team, kind: str) -> set[Json]:
    return {one["target"] for one in await of_type(client, team, kind)}


async def test_what_an_agent_states_before_its_view_is_built_is_there_when_it_is(team: Team) -> None:
    await told(team, (None, QUIET))
    await stated(team.sales, team, "Elena", "LIKES", "harbours")
    await told(team, ("sales", "The harbour was loud."), first=1)
    assert await targets(team.sales, team, "LIKES") == {"harbours"}
    assert await targets(team.everyone, team, "LIKES") == {"harbours"}
    assert await targets(team.care, team, "LIKES") == set()


async def test_what_an_agent_states_is_there_after_its_view_was_built_again(team: Team) -> None:
    await told(team, ("sales", QUIET))
    erased = await team.everyone.delete(f"/v1/users/{team.user_id}")
    assert erased.status_code == 202, erased.text
    await team.digest()
    await stated(team.sales, team, "Elena", "LIKES", "harbours")
    await told(team, ("sales", ELENA), first=1)
    assert await targets(team.sales, team, "LIKES") == {"harbours"}


async def test_what_a_view_cannot_take_keeps_it_from_nothing_else(team: Team) -> None:
    """In the agent's view both names mean one person, who is in no relationship with herself."""
    await stated(team.everyone, team, "Salma", "LIKES", "mother", target_label="PERSON")
    await stated(team.everyone, team, "Salma", "LIKES", "Porto")
    await told(team, ("sales", "My mother Salma lives in Oslo."))
    assert all((await team.gateway.worker.views.of(team.scope)).values())
    assert await targets(team.sales, team, "LIVES_IN") == {"Oslo"}
    assert await targets(team.sales, team, "LIKES") == {"Porto"}


async def test_what_an_agent_states_overturns_no_rejection_that_others_see(team: Team) -> None:
    await told(team, (None, ELENA), ("sales", QUIET))
    [oslo] = await of_type(team.everyone, team, "LIVES_IN")
    rejected = await team.everyone.post(f"/v1/relationships/{oslo['id']}/reject", json={"user_id": team.user_id})
    assert rejected.is_success, rejected.text
    await stated(team.sales, team, "Elena", "LIVES_IN", "Oslo")
    assert await targets(team.sales, team, "LIVES_IN") == {"Oslo"}
    assert await targets(team.everyone, team, "LIVES_IN") == set()
    assert await targets(team.care, team, "LIVES_IN") == set()


async def test_what_an_agent_states_confirms_nothing_that_another_was_told(team: Team) -> None:
    await told(team, ("care", ELENA), ("sales", QUIET))
    await stated(team.sales, team, "Elena", "LIVES_IN", "Oslo")
    await team.digest()
    [own] = await of_type(team.sales, team, "LIVES_IN")
    [whole] = await of_type(team.everyone, team, "LIVES_IN")
    assert (own["verdict"], whole["verdict"], whole["weight"]) == ("confirmed", None, 2.0)


async def test_what_an_agent_states_of_what_it_alone_was_told_is_confirmed_everywhere(team: Team) -> None:
    await told(team, ("sales", ELENA), ("care", QUIET))
    await stated(team.sales, team, "Elena", "LIVES_IN", "Oslo")
    await stated(team.sales, team, "Elena", "LIKES", "rain")
    for kind in ("LIVES_IN", "LIKES"):
        [whole] = await of_type(team.everyone, team, kind)
        assert whole["verdict"] == "confirmed"


async def test_an_agent_is_not_told_by_a_refusal_what_the_whole_memory_knows(team: Team) -> None:
    await told(team, ("care", "My mother Salma lives in Oslo."), ("sales", QUIET))
    await stated(team.sales, team, "Salma", "LIKES", "mother", target_label="PERSON")
    assert await targets(team.sales, team, "LIKES") == {"mother"}


async def test_a_person_who_is_seen_as_one_in_some_view_alone_is_stated_in_the_others(team: Team) -> None:
    await told(team, ("care", QUIET), ("sales", "The harbour was loud."))
    for name in ("Salma", "Selma"):
        await stated(team.everyone, team, name, "LIVES_IN", "Porto")
    await stated(team.sales, team, "Selma", "LIKES", "rain")
    ids = {str(one["name"]): str(one["id"]) for one in await read(team.sales, "/v1/entities", team)}
    worker, sales = team.gateway.worker, team.scope.seen_by("sales")
    await worker.semantic.merge_entities(sales, ids["Salma"], ids["Selma"])
    await stated(team.everyone, team, "Salma", "KNOWS", "Selma")
    assert await targets(team.everyone, team, "KNOWS") == {"Selma"}
    assert await targets(team.care, team, "KNOWS") == {"Selma"}
    assert await targets(team.sales, team, "KNOWS") == set()
    assert await build_views(worker, team.scope) == 0


async def corrected(team: Team, entity: str, **change: Json) -> None:
    [found] = [one for one in await read(team.everyone, "/v1/entities", team) if one["name"] == entity]
    body: dict[str, Json] = {"user_id": team.user_id, **change}
    answer = await team.everyone.patch(f"/v1/entities/{found['id']}", json=body)
    assert answer.is_success, answer.text


async def test_a_corrected_name_and_kind_are_so_in_views_that_begin_later(team: Team) -> None:
    await told(team, (None, "My sister Elena lives in Oslo."), (None, "My brother Otto works at Globex."))
    await corrected(team, "Elena", name="Elena Costa")
    await corrected(team, "Globex", label="PRODUCT")
    await told(team, ("sales", QUIET), ("care", "Elena likes rain."), first=2)
    for agent in ("sales", "care"):
        known = {(one["name"], one["label"]) for one in await read(team.of(agent), "/v1/entities", team)}
        assert ("Elena Costa", "PERSON") in known
        assert ("Globex", "PRODUCT") in known
        assert {name for name, _ in known} & {"Elena"} == set()
        assert ("Globex", "ORG") not in known


async def test_a_corrected_name_that_was_said_since_is_one_person_in_views_that_begin_later(team: Team) -> None:
    await told(team, (None, "My sister Elena lives in Oslo."))
    await corrected(team, "Elena", name="Elena Costa")
    await told(team, (None, "Elena Costa works at Globex."), first=1)
    await told(team, ("sales", QUIET), first=2)
    names = [one["name"] for one in await read(team.sales, "/v1/entities", team)]
    assert names.count("Elena Costa") == 1
    assert "Elena" not in names
