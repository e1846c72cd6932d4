"""An agent's memories are its own unless somebody who may says otherwise; what was shared before stays shared."""

from collections.abc import AsyncIterator
from itertools import permutations
from typing import Final

import httpx
import pytest

from ragpp import MemoryCatalog
from ragpp.catalog import CatalogVisibility
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Forbidden
from tests.support.each import each
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.team import Team

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
LIST: Final = "/api/memory/catalog"
IMPORT: Final = "/api/memory/import"
CHOSE: Final = "We chose Redux for the dashboard, since its middleware logs every action of the editors."
USER: Final = "ann"
OWN: Final = ("read", "write", "forget")
DEFAULTS: Final[tuple[tuple[dict[str, Json], CatalogVisibility], ...]] = (
    ({"ci": "sales"}, "agent"),
    ({"ci_source": "sales"}, "agent"),
    ({"ci": "sales", "visibility": "shared"}, "shared"),
    ({"ci": "sales", "domain": "sql"}, "shared"),
    ({"ci": "sales", "task_type": "date_filter"}, "shared"),
    ({"ci": "sales", "domain": "sql", "visibility": "agent"}, "agent"),
    ({}, "shared"),
)
"""Fields of a memory, with who sees it where a key that is bound to no agent keeps it."""
SHARED: Final[dict[str, Json]] = {"user_id": USER, "visibility": "shared"}
SHARING: Final[dict[str, dict[str, Json]]] = {
    LIST: SHARED | {"content": CHOSE},
    IMPORT: {"user_id": USER, "memories": [{"content": CHOSE, "visibility": "shared"}]},
    "/v1/interactions": SHARED | {"messages": [{"content": CHOSE}]},
    "/v1/resources": SHARED | {"resource_type": "document", "content": CHOSE},
    "/v1/items": SHARED | {"items": [{"content": CHOSE, "source_resource_id": "res_1"}]},
    "/v1/categories": {"user_id": USER, "name": "decisions", "description": "What was decided"},
    "/v1/categories/defaults": {"user_id": USER},
}
"""By route, what writes something that all of the user's agents see."""


