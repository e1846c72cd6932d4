"""An erasure beside learning, writing and dying: nothing of what was to go comes back, nothing else goes."""

import asyncio
import random
from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest

from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running.digest import LEASE_S, digest
from ragpp_services.workers.stages.erase import erase
from ragpp_services.workers.stages.extract import extract
from tests.support.erasing import HINT, KNOWN_AGAIN, accepted, ended, nothing_found_again, planted, said
from tests.support.everywhere import places_of
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope
from tests.support.stacks import StoreStack
from tests.support.stopping import Stop, install_points, run_with, stoppable_worker

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]


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
    for at in sorted(random.Random(7).sample(range(1, len(whole)), 3)):
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
