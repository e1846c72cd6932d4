"""Whatever is sent to any route: it answers, refuses in words, and gives back unchanged what it has accepted."""

import asyncio
import traceback
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import cache
from typing import Final, cast

import httpx
import pytest
from hypothesis import HealthCheck, Phase, event, given, seed, settings
from hypothesis import strategies as st

from ragpp.learned import Reflection
from ragpp.models import FindingEntry, RuleEntry, Scope
from ragpp_services.gateway.identity import SCOPES
from tests.support.asked_memory import Memory, Object
from tests.support.belongings import kind_of
from tests.support.examples import examples
from tests.support.hostile import Json, as_json, requests
from tests.support.keys_kept import KEYS_KEPT
from tests.support.operations import OPERATIONS, checked_problem, checked_result
from tests.support.real_gateway import RealGateway
from tests.support.routes_kept import KEPT, in_path
from tests.support.scopes import new_scope

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]

USER: Final = "ann"
MESSAGES: Final = (
    {"id": "m1", "name": "Ann", "content": "My sister Elena moved to Porto last spring."},
    {"id": "m2", "name": "Ann", "content": "I prefer tea over coffee. Elena works at Acme."},
    {"id": "m3", "role": "assistant", "content": "Noted, tea it is."},
)
PROFILE: Final = settings(
    max_examples=examples(16),
    database=None,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
)
NOT_TO_BE_HAD: Final = {("POST /v1/retrieve", "MEM-007")}
"""The answer to what only a language model could answer, where there is none."""
CHECKS: Final = {**KEPT, **KEYS_KEPT}
LEAVING_NOTHING: Final = {"POST /v1/health/report"}
"""Makes a memory of its own for seconds, and takes nothing."""
TOLD_BY_NUMBER: Final = {"GET /v1/keys", "GET /v1/audit"}
"""Lists of what are no memories: the audit has how many there were."""
DELETING_LAST: Final = sorted(OPERATIONS, key=lambda name: (name.startswith("DELETE"), name))


@pytest.fixture(scope="module")
async def memory(gateway: RealGateway) -> AsyncIterator[Memory]:
    tenant = new_scope().tenant_id
    async with gateway.client(await gateway.key(tenant, *SCOPES)) as api:
        stored = await api.post("/v1/interactions", json={"user_id": USER, "session_id": "s1", "messages": MESSAGES})
        assert stored.status_code == 201, stored.text
        await gateway.digest(tenant)
        rule = await api.post(
            "/v1/rules", json={"user_id": USER, "id": "r1", "text": "Offer tea.", "triggers": ["tea"]}
        )
        assert rule.status_code == 201, rule.text
        scope, made = Scope(tenant_id=tenant, user_id=USER), datetime(2024, 5, 1, tzinfo=UTC)
        finding = FindingEntry(id="f1", finding="plan", text="wants tea", occurred_at=made, sources=("m2",))
        doubted = RuleEntry(id="r2", text="Offer cake.", active=False, proposed=True, occurred_at=made, sources=("m2",))
        await gateway.parts.procedural.store(scope, [finding, doubted])
        report = Reflection(id="d1", kind="daily", date=made.date(), status="completed", created_at=made)
        await gateway.parts.procedural.save_reflection(scope, report)
        assert (await api.put(f"/v1/users/{USER}/pins/episodic/m1")).is_success
        named = {"user_id": USER, "name": "product_knowledge", "description": "Products, and what they cost"}
        assert (await api.post("/v1/categories", json=named)).is_success
        document = {"user_id": USER, "id": "d1", "resource_type": "document", "content": "Tea costs three euros."}
        assert (await api.post("/v1/resources", json=document)).is_success
        fact = {"id": "i1", "content": "Tea costs three euros.", "source_resource_id": "d1"}
        curated = await api.post("/v1/items", json={"user_id": USER, "items": [fact]})
        assert curated.is_success, curated.text
        asked = [await api.post(f"/v1/users/{USER}/reflect", json={}) for _ in range(4)]
        jobs = [answer.json() for answer in asked]
        whose = {"user_id": USER, "limit": "1"}
        found = {
            kind: (await api.get(f"/v1/{kind}", params={"user_id": USER})).json()["items"]
            for kind in ("entities", "relationships", "preferences")
        }
        pages = [(await api.get(f"/v1/{kind}", params=whose)).json() for kind in (*found, "interactions")]
        entities, relationships, preferences = ([item["id"] for item in items] for items in found.values())
        values = [str(item["value"]) for item in found["preferences"]]
        assert entities
        assert relationships
        assert preferences
        goal = {"user_id": USER, "goal": "close"}
        known = {
            "user_id": [USER] * 3,
            "session_id": ["s1"],
            "id": ["m1", "r1"],
            "interaction_id": ["m1", "m2", "m3"],
            "entity_id": entities,
            "absorb_id": entities,
            "absorbed_id": entities,
            "relationship_id": relationships,
            "reflection_id": ["d1"],
            "job_id": [str(job["id"]) for job in jobs],
            "time_zone": ["Europe/Lisbon", "Asia/Kathmandu", "UTC"],
            "findings": ["f1"],
            "resource_id": ["d1"],
            "source_resource_id": ["d1"],
            "item_ids": ["i1"],
            "items": ["i1"],
            "category": ["product_knowledge"],
            "category_filter": ["product_knowledge"],
            "category_hint": ["product_knowledge"],
            "pins": ["m1"],
            "episode_id": [str((await api.post("/v1/learning/episodes", json=goal)).json()["episode_id"])],
            "memory_id": ["i1"],
            "memory_ids": ["i1", "m1"],
            "memories_used": ["i1", "m1"],
            "ci": ["helper"],
            "tier": ["episodic"],
            "value": values,
            "preferences": preferences,
            "rules": ["r1", "r2"],
            "entities": entities,
            "relationships": relationships,
            "version": ["1", "2"],
            "receipt": [stored.json()["receipt"]],
            "after": [stored.json()["receipt"]],
            "key_id": [(await api.post("/v1/keys", json={"scopes": ["read"]})).json()["key_id"]],
            "cursor": [page["next_cursor"] for page in pages if page["next_cursor"]],
        }
        yield Memory(tenant, api, known, asyncio.get_running_loop())


