"""A key with the scope `admin` makes, lists and revokes keys: of its own tenant, and none that may do more than it."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files

import asyncpg
import httpx
import pytest

from ragpp.api import KeyIn, KeyMade
from ragpp.errors import Conflict
from ragpp_services.gateway.identity import FRESH_S, make_key
from ragpp_services.gateway.store import KeyListing
from tests.support.each import each
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
ALL = ("read", "write", "forget", "share", "admin")


@pytest.fixture
async def admin(gateway: RealGateway, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    async with gateway.client(await gateway.key(tenant, *ALL)) as client:
        yield client


async def made(api: httpx.AsyncClient, **fields: object) -> KeyMade:
    answer = await api.post("/v1/keys", json=fields)
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return KeyMade.model_validate_json(answer.content)


async def listed(api: httpx.AsyncClient) -> list[str]:
    answer = await api.get("/v1/keys")
    assert answer.status_code == 200, answer.text
    return [one["key_id"] for one in answer.json()["items"]]


def own_id(api: httpx.AsyncClient) -> str:
    return f"key_{api.headers['authorization'].split('_')[1]}"


@pytest.mark.deadline
async def test_a_key_that_was_made_opens_what_it_was_made_for_until_it_is_revoked(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    key = await made(admin, scopes=["read"], user_id="noor", days=30)
    assert (key.state, key.user_id, key.agent_id, key.revoked_at) == ("valid", "noor", None, None)
    assert key.expires_at is not None
    assert timedelta(days=29) < key.expires_at - datetime.now(UTC) <= timedelta(days=30)
    async with gateway.client(key.key) as holder:
        assert (await holder.get("/v1/pending", params={"user_id": "noor"})).status_code == 200
        checked_problem(await holder.get("/v1/pending", params={"user_id": "tom"}), 403)
        checked_problem(await holder.get("/v1/keys"), 403)
        for _ in range(2):
            revoked = (await admin.delete(f"/v1/keys/{key.key_id}")).json()
            assert revoked["state"] == "revoked"
        await asyncio.sleep(FRESH_S + 0.2)  # the promise of the documentation, which is about time
        checked_problem(await holder.get("/v1/pending", params={"user_id": "noor"}), 401)
    listing = await admin.get("/v1/keys")
    assert key.key not in listing.text
    assert [(one["key_id"], one["state"]) for one in listing.json()["items"]] == [
        (own_id(admin), "valid"),
        (key.key_id, "revoked"),
    ]
    told = [
        (entry["action"], entry["user_id"], json.loads(entry["details"])["key"])
        for entry in await gateway.audited(tenant)
        if entry["details"] is not None
    ]
    assert told == [
        ("POST /v1/keys", "noor", key.key_id),
        ("DELETE /v1/keys/{key_id}", None, key.key_id),
        ("DELETE /v1/keys/{key_id}", None, key.key_id),
    ]


async def test_the_client_makes_lists_and_revokes_keys(gateway: RealGateway, tenant: str) -> None:
    async with gateway.memory(await gateway.key(tenant, *ALL)) as memory:
        key = await memory.create_key(KeyIn(scopes=("read",)))
        first = await memory.keys(limit=1)
        second = await memory.keys(cursor=first.next_cursor)
        assert [one.key_id for one in second.items] == [key.key_id]
        assert (await memory.revoke_key(key.key_id)).revoked_at is not None


async def test_a_key_makes_none_that_may_do_more_than_it(gateway: RealGateway, tenant: str) -> None:
    """Catches a tenant's administrator who becomes everybody's, another user, or eternal."""
    reading = await gateway.key(tenant, "read", "admin")
    bound = await gateway.key(tenant, *ALL, user_id="noor", agent_id="sales")
    async with gateway.client(reading) as api:
        problem = checked_problem(await api.post("/v1/keys", json={"scopes": ["read", "write"]}), 403)
        assert "`write`" in problem.detail
        passing = await made(api, scopes=["read", "admin"], days=1)
    async with gateway.client(bound) as api:
        checked_problem(await api.post("/v1/keys", json={"user_id": "tom"}), 403)
        checked_problem(await api.post("/v1/keys", json={"agent_id": "support"}), 403)
        key = await made(api, scopes=["read"])
        assert (key.user_id, key.agent_id) == ("noor", "sales")
        assert await listed(api) == [own_id(api), key.key_id]
        checked_problem(await api.delete(f"/v1/keys/{passing.key_id}"), 404)
    async with gateway.client(passing.key) as api:
        lasting = await made(api, scopes=["read"], days=300)
        assert lasting.expires_at == passing.expires_at


async def test_the_database_itself_lets_no_key_make_one_beyond_its_own_bounds(
    gateway: RealGateway, tenant: str
) -> None:
    """Catches a gateway that no longer looks: the right of its role is no wider than the key's."""
    reading, bound = await gateway.key(tenant, "read", "admin"), await gateway.key(tenant, "admin", user_id="noor")
    plain = await gateway.key(tenant, "read")
    for key, scopes, user_id in ((reading, {"write"}, None), (bound, {"admin"}, "tom"), (plain, {"read"}, None)):
        new = make_key("another tenant", frozenset(scopes), user_id=user_id)
        asking = f"key_{key.split('_')[1]}"
        assert await gateway.parts.keys.create_key_for(asking, new.row, new.prefix, None, most=0) is None
    new = make_key("another tenant", frozenset({"read"}))
    asking = f"key_{reading.split('_')[1]}"
    mine = await gateway.parts.keys.create_key_for(asking, new.row, new.prefix, None, most=0)
    assert mine is not None
    assert mine.tenant_id == tenant


