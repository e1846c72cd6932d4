"""One agent's memory is its own: a bound key sees what was shared and what was said to its agent, and nothing else."""

from datetime import timedelta

import pytest

from ragpp.models import Scope
from tests.support.hostile import Json
from tests.support.team import SAID, START, Team, known, read, talk

pytestmark = pytest.mark.server


async def test_an_agent_sees_what_was_shared_and_what_was_said_to_it(team: Team) -> None:
    await talk(team)
    for agent, hidden in (("sales", "care"), ("care", "sales")):
        said = [content for of, content in SAID if of in {None, agent}]
        assert [one["content"] for one in await read(team.of(agent), "/v1/interactions", team)] == said[::-1]
        unseen = [content for of, content in SAID if of == hidden]
        session = await team.of(agent).get("/v1/sessions/s", params={"user_id": team.user_id})
        assert [one["content"] for one in session.json()["messages"]] == said
        recalled = await team.of(agent).post(
            "/v1/recall", json={"user_id": team.user_id, "session_id": "s", "query": "Who lives and works where?"}
        )
        assert recalled.json()["status"] == "complete", recalled.text
        assert not [content for content in unseen if content in recalled.text]
    everything = await read(team.everyone, "/v1/interactions", team)
    assert [one["content"] for one in everything] == [content for _, content in SAID][::-1]


async def test_what_is_learned_is_seen_by_who_may_see_what_it_rests_on(team: Team) -> None:
    await talk(team)
    everyone, sales, care = [await known(client, team) for client in (team.everyone, team.sales, team.care)]
    names = {name for one in sales for name in one}
    assert {"Otto", "Globex", "Elena"} <= names
    assert not {"Miriam", "Qzville", "Qzhospital"} & {name for one in sales for name in one}
    assert "Globex" not in {name for one in care for name in one}
    assert {"Miriam", "Qzville"} <= {name for one in care for name in one}
    assert sales < everyone
    assert care < everyone
    for path in ("/v1/preferences", "/v1/rules", "/v1/findings", "/v1/entities"):
        for agent, hidden in (("sales", "care"), ("care", "sales")):
            shown = {
                str(one.get("value") or one.get("text") or one.get("name"))
                for one in await read(team.of(agent), path, team)
            }
            only = {
                str(one.get("value") or one.get("text") or one.get("name"))
                for one in await read(team.of(hidden), path, team)
            } - {
                str(one.get("value") or one.get("text") or one.get("name"))
                for one in await read(team.everyone, path, team)
            }
            assert not only
            assert not [
                text for text in shown for of, content in SAID if of == hidden and text in content and len(text) > 8
            ]


