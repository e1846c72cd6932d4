"""The catalog's light view over HTTP: chosen by it, read in full by id, and each agent's own stays its own."""

from collections.abc import Mapping
from typing import Final, cast

import pytest

from ragpp.api import EntryList, RelevantMemories
from ragpp.entries.values import CatalogEntry
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.team import Team

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
LIST: Final = "/api/memory/catalog"
CHOSE: Final = "We chose Redux for the dashboard, since its middleware logs every action of the editors."
FAILED: Final = "The nightly import of the customers failed, since the certificate of the mail server had expired."
SEEN: Final[dict[str | None, set[str | None]]] = {
    None: {None, "sales", "care"},
    "sales": {None, "sales"},
    "care": {None, "care"},
}
"""By reader, whose entries it sees; None: a key that is bound to no agent, and what all agents share."""


async def kept(team: Team, agent: str | None, *facts: Json) -> list[str]:
    """The ids of facts that an agent keeps, with a source of their own."""
    document = {"user_id": team.user_id, "resource_type": "document", "content": f"What {agent} knows."}
    stored = (await team.of(agent).post("/v1/resources", json=document)).json()["resource"]
    items = [cast("dict[str, Json]", fact) | {"source_resource_id": stored["resource_id"]} for fact in facts]
    answer = await team.of(agent).post("/v1/items", json={"user_id": team.user_id, "items": items})
    assert answer.status_code == 201, answer.text
    return [str(item["item_id"]) for item in answer.json()["items"]]


async def chosen(team: Team, asked: Mapping[str, str | int], agent: str | None = None) -> EntryList:
    """The answer of a list to that agent."""
    answer = await team.of(agent).get(LIST, params={"user_id": team.user_id, **asked})
    assert answer.status_code == 200, answer.text
    return EntryList.model_validate_json(answer.content)


async def test_a_list_is_light_and_one_memory_is_whole(team: Team) -> None:
    said: Json = {"summary": "Chose Redux", "tags": ["redux", "State"], "priority": 9}
    (decision,) = await kept(team, None, {"content": CHOSE, "kind": "decision", "metadata": {"entry": said}})
    (light,) = (await chosen(team, {})).memories
    assert (light.memory_id, light.type, light.summary, light.priority) == (decision, "decision", "Chose Redux", 9)
    assert light.size > 0
    assert (light.content, light.relevance_vector) == (None, None)
    path, whose = f"{LIST}/{decision}", {"user_id": team.user_id}
    whole = (await team.everyone.get(path, params=whose)).json()
    assert (whole["content"], whole["relevance_vector"]) == (CHOSE, None)
    with_vector = (await team.everyone.get(path, params=whose | {"include": "vector"})).json()
    assert len(with_vector["relevance_vector"]) > 0


async def test_entries_are_narrowed_by_agent_type_and_tags_and_found_by_what_they_answer(team: Team) -> None:
    decision, error = await kept(
        team, "sales", {"content": CHOSE, "kind": "decision"}, {"content": FAILED, "kind": "error"}
    )

    async def ids(**asked: str | int) -> list[str]:
        return [entry.memory_id for entry in (await chosen(team, asked)).memories]

    assert set(await ids(ci="sales")) == {decision, error}
    assert await ids(ci="care") == []
    assert await ids(type="error") == [error]
    assert await ids(tags="nothing, Redux") == [decision]
    assert (await ids(search="Why did the import of customers fail?"))[0] == error
    assert await ids(search="the import", type="decision") == [decision]


async def test_pages_follow_each_other_without_a_gap_and_the_last_one_says_so(team: Team) -> None:
    facts: list[Json] = [{"content": f"Shelf {place} of the archive holds box number 4{place}."} for place in range(5)]
    everything = set(await kept(team, None, *facts))
    read: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = await chosen(team, {"offset": offset, "limit": 2})
        read += [entry.memory_id for entry in page.memories]
        assert page.complete
        offset = page.next_offset
    assert sorted(read) == sorted(everything)


