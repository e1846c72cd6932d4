"""A session or a user that is erased over HTTP is gone from every store, and nobody else's memory is."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any, Final
from uuid import uuid4

import asyncpg
import httpx
import pytest

from ragpp.clock import system_clock
from ragpp.models import Scope
from ragpp.tiers import PROTOCOLS
from ragpp_services.gateway.keys import create_key
from ragpp_services.gateway.store import Access, list_keys
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running.digest import LEASE_S, digest
from ragpp_services.workers.stages.erase import erase
from ragpp_services.workers.stages.extract import extract
from tests.support.belongings import Owner, everything, settle
from tests.support.everywhere import places_of
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stacks import StoreStack
from tests.support.stopping import Stop, install_points, run_with, stoppable_worker

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]

HINT: Final = "qzy"
"""Planted words and the ids of users who are erased begin with it, and nothing else that any test stores."""
KNOWN_AGAIN: Final = {
    "ledger.epochs",
    "User",
    "ragpp:st:epoch:",
    "ragpp:st:marks:",
}
"""What holds the id of an erased user, as docs/erasure.md says: the epoch, and in Redis the marks of forgotten ids."""


def planted() -> tuple[str, str, str]:
    """A name, a place and a drink that no other test knows."""
    return tuple(f"Q{HINT[1:]}{what}{uuid4().hex[:6]}" for what in ("a", "b", "c"))  # type: ignore[return-value]  # three


async def owner_of(gateway: RealGateway, *, tenant_id: str | None = None) -> Owner:
    """Somebody with a memory that is full in every tier."""
    scope = Scope(tenant_id=tenant_id or new_scope().tenant_id, user_id=f"{HINT}user{uuid4().hex[:8]}")
    return await settle(gateway, scope, *planted())


async def said(api: httpx.AsyncClient, user: str, session: str, *messages: tuple[str, str]) -> None:
    """Store messages, each an id and its words."""
    body = {
        "user_id": user,
        "session_id": session,
        "messages": [{"id": identifier, "name": "Maria", "content": content} for identifier, content in messages],
    }
    answer = await api.post("/v1/interactions", json=body)
    assert answer.status_code == 201, answer.text


async def accepted(answering: Any) -> dict[str, Any]:
    """The job that a deletion answered."""
    answer = await answering
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    return job


async def ended(api: httpx.AsyncClient, job: dict[str, Any], user: str | None = None) -> dict[str, Any]:
    """The job once it is done."""
    answer = await api.get(f"/v1/jobs/{job['id']}", params={"user_id": user} if user else {})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert found["state"] == "done", found
    return found


def nothing_found_again(report: dict[str, Any]) -> None:
    """AssertionError unless everything that was found is gone."""
    for store, counts in report["stores"].items():
        assert counts["found_again"] == {}, (store, counts)
        assert counts["removed"] == counts["found"], (store, counts)
    assert report["searches"]["found"] == 0


async def test_a_session_is_forgotten_in_every_store(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str, stack: StoreStack
) -> None:
    gone, place, kept = planted()
    await said(
        api, "noor", "s1", ("m1", f"My sister {gone} lives in {place}."), ("m2", f"I prefer {gone} tea to milk.")
    )
    await said(api, "noor", "s2", ("m3", f"My brother {kept} lives in Porto."))
    await gateway.digest(tenant)
    assert await places_of(stack, [gone, place, kept], hint=HINT)

    job = await accepted(api.delete("/v1/sessions/s1", params={"user_id": "noor"}))
    assert (job["stage"], job["state"], job["subject_id"]) == ("erase", "pending", "session:s1")
    assert (await api.get("/v1/pending", params={"user_id": "noor"})).json()["pending"] == 1
    lag = (await api.get("/v1/lag", params={"user_id": "noor"})).json()
    assert [stage["waiting"] for stage in lag["stages"] if stage["stage"] == "erase"] == [1]
    await gateway.digest(tenant)

    report = (await ended(api, job, "noor"))["result"]
    nothing_found_again(report)
    assert report["stores"]["episodic"]["found"] == {"interactions": 2}
    assert report["stores"]["short_term"]["found"] == {"messages": 2}
    assert set(report["stores"]["semantic"]["found"]) == {"entities", "relationships", "observations"}
    assert report["stores"]["procedural"]["found"]["preferences"] == 1
    assert report["searches"]["asked"] > 0
    assert set(await places_of(stack, [gone, place, kept], hint=HINT)) == {kept}
    assert [
        one["session_id"] for one in (await api.get("/v1/sessions", params={"user_id": "noor"})).json()["items"]
    ] == ["s2"]
    listed = (await api.get("/v1/interactions", params={"user_id": "noor"})).json()["items"]
    assert [one["id"] for one in listed] == ["m3"]


async def test_with_interactions_kept_only_the_running_conversation_ends(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await said(api, "noor", "s1", ("m1", "My sister Ann lives in Porto."))
    keep = {"user_id": "noor", "interactions": "keep"}
    answer = await api.delete("/v1/sessions/s1", params=keep)
    assert (answer.status_code, answer.json()) == (200, {"forgotten": 1, "tiers": {"short_term": "ok"}})
    await gateway.digest(tenant)
    assert (await api.get("/v1/interactions/m1", params={"user_id": "noor"})).status_code == 200
    checked_problem(await api.delete("/v1/sessions/s1", params=keep), 404, "MEM-012")
    checked_problem(await api.delete("/v1/sessions/s1", params={**keep, "dry_run": "true"}), 422, "MEM-020")


async def test_what_is_said_after_a_session_was_to_be_forgotten_stays_and_is_learned(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await said(api, "noor", "s1", ("m1", "My sister Ann lives in Porto."))
    job = await accepted(api.delete("/v1/sessions/s1", params={"user_id": "noor"}))
    await said(api, "noor", "s1", ("m2", "My brother Ben lives in Leeds."))
    await gateway.digest(tenant)
    nothing_found_again((await ended(api, job))["result"])
    edges = (await api.get("/v1/relationships", params={"user_id": "noor"})).json()["items"]
    assert {(edge["source"], edge["target"]) for edge in edges if edge["type"] == "LIVES_IN"} == {("Ben", "Leeds")}
    session = (await api.get("/v1/sessions/s1", params={"user_id": "noor"})).json()
    assert [message["id"] for message in session["messages"]] == ["m2"]


@pytest.mark.parametrize("path", ["sessions/s1", "users/{user}"])
async def test_a_dry_run_tells_what_would_go_and_changes_nothing(gateway: RealGateway, path: str) -> None:
    owner = await owner_of(gateway)
    user = owner.scope.user_id
    before = await everything(gateway, owner)
    async with gateway.client(owner.key) as api:
        params = {"dry_run": "true"} | ({"user_id": user} if "sessions" in path else {})
        job = await accepted(api.delete(f"/v1/{path.format(user=user)}", params=params))
        await gateway.digest(owner.scope.tenant_id)
        report = (await ended(api, job, user))["result"]
    assert report["dry_run"] is True
    assert set(report["stores"]) >= PROTOCOLS.keys()
    assert all(set(counts) == {"found"} for counts in report["stores"].values())
    assert report["stores"]["episodic"]["found"]["interactions"] == (2 if "sessions" in path else 4)
    after = await everything(gateway, owner)
    assert _but_for_jobs(after) == _but_for_jobs(before)


def _but_for_jobs(seen: Json) -> dict[str, Json]:
    """Without what tells of the dry run."""
    assert isinstance(seen, dict)
    return {name: value for name, value in seen.items() if name not in {"GET /v1/jobs", "GET /v1/lag"}}


async def test_an_erased_user_is_nowhere(gateway: RealGateway, stack: StoreStack) -> None:
    owner = await owner_of(gateway)
    tenant, user = owner.scope.user_key
    bound = await gateway.key(tenant, "read", user_id=user)
    async with gateway.client(bound) as theirs:
        assert (await theirs.get("/v1/pending", params={"user_id": user})).is_success
    async with gateway.client(owner.key) as api:
        assert (await api.put(f"/v1/users/{user}/settings", json={"time_zone": "Asia/Tokyo"})).is_success
        asked = {"user_id": user, "query": owner.words[0]}
        assert (await api.post("/v1/recall", json=asked)).is_success
        assert await places_of(stack, [user, *owner.words], hint=HINT)
        job = await accepted(api.delete(f"/v1/users/{user}"))
        await gateway.digest(tenant)
        assert await gateway.parts.audit.flush()

        where = await places_of(stack, [user, *owner.words], hint=HINT)
        assert set(where) == {user}
        assert where[user] <= KNOWN_AGAIN
        report = await ended(api, job, user)
        nothing_found_again(report["result"])
        found = {store: counts["found"] for store, counts in report["result"]["stores"].items()}
        assert found["episodic"] == {"interactions": 4}
        assert found["identity"] == {"keys": 1}
        assert found["audit"]["accesses"] > 0
        assert set(found["ledger"]) == {"jobs", "settings", "pins", "schedule"}
        assert set(found["procedural"]) == {"preferences", "rules", "findings", "reports"}
        assert report["user_id"].startswith("erased-")
    owner_of_database = await asyncpg.connect(gateway.settings["POSTGRES_OWNER_DSN"])
    try:
        assert [key.user_id for key in await list_keys(owner_of_database, tenant)] == [None]
    finally:
        await owner_of_database.close()
    names = {record["user_id"] for record in await gateway.audited(tenant)}
    assert report["user_id"] in names


async def test_nothing_is_left_in_any_view_of_a_user_who_was_erased(gateway: RealGateway, stack: StoreStack) -> None:
    scope, words = new_scope(), planted()
    owner = await settle(gateway, scope, *words, agent="a")
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        job = await accepted(api.delete(f"/v1/users/{scope.user_id}"))
        await gateway.digest(scope.tenant_id)
        assert await gateway.parts.audit.flush()
        nothing_found_again((await ended(api, job))["result"])
    where = await places_of(stack, [scope.user_id, *owner.words], hint=HINT)
    assert set(where) <= {scope.user_id}
    assert where.get(scope.user_id, set()) <= KNOWN_AGAIN


async def test_nobody_else_notices_that_a_user_is_erased(gateway: RealGateway) -> None:
    owner = await owner_of(gateway)
    tenant, user = owner.scope.user_key
    neighbour = await owner_of(gateway, tenant_id=tenant)
    namesake = await settle(gateway, Scope(tenant_id=new_scope().tenant_id, user_id=user), *planted())
    others = [await everything(gateway, one) for one in (neighbour, namesake)]
    async with gateway.client(owner.key) as api:
        job = await accepted(api.delete(f"/v1/users/{user}"))
        await gateway.digest(tenant)
        nothing_found_again((await ended(api, job))["result"])
    assert [await everything(gateway, one) for one in (neighbour, namesake)] == others


async def test_erasing_again_or_a_user_of_whom_nothing_is_known_finds_nothing(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await said(api, "noor", "s1", ("m1", "My sister Ann lives in Porto."))
    first = await accepted(api.delete("/v1/users/noor"))
    second = await accepted(api.delete("/v1/users/noor"))
    await gateway.digest(tenant)
    nobody = await accepted(api.delete("/v1/users/nobody"))
    session = await accepted(api.delete("/v1/sessions/none", params={"user_id": "nobody"}))
    await gateway.digest(tenant)
    assert (await ended(api, first, "noor"))["result"]["stores"]["episodic"]["found"] == {"interactions": 1}
    for job in (second, nobody, session):
        stores = (await ended(api, job))["result"]["stores"]
        assert {store: stores[store]["found"] for store in PROTOCOLS} == {store: {} for store in PROTOCOLS}


async def test_what_a_user_stores_after_the_erasure_was_asked_for_stays_and_is_learned(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    habit = {"user_id": "noor", "category": "drinks", "key": "evening"}
    await said(api, "noor", "s1", ("m1", "My sister Ann lives in Porto. I prefer tea to milk."))
    await gateway.digest(tenant)
    assert (await api.post("/v1/preferences", json={**habit, "value": "cocoa"})).is_success
    assert (await api.post("/v1/rules", json={"user_id": "noor", "id": "r1", "text": "Greet in Farsi."})).is_success
    job = await accepted(api.delete("/v1/users/noor"))
    await said(api, "noor", "s1", ("m2", "My brother Ben lives in Leeds."))
    assert (await api.post("/v1/preferences", json={**habit, "value": "espresso"})).is_success
    assert (await api.post("/v1/rules", json={"user_id": "noor", "id": "r2", "text": "Be brief."})).is_success
    await gateway.digest(tenant)

    nothing_found_again((await ended(api, job, "noor"))["result"])
    whose = {"user_id": "noor"}
    listed = (await api.get("/v1/interactions", params=whose)).json()["items"]
    assert [one["id"] for one in listed] == ["m2"]
    edges = (await api.get("/v1/relationships", params=whose)).json()["items"]
    assert {(edge["source"], edge["target"]) for edge in edges if edge["type"] == "LIVES_IN"} == {("Ben", "Leeds")}
    preferences = (await api.get("/v1/preferences", params=whose)).json()["items"]
    assert {one["value"] for one in preferences} == {"espresso"}
    versions = (await api.get(f"/v1/preferences/{preferences[0]['id']}/versions", params=whose)).json()["items"]
    assert {one["value"] for one in versions} == {"espresso"}
    assert [one["id"] for one in (await api.get("/v1/rules", params=whose)).json()["items"]] == ["r2"]
    session = (await api.get("/v1/sessions/s1", params=whose)).json()
    assert [message["id"] for message in session["messages"]] == ["m2"]


async def test_what_is_learned_between_the_request_and_the_erasure_goes_too(
    gateway: RealGateway, stack: StoreStack
) -> None:
    scope = Scope(tenant_id=new_scope().tenant_id, user_id=f"{HINT}user{uuid4().hex[:8]}")
    word, user = planted()[0], scope.user_id
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        await said(api, user, "s1", ("m1", f"My sister {word} lives in Porto. I prefer {word} tea to milk."))
        job = await accepted(api.delete(f"/v1/users/{user}"))
        works = await gateway.worker.ledger.lease("observe", limit=100, owner="quick", lease_s=LEASE_S, users=100)
        assert scope in {work.scope for work in works}
        await digest(gateway.worker, works, "quick")
        assert (await api.get("/v1/preferences", params={"user_id": user})).json()["items"]
        await gateway.digest(scope.tenant_id)
        assert await gateway.parts.audit.flush()
        where = await places_of(stack, [word, user], hint=HINT)
        nothing_found_again((await ended(api, job, user))["result"])
    assert word not in where
    assert where[user] - {"audit.accesses"} <= KNOWN_AGAIN  # of what was asked after the erasure


async def test_an_extraction_that_outlives_its_users_erasure_leaves_nothing(
    gateway: RealGateway, stack: StoreStack
) -> None:
    scope = Scope(tenant_id=new_scope().tenant_id, user_id=f"{HINT}user{uuid4().hex[:8]}")
    user, ledger = scope.user_id, gateway.worker.ledger
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        await said(api, user, "s1", ("m1", "My sister Elena lives in Porto."))
        await gateway.digest(scope.tenant_id)
        assert (await api.post(f"/v1/users/{user}/extract", json={})).status_code == 202
        works = await ledger.lease("extract", limit=100, owner="slow", lease_s=LEASE_S, users=100)
        begun = [work for work in works if work.scope == scope]
        job = await accepted(api.delete(f"/v1/users/{user}"))
        await extract(gateway.worker, begun)  # what it asks for was recorded after the erasure
        works = await ledger.lease("erase", limit=100, owner="quick", lease_s=LEASE_S, users=100)
        assert scope in {work.scope for work in works}
        results = await erase(gateway.worker, works)
        await ledger.finish([work.key for work in works], "quick", results)
        await extract(gateway.worker, begun)
        await gateway.digest(scope.tenant_id)
        assert await gateway.parts.audit.flush()
        where = await places_of(stack, [user], hint=HINT)
        nothing_found_again((await ended(api, job, user))["result"])
        assert (await api.get(f"/v1/users/{user}/reflections")).json()["items"] == []
    assert where[user] - {"audit.accesses"} <= KNOWN_AGAIN  # of what was asked after the erasure


async def test_an_erasure_takes_those_of_before_with_it(gateway: RealGateway, stack: StoreStack) -> None:
    scope = Scope(tenant_id=new_scope().tenant_id, user_id=f"{HINT}user{uuid4().hex[:8]}")
    user, ledger = scope.user_id, gateway.worker.ledger
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        await said(api, user, "s1", ("m1", "My sister Elena lives in Porto."))
        await accepted(api.delete("/v1/sessions/s1", params={"user_id": user}))
        works = await ledger.lease("erase", limit=100, owner="unlucky", lease_s=LEASE_S, users=100)
        assert scope in {work.scope for work in works}
        for work in works:
            await ledger.fail(work.key, "unlucky", "a store was down", retryable=True)
        job = await accepted(api.delete(f"/v1/users/{user}"))
        await gateway.digest(scope.tenant_id)
        assert await gateway.parts.audit.flush()
        where = await places_of(stack, [user], hint=HINT)
        await ended(api, job, user)
    assert where[user] - {"audit.accesses"} <= KNOWN_AGAIN


async def test_a_late_retry_of_what_was_erased_is_acknowledged_and_brings_nothing_back(
    gateway: RealGateway, stack: StoreStack
) -> None:
    scope = Scope(tenant_id=new_scope().tenant_id, user_id=f"{HINT}user{uuid4().hex[:8]}")
    word, user = planted()[0], scope.user_id
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        await said(api, user, "s1", ("m1", f"My sister {word} lives in Porto."))
        await gateway.digest(scope.tenant_id)
        await accepted(api.delete(f"/v1/users/{user}"))
        await gateway.digest(scope.tenant_id)
        message = {"id": "m1", "content": f"My sister {word} lives in Porto."}
        late = await api.post("/v1/interactions", json={"user_id": user, "session_id": "s1", "messages": [message]})
        assert late.status_code == 201, late.text
        assert late.json()["stored"][0]["forgotten"] is True
        await gateway.digest(scope.tenant_id)
    assert await places_of(stack, [word], hint=HINT) == {}


async def test_a_key_that_is_bound_to_an_agent_forgets_what_was_said_to_that_agent(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    for agent in ("sales", "support"):
        message = {"id": f"m-{agent}", "content": "My sister Ann lives in Porto."}
        body = {"user_id": "noor", "session_id": "s1", "agent_id": agent, "messages": [message]}
        assert (await api.post("/v1/interactions", json=body)).status_code == 201
    made = await create_key(
        gateway.settings["POSTGRES_OWNER_DSN"], tenant, frozenset({"read", "forget"}), agent_id="sales"
    )
    async with gateway.client(str(made["key"])) as sales:
        checked_problem(await sales.delete("/v1/users/noor"), 403, "MEM-022")
        keep = {"user_id": "noor", "interactions": "keep"}
        checked_problem(await sales.delete("/v1/sessions/s1", params=keep), 403, "MEM-022")
        await accepted(sales.delete("/v1/sessions/s1", params={"user_id": "noor"}))
    await gateway.digest(tenant)
    listed = (await api.get("/v1/interactions", params={"user_id": "noor"})).json()["items"]
    assert [one["id"] for one in listed] == ["m-support"]


async def test_what_an_audit_journal_still_holds_names_an_erased_user_no_more(
    gateway: RealGateway, stack: StoreStack
) -> None:
    owner = await owner_of(gateway)
    tenant, user = owner.scope.user_key
    access = Access(uuid4(), tenant, system_clock(), "key_of_before", user, None, "GET /v1/pending", 200, 1.0)
    async with gateway.client(owner.key) as api:
        await accepted(api.delete(f"/v1/users/{user}"))
        await gateway.digest(tenant)
    gateway.parts.audit.record(access)
    kept = {record["access_id"]: record["user_id"] for record in await gateway.audited(tenant)}
    assert kept[access.access_id].startswith("erased-")
    assert (await places_of(stack, [user], hint=HINT))[user] <= KNOWN_AGAIN


@pytest.fixture(scope="module")
async def mortal(gateway: RealGateway) -> AsyncIterator[WorkerParts]:
    """A worker that can be stopped at each of its store calls and statements."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        install_points(monkeypatch)
        async with stoppable_worker(gateway, {}) as parts:
            yield parts


