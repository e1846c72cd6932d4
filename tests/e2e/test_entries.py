"""The catalog's light view over HTTP: chosen by it, read in full by id, and each agent's own stays its own."""

from collections.abc import Mapping
from typing import Final, cast

import pytest

from ragpp.api import EntryList
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
    """What a list answers that agent."""
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