async def test_who_may_see_it_is_said_with_the_message_or_follows_from_the_key(team: Team) -> None:
    await team.say(0, "sales", "The budget is nine hundred.")
    message: Json = {"id": "m1", "content": "The meeting is at noon."}
    body: dict[str, Json] = {"user_id": team.user_id, "session_id": "s", "messages": [message]}
    assert (await team.sales.post("/v1/interactions", json={**body, "visibility": "shared"})).status_code == 201
    refused = await team.everyone.post("/v1/interactions", json={**body, "visibility": "agent"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "agent_id"
    said = {
        one["id"]: (one["agent_id"], one["visibility"]) for one in await read(team.everyone, "/v1/interactions", team)
    }
    assert said == {"m0": ("sales", "agent"), "m1": ("sales", "shared")}
    assert [one["id"] for one in await read(team.care, "/v1/interactions", team)] == ["m1"]


async def test_an_agent_forgets_what_was_said_to_it_and_nothing_else(team: Team) -> None:
    await talk(team)
    whose = {"user_id": team.user_id}
    assert (await team.sales.delete("/v1/interactions/m5", params=whose)).status_code == 404  # said to care alone
    assert (await team.sales.delete("/v1/interactions/m0", params=whose)).status_code == 403  # seen, not said to it
    assert (await team.sales.delete("/v1/interactions/m2", params=whose)).status_code == 200
    for client in (team.everyone, team.sales, team.care):
        assert "Globex" not in str(await known(client, team))
    left = [one["id"] for one in await read(team.everyone, "/v1/interactions", team)]
    assert left == ["m8", "m7", "m6", "m5", "m4", "m3", "m1", "m0"]


async def test_what_is_of_all_agents_is_refused_to_one(team: Team) -> None:
    await talk(team)
    user, whose = f"/v1/users/{team.user_id}", {"user_id": team.user_id}
    shared = next(one for one in await read(team.sales, "/v1/relationships", team) if one["target"] == "Porto")
    refused = [
        await team.sales.delete(user),
        await team.sales.put(f"{user}/settings", json={"time_zone": "Asia/Tokyo"}),
        await team.sales.put(f"{user}/pins/episodic/m2"),
        await team.sales.get(f"{user}/pins"),
        await team.sales.delete("/v1/sessions/s", params={**whose, "interactions": "keep"}),
        await team.sales.post(f"/v1/relationships/{shared['id']}/reject", json=whose),
        await team.sales.delete(f"/v1/relationships/{shared['id']}", params=whose),
    ]
    assert [answer.status_code for answer in refused] == [403] * len(refused)


async def test_what_an_agent_sets_is_its_own_and_what_anybody_else_sets_is_all_agents(team: Team) -> None:
    set_by = {"sales": ("tone", "short"), None: ("language", "French")}
    for agent, (key, value) in set_by.items():
        body: Json = {"user_id": team.user_id, "category": "style", "key": key, "value": value}
        assert (await team.of(agent).post("/v1/preferences", json=body)).status_code == 201
    await team.digest()
    values = {
        agent: {one["value"] for one in await read(team.of(agent), "/v1/preferences", team)}
        for agent in (None, "sales", "care")
    }
    assert values == {None: {"short", "French"}, "sales": {"short", "French"}, "care": {"French"}}


async def test_what_people_judged_and_deleted_before_holds_in_a_view_that_begins_later(team: Team) -> None:
    for number, content in enumerate(("My sister Elena lives in Porto.", "Ann works at Globex.", "I love jazz.")):
        await team.say(number, None, content)
    await team.digest()
    whose = {"user_id": team.user_id}
    lives, works = [
        next(one["id"] for one in await read(team.everyone, "/v1/relationships", team) if one["type"] == of)
        for of in ("LIVES_IN", "WORKS_AT")
    ]
    (jazz,) = await read(team.everyone, "/v1/preferences", team)
    assert (await team.everyone.post(f"/v1/relationships/{lives}/reject", json=whose)).is_success
    assert (await team.everyone.delete(f"/v1/relationships/{works}", params=whose)).is_success
    assert (await team.everyone.post(f"/v1/preferences/{jazz['id']}/reject", json=whose)).is_success
    tea: Json = {**whose, "category": "drinks", "key": "morning", "value": "tea"}
    assert (await team.everyone.post("/v1/preferences", json=tea)).is_success

    await team.say(3, "sales", "My brother Otto lives in Faro.")
    await team.digest()

    for client in (team.sales, team.care):
        seen = await known(client, team)
        assert not {"LIVES_IN", "WORKS_AT"} & {of for _, of, target in seen if target != "Faro"}
        assert ("Elena", "SISTER_OF", "user") in seen
        assert [one["value"] for one in await read(client, "/v1/preferences", team)] == ["tea"]
    assert "Faro" in str(await known(team.sales, team))
    assert "Faro" not in str(await known(team.care, team))


async def test_what_people_set_again_and_changed_is_in_a_view_that_begins_as_it_is_now(team: Team) -> None:
    whose = {"user_id": team.user_id}
    for value, stated in (("tea", False), ("coffee", True)):
        drink: Json = {**whose, "category": "drinks", "key": "morning", "value": value, "stated": stated}
        made = await team.everyone.post("/v1/preferences", json=drink)
        assert made.is_success, made.text
    restored = await team.everyone.post(f"/v1/preferences/{made.json()['id']}/restore", json={**whose, "version": 1})
    assert restored.is_success, restored.text
    assert (await team.everyone.post("/v1/rules", json={**whose, "id": "r", "text": "Be short."})).is_success
    await team.say(0, "sales", "The harbour was quiet.")
    assert (await team.everyone.patch("/v1/rules/r", json={**whose, "text": "Be long."})).is_success
    await team.digest()
    for client in (team.everyone, team.sales, team.care):
        assert [one["value"] for one in await read(client, "/v1/preferences", team)] == ["tea"]
        assert [one["text"] for one in await read(client, "/v1/rules", team)] == ["Be long."]


async def test_an_id_of_what_another_agent_was_told_is_taken(team: Team) -> None:
    said = "The budget is nine hundred."
    await team.say(0, "sales", said)
    message: Json = {"id": "m0", "content": said}
    body: dict[str, Json] = {"user_id": team.user_id, "session_id": "s", "messages": [message]}
    again = await team.sales.post("/v1/interactions", json=body)
    assert again.json()["stored"][0]["duplicate"]
    assert (await team.care.post("/v1/interactions", json=body)).status_code == 409
    message = {"id": "m1", "content": said}
    body = {**body, "messages": [message]}
    assert (await team.everyone.post("/v1/interactions", json=body)).status_code == 201
    assert (await team.sales.post("/v1/interactions", json=body)).status_code == 409  # all have seen it


async def test_what_is_said_after_an_erasure_begins_new_views_without_what_was_erased(team: Team) -> None:
    await talk(team)
    assert (await team.everyone.delete(f"/v1/users/{team.user_id}")).status_code == 202
    await team.say(90, "sales", "My aunt Greta lives in Leeds.")  # the erasure has not begun
    tone: Json = {"user_id": team.user_id, "category": "style", "key": "tone", "value": "short"}
    assert (await team.sales.post("/v1/preferences", json=tone)).is_success
    await team.digest()
    await team.say(91, None, "My uncle Marco lives in Turin.")
    await team.digest()
    for client, places, values in ((team.sales, {"Leeds", "Turin"}, ["short"]), (team.care, {"Turin"}, [])):
        lives = {target for _, of, target in await known(client, team) if of == "LIVES_IN"}
        assert lives == places
        assert [one["value"] for one in await read(client, "/v1/preferences", team)] == values


async def test_what_a_person_judges_later_holds_in_every_view(team: Team) -> None:
    await talk(team)
    whose = {"user_id": team.user_id}
    porto = next(one["id"] for one in await read(team.everyone, "/v1/relationships", team) if one["target"] == "Porto")
    assert (await team.everyone.post(f"/v1/relationships/{porto}/reject", json=whose)).is_success
    tea = next(one for one in await read(team.everyone, "/v1/preferences", team) if "tea" in str(one["value"]))
    assert (await team.everyone.post(f"/v1/preferences/{tea['id']}/reject", json=whose)).is_success
    for client in (team.everyone, team.sales, team.care):
        assert "Porto" not in str(await known(client, team))
        assert "tea" not in str([one["value"] for one in await read(client, "/v1/preferences", team)])


async def test_an_agent_judges_what_only_it_sees(team: Team) -> None:
    await talk(team)
    whose = {"user_id": team.user_id}
    globex = next(one["id"] for one in await read(team.sales, "/v1/relationships", team) if one["target"] == "Globex")
    assert (await team.sales.post(f"/v1/relationships/{globex}/reject", json=whose)).is_success
    for client in (team.everyone, team.sales):
        assert "Globex" not in str(await known(client, team))


async def test_a_job_that_an_agent_asks_for_answers_what_the_agent_may_see(team: Team) -> None:
    await talk(team)
    for agent, of in (("sales", {"Globex", "Porto", "Faro"}), ("care", {"Qzville", "Qzhospital", "Porto", "Faro"})):
        window = {"start": START.isoformat(), "end": (START + timedelta(days=1)).isoformat()}
        asked = await team.of(agent).post(f"/v1/users/{team.user_id}/extract", json=window)
        await team.digest()
        job = (await team.of(agent).get(f"/v1/jobs/{asked.json()['id']}")).json()
        places = {one["target"] for one in job["result"]["relationships"] if one["type"] in {"LIVES_IN", "WORKS_AT"}}
        assert places == of
        listed = await team.of(agent).get("/v1/jobs", params={"user_id": team.user_id})
        assert [one["id"] for one in listed.json()["items"]] == [job["id"]]


async def test_nothing_of_any_view_is_left_of_a_user_who_is_erased(team: Team) -> None:
    await talk(team)
    asked = await team.everyone.delete(f"/v1/users/{team.user_id}")
    assert asked.status_code == 202
    await team.digest()
    job = (await team.everyone.get(f"/v1/jobs/{asked.json()['id']}")).json()
    assert job["state"] == "done", job
    assert all(not store["found_again"] for store in job["result"]["stores"].values()), job
    for client in (team.everyone, team.sales, team.care):
        for path in ("/v1/interactions", "/v1/relationships", "/v1/entities", "/v1/preferences", "/v1/rules"):
            assert await read(client, path, team) == []
    assert await team.gateway.worker.views.of(Scope(tenant_id=team.tenant_id, user_id=team.user_id)) == {}


async def test_no_user_can_be_called_as_a_view_is(team: Team) -> None:
    await talk(team)
    answered = await team.everyone.get("/v1/relationships", params={"user_id": f"{team.user_id}\x1ecare"})
    assert answered.status_code == 422


async def test_a_rule_of_one_agent_is_for_no_other_that_is_named_and_a_shared_one_is_for_all(team: Team) -> None:
    await team.say(0, "sales", "Invoices go out by e-mail.")
    for agent, text in ((None, "Call me Sam."), ("sales", "Answer in one sentence."), ("care", "Speak slowly.")):
        rule: Json = {"user_id": team.user_id, "id": f"rule-{agent}", "text": text}
        assert (await team.of(agent).post("/v1/rules", json=rule)).status_code == 201
    await team.digest()

    async def told(who: str | None, named: str | None) -> set[str]:
        asked: dict[str, Json] = {"user_id": team.user_id, "query": "When is the next train?", "tiers": ["procedural"]}
        answered = await team.of(who).post("/v1/recall", json={**asked, "agent_id": named} if named else asked)
        return {one["text"] for one in answered.json()["memories"] if one["kind"] == "rule"}

    for agent, own in (("sales", "Answer in one sentence."), ("care", "Speak slowly.")):
        assert await told(None, agent) == await told(agent, None) == {"Call me Sam.", own}
    assert "Call me Sam." in await told(None, None)


async def test_how_to_answer_that_one_agent_was_told_is_for_no_other_that_is_named(team: Team) -> None:
    await team.say(0, "sales", "Please always answer in German.")
    await team.say(1, "sales", "When I ask for a summary, use exactly three sentences.")
    await team.say(2, "care", "My dog is called Bo.")
    await team.digest()
    for query in ("hi", "write a summary of the day"):
        asked: dict[str, Json] = {"user_id": team.user_id, "query": query, "tiers": ["procedural"]}
        for named, told in (("sales", True), ("care", False)):
            answered = await team.everyone.post("/v1/recall", json={**asked, "agent_id": named})
            assert ("German" in answered.json()["context"].title()) is told
            assert ("exactly three" in answered.json()["context"]) is (told and "summary" in query)