async def test_of_every_two_agents_neither_chooses_reads_or_deletes_the_others(team: Team) -> None:
    ids = {agent: (await kept(team, agent, {"content": f"The offer of qz{agent} is good."}))[0] for agent in SEEN}
    whose = {"user_id": team.user_id}
    ways: list[dict[str, str | int]] = [{}, {"search": "the offer"}, {"tags": "offer"}]
    for reader, seen in SEEN.items():
        client = team.of(reader)
        for asked in ways:
            shown = {entry.memory_id for entry in (await chosen(team, asked, reader)).memories}
            assert shown == {ids[agent] for agent in seen}, (reader, asked)
        for agent, memory_id in ids.items():
            status = (await client.get(f"{LIST}/{memory_id}", params=whose)).status_code
            assert status == (200 if agent in seen else 404), (reader, agent)
            if reader is not None and agent != reader:
                refused = await client.delete(f"{LIST}/{memory_id}", params=whose)
                checked_problem(refused, *((403, "MEM-022") if agent in seen else (404, "MEM-012")))
    gone = await team.sales.delete(f"{LIST}/{ids['sales']}", params=whose)
    assert gone.json()["forgotten"] == 1
    checked_problem(await team.everyone.get(f"{LIST}/{ids['sales']}", params=whose), 404, "MEM-012")


async def test_what_matters_for_a_message_comes_first_within_the_budget(team: Team) -> None:
    story = "The import of the customers failed. " + "It was tried again and the certificate was renewed. " * 8
    ids = await kept(
        team,
        "sales",
        {"content": CHOSE, "kind": "decision"},
        {"content": story, "kind": "error", "metadata": {"entry": {"priority": 9}}},
        {"content": "Lunch is at noon in the yard.", "kind": "fact"},
    )
    for budget in (0, 20, 60, 150, 2_000):
        asked = {"user_id": team.user_id, "message": "Why did the import of customers fail?", "max_tokens": budget}
        answer = await team.of("sales").get("/api/memory/relevant", params=asked)
        assert answer.status_code == 200, answer.text
        found = RelevantMemories.model_validate_json(answer.content)
        assert found.tokens <= budget
        shown = [one.entry.memory_id for one in found.memories]
        assert {*shown, *found.left_out} == set(ids)
        assert all(one.text.split()[0] in found.formatted for one in found.memories)
        if budget == 60:
            assert (found.memories[0].entry.memory_id, found.memories[0].form) != (ids[1], "full")
    assert shown[0] == ids[1]
    assert found.memories[0].form == "full"
    assert found.memories[0].explain["same_agent"] == 0.2
    assert found.formatted.startswith("## RELEVANT KNOWLEDGE\n- [error · ")


async def test_an_agent_is_offered_nothing_of_another_also_without_a_message(team: Team) -> None:
    (own,) = await kept(team, "sales", {"content": CHOSE})
    (other,) = await kept(team, "care", {"content": FAILED})
    for message in ("", FAILED):
        asked = {"user_id": team.user_id, "message": message}
        found = RelevantMemories.model_validate_json(
            (await team.of("sales").get("/api/memory/relevant", params=asked)).content
        )
        assert own in {one.entry.memory_id for one in found.memories}
        assert other not in {*(one.entry.memory_id for one in found.memories), *found.left_out}


async def test_what_proved_helpful_for_a_goal_comes_before_what_proved_not(team: Team) -> None:
    texts = [f"The certificate of the mail server is renewed in {month}." for month in ("May", "June")]
    better, worse = await kept(team, None, {"content": texts[0]}, {"content": texts[1]})
    whose = {"user_id": team.user_id}
    for memory, reward in ((better, 1.0), (worse, 0.0)):
        begun = await team.everyone.post("/v1/learning/episodes", json=whose | {"goal": "mail works"})
        episode = f"/v1/learning/episodes/{begun.json()['episode_id']}"
        await team.everyone.post(f"{episode}/access", json=whose | {"memory_id": memory})
        await team.everyone.post(f"{episode}/end", json=whose | {"final_reward": reward, "alpha": 1.0})
    asked = whose | {"message": "When is the certificate renewed?", "goal": "mail works"}
    answer = await team.everyone.get("/api/memory/relevant", params=asked)
    found = RelevantMemories.model_validate_json(answer.content).memories
    assert [one.entry.memory_id for one in found] == [better, worse]
    assert found[0].explain["score.value"] > found[1].explain["score.value"]


