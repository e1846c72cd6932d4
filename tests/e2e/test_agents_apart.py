"""One agent's acts reach nothing that was said to another, however alike the two are."""

from typing import Final

import httpx
import pytest

from ragpp.models import Scope
from ragpp_services.workers.stages.observe import observe_events
from tests.support.hostile import Json
from tests.support.real_gateway import RealGateway
from tests.support.team import Team, known, read

pytestmark = pytest.mark.server

ELENA: Final = "My sister Elena lives in Oslo."
AISLE: Final = "From now on, always book the aisle seat when we fly."


async def told(team: Team, *said: tuple[str | None, str], first: int = 0) -> None:
    for number, (agent, content) in enumerate(said, first):
        await team.say(number, agent, content)
    await team.digest()


async def of_type(client: httpx.AsyncClient, team: Team, kind: str, **params: str) -> list[dict[str, Json]]:
    return [one for one in await read(client, "/v1/relationships", team, **params) if one["type"] == kind]


@pytest.mark.parametrize("verdict", ["reject", "confirm"])
async def test_what_one_agent_judged_is_not_judged_in_a_view_that_begins_later(team: Team, verdict: str) -> None:
    await told(team, ("sales", ELENA))
    [oslo] = await of_type(team.sales, team, "LIVES_IN")
    judged = await team.sales.post(f"/v1/relationships/{oslo['id']}/{verdict}", json={"user_id": team.user_id})
    assert judged.is_success, judged.text
    await told(team, ("care", ELENA), first=1)
    [same] = await of_type(team.care, team, "LIVES_IN")
    assert (same["verdict"], same["weight"]) == (None, 1.0)


async def test_what_one_agent_rejected_marks_messages_for_that_agent_alone(team: Team) -> None:
    """A verdict sets back what it was learned from, in the view that it was given in."""
    await told(team, ("sales", ELENA), ("care", ELENA))
    asked = {"user_id": team.user_id, "query": "Where does Elena live?", "deadline_ms": 5_000}

    async def marks(client: httpx.AsyncClient) -> set[bool]:
        answer = await client.post("/v1/recall", json=asked)
        assert answer.is_success, answer.text
        said = [memory for memory in answer.json()["memories"] if memory["kind"] == "interaction"]
        assert said
        return {memory["corrected_by"] is not None for memory in said}

    [oslo] = await of_type(team.sales, team, "LIVES_IN")
    rejected = await team.sales.post(f"/v1/relationships/{oslo['id']}/reject", json={"user_id": team.user_id})
    assert rejected.is_success, rejected.text
    assert await marks(team.sales) == {True}
    assert await marks(team.care) == {False}
    assert await marks(team.everyone) == {False}


async def test_an_agent_deletes_what_it_was_told_and_not_what_another_calls_otherwise(team: Team) -> None:
    await told(
        team,
        ("sales", "My sister Elena has a dog called Bruno."),
        ("care", "My sister lives in Porto. My sister works at Lumen."),
    )
    whole = await known(team.everyone, team)
    [elena] = [one for one in await read(team.sales, "/v1/entities", team) if one["name"] == "Elena"]
    gone = await team.sales.delete(f"/v1/entities/{elena['id']}", params={"user_id": team.user_id})
    assert gone.is_success, gone.text
    assert "Elena" not in str(await known(team.sales, team))
    assert {place for _, of, place in whole if of in {"LIVES_IN", "WORKS_AT"}} == {"Porto", "Lumen"}
    assert await known(team.everyone, team) == whole


async def test_an_agent_deletes_nothing_of_anothers_however_often_it_was_told_of_it(team: Team) -> None:
    often = [("sales", f"My sister Elena has a dog called Bruno. It is day {day}.") for day in range(22)]
    await told(team, ("care", "My sister lives in Porto."), *often)
    [elena] = [one for one in await read(team.sales, "/v1/entities", team) if one["name"] == "Elena"]
    assert (await team.sales.delete(f"/v1/entities/{elena['id']}", params={"user_id": team.user_id})).is_success
    assert "Porto" in str(await known(team.everyone, team))
    assert "Porto" in str(await known(team.care, team))


