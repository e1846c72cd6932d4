"""The relay hands out what is due, waits when it must, and never gives up."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from ragpp.errors import TierUnavailable
from ragpp.ledger import Work, WorkKey
from ragpp.models import Scope
from services.workers import relay as relay_module
from services.workers.digest import STAGES
from services.workers.relay import Relay
from services.workers.wire import from_wire, to_wire

AT_ONCE = STAGES["observe"].at_once


def work(event_id: int, stage: str = "observe") -> Work:
    return Work(
        key=WorkKey(event_id, stage),
        scope=Scope(tenant_id="t", user_id="u\n{}"),
        kind="interaction.stored",
        subject_id=f"m{event_id}",
        occurred_at=datetime(2025, 1, 1, tzinfo=UTC),
        attempts=1,
        payload={"session_id": "s"},
    )


class Ledger:
    """Gives out its works once, after as many failures as it is told."""

    def __init__(self, works: Sequence[Work], failures: Sequence[Exception] = ()) -> None:
        self.works, self.failures = list(works), list(failures)

    async def lease(self, stage: str, *, limit: int, owner: str, lease_s: float) -> list[Work]:
        del owner, lease_s
        if self.failures:
            raise self.failures.pop(0)
        given = [one for one in self.works if one.key.stage == stage][:limit]
        self.works = [one for one in self.works if one not in given]
        return given

    async def postpone(self, keys: Sequence[WorkKey], owner: str, why: str) -> list[WorkKey]:
        raise AssertionError(f"{owner} postponed {keys} for {why}")


class Attempts(Ledger):
    """Counts attempts as the real one does: a lease counts one, and putting back takes it off again."""

    def __init__(self, works: Sequence[Work], rounds: int) -> None:
        super().__init__(works)
        self.held: dict[WorkKey, Work] = {}
        self.attempts = {one.key: 0 for one in works}
        self.whys: list[str] = []
        self.rounds, self.enough = rounds, asyncio.Event()

    async def lease(self, stage: str, *, limit: int, owner: str, lease_s: float) -> list[Work]:
        given = await super().lease(stage, limit=limit, owner=owner, lease_s=lease_s)
        for one in given:
            self.held[one.key] = one
            self.attempts[one.key] += 1
        return given

    async def postpone(self, keys: Sequence[WorkKey], owner: str, why: str) -> list[WorkKey]:
        del owner
        for key in keys:
            self.works.append(self.held.pop(key))
            self.attempts[key] -= 1
        self.whys.append(why)
        if len(self.whys) >= self.rounds:
            self.enough.set()
        return list(keys)


class Broker:
    """Keeps what is sent; sets `enough` when `expected` events have come."""

    def __init__(self, expected: int) -> None:
        self.sent: list[tuple[int, str]] = []
        self.expected, self.enough = expected, asyncio.Event()

    async def send(self, batch: Sequence[Work], owner: str) -> None:
        self.sent += [(one.key.event_id, owner) for one in batch]
        if len(self.sent) >= self.expected:
            self.enough.set()


async def run_until_sent(relay: Relay, broker: Broker) -> None:
    running = asyncio.create_task(relay.run())
    async with asyncio.timeout(60):
        await broker.enough.wait()
    relay.stop()
    await running


async def test_due_work_is_sent_with_an_owner_of_its_own_for_each_lease() -> None:
    broker = Broker(2)
    relay = Relay(Ledger([work(1), work(2, "forget")]), broker.send, "me")  # type: ignore[arg-type]
    await run_until_sent(relay, broker)
    assert {event_id for event_id, _ in broker.sent} == {1, 2}
    assert len({owner for _, owner in broker.sent}) == 2


async def test_a_ledger_that_is_down_or_a_bug_only_delays() -> None:
    broker = Broker(1)
    ledger = Ledger([work(1)], [TierUnavailable("down"), RuntimeError("bug")])
    relay = Relay(ledger, broker.send, "me")  # type: ignore[arg-type]
    await run_until_sent(relay, broker)
    assert [event_id for event_id, _ in broker.sent] == [1]


async def test_no_more_is_leased_than_is_being_done() -> None:
    broker = Broker(AT_ONCE)
    works = [work(number) for number in range(AT_ONCE + 3)]

    class OneByOne(Ledger):
        async def lease(self, stage: str, *, limit: int, owner: str, lease_s: float) -> list[Work]:
            del limit
            return await super().lease(stage, limit=1, owner=owner, lease_s=lease_s)

    relay = Relay(OneByOne(works), broker.send, "me")  # type: ignore[arg-type]
    running = asyncio.create_task(relay.run())
    async with asyncio.timeout(60):
        await broker.enough.wait()
    assert len(broker.sent) == AT_ONCE
    broker.enough.clear()
    broker.expected += 1
    relay.ended("observe", broker.sent[0][1])
    async with asyncio.timeout(60):
        await broker.enough.wait()
    relay.stop()
    await running
    assert len(broker.sent) == AT_ONCE + 1


@pytest.mark.parametrize("error", [OSError("no broker"), RuntimeError("bug")])
async def test_work_that_cannot_be_sent_is_given_back_and_its_attempts_do_not_count(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay_module, "DOWN_S", 0.001)
    ledger = Attempts([work(1), work(2)], rounds=2 * AT_ONCE)

    async def send(batch: Sequence[Work], owner: str) -> None:
        del batch, owner
        raise error

    relay = Relay(ledger, send, "me")  # type: ignore[arg-type]
    running = asyncio.create_task(relay.run())
    async with asyncio.timeout(60):
        await ledger.enough.wait()
    relay.stop()
    await running
    assert set(ledger.attempts.values()) == {0}
    assert ledger.held == {}
    assert set(ledger.whys) == {repr(error)}


def test_a_batch_survives_the_wire() -> None:
    batch = [work(1), work(2, "forget")]
    assert from_wire(to_wire(batch)) == batch
