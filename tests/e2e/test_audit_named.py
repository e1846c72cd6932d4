"""Every way by which memories leave is in the audit with what left by it, and every change with what it changed."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from ragpp.models import Scope
from ragpp.retention import RetentionPolicy, TierRetention
from ragpp_services.gateway.requester import MOST_MARKS
from ragpp_services.workers.parts import LearningPolicy
from tests.support.each import each
from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
SAID = {
    "m-1": "My sister Elena lives in Porto. I prefer tea over coffee.",
    "m-2": "We decided to move to Lisbon in May.",
}
ALL = ("read", "write", "forget", "admin", "global")
USER = {"user_id": "u1"}
Ids = set[str]


@pytest.fixture
async def api(gateway: RealGateway, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    """An administrator of a tenant whose user has said things, and was taught some."""
    async with gateway.client(await gateway.key(tenant, *ALL)) as client:
        messages = [{"id": identifier, "name": "Ann", "content": content} for identifier, content in SAID.items()]
        said = await client.post("/v1/interactions", json={**USER, "session_id": "s1", "messages": messages})
        assert said.status_code == 201, said.text
        await gateway.digest(tenant)
        for number in range(3):
            memory = {**USER, "content": f"The price of tea number {number} is {number + 3} euros.", "type": "fact"}
            assert (await client.post("/api/memory/catalog", json=memory)).status_code == 201
        document = {**USER, "id": "d1", "resource_type": "document", "content": "Tea is sold by weight."}
        assert (await client.post("/v1/resources", json=document)).status_code == 201
        yield client


async def last(gateway: RealGateway, api: httpx.AsyncClient, action: str) -> tuple[Ids, object, int]:
    """The ids, the details and the count of the last entry of an action."""
    await gateway.parts.audit.flush()
    entry = (await api.get("/v1/audit", params={"route": action, "limit": "1"})).json()["items"][0]
    assert entry["marks"] == []
    return set(entry["memory_ids"]), entry["details"], entry["items"]


def id_of(one: dict[str, Any]) -> str:
    """The id of a memory as one of the routes gives it out."""
    named = one.get("entry", one)
    return str(next(named[name] for name in ("memory_id", "item_id", "resource_id", "id") if name in named))


READ: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("GET", "/v1/interactions", {}, "items"),
    ("GET", "/v1/entities", {}, "items"),
    ("GET", "/v1/relationships", {}, "items"),
    ("GET", "/v1/preferences", {}, "items"),
    ("GET", "/v1/findings", {}, "items"),
    ("GET", "/v1/items", {}, "items"),
    ("GET", "/v1/resources", {"search": "weight"}, "items"),
    ("GET", "/api/memory/catalog", {"search": "price of tea"}, "memories"),
    ("GET", "/api/memory/export", {}, "items"),
    ("GET", "/api/memory/relevant", {"message": "What does tea cost?"}, "memories"),
    ("GET", "/v1/sessions/{session_id}", {}, "messages"),
    ("POST", "/v1/retrieve", {"query": "price of tea"}, "items"),
    ("POST", "/v1/hooks/pre-prompt", {"ci": "helper", "prompt": "What does tea cost?"}, "catalog"),
    ("POST", "/v1/hooks/memory-request", {"ci": "helper", "memory_ids": ["m1"]}, "memories"),
    ("POST", "/v1/recall", {"query": "Where does my sister live?"}, "memories"),
)
"""Routes that give memories out, with what is asked, and where in the answer they are."""


async def test_what_leaves_by_a_route_is_in_its_entry(gateway: RealGateway, api: httpx.AsyncClient) -> None:
    async def is_told(route: tuple[str, str, dict[str, Any], str]) -> None:
        method, path, asked, place = route
        given = {**USER, **asked}
        params, body = (given, None) if method == "GET" else (None, given)
        answer = await api.request(method, path.replace("{session_id}", "s1"), params=params, json=body)
        assert answer.status_code == 200, answer.text
        returned = set(map(id_of, answer.json()[place]))
        assert returned
        told, _, count = await last(gateway, api, f"{method} {path}")
        assert told >= returned
        assert count >= len(returned)

    await each(READ, is_told)


async def test_a_change_is_in_its_entry_with_what_it_changed(gateway: RealGateway, api: httpx.AsyncClient) -> None:
    relationship = (await api.get("/v1/relationships", params=USER)).json()["items"][0]
    preference = (await api.get("/v1/preferences", params=USER)).json()["items"][0]["id"]
    finding = (await api.get("/v1/findings", params=USER)).json()["items"][0]["id"]
    one, other = relationship["source_id"], relationship["target_id"]
    item = (await api.get("/v1/items", params=USER)).json()["items"][0]["item_id"]
    changes: tuple[tuple[str, str, dict[str, object], Ids, object], ...] = (
        ("PATCH", f"/v1/entities/{one}", {"name": "Elena Sousa"}, {one}, None),
        ("POST", f"/v1/relationships/{relationship['id']}/confirm", {}, {relationship["id"]}, None),
        ("POST", f"/v1/preferences/{preference}/confirm", {}, {preference}, None),
        ("PATCH", f"/v1/findings/{finding}", {"text": "We move to Lisbon in June."}, {finding}, None),
        ("POST", f"/v1/findings/{finding}/confirm", {}, {finding}, None),
        ("POST", f"/v1/catalog/{item}/feedback", {"ci": "helper", "value": 0.5}, {item}, None),
        ("PUT", "/v1/users/u1/pins/episodic/m-1", {}, {"m-1"}, None),
        ("PUT", "/v1/agents/helper/budget", {"limit": 900}, set(), {"budget": 900}),
        ("PUT", "/v1/agents/helper/source", {"source": "parallel"}, set(), {"source": "parallel"}),
        ("PUT", "/v1/users/u1/settings", {"reflect_at": 5}, set(), {"settings": ["reflect_at"]}),
        ("POST", "/v1/rules", {"id": "r-1", "text": "Offer tea."}, {"r-1"}, None),
        ("PATCH", "/v1/rules/r-1", {"priority": 3}, {"r-1"}, None),
        ("POST", f"/v1/entities/{one}/merge", {"absorb_id": other}, {one, other}, None),
    )

    async def is_told(change: tuple[str, str, dict[str, object], Ids, object]) -> None:
        method, path, body, changed, details = change
        whose = {} if "/users/" in path else USER
        answer = await api.request(method, path, json={**whose, **body} if "/pins/" not in path else None)
        assert answer.is_success, answer.text
        await gateway.parts.audit.flush()
        entries = (await api.get("/v1/audit", params={"limit": "5"})).json()["items"]
        entry = next(one for one in entries if one["action"] != "GET /v1/audit")
        assert (set(entry["memory_ids"]), entry["details"]) == (changed, details)

    await each(changes, is_told)


async def test_a_refused_request_returned_nothing(gateway: RealGateway, api: httpx.AsyncClient, tenant: str) -> None:
    async with gateway.client(await gateway.key(tenant, "read", user_id="tom")) as other:
        assert (await other.get("/v1/interactions/m-1", params=USER)).status_code == 403
    assert (await last(gateway, api, "/v1/interactions/{interaction_id}"))[0] == set()


async def test_of_a_great_many_the_first_thousand_are_told_and_how_many_there_were(
    gateway: RealGateway, api: httpx.AsyncClient, tenant: str
) -> None:
    scope = Scope(tenant_id=tenant, user_id="u1")
    for number in range(MOST_MARKS + 100):
        await gateway.parts.pins.pin(scope, "episodic", f"p-{number:04}")
    assert (await api.get("/v1/users/u1/pins")).status_code == 200
    told, _, count = await last(gateway, api, "GET /v1/users/{user_id}/pins")
    assert told == {f"p-{number:04}" for number in range(MOST_MARKS)}
    assert count == MOST_MARKS + 100


async def test_what_retention_let_go_of_is_known_by_no_id(
    gateway: RealGateway, api: httpx.AsyncClient, tenant: str
) -> None:
    policies = {"default": RetentionPolicy(procedural=TierRetention(max_count=1))}
    for number in range(3):
        rule = {**USER, "id": f"r-{number}", "text": f"Offer tea number {number}.", "triggers": ["tea"]}
        assert (await api.post("/v1/rules", json=rule)).status_code == 201
    await gateway.parts.audit.flush()
    known = "SELECT id FROM ledger.marked_ids WHERE tenant_id = $1 AND id LIKE 'r-%'"
    assert len(await gateway.relay.fetch(known, tenant)) == 3
    assert (await api.post("/v1/users/u1/retention", json={"dry_run": False})).status_code == 202
    working = replace(gateway, worker=replace(gateway.worker, learning=LearningPolicy(retention=policies)))
    await working.digest(tenant)
    assert len((await api.get("/v1/rules", params=USER)).json()["items"]) <= 1
    assert await gateway.relay.fetch(known, tenant) == []
