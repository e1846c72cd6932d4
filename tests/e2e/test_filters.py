"""A filter by metadata narrows recalls and lists to what fits it, with the same meaning in each of them."""

import json
from collections.abc import AsyncIterator
from typing import Final

import httpx
import pytest

from ragpp.filtering import MAX_FILTER_CONDITIONS, MetadataFilter
from tests.support.each import each
from tests.support.hostile import METACHARACTERS, Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.refusing import INVALID
from tests.support.scopes import new_scope

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
USER: Final = "noor"
KEPT: Final[dict[str, dict[str, Json]]] = {
    "apollo": {"project": "apollo", "priority": 1, "done": True, "tags": ["moon", "crew"], "customer": {"id": "c1"}},
    "gemini": {"project": "gemini", "priority": 2.0, "done": False, "tags": [], "customer": {"id": "c2"}},
    "vostok": {"project": "Apollo", "priority": "1", "note": None, "stops": [{"at": "orbit"}, {"at": "sea"}]},
    "bare": {},
}


def equal(key: Json, value: Json) -> dict[str, Json]:
    return {"equal": {"key": key, "value": value}}


CASES: Final[dict[str, tuple[Json, set[str]]]] = {
    "a text, letter by letter": (equal("project", "apollo"), {"apollo"}),
    "a number is no text": (equal("priority", 1), {"apollo"}),
    "a number by its value": (equal("priority", 2), {"gemini"}),
    "a truth is no number": (equal("done", 1), set()),
    "a truth": (equal("done", False), {"gemini"}),
    "null, and not what is missing": (equal("note", None), {"vostok"}),
    "an item of a list": (equal("tags", "crew"), {"apollo"}),
    "a value within a value": (equal(["customer", "id"], "c2"), {"gemini"}),
    "a value within values of a list": (equal(["stops", "at"], "sea"), {"vostok"}),
    "a whole value": (equal("customer", "c1"), set()),
    "one of several": ({"in": {"key": "project", "values": ["Apollo", "gemini", 3]}}, {"gemini", "vostok"}),
    "a key that is there": ({"exists": "tags"}, {"apollo", "gemini"}),
    "a key whose value is null": ({"exists": "note"}, {"vostok"}),
    "all of them": ({"and": [{"exists": "done"}, equal("project", "apollo")]}, {"apollo"}),
    "any of them": ({"or": [equal("project", "apollo"), equal("priority", 2)]}, {"apollo", "gemini"}),
    "not, of another kind too": ({"not": equal("priority", 1)}, {"gemini", "vostok", "bare"}),
    "not not": ({"not": {"not": {"exists": "project"}}}, {"apollo", "gemini", "vostok"}),
    "neither": ({"not": {"or": [{"exists": "done"}, {"exists": "note"}]}}, {"bare"}),
}


@pytest.fixture(scope="module")
async def told(gateway: RealGateway) -> AsyncIterator[httpx.AsyncClient]:
    """A memory of messages, items and a document with the metadata of KEPT."""
    async with gateway.client(await gateway.key(new_scope().tenant_id)) as api:
        said = [
            {"id": name, "content": f"The mission {name} has a launch window.", "metadata": metadata}
            for name, metadata in KEPT.items()
        ]
        body = {"user_id": USER, "session_id": "s1", "messages": said}
        assert (await api.post("/v1/interactions", json=body)).is_success
        for name, metadata in KEPT.items():
            text = f"The rocket of the mission {name} burns kerosene."
            document = {"id": f"doc-{name}", "content": text, "metadata": metadata, "extract": False}
            kept = await api.post("/v1/resources", json={"user_id": USER, "resource_type": "document", **document})
            assert kept.is_success, kept.text
            fact = {"id": name, "content": f"The mission {name} carries a crew.", "metadata": metadata}
            items = {"user_id": USER, "items": [{**fact, "source_resource_id": f"doc-{name}"}]}
            kept = await api.post("/v1/items", json=items)
            assert kept.is_success, kept.text
        yield api


async def listed(api: httpx.AsyncClient, path: str, key: str, condition: Json) -> set[str]:
    answer = await api.get(path, params={"user_id": USER, "filter": json.dumps(condition)})
    assert answer.status_code == 200, answer.text
    return {one[key] for one in answer.json()["items"]}


