"""A backup that is taken while people write is put into other stores: they answer the same, and what was forgotten
since stays forgotten."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, cast
from uuid import uuid4

import pytest

from ragpp.models import Scope
from ragpp_infra.backup.restoring import Restored
from ragpp_infra.backup.taking import Taken
from ragpp_services.workers.running.digest import digest
from tests.support.asking import in_neo4j, of_postgres
from tests.support.backup import place_of, restored, taken, told
from tests.support.belongings import Owner, everything, settle
from tests.support.everywhere import places_of
from tests.support.real_gateway import RealGateway, done, open_gateway
from tests.support.scopes import new_scope
from tests.support.stacks import RunStack

pytestmark = [pytest.mark.server, pytest.mark.exhaustive, pytest.mark.timeout(600)]

HINT = "qzb"
KNOWN_AGAIN = {"ledger.epochs", "User", "ragpp:st:epoch:", "ragpp:st:marks:"}


@dataclass
class Moved:
    """A memory in two places: where it was backed up and went on, and where the backup was restored."""

    source: RealGateway
    target: RealGateway
    stack: RunStack
    taken: Taken
    result: Restored
    quiet: Owner
    forgetful: Owner
    left: Owner
    revoked: str
    late: str
    before: Any
    written: list[str]


def planted() -> tuple[str, str, str]:
    return tuple(f"Q{HINT[1:]}{what}{uuid4().hex[:6]}" for what in ("a", "b", "c"))  # type: ignore[return-value]  # three


async def write(gateway: RealGateway, owner: Owner, stopping: asyncio.Event) -> list[str]:
    """Go on telling the memory something; the ids that were acknowledged."""
    acknowledged: list[str] = []
    async with gateway.client(owner.key) as api:
        while not stopping.is_set():
            one = f"w{len(acknowledged)}"
            said = {"id": one, "name": "Maria", "content": f"My friend Nr{len(acknowledged)} Okoro lives in Oslo."}
            answer = await api.post(
                "/v1/interactions", json={"user_id": "writing", "session_id": "s", "messages": [said]}
            )
            assert answer.status_code == 201, answer.text
            acknowledged.append(one)
            await asyncio.sleep(0)
    return acknowledged


async def learn(gateway: RealGateway, stopping: asyncio.Event) -> None:
    """Digest what is written, as a worker does that is not told of any backup."""
    while not stopping.is_set():
        for stage in await gateway.worker.ledger.due(["observe", "short_term"]):
            works = await gateway.worker.ledger.lease(stage, limit=16, owner="a worker", lease_s=20)
            if works:
                await digest(gateway.worker, works, "a worker")
        await asyncio.sleep(0.01)


async def forget_much(gateway: RealGateway, forgetful: Owner, left: Owner) -> str:
    """Forget much after the backup; the id of a message that came and went."""
    tenant, user = forgetful.scope.tenant_id, {"user_id": forgetful.scope.user_id}
    things, late = forgetful.things, f"late-{uuid4().hex}"
    async with gateway.client(forgetful.key) as api:
        gone = [
            f"/v1/interactions/{things['interaction_id']}",
            f"/v1/relationships/{things['relationships']}",
            f"/v1/preferences/{things['preferences']}",
            f"/v1/findings/{things['findings']}",
            f"/v1/resources/{things['resource_id']}",
        ]
        said = {"id": late, "content": "This comes late."}
        stored = await api.post("/v1/interactions", json={**user, "session_id": "s9", "messages": [said]})
        assert stored.status_code == 201, stored.text
        for path in (*gone, f"/v1/interactions/{late}"):
            answer = await api.delete(path, params=user)
            assert answer.status_code in {200, 404}, (path, answer.text)
        asked = await api.delete(f"/v1/sessions/{things['session_id']}", params=user)
        assert asked.status_code == 202, asked.text
    async with gateway.memory(left.key) as memory:
        job = await memory.erase_user(left.scope.user_id)
        await done(gateway, tenant, memory.ended_job(job.id))
    await gateway.digest(tenant, left.scope.tenant_id)
    await gateway.parts.audit.flush()
    return late


@pytest.fixture(scope="module")
async def moved(
    gateway: RealGateway, stack: RunStack, own_stack: RunStack, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Moved]:
    folder = tmp_path_factory.mktemp("backup")
    tenant = new_scope().tenant_id
    quiet, forgetful, left = [
        await settle(gateway, Scope(tenant_id=tenant, user_id=f"{HINT}{name}{uuid4().hex[:6]}"), *planted())
        for name in ("quiet", "forgetful", "left")
    ]
    revoked = await gateway.key(tenant)
    place, stopping = place_of(stack), asyncio.Event()
    writing = asyncio.create_task(write(gateway, quiet, stopping))
    learning = asyncio.create_task(learn(gateway, stopping))
    copy = await taken(place, folder / "memory.ragpp")
    stopping.set()
    written = await writing
    await learning
    late = await forget_much(gateway, forgetful, left)
    key_id = f"key_{revoked.split('_')[1]}"
    revoke = f"UPDATE identity.keys SET revoked_at = now() WHERE key_id = '{key_id}'"  # noqa: S608 - of this test
    await of_postgres(stack.postgres_superuser_dsn(), revoke, "SELECT 1")
    await told(place, folder / "forgotten.ragpp")
    before = await everything(gateway, quiet)
    result = await restored(place_of(own_stack), folder / "memory.ragpp", folder / "forgotten.ragpp")
    async with open_gateway(own_stack.endpoints(), folder) as target:
        yield Moved(*(gateway, target, own_stack, copy, result, quiet, forgetful, left, revoked, late, before, written))


async def test_whoever_was_left_alone_is_answered_the_same(moved: Moved) -> None:
    found = await everything(moved.target, moved.quiet)
    assert found == moved.before


async def test_every_table_and_label_has_what_the_backup_has(moved: Moved) -> None:
    assert moved.result.rows == {
        name: rows for name, rows in moved.taken.manifest.rows().items() if name != "forgettings"
    }
    messages = await of_postgres(
        moved.stack.postgres_superuser_dsn(), "SELECT count(*) FROM episodic.interactions WHERE user_id = 'writing'"
    )
    assert 0 < cast("int", messages) <= len(moved.written)


async def test_learning_goes_on_and_nothing_is_learned_twice_or_not_at_all(moved: Moved) -> None:
    """Messages whose learning waited for the copy are learned from where it was restored."""
    tenant = moved.quiet.scope.tenant_id
    await moved.target.digest(tenant)
    dsn = moved.stack.postgres_superuser_dsn()
    kept = await of_postgres(
        dsn, "SELECT array_agg(id ORDER BY id) FROM episodic.interactions WHERE user_id = 'writing'"
    )
    records = in_neo4j(
        moved.stack.endpoints(),
        f"MATCH (a:Applied {{scope: 'user-graph:{tenant}/writing'}}) WHERE a.event_id STARTS WITH 'o:'"
        " UNWIND a.sources AS source RETURN source ORDER BY source",
    )
    assert [record["source"] for record in records] == kept
    known = in_neo4j(
        moved.stack.endpoints(),
        f"MATCH (e:Entity {{scope: 'user-graph:{tenant}/writing'}}) WHERE e.name STARTS WITH 'Nr' RETURN count(*) AS n",
    )
    assert known[0]["n"] == len(cast("list[str]", kept))


async def test_a_message_that_was_forgotten_since_is_gone_and_stays_so(moved: Moved) -> None:
    user, only = moved.forgetful.scope.user_id, moved.forgetful.things["interaction_id"]
    async with moved.target.client(moved.forgetful.key) as api:
        for one in (only, moved.late):
            answer = await api.get(f"/v1/interactions/{one}", params={"user_id": user})
            assert answer.status_code == 404
            again = {"id": one, "content": "It is sent again."}
            sent = await api.post("/v1/interactions", json={"user_id": user, "session_id": "s", "messages": [again]})
            assert sent.json()["stored"][0]["forgotten"] is True


async def test_what_a_person_deleted_since_is_gone(moved: Moved) -> None:
    user, things = moved.forgetful.scope.user_id, moved.forgetful.things
    async with moved.target.client(moved.forgetful.key) as api:
        for path in (
            f"/v1/relationships/{things['relationships']}",
            f"/v1/preferences/{things['preferences']}",
            f"/v1/resources/{things['resource_id']}",
        ):
            answer = await api.get(path, params={"user_id": user})
            assert answer.status_code == 404, path
        findings = await api.get("/v1/findings", params={"user_id": user})
        assert things["findings"] not in findings.text
        listed = await api.get("/v1/interactions", params={"user_id": user, "session_id": things["session_id"]})
        assert listed.json()["items"] == []


async def test_of_a_user_who_was_erased_since_no_word_is_anywhere(moved: Moved) -> None:
    """Nor the id, but where docs/erasure.md says."""
    assert await places_of(moved.stack, moved.left.words, hint=HINT) == {}
    found = await places_of(moved.stack, [moved.left.scope.user_id], hint=HINT)
    assert found.get(moved.left.scope.user_id, set()) <= KNOWN_AGAIN


async def test_a_key_that_was_revoked_since_opens_nothing(moved: Moved) -> None:
    async with moved.target.client(moved.revoked) as api:
        assert (await api.get("/v1/users")).status_code == 401


async def test_learning_waited_and_writing_did_not(moved: Moved) -> None:
    assert 0 < moved.taken.paused_s <= moved.taken.seconds
    assert moved.written