@pytest.mark.hypothesis
def test_a_route_answers_anything_and_keeps_what_it_accepts(memory: Memory) -> None:
    refuted = dict[str, str]()
    for name in DELETING_LAST:
        if name in LEAVING_NOTHING:
            continue
        try:
            ask_anything(memory, name)
        except Exception as error:  # noqa: BLE001 - a route that breaks must not hide those behind it
            refuted[name] = "".join(traceback.format_exception(error, limit=-1, chain=False))
    assert not refuted, "\n".join(f"{name}: {what}" for name, what in refuted.items())


def ask_anything(memory: Memory, name: str) -> None:
    """Ask a route as Hypothesis likes; AssertionError, with the request, for an answer that must not be."""

    @seed(name)
    @PROFILE
    @given(data=st.data())
    def asked(data: st.DataObject) -> None:
        memory.loop.run_until_complete(a_request_is_answered(memory, name, data))

    asked()


async def a_request_is_answered(memory: Memory, name: str, data: st.DataObject) -> None:
    operation = OPERATIONS[name]
    address, body = data.draw(requests_of(memory, name), label="request")
    content = None if body is None else as_json(body)
    headers = {"content-type": "application/json"} if content is not None else {}
    answer = await memory.api.request(operation.method, address, content=content, headers=headers)
    event(f"status {answer.status_code}")
    if not answer.is_success:
        refusal = checked_problem(answer)
        assert answer.status_code < 500 or (name, refusal.code) in NOT_TO_BE_HAD, answer.text
        return
    result = cast("Object", checked_result(operation, answer))
    if name in CHECKS:
        sent = cast("Object", body or {}) | dict(httpx.URL(address).params) | in_path(operation.path, address)
        await CHECKS[name](memory, sent, result)


@cache
def requests_of(memory: Memory, name: str) -> st.SearchStrategy[tuple[str, Json]]:
    operation = OPERATIONS[name]
    return requests(operation, {**memory.known, "item_id": memory.known.get(kind_of(operation), [])})


async def test_whatever_was_accepted_is_digested(memory: Memory, gateway: RealGateway) -> None:
    await gateway.digest(memory.tenant_id)
    failures = await gateway.worker.ledger.failures(10_000)
    assert [failure for failure in failures if failure.scope.tenant_id == memory.tenant_id] == []


async def test_whatever_is_found_or_changed_is_named_in_the_audit(gateway: RealGateway, memory: Memory) -> None:
    """After all others of this module, which ask every route for anything."""
    entries = [one for one in await gateway.audited(memory.tenant_id) if one["status"] < 400 and one["items"]]
    assert len({one["action"] for one in entries}) > 50
    unnamed = {one["action"] for one in entries if not one["memories"] and one["details"] is None}
    assert unnamed <= TOLD_BY_NUMBER


def test_every_route_that_changes_something_is_read_back() -> None:
    changing = {name for name, operation in OPERATIONS.items() if operation.method != "GET"}
    assert changing - set(CHECKS) == LEAVING_NOTHING