async def test_a_filter_means_the_same_in_every_list_and_in_a_recall(told: httpx.AsyncClient) -> None:
    async def asked(case: str) -> None:
        condition, fitting = CASES[case]
        assert await listed(told, "/v1/interactions", "id", condition) == fitting, case
        assert await listed(told, "/v1/items", "item_id", condition) == fitting, case
        question = {"user_id": USER, "session_id": "s1", "query": "Which missions have a crew or a launch window?"}
        answer = (await told.post("/v1/recall", json={**question, "filter": condition})).json()
        assert answer["status"] == "complete"
        found = {one["id"] for one in answer["memories"] if one["tier"] == "episodic"}
        assert found == fitting, case
        known = {one["id"].removeprefix("doc-").partition("#")[0] for one in answer["memories"]}
        assert known == fitting, (case, answer["memories"])
        skipped = {name for name, tier in answer["tiers"].items() if tier["status"] == "skipped"}
        assert skipped == {"short_term", "semantic", "procedural"}

    await each(CASES, asked, at_once=4)


async def test_a_key_or_a_value_is_never_a_part_of_the_statement(told: httpx.AsyncClient) -> None:
    """Catches a filter whose texts are written into SQL or into a path as they are."""
    hostile = [*METACHARACTERS, '"', '\\"', '" || exists($.*) || "', "$v0", "*", "a.b", "@ == 1"]
    said = [{"id": f"h{place}", "content": "Hm.", "metadata": {text: text}} for place, text in enumerate(hostile)]
    body = {"user_id": "hostile", "messages": said}
    assert (await told.post("/v1/interactions", json=body)).is_success

    async def asked(place: int) -> None:
        for condition in (equal(hostile[place], hostile[place]), {"exists": hostile[place]}):
            given = {"user_id": "hostile", "filter": json.dumps(condition)}
            answer = await told.get("/v1/interactions", params=given)
            assert [one["id"] for one in answer.json()["items"]] == [f"h{place}"], (hostile[place], answer.text)

    await each(range(len(hostile)), asked, at_once=4)


async def test_a_page_after_the_first_is_of_what_fits_too(gateway: RealGateway, told: httpx.AsyncClient) -> None:
    key = told.headers["authorization"].removeprefix("Bearer ")
    condition = MetadataFilter.model_validate({"exists": "project"})
    async with gateway.memory(key) as memory:
        first = await memory.interactions(USER, filter=condition, limit=2)
        second = await memory.interactions(USER, filter=condition, limit=2, cursor=first.next_cursor)
        items = await memory.items(USER, filter=condition)
    assert {one.id for page in (first, second) for one in page.items} == {"apollo", "gemini", "vostok"}
    assert len(items.items) == 3


REFUSED: Final[dict[str, Json]] = {
    "no operator": {},
    "two operators": {**equal("a", 1), "exists": "b"},
    "an unknown operator": {"equals": {"key": "a", "value": 1}},
    "a list as a value": equal("a", [1]),
    "no values": {"in": {"key": "a", "values": []}},
    "too many values": {"in": {"key": "a", "values": [1] * 101}},
    "an empty key": {"exists": ""},
    "a key that cannot be stored": {"exists": "a\x00"},
    "nothing to join": {"and": []},
    "too many conditions": {"or": [{"exists": "a"}] * MAX_FILTER_CONDITIONS},
    "a path too deep": {"exists": ["a"] * 9},
    "no object": ["a"],
}


def deep(levels: int) -> Json:
    condition: Json = {"exists": "a"}
    for _ in range(levels - 1):
        condition = {"not": condition}
    return condition


async def test_a_malformed_filter_is_refused_where_it_is_wrong(told: httpx.AsyncClient) -> None:
    async def refused(case: str) -> None:
        condition = {**REFUSED, "too deep": deep(9), "far too deep": deep(60)}[case]
        asked = await told.post("/v1/recall", json={"user_id": USER, "query": "missions", "filter": condition})
        given = await told.get("/v1/interactions", params={"user_id": USER, "filter": json.dumps(condition)})
        for answer in (asked, given):
            problem = checked_problem(answer, *INVALID)
            assert all(error.field.startswith("filter") for error in problem.errors), (case, problem)

    await each([*REFUSED, "too deep", "far too deep"], refused, at_once=4)
    assert (await told.get("/v1/items", params={"user_id": USER, "filter": json.dumps(deep(8))})).is_success
    for text in ("", "{", "null", '"a"', "x" * 20_000):
        checked_problem(await told.get("/v1/items", params={"user_id": USER, "filter": text}), *INVALID)
