"""An agent's turn over HTTP: it chooses from a catalog, is given what it chose, and tells what came of it."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from ragpp.api.hooks import AgentUse, Injection, RequestedMemories, TurnCatalog, Usefulness
from ragpp.text.readers import Tokenizers
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.team import Team
from tests.support.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
FAILED: Final = "The nightly import of the customers failed, since the certificate of the mail server had expired."
CHOSE: Final = "We chose Redux for the dashboard, since its middleware logs every action of the editors."
LUNCH: Final = "Lunch is served at noon in the yard behind the office."
ASKED: Final = "Why did the import of the customers fail last night?"


async def kept(team: Team, agent: str | None, *texts: str, **fields: Json) -> list[str]:
    ids = []
    for text in texts:
        body = {"user_id": team.user_id, "content": text, **fields}
        answer = await team.of(agent).post("/api/memory/catalog", json=body)
        assert answer.status_code == 201, answer.text
        ids.append(str(answer.json()["memory_id"]))
    return ids


async def hook(team: Team, name: str, agent: str | None = "sales", **fields: Json) -> str:
    body = {"user_id": team.user_id, "ci": agent, **fields}
    answer = await team.of(agent).post(f"/v1/hooks/{name}", json=body)
    assert answer.is_success, answer.text
    return answer.text


async def offered(team: Team, prompt: str = ASKED, agent: str | None = "sales", **fields: Json) -> TurnCatalog:
    return TurnCatalog.model_validate_json(await hook(team, "pre-prompt", agent, prompt=prompt, **fields))


async def asked_for(team: Team, *memory_ids: str, agent: str = "sales") -> RequestedMemories:
    return RequestedMemories.model_validate_json(await hook(team, "memory-request", agent, memory_ids=[*memory_ids]))


async def test_a_turn_goes_from_a_catalog_to_what_came_of_it(team: Team) -> None:
    failed, *_ = await kept(team, "sales", FAILED, CHOSE, LUNCH)
    catalog = await offered(team)
    assert [line.handle for line in catalog.catalog] == ["m1", "m2", "m3"]
    assert catalog.catalog[0].entry.memory_id == failed
    assert catalog.catalog[0].entry.content is None
    assert catalog.recommendation[0].handle == "m1"
    assert "answers the message" in catalog.recommendation[0].reason
    used = Tokenizers().named().count(catalog.formatted)
    assert (catalog.token_budget.used, catalog.token_budget.left) == (used, 2_000 - used)

    given = await asked_for(team, "m1", failed, "nobody-knows")
    assert [one.memory_id for one in given.memories] == [failed]
    assert FAILED in given.formatted
    assert given.formatted.startswith("## RELEVANT KNOWLEDGE\n- [error · ")
    assert given.left_out == {"nobody-knows": "there is no such memory"}
    assert given.token_budget.used == used + given.tokens

    answer = "The import of the customers failed because the mail server's certificate had expired."
    text = await hook(team, "post-response", response=answer, memories_used=["m1", "m2"])
    told = Usefulness.model_validate_json(text)
    assert told.useful[failed] > 0.6
    assert told.useful[catalog.catalog[1].entry.memory_id] < 0.3
    whose = {"user_id": team.user_id}
    use = AgentUse.model_validate_json((await team.sales.get("/v1/agents/sales/usage", params=whose)).content)
    assert (use.turns, use.catalog_tokens, use.memory_tokens) == (1, used, given.tokens)
    by_id = {one.memory_id: one for one in use.memories}
    assert (by_id[failed].offered, by_id[failed].given, by_id[failed].judged) == (1, 1, 1)
    entry = (await team.sales.get(f"/api/memory/catalog/{failed}", params=whose)).json()
    assert entry["relevance"] > 0.5


async def test_an_answer_that_names_a_memory_used_it_and_a_turn_is_judged_once(team: Team) -> None:
    (failed, chose) = await kept(team, "sales", FAILED, CHOSE)
    await offered(team)
    for _ in range(2):
        told = Usefulness.model_validate_json(
            await hook(team, "post-response", response=f"As {chose} says, and m1 too.", memories_used=["m1", chose])
        )
        assert told.useful == {failed: 1.0, chose: 1.0}
    for memory in (failed, chose):
        entry = (await team.sales.get(f"/api/memory/catalog/{memory}", params={"user_id": team.user_id})).json()
        assert entry["relevance"] == pytest.approx(0.55)


async def test_a_budget_holds_however_many_ask_at_once(team: Team) -> None:
    texts = [f"Shelf {place} of the archive holds box {place}7 with the letters of 19{place}0." for place in range(20)]
    ids = await kept(team, "sales", *texts)
    put = await team.sales.put("/v1/agents/sales/budget", json={"user_id": team.user_id, "limit": 300})
    assert put.json() == {"limit": 300, "used": 0, "left": 300}
    catalog = await offered(team, "What is on the shelves of the archive?")
    assert catalog.token_budget.limit == 300
    answers = await asyncio.gather(*(asked_for(team, *ids[start : start + 4]) for start in range(0, 20, 4)))
    given = sum(one.tokens for one in answers)
    counted = sum(Tokenizers().named().count(one.formatted) for one in answers if one.memories)
    assert given == counted
    assert catalog.token_budget.used + given <= 300
    budget = (await team.sales.get("/v1/agents/sales/budget", params={"user_id": team.user_id})).json()
    assert budget["used"] == catalog.token_budget.used + given
    nothing = await asked_for(team, *ids)
    assert all(one.form != "full" or one.text for one in nothing.memories)
    assert nothing.token_budget.used <= 300


@pytest.mark.parametrize("limit", [0, 5, 40, 200])
async def test_nothing_of_a_turn_is_over_a_budget(team: Team, limit: int) -> None:
    await kept(team, "sales", FAILED, CHOSE, LUNCH)
    await team.sales.put("/v1/agents/sales/budget", json={"user_id": team.user_id, "limit": limit})
    catalog = await offered(team)
    given = await asked_for(team, "m1", "m2", "m3")
    rendered = [text for text in (catalog.formatted, given.formatted) if text]
    assert sum(map(Tokenizers().named().count, rendered)) <= limit
    injection = Injection.model_validate_json(await hook(team, "pre-message", message=ASKED))
    assert Tokenizers().named().count(injection.injection) * bool(injection.injection) <= limit
    assert injection.tokens <= limit
    assert limit < 200 or (given.memories and injection.memory_ids)  # and what has room is given


async def test_what_does_not_fit_a_message_is_not_put_before_it(team: Team) -> None:
    failed, *_ = await kept(team, "sales", FAILED, CHOSE, LUNCH)
    fitting = Injection.model_validate_json(await hook(team, "pre-message", message=ASKED))
    assert fitting.memory_ids == (failed,)
    assert FAILED in fitting.injection
    nothing = Injection.model_validate_json(await hook(team, "pre-message", message="Sing me a song about the sea!"))
    assert (nothing.injection, nothing.tokens, nothing.memory_ids) == ("", 0, ())


async def test_bad_feedback_sinks_a_memory_and_is_not_talked_over(team: Team) -> None:
    better, worse = await kept(
        team, None, "The import failed, since the disk was full.", "The import failed, since the disk was slow."
    )
    whose = {"user_id": team.user_id}
    for value in (-1, -1):
        body = whose | {"ci": "sales", "value": value, "reason": "It was not the disk's speed."}
        answer = await team.sales.post(f"/v1/catalog/{better}/feedback", json=body)
        assert answer.status_code == 200, answer.text
    assert answer.json()["new"] == pytest.approx(0.125)
    catalog = await offered(team, "Why did the import fail?")
    assert [line.entry.memory_id for line in catalog.catalog] == [worse, better]
    assert catalog.catalog[1].entry.tier == "low"
    await hook(team, "post-response", response="m2 says it all.", memories_used=["m2"])
    entry = (await team.sales.get(f"/api/memory/catalog/{better}", params=whose)).json()
    assert entry["relevance"] == pytest.approx(0.125)
    (use,) = [
        one
        for one in (await team.sales.get("/v1/agents/sales/usage", params=whose)).json()["memories"]
        if one["memory_id"] == better
    ]
    assert (use["feedback"], use["reason"]) == (-1, "It was not the disk's speed.")


async def test_what_an_exchange_tells_is_kept_for_its_agent_alone(team: Team) -> None:
    said = {"message": "Which queue do we take?", "response": "We decided to use Kafka 3.7 for the orders queue."}
    answer = await team.everyone.post("/v1/hooks/post-message", json={"user_id": team.user_id, "ci": "sales", **said})
    assert answer.status_code == 202, answer.text
    assert answer.headers["location"] == f"/v1/jobs/{answer.json()['id']}"
    await team.digest()
    for agent, seen in (("sales", True), ("care", False)):
        listed = (await team.of(agent).get("/api/memory/catalog", params={"user_id": team.user_id})).json()["memories"]
        assert any("Kafka" in entry["abstract"] for entry in listed) is seen
        assert all((entry["ci"], entry["visibility"]) == ("sales", "agent") for entry in listed)


async def test_an_answer_that_repeats_a_memory_of_its_turn_makes_no_other(team: Team) -> None:
    (failed,) = await kept(team, "sales", FAILED)
    await offered(team)
    response = f"As I remember: {FAILED} The certificate was renewed on 3 March 2026 by Irina."
    await hook(team, "post-message", message=ASKED, response=response)
    await team.digest()
    listed = (await team.sales.get("/api/memory/catalog", params={"user_id": team.user_id})).json()["memories"]
    told = {entry["memory_id"]: entry["abstract"] for entry in listed}
    assert [one for one in told if "import" in told[one]] == [failed]
    assert any("Irina" in text for text in told.values())


async def test_what_an_exchange_states_is_of_the_kind_that_its_words_tell(team: Team) -> None:
    kinds = {"Northwind": "decision", "Porto": "plan", "timeout": "error", "$99": "fact"}
    response = (
        "The team selected Northwind as the new supplier for the packaging. The shop will move to the new office in "
        "Porto in May. The deployment of the shop failed with a timeout on Monday. The Basic plan costs $99 per month."
    )
    body: Json = {"user_id": team.user_id, "ci": "sales", "message": "What is new?", "response": response}
    assert (await team.sales.post("/v1/hooks/post-message", json=body)).status_code == 202
    await team.digest()
    listed = (await team.sales.get("/api/memory/catalog", params={"user_id": team.user_id})).json()["memories"]
    assert {name: entry["type"] for entry in listed for name in kinds if name in entry["abstract"]} == kinds


async def listed(team: Team) -> list[str]:
    """The abstracts of the entries that sales sees."""
    answer = await team.sales.get("/api/memory/catalog", params={"user_id": team.user_id, "limit": 200})
    return [entry["abstract"] for entry in answer.json()["memories"]]


@pytest.mark.parametrize("how", ["asked for by its id", "of another turn", "forgotten since", "forgotten a turn ago"])
async def test_what_an_answer_repeats_is_no_new_memory_however_it_was_given(team: Team, how: str) -> None:
    (failed,) = await kept(team, "sales", FAILED)
    if how == "asked for by its id":
        await asked_for(team, failed)
    else:
        await offered(team)
        await asked_for(team, "m1")
    if how.startswith("forgotten"):
        gone = await team.sales.delete(f"/api/memory/catalog/{failed}", params={"user_id": team.user_id})
        assert gone.status_code == 200, gone.text
    if how in {"of another turn", "forgotten a turn ago"}:
        await hook(team, "pre-message", message="Where is lunch?")
    await hook(team, "post-message", message=ASKED, response=FAILED)
    await team.digest()
    assert [text for text in await listed(team) if "import" in text] == ([] if "forgotten" in how else [FAILED])


async def test_a_line_of_a_catalog_that_is_pasted_back_teaches_nothing(team: Team) -> None:
    await kept(team, "sales", FAILED)
    line = (await offered(team)).formatted.splitlines()[1]
    assert line.startswith("- [error · ")
    await hook(team, "post-message", message=f"Is this so?\n{line}", response=f"{line}\nYes.")
    await team.digest()
    assert await listed(team) == [FAILED]


async def test_what_is_taken_from_an_exchange_goes_with_the_interactions_that_it_is(team: Team) -> None:
    said = "We decided to use Kafka 3.7 for the orders queue."
    answered = "The retention of the queue is set to 9 days."
    message_id = await team.say(1, "sales", said)
    response_id = await team.say(2, "sales", answered)
    ids = {"message_id": message_id, "response_id": response_id}
    await hook(team, "post-message", message=said, response=answered, **ids)
    await team.digest()
    assert {"Kafka", "9 days"} <= {word for word in ("Kafka", "9 days") for text in await listed(team) if word in text}
    for identifier, word in ((message_id, "Kafka"), (response_id, "9 days")):
        gone = await team.sales.delete(f"/v1/interactions/{identifier}", params={"user_id": team.user_id})
        assert gone.is_success, gone.text
        await team.digest()
        assert not any(word in text for text in await listed(team))
    body = {"user_id": team.user_id, "ci": "sales", "message": "x", "response": "y", "message_id": "nobody-knows"}
    checked_problem(await team.sales.post("/v1/hooks/post-message", json=body), 422, "MEM-020")


async def test_an_answer_that_is_an_interaction_repeats_memories_without_teaching_them(team: Team) -> None:
    await kept(team, "sales", FAILED)
    await offered(team)
    said = f"As I remember: {FAILED} The certificate was renewed on 3 March 2026 by Irina."
    ids = {"message_id": await team.say(1, "sales", ASKED), "response_id": await team.say(2, "sales", said)}
    await hook(team, "post-message", message=ASKED, response=said, **ids)
    await team.digest()
    assert [text for text in await listed(team) if "import" in text] == [FAILED]
    assert any("Irina" in text for text in await listed(team))


async def test_what_has_expired_is_not_offered_while_it_waits_to_be_cleaned_up(team: Team) -> None:
    soon = (datetime.now(UTC) + timedelta(seconds=1)).isoformat()
    await kept(team, "sales", FAILED, expires=soon)
    assert (await offered(team)).catalog
    whose = {"user_id": team.user_id, "message": ASKED}

    async def gone() -> bool:
        relevant = (await team.sales.get("/api/memory/relevant", params=whose)).json()["memories"]
        injection = Injection.model_validate_json(await hook(team, "pre-message", message=ASKED))
        return not (relevant or injection.injection or (await offered(team)).catalog)

    assert await eventually(gone, within_s=60, what="an entry whose moment has passed is offered no more")


async def test_what_misled_is_not_given_unasked_any_more(team: Team) -> None:
    (failed,) = await kept(team, "sales", FAILED)
    assert Injection.model_validate_json(await hook(team, "pre-message", message=ASKED)).memory_ids == (failed,)
    body = {"user_id": team.user_id, "ci": "sales", "value": -1, "reason": "It is outdated."}
    assert (await team.sales.post(f"/v1/catalog/{failed}/feedback", json=body)).is_success
    assert Injection.model_validate_json(await hook(team, "pre-message", message=ASKED)).memory_ids == ()
    catalog = await offered(team)
    assert [one.entry.memory_id for one in catalog.catalog] == [failed]
    assert catalog.recommendation == ()


async def test_what_was_replaced_by_something_that_misled_is_given_again(team: Team) -> None:
    earlier, later = "The trial of the studio plan lasts 14 days.", "The trial of the studio plan lasts 30 days."
    (first,) = await kept(team, "sales", earlier, timestamp="2026-03-01T09:00:00Z")
    (second,) = await kept(team, "sales", later, timestamp="2026-03-02T09:00:00Z")
    asked = "How long does the trial of the studio plan last?"

    async def given() -> tuple[str, ...]:
        return Injection.model_validate_json(await hook(team, "pre-message", message=asked)).memory_ids

    assert await given() == (second,)
    body = {"user_id": team.user_id, "ci": "sales", "value": -1, "reason": "It is 14 again."}
    assert (await team.sales.post(f"/v1/catalog/{second}/feedback", json=body)).is_success
    assert await given() == (first,)


async def test_of_every_two_agents_neither_is_offered_given_or_told_of_the_others(team: Team) -> None:
    ids = {agent: (await kept(team, agent, f"The offer of qz{agent} is good."))[0] for agent in ("sales", "care")}
    for agent, other in (("sales", "care"), ("care", "sales")):
        for key in (agent, None):  # bound to the agent, and bound to none, in the agent's name
            body = {"user_id": team.user_id, "ci": agent}
            text = (await team.of(key).post("/v1/hooks/pre-prompt", json=body | {"prompt": f"qz{other} offer"})).text
            assert ids[other] not in text
            asked = body | {"memory_ids": [ids[other], ids[agent]]}
            given = (await team.of(key).post("/v1/hooks/memory-request", json=asked)).json()
            assert [one["memory_id"] for one in given["memories"]] == [ids[agent]]
            assert given["left_out"] == {ids[other]: "there is no such memory"}
            judged = body | {"response": f"{ids[other]}", "memories_used": [ids[other]]}
            assert (await team.of(key).post("/v1/hooks/post-response", json=judged)).json()["useful"] == {}
            refused = await team.of(key).post(f"/v1/catalog/{ids[other]}/feedback", json=body | {"value": 1})
            checked_problem(refused, 404, "MEM-012")
        others = {"user_id": team.user_id, "ci": other}
        checked_problem(await team.of(agent).post("/v1/hooks/pre-prompt", json=others | {"prompt": "x"}), 403)
        checked_problem(await team.of(agent).get(f"/v1/agents/{other}/usage", params={"user_id": team.user_id}), 403)


async def test_a_handle_that_was_not_offered_is_told_to_be_none_also_without_a_turn(team: Team) -> None:
    (failed,) = await kept(team, "sales", FAILED)
    assert (await asked_for(team, "m1")).left_out == {"m1": "there is no such memory"}
    await offered(team)
    given = await asked_for(team, "m7", "m1")
    assert [one.memory_id for one in given.memories] == [failed]
    assert given.left_out == {"m7": "there is no such memory"}


async def test_feedback_and_access_know_a_memory_by_every_name_that_it_has(team: Team) -> None:
    (failed,) = await kept(team, "sales", FAILED, id="mem_1")
    await kept(team, "care", CHOSE, id="mem_1")
    await offered(team)
    whose = {"user_id": team.user_id}
    for name in (failed, "mem_1", "m1"):
        told = await team.sales.post(f"/v1/catalog/{name}/feedback", json=whose | {"ci": "sales", "value": 1})
        assert (told.status_code, told.json().get("memory_id")) == (200, failed), name
    unknown = await team.sales.post("/v1/catalog/m2/feedback", json=whose | {"ci": "sales", "value": 1})
    checked_problem(unknown, 404, "MEM-012")
    begun = (await team.sales.post("/v1/learning/episodes", json=whose | {"goal": "mail works"})).json()
    path = f"/v1/learning/episodes/{begun['episode_id']}/access"
    access = await team.sales.post(path, json=whose | {"memory_id": "mem_1"})
    assert (access.status_code, access.json().get("item_id")) == (201, failed)
    checked_problem(await team.sales.post(path, json=whose | {"memory_id": "mem_2"}), 404, "MEM-012")
    begun = (await team.everyone.post("/v1/learning/episodes", json=whose | {"goal": "mail works"})).json()
    path = f"/v1/learning/episodes/{begun['episode_id']}/access"
    checked_problem(await team.everyone.post(path, json=whose | {"memory_id": "mem_1"}), 409, "MEM-011")


async def test_what_a_file_gave_is_told_useful_and_no_value_moves(team: Team) -> None:
    (failed,) = await kept(team, "sales", FAILED, id="mem_1")
    source = {"user_id": team.user_id, "source": "file"}
    assert (await team.sales.put("/v1/agents/sales/source", json=source)).status_code == 200
    await offered(team)
    text = await hook(team, "post-response", response="As m1 says.", memories_used=["m1"])
    assert Usefulness.model_validate_json(text).useful == {failed: 1.0}
    entry = (await team.sales.get(f"/api/memory/catalog/{failed}", params={"user_id": team.user_id})).json()
    assert entry["relevance"] == 0.5