async def test_a_tenant_has_as_many_valid_keys_as_it_may_have_and_none_more_however_many_ask_at_once(
    gateway: RealGateway, tenant: str
) -> None:
    """Catches an administrator who fills the table of all tenants, a limit that revoked keys or those of another tenant
    use up, and two that are made at once."""
    asking = [f"key_{(await gateway.key(one, *ALL)).split('_')[1]}" for one in (tenant, new_scope().tenant_id)]
    keys, refused = gateway.parts.keys, []

    async def make(key_id: str) -> KeyListing | None:
        new = make_key("its maker's", frozenset({"read"}))
        try:
            return await keys.create_key_for(key_id, new.row, new.prefix, None, most=3)
        except Conflict as error:
            refused.append(error)
            return None

    made = [one for one in await asyncio.gather(*(make(asking[0]) for _ in range(6))) if one]
    assert len(made) == 2
    assert len(refused) == 4
    assert "3 valid keys" in refused[0].message
    assert any("GATEWAY_TENANT_KEYS" in told for told in refused[0].suggestions)
    assert await make(asking[1])
    await keys.revoke_key_for(asking[0], made[0].key_id, even_last=False)
    assert await make(asking[0])


async def test_keys_of_another_tenant_are_neither_seen_nor_revoked(
    gateway: RealGateway, admin: httpx.AsyncClient
) -> None:
    async with gateway.client(await gateway.key(new_scope().tenant_id, *ALL)) as stranger:
        checked_problem(await stranger.delete(f"/v1/keys/{own_id(admin)}?last=true"), 404)
        assert await listed(stranger) == [own_id(stranger)]
    assert await listed(admin) == [own_id(admin)]


async def test_no_key_without_the_scope_does_anything_with_keys(gateway: RealGateway, tenant: str) -> None:
    async with gateway.client(await gateway.key(tenant, "read", "write", "forget", "global")) as api:
        for answer in (
            await api.post("/v1/keys", json={"scopes": ["read"]}),
            await api.get("/v1/keys"),
            await api.delete(f"/v1/keys/{own_id(api)}"),
        ):
            assert "`admin`" in checked_problem(answer, 403).detail