async def test_a_memory_is_kept_in_either_spelling_and_a_repeat_is_the_same(team: Team) -> None:
    said: dict[str, Json] = {
        "user_id": team.user_id,
        "id": "mem_1_a",
        "ci_source": "ergon",
        "type": "decision",
        "content": CHOSE,
        "tokens": 3,
        "relevance_tags": ["Redux"],
        "priority": 7,
        "references": ["mem_0"],
    }
    stored = await team.everyone.post(LIST, json=said)
    assert stored.status_code == 201, stored.text
    entry = CatalogEntry.model_validate_json(stored.content)
    assert (entry.ci, entry.type, entry.tags, entry.priority) == ("ergon", "decision", ("Redux",), 7)
    assert (entry.content, entry.external_id, entry.references) == (CHOSE, "mem_1_a", ("mem_0",))
    assert entry.size > 3
    assert entry.visibility == "agent"
    other: dict[str, Json] = {"memory_id": "mem_1_a", "ci": "ergon", "size": 3, "tags": ["Redux"]}
    repeated = {key: value for key, value in said.items() if key not in {"id", "ci_source", "tokens", "relevance_tags"}}
    again = await team.everyone.post(LIST, json=repeated | other)
    assert (again.status_code, again.json()) == (201, stored.json())
    changed = await team.everyone.post(LIST, json=said | {"content": FAILED})
    checked_problem(changed, 409, "MEM-011")
    assert changed.json()["detail"] == "the id is known with other content"
    for name in ("mem_1_a", entry.memory_id):
        read = await team.everyone.get(f"{LIST}/{name}", params={"user_id": team.user_id})
        assert read.json()["memory_id"] == entry.memory_id


async def test_the_kind_of_a_memory_is_told_by_its_words_where_nobody_says_it(team: Team) -> None:
    texts = {
        CHOSE: "decision",
        FAILED: "error",
        "The selected colour of the door is red.": "fact",
        "Next step is to renew the certificate of the shop.": "plan",
    }
    for text, kind in texts.items():
        kept = await team.everyone.post(LIST, json={"user_id": team.user_id, "content": text})
        assert kept.json()["type"] == kind, text


async def test_a_deleted_memory_leaves_no_word_of_it_behind(team: Team) -> None:
    whose = {"user_id": team.user_id}
    kept = (await team.everyone.post(LIST, json=whose | {"content": "The alarm code is 4711-qzx."})).json()
    resources = (await team.everyone.get("/v1/resources", params=whose)).json()["items"]
    assert len(resources) == 1
    gone = await team.everyone.delete(f"{LIST}/{kept['memory_id']}", params=whose)
    assert gone.json()["forgotten"] == 1
    assert (await team.everyone.get("/v1/resources", params=whose)).json()["items"] == []
    asked = {"query": "alarm code qzx"}
    for found in (
        await team.everyone.get("/v1/resources", params=whose | {"search": "alarm code qzx"}),
        await team.everyone.get("/v1/items", params=whose),
        await team.everyone.get(LIST, params=whose),
        await team.everyone.post("/v1/retrieve", json=whose | asked),
        await team.everyone.post("/v1/recall", json=whose | asked),
    ):
        assert found.status_code == 200, found.text
        assert "4711" not in found.text


async def test_what_two_agents_say_is_one_memory_and_each_takes_back_its_own(team: Team) -> None:
    whose = {"user_id": team.user_id}
    said = whose | {"content": CHOSE, "visibility": "shared"}
    first = (await team.sales.post(LIST, json=said)).json()
    second = (await team.of("care").post(LIST, json=said)).json()
    assert second["memory_id"] == first["memory_id"]
    assert second["agents"] == ["care", "sales"]
    gone = await team.sales.delete(f"{LIST}/{first['memory_id']}", params=whose)
    assert gone.json()["forgotten"] == 1
    (left,) = (await chosen(team, {})).memories
    assert (left.agents, left.ci) == (("care",), "care")
    checked_problem(await team.sales.delete(f"{LIST}/{left.memory_id}", params=whose), 403, "MEM-022")
    await team.of("care").delete(f"{LIST}/{left.memory_id}", params=whose)
    assert (await chosen(team, {})).memories == ()


async def test_what_an_agents_key_keeps_is_seen_by_that_agent_alone(team: Team) -> None:
    kept = (await team.sales.post(LIST, json={"user_id": team.user_id, "content": CHOSE})).json()
    assert (kept["visibility"], kept["ci"]) == ("agent", "sales")
    assert (await chosen(team, {}, "care")).memories == ()


