"""A session or a user that is erased over HTTP is gone from every store, and nobody else's memory is."""

from uuid import uuid4

import asyncpg
import httpx
import pytest

from ragpp.clock import system_clock
from ragpp.models import Scope
from ragpp.tiers import PROTOCOLS
from ragpp_services.gateway.keys import create_key
from ragpp_services.gateway.store import Access, list_keys
from tests.support.belongings import everything, settle
from tests.support.erasing import HINT, KNOWN_AGAIN, accepted, ended, nothing_found_again, owner_of, planted, said
from tests.support.everywhere import places_of
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]


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
    now, then = _but_for_jobs(await everything(gateway, owner)), _but_for_jobs(before)
    assert {name: (then.get(name), value) for name, value in now.items() if value != then.get(name)} == {}
    assert now.keys() == then.keys()


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
