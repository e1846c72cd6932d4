"""Whoever administers a tenant reads its audit: who asked for what, and which memories that returned or changed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import uuid4

import httpx
import pytest

from ragpp.api import AuditEntry
from ragpp.models import Page, Scope
from ragpp_services.gateway.identity import make_key
from ragpp_services.gateway.store import Access
from tests.support.each import each, each_case
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
ALL = ("read", "write", "forget", "admin", "global")
SAID = {"m-17": "My sister Elena lives in Porto.", "m-18": "I keep the rake in the shed."}


@pytest.fixture
async def admin(gateway: RealGateway, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    async with gateway.client(await gateway.key(tenant, *ALL)) as client:
        yield client


async def entries(gateway: RealGateway, api: httpx.AsyncClient, **wanted: object) -> list[AuditEntry]:
    """The entries that are wanted, of all but the reading of the audit itself."""
    await gateway.parts.audit.flush()
    answer = await api.get("/v1/audit", params={name: str(value) for name, value in wanted.items()})
    assert answer.status_code == 200, answer.text
    page = Page[AuditEntry].model_validate_json(answer.content)
    return [one for one in page.items if one.action != "GET /v1/audit"]


async def remember(api: httpx.AsyncClient, user: str, said: dict[str, str] = SAID) -> None:
    messages = [{"id": identifier, "content": content} for identifier, content in said.items()]
    body = {"user_id": user, "session_id": "s1", "messages": messages}
    answer = await api.post("/v1/interactions", json=body)
    assert answer.status_code == 201, answer.text


async def recalled(api: httpx.AsyncClient, user: str, query: str = "Where does my sister live?") -> list[str]:
    answer = await api.post("/v1/recall", json={"user_id": user, "query": query})
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json()["memories"]]


async def test_a_recall_tells_which_memories_it_returned_and_not_what_was_asked(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await remember(admin, "u1")
    await gateway.digest(tenant)
    returned = await recalled(admin, "u1")
    assert "m-17" in returned
    (entry,) = await entries(gateway, admin, route="POST /v1/recall")
    assert set(entry.memory_ids) == set(returned)
    assert (entry.user_id, entry.status, entry.items, entry.marks) == ("u1", 200, len(returned), ())
    assert entry.query_sha256 == gateway.parts.marks.of_query("Where does my sister live?")
    assert not any(word in entry.model_dump_json() for word in ("sister", "Elena", "Porto", "rake"))


async def test_whoever_has_seen_a_memory_is_found_by_its_id(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await remember(admin, "u1")
    await remember(admin, "u2", {"m-17": "I like rain."})
    async with gateway.client(await gateway.key(tenant, "read")) as reader:
        assert (await reader.get("/v1/interactions/m-17", params={"user_id": "u1"})).status_code == 200
        assert (await reader.get("/v1/interactions", params={"user_id": "u1"})).status_code == 200
        assert (await reader.get("/v1/interactions/m-18", params={"user_id": "u1"})).status_code == 200
        checked_problem(await reader.get("/v1/interactions/m-17", params={"user_id": "u3"}), 404)
    seen = await entries(gateway, admin, memory_id="m-17", user_id="u1")
    assert [(one.action.split()[0], one.user_id) for one in seen] == [("GET", "u1"), ("GET", "u1"), ("POST", "u1")]
    of_any_user = await entries(gateway, admin, memory_id="m-17")
    assert {one.user_id for one in of_any_user} == {"u1", "u2"}
    assert await entries(gateway, admin, memory_id="m-17", user_id="u3") == []


async def test_of_what_was_forgotten_a_hash_stays_by_which_whoever_knows_the_id_finds_it(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await remember(admin, "u1")
    await gateway.digest(tenant)
    await recalled(admin, "u1")
    before = await entries(gateway, admin, route="/v1/recall")
    assert {"m-17", "m-18"} <= set(before[0].memory_ids)
    await admin.delete("/v1/interactions/m-17", params={"user_id": "u1"})
    mark = gateway.parts.marks.of(Scope(tenant_id=tenant, user_id="u1"), "m-17")
    (entry,) = await entries(gateway, admin, route="/v1/recall")
    assert entry.memory_ids == ()
    assert len(entry.marks) == len(before[0].memory_ids)
    assert mark in entry.marks
    told = await entries(gateway, admin, memory_id="m-17", user_id="u1")
    assert [one.action.split()[0] for one in told] == ["DELETE", "POST", "POST"]
    assert await entries(gateway, admin, memory_id="m-17") == []
    assert "m-17" not in repr([dict(record) for record in await gateway.audited(tenant)])


@asynccontextmanager
async def clock_of(gateway: RealGateway, ahead: timedelta) -> AsyncIterator[None]:
    """The gateway's clock set forward."""
    parts = gateway.app.state.parts
    gateway.app.state.parts = replace(parts, clock=lambda: parts.clock() + ahead)
    try:
        yield
    finally:
        gateway.app.state.parts = parts