@pytest.fixture
async def bound(gateway: RealGateway, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    """A key of the agent `sales` that may not share."""
    async with gateway.client(await gateway.key(tenant, *OWN, agent_id="sales")) as client:
        yield client


async def seen(client: httpx.AsyncClient, **asked: str) -> set[str]:
    answer = await client.get(LIST, params={"user_id": USER, **asked})
    assert answer.status_code == 200, answer.text
    return {one["memory_id"] for one in answer.json()["memories"]}


async def test_who_sees_a_memory_follows_from_what_is_said_of_it(api: httpx.AsyncClient) -> None:
    async def kept(case: tuple[dict[str, Json], CatalogVisibility]) -> None:
        fields, visibility = case
        said = {"content": f"{CHOSE} {sorted(fields.items())}", **fields}
        stored = await api.post(LIST, json={"user_id": USER, **said})
        assert (stored.status_code, stored.json()["visibility"]) == (201, visibility), stored.text
        again = {**said, "content": f"Imported: {said['content']}"}
        result = (await api.post(IMPORT, json={"user_id": USER, "memories": [again]})).json()["results"][0]
        read = await api.get(f"{LIST}/{result['memory_id']}", params={"user_id": USER})
        assert read.json()["visibility"] == visibility
        assert (read.json()["expires"] is not None) == (visibility == "agent")

    await each(DEFAULTS, kept)


async def test_of_every_two_agents_neither_sees_what_is_kept_for_the_other_without_a_word(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient, api: httpx.AsyncClient
) -> None:
    names = ("ergon", "scribe", "sales")
    ids = {
        name: (await MemoryCatalog(name, client=memory, user_id=USER).store(f"{CHOSE} By {name}.")).memory_id
        for name in names
    }
    assert await seen(api) == set(ids.values())
    for reader, other in permutations(names, 2):
        async with gateway.client(await gateway.key(tenant, *OWN, agent_id=reader)) as client:
            assert await seen(client) == {ids[reader]}
            for refused in (client.get, client.delete):
                checked_problem(await refused(f"{LIST}/{ids[other]}", params={"user_id": USER}), 404)
            assert await MemoryCatalog(reader, client=memory, user_id=USER).get(ids[other]) is None
    async with gateway.newcomer() as stranger:
        assert await seen(stranger) == set()
        checked_problem(await stranger.get(f"{LIST}/{ids['sales']}", params={"user_id": USER}), 404)


async def test_an_agents_key_shares_with_the_scope_for_it_at_every_door_and_is_told_what_to_do_without(
    gateway: RealGateway, tenant: str, api: httpx.AsyncClient, bound: httpx.AsyncClient
) -> None:
    source = {"user_id": USER, "id": "res_1", "resource_type": "document", "content": CHOSE}
    assert (await api.post("/v1/resources", json=source)).is_success
    before = await seen(api)

    async def refused(path: str) -> None:
        problem = checked_problem(await bound.post(path, json=SHARING[path]), 403, Forbidden.code)
        assert "scope `share`" in (problem.detail or "")
        advice = "Categories are of all agents" if "categories" in path else "`visibility` agent"
        assert advice in problem.recovery_suggestions[0]

    await each(SHARING, refused)
    assert await seen(api) == before
    async with gateway.client(await gateway.key(tenant, *OWN, "share", agent_id="sales")) as sharing:

        async def shared(path: str) -> None:
            assert (answer := await sharing.post(path, json=SHARING[path])).is_success, answer.text

        await each(SHARING, shared)
        everybodys = await sharing.post(LIST, json={"user_id": USER, "content": CHOSE, "visibility": "global"})
        assert "`global`" in (checked_problem(everybodys, 403, Forbidden.code).detail or "")
    async with gateway.client(await gateway.key(tenant, *OWN, agent_id="care")) as care:
        assert await seen(care) == await seen(api) > before


async def test_without_the_scope_an_agents_key_keeps_its_own_and_its_neighbours_in_a_file_are_kept(
    bound: httpx.AsyncClient,
) -> None:
    own = await bound.post(LIST, json={"user_id": USER, "content": CHOSE, "domain": "sql"})
    assert (own.status_code, own.json()["visibility"]) == (201, "agent"), own.text
    memories: Json = [{"content": "The lamp is green.", "visibility": "shared"}, {"content": "The lamp is red."}]
    results = (await bound.post(IMPORT, json={"user_id": USER, "memories": memories})).json()["results"]
    assert [one["outcome"] for one in results] == ["refused", "kept"]
    assert "`share`" in results[0]["reason"]


async def test_what_was_shared_before_stays_so_when_its_request_is_repeated(api: httpx.AsyncClient) -> None:
    """Catches a default that makes a second memory, or a conflict, of what was stored under the default before."""

    async def repeated(identifier: str) -> None:
        said: dict[str, Json] = {"id": identifier, "ci": "sales", "content": f"{CHOSE} {identifier}"}
        before = await api.post(LIST, json={**said, "user_id": USER, "visibility": "shared"})
        assert before.status_code == 201, before.text
        again = await api.post(LIST, json={**said, "user_id": USER})
        assert again.status_code == 201, again.text
        assert again.json() == before.json()
        result = (await api.post(IMPORT, json={"user_id": USER, "memories": [said]})).json()["results"][0]
        assert (result["outcome"], result["memory_id"]) == ("known", before.json()["memory_id"])

    await each(("mem_1", "item_0b7e"), repeated)


async def test_what_an_agent_alone_sees_goes_when_its_answer_says(team: Team) -> None:
    whose = {"user_id": team.user_id, "ci": "sales"}
    usual = (await team.everyone.post(LIST, json={**whose, "content": CHOSE})).json()
    stays = (await team.everyone.post(LIST, json={**whose, "content": "The lamp is red.", "priority": 8})).json()
    assert usual["expires"] is not None
    assert stays["expires"] is None
    exported = (await team.everyone.get("/api/memory/export", params=whose)).json()["items"]
    assert {one["expires"] for one in exported} == {None}, "a file is no older than what it is kept for"


async def test_imports_at_once_leave_an_agent_a_thousand_memories(api: httpx.AsyncClient) -> None:
    def part(number: int) -> dict[str, Json]:
        texts = [f"Box {number}-{place} stands on shelf {place}{number}." for place in range(100)]
        return {
            "user_id": USER,
            "memories": [{"ci": "sales", "content": text} for text in texts],
        }

    async def sent(number: int) -> None:
        answer = await api.post(IMPORT, json=part(number))
        assert {one["outcome"] for one in answer.json()["results"]} <= {"kept", "same"}, answer.text

    await each(range(11), sent, at_once=4)
    told = (await api.get(f"{LIST}/statistics", params={"user_id": USER, "ci": "sales"})).json()
    assert told["total_memories"] == 1_000