async def test_an_id_that_another_agent_gave_up_is_refused_and_leaves_nothing(team: Team) -> None:
    await told(team, ("sales", "The harbour was quiet."), ("care", "The harbour was loud."))
    rule: dict[str, Json] = {"user_id": team.user_id, "id": "r1", "text": "Be short."}
    assert (await team.sales.post("/v1/rules", json=rule)).status_code == 201
    assert (await team.sales.delete("/v1/rules/r1", params={"user_id": team.user_id})).is_success
    assert (await team.care.post("/v1/rules", json={**rule, "text": "Be long."})).status_code == 409
    assert await read(team.care, "/v1/rules", team) == []


async def test_what_an_agent_sets_first_of_all_lifts_no_rejection_for_another(team: Team) -> None:
    await told(team, (None, "I love jazz."))
    [jazz] = await read(team.everyone, "/v1/preferences", team)
    whose: dict[str, Json] = {"user_id": team.user_id}
    assert (await team.everyone.post(f"/v1/preferences/{jazz['id']}/reject", json=whose)).is_success
    again = {**whose, **{name: jazz[name] for name in ("category", "key", "value")}}
    assert (await team.sales.post("/v1/preferences", json=again)).status_code == 201
    await team.digest()
    assert [one["value"] for one in await read(team.sales, "/v1/preferences", team)] == [jazz["value"]]
    assert await read(team.care, "/v1/preferences", team) == []


async def test_what_a_person_judges_while_a_view_is_being_built_holds_there(team: Team) -> None:
    await told(team, (None, "The harbour was quiet."))
    await team.say(1, "sales", ELENA)
    scope = Scope(tenant_id=team.tenant_id, user_id=team.user_id)
    recorded = await team.gateway.worker.episodic.recorded(scope, 0, 10)
    await observe_events(team.gateway.worker, scope, recorded)  # in the whole memory, and in no view
    [oslo] = await of_type(team.everyone, team, "LIVES_IN")
    rejected = await team.everyone.post(f"/v1/relationships/{oslo['id']}/reject", json={"user_id": team.user_id})
    assert rejected.is_success, rejected.text
    await team.digest()
    assert await of_type(team.sales, team, "LIVES_IN") == []


async def test_how_a_rule_worked_out_for_an_agent_without_a_view_is_not_in_the_others(team: Team) -> None:
    await told(team, ("sales", "The harbour was quiet."))
    rule: dict[str, Json] = {"user_id": team.user_id, "id": "r1", "text": "Be short."}
    assert (await team.everyone.post("/v1/rules", json=rule)).status_code == 201
    outcome: dict[str, Json] = {"user_id": team.user_id, "success": False}
    assert (await team.care.post("/v1/rules/r1/outcomes", json=outcome)).is_success
    assert (await team.care.post("/v1/rules/r1/activations", json={"user_id": team.user_id})).is_success
    for agent, count in (("care", 0), ("sales", 0), (None, 1)):
        [seen] = await read(team.of(agent), "/v1/rules", team)
        assert (seen["outcomes"], seen["activation_count"]) == (count, count)


async def test_an_agent_rejects_in_the_whole_memory_only_what_rests_on_nothing_else(team: Team) -> None:
    await told(team, ("sales", ELENA), ("care", "My sister Elena is a nurse."))
    [sister] = await of_type(team.sales, team, "SISTER_OF")
    rejected = await team.sales.post(f"/v1/relationships/{sister['id']}/reject", json={"user_id": team.user_id})
    assert rejected.is_success, rejected.text
    assert await of_type(team.sales, team, "SISTER_OF") == []
    assert len(await of_type(team.everyone, team, "SISTER_OF")) == 1
    assert len(await of_type(team.care, team, "SISTER_OF")) == 1


async def test_while_a_view_is_being_built_an_agent_changes_nothing(team: Team) -> None:
    await told(team, ("sales", f"{ELENA} I prefer tea to coffee."))
    [oslo] = await of_type(team.sales, team, "LIVES_IN")
    [tea] = await read(team.sales, "/v1/preferences", team)
    await team.say(1, "care", ELENA)
    whose = {"user_id": team.user_id}
    asked = [f"/v1/relationships/{oslo['id']}", f"/v1/preferences/{tea['id']}"]
    early = [await team.sales.delete(path, params=whose) for path in asked]
    assert [answer.status_code for answer in early] == [503, 503], early
    assert {answer.headers["Retry-After"] for answer in early} == {"1"}
    await team.digest()
    later = [await team.sales.delete(path, params=whose) for path in asked]
    assert [answer.status_code for answer in later] == [200, 200], later
    assert len(await of_type(team.everyone, team, "LIVES_IN")) == len(await of_type(team.care, team, "LIVES_IN")) == 1


