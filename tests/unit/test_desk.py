"""A worker's desk: so many threads a stage, each of which leases until there is nothing left."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError
from datetime import UTC, datetime
from typing import cast

import pytest

from ragpp.errors import TierUnavailable
from ragpp.ledger import Work, WorkKey
from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running import desk as desk_module
from ragpp_services.workers.running.desk import Desk
from ragpp_services.workers.running.digest import STAGES
from ragpp_services.workers.running.loop import Ending, LoopThread

AT_ONCE = STAGES["observe"].at_once


class Parts:
    """A ledger that gives out `works` one by one, and then raises what it is told."""

    def __init__(self, works: int, error: Exception | None = None) -> None:
        self.ledger = self
        self.left, self.error = works, error
        self.owners: list[str] = []

    async def lease(self, stage: str, *, limit: int, owner: str, lease_s: float) -> list[Work]:
        assert limit == STAGES[stage].batch
        assert lease_s > 0
        if self.left == 0:
            if self.error is not None:
                raise self.error
            return []
        self.left -= 1
        self.owners.append(owner)
        scope = Scope(tenant_id="t", user_id="u")
        return [Work(WorkKey(self.left, stage), scope, "interaction.stored", "m", datetime(2025, 1, 1, tzinfo=UTC), 1)]


class Digests:
    """Counts what is digested, and lets nothing end before `gate` is open."""

    def __init__(self) -> None:
        self.begun, self.ended = 0, 0
        self.gate, self.some = asyncio.Event(), asyncio.Event()

    async def __call__(self, parts: WorkerParts, batch: Sequence[Work], owner: str) -> None:
        del parts, owner
        self.begun += len(batch)
        if self.begun >= AT_ONCE:
            self.some.set()
        await self.gate.wait()
        self.ended += len(batch)


@pytest.fixture
def digests(monkeypatch: pytest.MonkeyPatch) -> Digests:
    digests = Digests()
    monkeypatch.setattr(desk_module, "digest", digests)
    return digests


def desk_of(parts: Parts) -> Desk:
    return Desk(cast("WorkerParts", parts), "me")


async def test_a_hint_is_followed_until_nothing_is_left_each_lease_with_an_owner_of_its_own(digests: Digests) -> None:
    digests.gate.set()
    parts = Parts(7)
    await desk_of(parts).work("observe")
    assert digests.ended == 7
    assert len(set(parts.owners)) == 7


async def test_no_more_is_leased_than_there_are_threads_for_and_other_stages_have_their_own(digests: Digests) -> None:
    parts = Parts(100)
    desk = desk_of(parts)
    working = [asyncio.create_task(desk.work("observe")) for _ in range(AT_ONCE + 3)]
    async with asyncio.timeout(60):
        await digests.some.wait()
        done, _ = await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)
    assert len(done) <= 3
    assert digests.begun == AT_ONCE
    assert "observe" not in desk.free()
    assert "forget" in desk.free()
    stopping = asyncio.create_task(desk.stop(60))
    await asyncio.sleep(0)
    assert not stopping.done()
    digests.gate.set()
    await asyncio.gather(stopping, *working)
    assert digests.ended == AT_ONCE  # what was begun is ended, and nothing else is begun


async def test_a_store_that_is_down_ends_it_until_the_next_hint(digests: Digests) -> None:
    digests.gate.set()
    parts = Parts(2, TierUnavailable("down"))
    desk = desk_of(parts)
    await desk.work("observe")
    assert digests.ended == 2
    assert "observe" in desk.free()


async def test_what_takes_too_long_at_the_end_is_cancelled(digests: Digests) -> None:
    desk = desk_of(Parts(100))
    working = [asyncio.create_task(desk.work("observe")) for _ in range(AT_ONCE)]
    async with asyncio.timeout(60):
        await digests.some.wait()
        await desk.stop(0.01)
    assert digests.ended == 0
    ends = await asyncio.gather(*working, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ends)


async def test_a_loop_that_is_closed_takes_nothing_more_and_leaves_nobody_waiting() -> None:
    loop = LoopThread()
    entered = threading.Event()

    async def forever() -> None:
        entered.set()
        await asyncio.Event().wait()

    left = loop.submit(forever())
    assert entered.wait(60)
    await asyncio.to_thread(loop.close)
    with pytest.raises(CancelledError):
        left.result(60)
    with pytest.raises(Ending):
        loop.run(forever())
