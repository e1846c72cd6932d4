"""The audit knows who was refused, and what was deleted: by hashes that whoever knows an id can find."""

import asyncio
import json
from dataclasses import dataclass

import asyncpg
import httpx
import pytest

from ragpp.models import Scope
from ragpp_services.gateway.identity import make_key
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]


@dataclass(frozen=True)
class Refused:
    """An entry of requests without a valid key."""

    key_id: str
    action: str
    attempts: int


async def refused(gateway: RealGateway, *key_ids: str) -> list[Refused]:
    """The entries of these keys, as the operator sees them."""
    await gateway.parts.audit.flush()
    connection = await asyncpg.connect(gateway.settings["POSTGRES_OWNER_DSN"])
    try:
        rows = await connection.fetch(
            "SELECT * FROM audit.accesses WHERE tenant_id = '' AND key_id = ANY ($1) ORDER BY at", key_ids
        )
    finally:
        await connection.close()
    return [Refused(row["key_id"], row["action"], json.loads(row["details"])["attempts"]) for row in rows]


async def test_who_has_no_valid_key_is_in_the_audit_by_its_prefix_and_no_tenant_sees_it(gateway: RealGateway) -> None:
    tenant = new_scope().tenant_id
    unknown = make_key(tenant, frozenset({"read"}))
    key = await gateway.key(tenant, "read")
    for sent in (unknown.text, f"{key[:-3]}xyz"):
        async with gateway.client(sent) as client:
            for _ in range(5):
                assert (await client.get("/v1/pending", params={"user_id": "u1"})).status_code == 401
    known_id = f"key_{key.split('_')[1]}"
    assert await refused(gateway, unknown.row.key_id, known_id) == [
        Refused(unknown.row.key_id, "GET /v1/pending", 1),
        Refused(known_id, "GET /v1/pending", 1),
    ]
    assert await gateway.audited(tenant) == []
    for seen_as in ("", tenant):
        assert unknown.row.key_id not in {record["key_id"] for record in await gateway.audited(seen_as)}


async def test_what_is_refused_in_a_flood_is_one_entry_for_each_key(gateway: RealGateway) -> None:
    unknown = make_key(new_scope().tenant_id, frozenset({"read"}))
    async with gateway.client(unknown.text) as client:
        answers = await asyncio.gather(*(client.get("/v1/pending", params={"user_id": "u1"}) for _ in range(100)))
    assert {answer.status_code for answer in answers} == {401}
    assert [one.attempts for one in await refused(gateway, unknown.row.key_id)] == [1]


async def client_of(gateway: RealGateway, tenant: str) -> httpx.AsyncClient:
    return gateway.client(await gateway.key(tenant, "read", "write", "forget"))


async def deletions(gateway: RealGateway, tenant: str) -> list[dict[str, object]]:
    told = [json.loads(record["details"]) for record in await gateway.audited(tenant) if record["details"]]
    assert all("deleted" in one for one in told)
    return told


async def test_whose_catalog_was_asked_for_is_in_the_audit(gateway: RealGateway) -> None:
    tenant = new_scope().tenant_id
    bound = await gateway.key(tenant, "read", user_id="ann")
    for key, named in ((await gateway.key(tenant, "read"), "?user_id=u1"), (bound, "?user_id=ann"), (bound, "")):
        async with gateway.client(key) as client:
            assert (await client.get(f"/v1/items{named}")).status_code == 200
    assert [record["user_id"] for record in await gateway.audited(tenant)] == ["u1", "ann", "ann"]


async def test_what_was_deleted_is_in_the_audit_by_hashes_of_its_ids(gateway: RealGateway) -> None:
    tenant = new_scope().tenant_id
    scope = Scope(tenant_id=tenant, user_id="u1")
    messages = [{"id": one, "content": f"I keep the {one} in the shed."} for one in ("hammer", "rake", "saw")]
    async with await client_of(gateway, tenant) as api:
        await api.post("/v1/interactions", json={"user_id": "u1", "session_id": "s1", "messages": messages})
        await gateway.digest(tenant)
        await api.delete("/v1/interactions/hammer", params={"user_id": "u1", "dry_run": True})
        assert (await api.delete("/v1/interactions/nothing", params={"user_id": "u1"})).status_code == 404
        assert await deletions(gateway, tenant) == []
        assert (await api.delete("/v1/interactions/hammer", params={"user_id": "u1"})).status_code == 200
        about = {"user_id": "u1", "about": {"words": "rake"}, "confirm": {"ids": ["rake"]}}
        assert (await api.post("/v1/forget", json=about)).status_code == 200
        job = (await api.delete("/v1/sessions/s1", params={"user_id": "u1"})).json()["id"]
    marks = gateway.parts.marks
    assert await deletions(gateway, tenant) == [
        {"deleted": "interactions", "count": 1, "marks": [marks.of(scope, "hammer")]},
        {"deleted": "interactions", "count": 1, "marks": [marks.of(scope, "rake")]},
        {"deleted": "session", "count": 1, "marks": [marks.of(scope, "s1")], "job": job},
    ]
    entries = [dict(record) for record in await gateway.audited(tenant)]
    assert not any(name in repr(entries) for name in ("hammer", "rake"))


async def test_an_erased_users_deletions_name_nobody(gateway: RealGateway) -> None:
    tenant, user = new_scope().tenant_id, "gwendolyn"
    async with await client_of(gateway, tenant) as api:
        message = {"id": "m-of-gwendolyn", "content": "I like rain."}
        await api.post("/v1/interactions", json={"user_id": user, "messages": [message]})
        await api.delete("/v1/interactions/m-of-gwendolyn", params={"user_id": user})
        assert await gateway.parts.audit.flush()
        assert (await api.delete(f"/v1/users/{user}")).status_code == 202
    await gateway.digest(tenant)
    entries = [dict(record) for record in await gateway.audited(tenant)]
    assert len(entries) == 3
    assert user not in repr(entries)


async def test_an_id_that_holds_a_secret_is_refused_and_nothing_of_it_is_stored(gateway: RealGateway) -> None:
    tenant, secret = new_scope().tenant_id, "password=hunter2x"
    async with await client_of(gateway, tenant) as api:
        for body in (
            {"user_id": secret, "messages": [{"content": "hello"}]},
            {"user_id": "u1", "messages": [{"content": "hello"}, {"id": secret, "content": "hello"}]},
        ):
            answer = await api.post("/v1/interactions", json=body)
            assert (answer.status_code, answer.json()["code"]) == (422, "MEM-039")
            assert "hunter2" not in answer.text
        assert (await api.get("/v1/pending", params={"user_id": "u1"})).json()["pending"] == 0
    assert "hunter2" not in repr([dict(record) for record in await gateway.audited(tenant)])