async def test_the_last_key_that_could_make_one_like_it_is_revoked_only_when_that_is_meant(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    await gateway.key(tenant, "admin")  # could not make one that reads
    problem = checked_problem(await admin.delete(f"/v1/keys/{own_id(admin)}"), 409)
    assert "last" in problem.detail
    assert any("last=true" in told for told in problem.recovery_suggestions)
    assert (await admin.delete(f"/v1/keys/{own_id(admin)}", params={"last": "true"})).json()["state"] == "revoked"


async def test_two_last_keys_that_revoke_each_other_at_once_leave_one(gateway: RealGateway, tenant: str) -> None:
    keys = [await gateway.key(tenant, *ALL) for _ in range(2)]
    for key in keys:
        async with gateway.client(key) as api:
            assert await listed(api)  # from now on the gateway knows it for a while
    asked = list(zip(keys, reversed(keys), strict=True))
    statuses: list[int] = []

    async def revoke(pair: tuple[str, str]) -> None:
        async with gateway.client(pair[0]) as api:
            statuses.append((await api.delete(f"/v1/keys/key_{pair[1].split('_')[1]}")).status_code)

    await each(asked, revoke, at_once=2)
    assert sorted(statuses) in ([200, 404], [200, 409])


async def test_a_key_says_who_sees_what_is_written_with_it(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    """Catches a default that messages have and the catalog has not, and one that goes before what a write says."""
    sharing = await made(admin, scopes=["read", "write", "share"], agent_id="sales", visibility="shared")
    private = await made(admin, visibility="agent")
    async with gateway.client(sharing.key) as api:
        said = {"user_id": "noor", "messages": [{"id": "m1", "content": "I live in Porto."}]}
        assert (await api.post("/v1/interactions", json=said)).is_success
        document = {"user_id": "noor", "id": "d1", "resource_type": "document", "content": "Tea costs three euros."}
        assert (await api.post("/v1/resources", json=document)).is_success
    async with gateway.client(private.key) as api:
        said = {"user_id": "noor", "agent_id": "sales", "messages": [{"id": "m2", "content": "My budget is 900."}]}
        assert (await api.post("/v1/interactions", json=said)).is_success
        told = {**said, "visibility": "shared", "messages": [{"id": "m3", "content": "I like tea."}]}
        assert (await api.post("/v1/interactions", json=told)).is_success
        nobody = {"user_id": "noor", "messages": [{"content": "For whom?"}]}
        checked_problem(await api.post("/v1/interactions", json=nobody), 422)
    whose = {"user_id": "noor"}
    seen = {one: (await admin.get(f"/v1/interactions/{one}", params=whose)).json() for one in ("m1", "m2", "m3")}
    assert {one: told["visibility"] for one, told in seen.items()} == {"m1": "shared", "m2": "agent", "m3": "shared"}
    assert (await admin.get("/v1/resources/d1", params=whose)).json()["visibility"] == "shared"
    await gateway.digest(tenant)


async def test_a_key_that_may_only_forget_reads_the_report_of_its_own_erasure_and_no_other_job(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    said = {"user_id": "noor", "session_id": "s1", "messages": [{"content": "My sister Elena lives in Porto."}]}
    assert (await admin.post("/v1/interactions", json=said)).is_success
    other = (await admin.delete("/v1/sessions/s2", params={"user_id": "noor"})).json()
    forgetting = await made(admin, scopes=["forget"])
    async with gateway.client(forgetting.key) as api:
        session = (await api.delete("/v1/sessions/s1", params={"user_id": "noor"})).json()
        await gateway.digest(tenant)
        report = (await api.get(f"/v1/jobs/{session['id']}")).json()
        assert report["result"]["stores"]["episodic"]["found"] == {"interactions": 1}
        erased = (await api.delete("/v1/users/noor")).json()
        await gateway.digest(tenant)
        assert (await api.get(f"/v1/jobs/{erased['id']}", params={"user_id": "noor"})).json()["state"] == "done"
        checked_problem(await api.get(f"/v1/jobs/{other['id']}"), 403)
        checked_problem(await api.get("/v1/jobs"), 403)


async def test_keys_from_before_there_was_the_scope_share_can_what_they_could(
    gateway: RealGateway, tenant: str
) -> None:
    """An agent's key that may write still shares, and one with `admin` still makes such keys; no other changes."""
    migration = files("ragpp_services.gateway").joinpath("migrations", "0009_share.sql").read_text()
    before: dict[str, tuple[tuple[str, ...], str | None]] = {
        "an agent's": (("read", "write"), "sales"),
        "an agent's that only reads": (("read",), "sales"),
        "nobody's": (("read", "write"), None),
        "one that makes keys": (("admin", "read", "write"), None),
    }
    ids = {
        name: f"key_{(await gateway.key(tenant, *scopes, agent_id=agent)).split('_')[1]}"
        for name, (scopes, agent) in before.items()
    }
    connection = await asyncpg.connect(gateway.settings["POSTGRES_OWNER_DSN"])
    transaction = connection.transaction()
    await transaction.start()
    try:
        for _ in range(2):
            await connection.execute(migration)
        rows = await connection.fetch("SELECT key_id, scopes FROM identity.keys WHERE tenant_id = $1", tenant)
    finally:
        await transaction.rollback()  # the keys of other tests may lack the scope on purpose
        await connection.close()
    scopes = {row["key_id"]: tuple(row["scopes"]) for row in rows}
    assert {name: scopes[key_id] for name, key_id in ids.items()} == {
        "an agent's": ("read", "share", "write"),
        "an agent's that only reads": ("read",),
        "nobody's": ("read", "write"),
        "one that makes keys": ("admin", "read", "share", "write"),
    }


async def test_a_key_for_an_agent_shares_only_where_the_key_that_makes_it_may_and_says_so(
    gateway: RealGateway, admin: httpx.AsyncClient, tenant: str
) -> None:
    asked: dict[str, Json] = {"agent_id": "sales", "scopes": ["read", "write"], "visibility": "shared"}
    refused = checked_problem(await admin.post("/v1/keys", json=asked), 422)
    assert "share" in refused.recovery_suggestions[0]
    made_one = await made(admin, agent_id="sales", scopes=["read", "write", "share"])
    assert made_one.scopes == ("read", "share", "write")
    async with gateway.client(await gateway.key(tenant, "admin", "read", "write")) as without:
        lacking = await without.post("/v1/keys", json={"agent_id": "sales", "scopes": ["write", "share"]})
        assert "`share`" in (checked_problem(lacking, 403).detail or "")