async def test_what_is_returned_again_is_known_by_its_id_again_in_all_entries(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await remember(admin, "u1")
    await admin.delete("/v1/interactions/m-17", params={"user_id": "u1"})
    assert (await admin.get("/v1/interactions", params={"user_id": "u1"})).json()["items"][0]["id"] == "m-18"
    just_after = await entries(gateway, admin, user_id="u1", route="GET /v1/interactions")
    assert (just_after[0].memory_ids, len(just_after[0].marks)) == ((), 1)
    async with clock_of(gateway, timedelta(minutes=2)):
        assert (await admin.get("/v1/interactions/m-18", params={"user_id": "u1"})).status_code == 200
    written = (await entries(gateway, admin, user_id="u1", route="POST /v1/interactions"))[0]
    assert written.memory_ids == ("m-18",)
    assert written.marks == (gateway.parts.marks.of(Scope(tenant_id=tenant, user_id="u1"), "m-17"),)


async def test_an_entry_that_comes_late_brings_no_forgotten_id_back(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await remember(admin, "u1")
    rule = {"user_id": "u1", "id": "r-rake", "text": "When I ask for tools, name the rake.", "triggers": ["tools"]}
    assert (await admin.post("/v1/rules", json=rule)).status_code == 201
    assert await gateway.parts.audit.flush()
    late = Access(
        access_id=uuid4(),
        tenant_id=tenant,
        at=datetime.now(UTC),
        key_id="key_late",
        user_id="u1",
        agent_id=None,
        action="POST /v1/recall",
        status=200,
        elapsed_ms=1.0,
        memory_ids=("m-17", "m-18", "r-rake"),
    )
    assert (await admin.delete("/v1/rules/r-rake", params={"user_id": "u1"})).status_code == 200
    assert (await admin.delete("/v1/interactions/m-17", params={"user_id": "u1"})).status_code == 200
    assert await gateway.parts.audit.flush()
    gateway.parts.audit.record(late)
    (entry,) = await entries(gateway, admin, key_id="key_late")
    assert (entry.memory_ids, len(entry.marks)) == ((), 3)
    assert not {"m-17", "m-18", "r-rake"} & await known_ids(gateway, tenant)


async def test_what_a_person_deleted_is_not_known_by_its_id_whichever_entry_comes_late(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    for name, place in (("s-rake", "shed"), ("s-hoe", "garage")):
        stated = {"user_id": "u1", "id": name, "source": "Ann", "type": "LIVES_IN", "target": place}
        assert (await admin.post("/v1/relationships", json=stated)).status_code == 201
    named = (await admin.get("/v1/relationships", params={"user_id": "u1", "state": "all"})).json()["items"]
    gone, stays = sorted(one["id"] for one in named)
    late = Access(uuid4(), tenant, datetime.now(UTC), "key_late", "u1", None, "GET /v1/relationships", 200, 1.0)
    late = replace(late, memory_ids=(gone, stays))
    assert (await admin.delete(f"/v1/relationships/{gone}", params={"user_id": "u1"})).status_code == 200
    assert await gateway.parts.audit.flush()
    assert gone not in await known_ids(gateway, tenant)
    gateway.parts.audit.record(late)
    (entry,) = await entries(gateway, admin, key_id="key_late")
    assert entry.memory_ids == (stays,)
    assert entry.marks == (gateway.parts.marks.of(Scope(tenant_id=tenant, user_id="u1"), gone),)


async def known_ids(gateway: RealGateway, tenant: str) -> set[str]:
    """The ids that the audit's marks are known to be of."""
    rows = await gateway.relay.fetch("SELECT id FROM ledger.marked_ids WHERE tenant_id = $1 AND id IS NOT NULL", tenant)
    return {row["id"] for row in rows}


async def test_an_erased_users_memories_are_known_by_no_id_and_the_requests_are_found_by_who_knows_the_user(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await remember(admin, "gwendolyn", {"m-of-gwendolyn": "I like rain."})
    await admin.get("/v1/interactions", params={"user_id": "gwendolyn"})
    assert await gateway.parts.audit.flush()
    assert await known_ids(gateway, tenant) == {"m-of-gwendolyn"}
    assert (await admin.delete("/v1/users/gwendolyn")).status_code == 202
    await gateway.digest(tenant)
    assert await known_ids(gateway, tenant) == set()
    found = await entries(gateway, admin, user_id="gwendolyn", memory_id="m-of-gwendolyn")
    assert [one.action.split()[0] for one in found] == ["GET", "POST"]
    assert all((one.memory_ids, len(one.marks)) == ((), 1) for one in found)
    assert "gwendolyn" not in "".join(one.model_dump_json() for one in found)
    actions = {one.action for one in await entries(gateway, admin, user_id="gwendolyn")}
    assert "DELETE /v1/users/{user_id}" in actions


async def test_what_all_users_share_is_known_by_no_id_of_anybody_once_it_is_deleted(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    kept = await admin.post("/api/memory/catalog", json={"content": "The gate code changes in May.", "type": "fact"})
    assert kept.status_code == 201, kept.text
    memory = kept.json()["memory_id"]
    listed = await admin.get("/api/memory/catalog", params={"user_id": "u1"})
    assert [one["memory_id"] for one in listed.json()["memories"]] == [memory]
    assert [one.user_id for one in await entries(gateway, admin, memory_id=memory)] == ["u1", None]
    assert (await admin.delete(f"/api/memory/catalog/{memory}")).status_code == 200
    assert await gateway.parts.audit.flush()
    assert memory not in await known_ids(gateway, tenant)
    seen = await entries(gateway, admin, memory_id=memory, user_id="u1")
    assert [(one.action, one.memory_ids, len(one.marks)) for one in seen] == [("GET /api/memory/catalog", (), 1)]
    deleted = (await entries(gateway, admin, memory_id=memory))[0]
    assert deleted.action == "DELETE /api/memory/catalog/{memory_id}"


async def test_another_tenant_and_a_key_without_the_scope_see_nothing(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await remember(admin, "u1")
    async with gateway.client(await gateway.key(tenant, "read", "write", "forget", "global")) as other:
        checked_problem(await other.get("/v1/audit"), 403)
    async with gateway.client(await gateway.key(new_scope().tenant_id, *ALL)) as stranger:
        for wanted in ({}, {"user_id": "u1"}, {"memory_id": "m-17"}, {"memory_id": "m-17", "user_id": "u1"}):
            assert await entries(gateway, stranger, **wanted) == []
        await admin.get("/v1/pending", params={"user_id": "u1"})
        assert len(await entries(gateway, admin)) == 2
        cursor = (await admin.get("/v1/audit", params={"limit": 1})).json()["next_cursor"]
        assert await entries(gateway, stranger, cursor=cursor) == []


async def test_a_key_that_is_bound_sees_what_is_about_its_user_and_its_agent_alone(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await remember(admin, "ann")
    await remember(admin, "tom")
    said = {"user_id": "ann", "agent_id": "sales", "messages": [{"id": "m-20", "content": "I want a rake."}]}
    assert (await admin.post("/v1/interactions", json=said)).status_code == 201
    async with gateway.client(await gateway.key(tenant, *ALL, user_id="ann")) as of_ann:
        assert {one.user_id for one in await entries(gateway, of_ann)} == {"ann"}
        assert await entries(gateway, of_ann, memory_id="m-20")
        checked_problem(await of_ann.get("/v1/audit", params={"user_id": "tom"}), 403)
    async with gateway.client(await gateway.key(tenant, *ALL, agent_id="sales")) as of_sales:
        assert {(one.user_id, one.agent_id) for one in await entries(gateway, of_sales)} == {("ann", "sales")}
        assert await entries(gateway, of_sales, memory_id="m-17", user_id="ann") == []


async def test_whoever_may_list_a_key_is_told_of_its_refused_use_and_nobody_of_made_up_ones(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    key = await gateway.key(tenant, "read", user_id="ann")
    key_id, made_up = f"key_{key.split('_')[1]}", make_key(tenant, frozenset({"read"}))
    assert (await admin.delete(f"/v1/keys/{key_id}")).status_code == 200
    for sent in (key, f"{key[:-3]}xyz", made_up.text):
        gateway.parts.identity._verified.clear()
        async with gateway.client(sent) as client:
            assert (await client.get("/v1/pending", params={"user_id": "ann"})).status_code == 401
    refused = await entries(gateway, admin, outcome="refused")
    assert {(one.key_id, one.action, one.status) for one in refused} == {(key_id, "GET /v1/pending", 401)}
    assert await entries(gateway, admin, key_id=made_up.row.key_id) == []
    for bound, sees in (("ann", True), ("tom", False)):
        async with gateway.client(await gateway.key(tenant, *ALL, user_id=bound)) as other:
            assert bool(await entries(gateway, other, key_id=key_id)) == sees
    async with gateway.client(await gateway.key(new_scope().tenant_id, *ALL)) as stranger:
        assert await entries(gateway, stranger, key_id=key_id) == []


async def test_entries_are_narrowed_by_key_route_outcome_and_time(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await remember(admin, "u1")
    async with gateway.client(await gateway.key(tenant, "read")) as reader:
        assert (await reader.get("/v1/interactions/nothing", params={"user_id": "u1"})).status_code == 404
        reader_id = f"key_{reader.headers['authorization'].split('_')[1]}"
    path = "/v1/interactions/{interaction_id}"
    assert [one.action for one in await entries(gateway, admin, key_id=reader_id)] == [f"GET {path}"]
    assert [one.status for one in await entries(gateway, admin, route=path)] == [404]
    assert await entries(gateway, admin, route=f"DELETE {path}") == []
    assert [one.status for one in await entries(gateway, admin, outcome="refused")] == [404]
    assert [one.status for one in await entries(gateway, admin, outcome="ok")] == [201]
    assert await entries(gateway, admin, outcome="failed") == []
    (written,) = await entries(gateway, admin, outcome="ok", user_id="u1")
    at = written.at.isoformat()
    assert [one.id for one in await entries(gateway, admin, since=at)][-1] == written.id
    assert await entries(gateway, admin, until=at) == []


@each_case(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/interactions", {"user_id": "u1", "session_id": "s", "messages": []}, 422),
        ("POST", "/v1/recall", {"user_id": "u1", "query": ""}, 422),
        ("PUT", "/v1/users/u1/personal-data", {"mode": "nothing"}, 422),
        ("POST", "/v1/interactions", {"user_id": "u1\x1e", "session_id": "s", "messages": []}, 422),
    ],
)
async def test_a_refused_request_is_told_under_the_user_whom_it_names(
    gateway: RealGateway, admin: httpx.AsyncClient, method: str, path: str, body: dict[str, object], status: int
) -> None:
    assert (await admin.request(method, path, json=body)).status_code == status
    told = next(one for one in await entries(gateway, admin) if one.status == status)
    assert told.user_id == (None if "\x1e" in str(body.get("user_id")) else "u1")


async def test_pages_have_every_entry_once_also_those_of_one_moment(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    now = datetime.now(UTC)
    for number in range(7):
        gateway.parts.audit.record(
            Access(uuid4(), tenant, now - timedelta(seconds=number // 3), "key_x", "u1", None, "GET /x", 200, 1.0)
        )
    ids, cursor = list[str](), None
    await gateway.parts.audit.flush()
    while True:
        params = {"key_id": "key_x", "limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = Page[AuditEntry].model_validate_json((await admin.get("/v1/audit", params=params)).content)
        ids += [one.id for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(ids) == len(set(ids)) == 7


WRONG: Final = {
    "a user without a name": {"user_id": ""},
    "an outcome that there is none of": {"outcome": "lost"},
    "no moment": {"until": "yesterday"},
    "an end before the beginning": {"since": "2026-03-09T00:00:00Z", "until": "2026-03-08T00:00:00Z"},
    "a page that is too long": {"limit": "201"},
    "a NUL": {"route": "GET /v1/\x00"},
    "a cursor of another list": {"cursor": "WyJhIiwiYiJd"},
    "a cursor with no id": {"cursor": "WyIyMDI2LTAzLTA4VDEzOjU2OjAwWiIsIngiXQ"},
    "a route that is too long": {"route": "x" * 301},
    "a filter that there is none of": {"action": "GET /v1/jobs"},
}
HOSTILE: Final = {
    "SQL": {"key_id": "' OR 1 = 1 --", "route": "'; DROP TABLE audit.accesses; --"},
    "a pattern": {"user_id": "%", "route": "%"},
    "an erased name": {"user_id": f"erased-{'0' * 32}"},
    "a mark": {"memory_id": "0" * 32},
    "another script": {"user_id": "\u202eu1", "memory_id": "🙂"},
}


async def test_what_is_no_filter_is_refused(admin: httpx.AsyncClient) -> None:
    async def refused(case: str) -> None:
        checked_problem(await admin.get("/v1/audit", params=WRONG[case]), 422)

    await each(WRONG, refused)


async def test_a_hostile_filter_finds_nothing(gateway: RealGateway, admin: httpx.AsyncClient) -> None:
    await remember(admin, "u1")

    async def finds_nothing(case: str) -> None:
        assert await entries(gateway, admin, **HOSTILE[case]) == []

    await each(HOSTILE, finds_nothing)