async def test_how_a_rule_worked_out_for_one_agent_is_not_known_to_another(team: Team) -> None:
    await told(team, ("sales", AISLE), ("care", AISLE))
    for agent in (None, "sales", "care"):
        assert (await team.of(agent).post(f"/v1/users/{team.user_id}/reflect", json={})).is_success
    await team.digest()
    [rule] = await read(team.sales, "/v1/rules", team)
    for _ in range(6):
        told_of = await team.sales.post(
            f"/v1/rules/{rule['id']}/outcomes", json={"user_id": team.user_id, "success": False}
        )
        assert told_of.is_success, told_of.text
    await told(team, ("care", "The harbour was quiet today."), first=2)
    assert (await team.care.post(f"/v1/users/{team.user_id}/reflect", json={})).is_success
    await team.digest()
    [seen] = await read(team.care, "/v1/rules", team)
    assert (seen["outcomes"], seen["success_rate"], seen["active"]) == (0, None, True)
    [own] = await read(team.sales, "/v1/rules", team)
    assert own["outcomes"] == 6


async def test_an_activation_that_one_agent_reports_is_that_agents_and_its_id_anothers_as_well(team: Team) -> None:
    await told(team, ("sales", AISLE), ("care", AISLE))
    for agent in (None, "sales", "care"):
        assert (await team.of(agent).post(f"/v1/users/{team.user_id}/reflect", json={})).is_success
    await team.digest()
    [rule] = await read(team.sales, "/v1/rules", team)
    reported: dict[str, Json] = {"user_id": team.user_id, "id": "turn-1"}
    for api in (team.sales, team.sales, team.care):
        assert (await api.post(f"/v1/rules/{rule['id']}/activations", json=reported)).is_success
    for agent, count in (("sales", 1), ("care", 1), (None, 2)):
        [seen] = await read(team.of(agent), "/v1/rules", team)
        assert (seen["activation_count"], seen["outcomes"]) == (count, 0)


async def test_what_is_stated_is_all_agents_and_what_an_agents_key_states_that_agents(team: Team) -> None:
    def stating(target: str) -> dict[str, Json]:
        return {"user_id": team.user_id, "source": "Elena", "type": "LIKES", "target": target}

    early = await team.everyone.post("/v1/relationships", json=stating("tea"))
    assert early.status_code == 201, early.text
    await told(team, ("sales", ELENA), ("care", "The harbour was quiet."))  # the views begin after it was stated
    for api, target in ((team.everyone, "rain"), (team.sales, "harbours")):
        assert (await api.post("/v1/relationships", json=stating(target))).status_code == 201
    await team.digest()
    shared = {"tea", "rain"}
    for agent, seen in ((None, shared | {"harbours"}), ("sales", shared | {"harbours"}), ("care", shared)):
        assert {one["target"] for one in await of_type(team.of(agent), team, "LIKES")} == seen
    [own] = [one for one in await of_type(team.sales, team, "LIKES") if one["target"] == "harbours"]
    assert (await team.sales.delete(f"/v1/relationships/{own['id']}", params={"user_id": team.user_id})).is_success
    assert {one["target"] for one in await of_type(team.everyone, team, "LIKES")} == shared


async def test_what_is_refused_is_in_no_view(team: Team) -> None:
    await told(team, ("sales", "The harbour was quiet."), ("care", "The harbour was loud."))
    whose = {"user_id": team.user_id}
    rule: dict[str, Json] = {**whose, "id": "r1", "text": "Be short."}
    assert (await team.sales.post("/v1/rules", json=rule)).status_code == 201
    assert (await team.everyone.post("/v1/rules", json={**rule, "text": "Be long."})).status_code == 409
    drink: dict[str, Json] = {**whose, "id": "p1", "category": "drinks", "key": "morning", "value": "tea"}
    assert (await team.sales.post("/v1/preferences", json=drink)).status_code == 201
    assert (await team.sales.post("/v1/preferences", json={**drink, "value": "milk"})).status_code == 409
    for agent, texts in (("care", []), ("sales", ["Be short."]), (None, ["Be short."])):
        assert [one["text"] for one in await read(team.of(agent), "/v1/rules", team)] == texts
        values = [one["value"] for one in await read(team.of(agent), "/v1/preferences", team)]
        assert values == (["tea"] if texts else [])