@pytest.mark.parametrize("what", ["sessions", "users"])
async def test_a_killed_worker_leaves_an_erasure_to_another_wherever_it_was(
    gateway: RealGateway, mortal: WorkerParts, stack: StoreStack, what: str
) -> None:
    whole = (await killed_at(gateway, mortal, stack, what, None)).points
    for at in sorted(random.Random(7).sample(range(1, len(whole)), 5)):
        await killed_at(gateway, mortal, stack, what, at)


async def killed_at(gateway: RealGateway, mortal: WorkerParts, stack: StoreStack, what: str, at: int | None) -> Stop:
    """Kill the worker at that point of an erasure, or at none, let another finish it, and see that nothing is left."""
    scope = Scope(tenant_id=new_scope().tenant_id, user_id=f"{HINT}user{uuid4().hex[:8]}")
    word, user, stop = planted()[0], scope.user_id, Stop(at)
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        await said(api, user, "s1", ("m1", f"My sister {word} lives in Porto. I prefer {word} tea to milk."))
        await gateway.digest(scope.tenant_id)
        path, params = ("users/" + user, {}) if what == "users" else ("sessions/s1", {"user_id": user})
        job = await accepted(api.delete(f"/v1/{path}", params=params))
        works = [
            work
            for work in await gateway.worker.ledger.lease(
                "erase", limit=100, owner="mortal", lease_s=LEASE_S, users=100
            )
            if work.scope.tenant_id == scope.tenant_id
        ]
        running = asyncio.create_task(run_with(stop, erase(mortal, works)))
        stopped = asyncio.create_task(stop.reached.wait())
        await asyncio.wait({running, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        running.cancel()
        stop.go.set()
        await asyncio.gather(running, return_exceptions=True)
        await gateway.run_out(scope.tenant_id)
        await gateway.digest(scope.tenant_id)
        report = (await ended(api, job))["result"]
        nothing_found_again(report)
        assert report["stores"]["episodic"]["found"] == {"interactions": 1}, stop.points[-1:]
    assert word not in await places_of(stack, [word], hint=HINT), stop.points[-1:]
    return stop


async def test_a_writer_beside_an_erasure_loses_nothing_that_was_acknowledged_after_it(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await said(api, "noor", "s1", *((f"old-{n}", f"My friend Nr{n} lives in Porto.") for n in range(60)))
    writing, kept = True, list[str]()

    async def write() -> None:
        while writing:
            await said(api, "noor", "s1", (f"new-{len(kept)}", f"My friend Mr{len(kept)} lives in Leeds."))
            kept.append(f"new-{len(kept)}")

    job = await accepted(api.delete("/v1/users/noor"))
    writer = asyncio.create_task(write())
    (work,) = await gateway.worker.ledger.lease("erase", limit=1, owner="one", lease_s=LEASE_S)
    await erase(gateway.worker, [work])
    writing = False
    await writer
    await gateway.digest(tenant)
    nothing_found_again((await ended(api, job, "noor"))["result"])
    assert kept
    page = (await api.get("/v1/interactions", params={"user_id": "noor", "limit": "200"})).json()
    assert {one["id"] for one in page["items"]} == {*kept}
    shown = await api.get("/v1/sessions/s1", params={"user_id": "noor", "token_budget": "200000"})
    assert {one["id"] for one in shown.json()["messages"]} <= {*kept}
    assert shown.json()["messages"]