async def test_who_may_see_all_sees_as_an_agent_does_by_its_view(team: Team) -> None:
    ids = {agent: (await kept(team, agent, {"content": f"The offer of qz{agent} is good."}))[0] for agent in SEEN}
    for agent in ("sales", "care"):
        other = {"sales": "care", "care": "sales"}[agent]
        whose = {"user_id": team.user_id, "view": agent}
        for key in (None, agent):
            assert {one.memory_id for one in (await chosen(team, {"view": agent}, key)).memories} == {
                ids[one] for one in SEEN[agent]
            }
        assert (await team.everyone.get(f"{LIST}/{ids[agent]}", params=whose)).status_code == 200
        for asked in (team.everyone.get, team.everyone.delete):
            checked_problem(await asked(f"{LIST}/{ids[other]}", params=whose), 404, "MEM-012")
        checked_problem(await team.everyone.delete(f"{LIST}/{ids[None]}", params=whose), 403, "MEM-022")
        for asked in (team.of(other).get, team.of(other).delete):
            checked_problem(await asked(f"{LIST}/{ids[agent]}", params=whose), 403, "MEM-022")
        checked_problem(await team.of(other).get(LIST, params=whose), 403, "MEM-022")
    gone = await team.everyone.delete(f"{LIST}/{ids['sales']}", params={"user_id": team.user_id, "view": "sales"})
    assert gone.json()["forgotten"] == 1


async def test_in_a_view_that_agents_part_of_a_memory_is_taken_back_whichever_key_asks(team: Team) -> None:
    whose = {"user_id": team.user_id}
    said = whose | {"content": CHOSE, "visibility": "shared"}
    first = (await team.sales.post(LIST, json=said)).json()
    await team.of("care").post(LIST, json=said)
    gone = await team.everyone.delete(f"{LIST}/{first['memory_id']}", params=whose | {"view": "sales"})
    assert gone.json()["forgotten"] == 1
    (left,) = (await chosen(team, {})).memories
    assert left.agents == ("care",)


async def test_a_name_of_several_memories_is_told_as_that_and_a_view_tells_which(team: Team) -> None:
    whose, said = {"user_id": team.user_id}, {"sales": CHOSE, "care": FAILED}
    ids = {}
    for agent, content in said.items():
        kept = await team.of(agent).post(LIST, json=whose | {"id": "mem_1", "content": content})
        ids[agent] = kept.json()["memory_id"]
    for asked in (team.everyone.get, team.everyone.delete):
        refused = await asked(f"{LIST}/mem_1", params=whose)
        checked_problem(refused, 409, "MEM-011")
        assert "`view`" in refused.json()["recovery_suggestions"][0]
        assert refused.json()["details"]["memory_ids"] == sorted(ids.values())
    shared = whose | {"id": "mem_1", "content": "Lunch is at noon in the yard.", "ci": "sales"}
    shared |= {"visibility": "shared"}
    assert (await team.everyone.post(LIST, json=shared)).status_code == 201
    for agent, content in said.items():  # what it alone sees goes before what all do
        for client in (team.everyone, team.of(agent)):
            read = await client.get(f"{LIST}/mem_1", params=whose | {"view": agent})
            assert (read.json()["memory_id"], read.json()["content"]) == (ids[agent], content)
    await team.everyone.delete(f"{LIST}/mem_1", params=whose | {"view": "care"})
    assert {one.memory_id for one in (await chosen(team, {})).memories} > {ids["sales"]}
    assert ids["care"] not in {one.memory_id for one in (await chosen(team, {})).memories}


async def test_what_would_go_at_once_and_what_is_reserved_is_refused(team: Team) -> None:
    refusals: dict[str, tuple[dict[str, Json], str]] = {
        "expires": ({"expires": "2020-01-01T00:00:00Z"}, "has passed"),
        "metadata": ({"metadata": {"entry": {"priority": 9}}}, "`entry` is reserved"),
    }
    for field, (fields, why) in refusals.items():
        refused = await team.everyone.post(LIST, json={"user_id": team.user_id, "content": CHOSE, **fields})
        checked_problem(refused, 422, "MEM-020")
        (told,) = refused.json()["errors"]
        assert told["field"].endswith(field)
        assert why in told["reason"]
    assert (await chosen(team, {})).memories == ()


async def test_a_secret_in_a_memorys_id_is_kept_nowhere(team: Team) -> None:
    secret = "sk-proj-" + "Ab3" * 12
    refused = await team.everyone.post(LIST, json={"user_id": team.user_id, "id": f"mem_{secret}", "content": CHOSE})
    assert (refused.status_code, refused.json()["code"]) == (422, "MEM-039")
    assert secret not in refused.text
    assert (await chosen(team, {})).memories == ()