async def test_two_agents_may_choose_the_same_id_for_what_they_set(team: Team) -> None:
    drink: dict[str, Json] = {"user_id": team.user_id, "id": "p1", "category": "drinks"}
    for agent, key, value in (("sales", "morning", "tea"), ("care", "evening", "milk"), (None, "noon", "water")):
        for _ in range(2):
            made = await team.of(agent).post("/v1/preferences", json={**drink, "key": key, "value": value})
            assert (made.status_code, made.json()["value"]) == (201, value), made.text
    await team.digest()
    values = {
        agent: {one["value"] for one in await read(team.of(agent), "/v1/preferences", team)}
        for agent in (None, "sales", "care")
    }
    assert values == {None: {"tea", "milk", "water"}, "sales": {"tea", "water"}, "care": {"milk", "water"}}


@pytest.mark.parametrize("identifier", ["1493.p0", "learned-7dce", "habit-1", "model-1", "pref-1", "found-1", "own-1"])
async def test_ids_that_the_memory_makes_are_nobodys_to_choose(team: Team, identifier: str) -> None:
    whose: dict[str, Json] = {"user_id": team.user_id, "id": identifier}
    for client in (team.everyone, team.sales):
        for path, entry in (
            ("/v1/preferences", {"category": "drinks", "key": "morning", "value": "tea"}),
            ("/v1/rules", {"text": "Be short."}),
        ):
            refused = await client.post(path, json={**whose, **entry})
            assert refused.status_code == 422, refused.text
            assert refused.json()["errors"][0]["field"] == "id"


async def test_an_agents_delete_leaves_the_pin_of_what_is_still_there(team: Team) -> None:
    tone: Json = {"user_id": team.user_id, "category": "style", "key": "tone", "value": "warm"}
    for agent in ("sales", "care"):
        made = await team.of(agent).post("/v1/preferences", json=tone)
        assert made.is_success, made.text
    await team.digest()
    whose, item = {"user_id": team.user_id}, made.json()["id"]
    pinned = await team.everyone.put(f"/v1/users/{team.user_id}/pins/procedural/{item}")
    assert pinned.is_success, pinned.text
    assert (await team.sales.delete(f"/v1/preferences/{item}", params=whose)).is_success
    pins = (await team.everyone.get(f"/v1/users/{team.user_id}/pins")).json()
    assert item in str(pins)
    assert (await team.care.delete(f"/v1/preferences/{item}", params=whose)).is_success
    assert item not in str((await team.everyone.get(f"/v1/users/{team.user_id}/pins")).json())


async def test_jobs_of_two_agents_are_two_however_the_agents_are_called(gateway: RealGateway, team: Team) -> None:
    await told(team, (None, ELENA))
    clients = [gateway.client(await gateway.key(team.tenant_id, agent_id=agent)) for agent in ("a:b", "b")]
    asked = [
        await client.post(f"/v1/users/{team.user_id}/extract", json={"id": identifier})
        for client, identifier in zip([*clients, team.everyone], ("x", "x:a", "x:a:b"), strict=True)
    ]
    for client in clients:
        await client.aclose()
    assert len({answer.json()["id"] for answer in asked}) == 3, [answer.text for answer in asked]


async def test_ids_of_the_longest_kind_are_kept_in_every_view(gateway: RealGateway, team: Team) -> None:
    longest, over = "\U0001f600" * 128, "\U0001f600" * 129
    client = gateway.client(await gateway.key(team.tenant_id, agent_id=longest))
    rule: dict[str, Json] = {"user_id": longest, "id": longest, "text": "Be short."}
    made = await client.post("/v1/rules", json=rule)
    assert made.status_code == 201, made.text
    refused = await client.post("/v1/rules", json={**rule, "id": over})
    assert refused.status_code == 422, refused.text
    assert (await client.get("/v1/rules", params={"user_id": over})).status_code == 200  # stored before it was refused
    message = {"id": longest, "content": ELENA}
    body = {"user_id": longest, "session_id": longest, "messages": [message]}
    assert (await client.post("/v1/interactions", json=body)).status_code == 201
    await team.digest()
    listed = await client.get("/v1/relationships", params={"user_id": longest})
    assert {one["target"] for one in listed.json()["items"] if one["type"] == "LIVES_IN"} == {"Oslo"}
    await client.aclose()
    scope = Scope(tenant_id=team.tenant_id, user_id=longest)
    assert all((await gateway.worker.views.of(scope)).values())
