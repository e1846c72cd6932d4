"""Who is given which work: leases, retries, turns of tenants and users."""

import asyncio
from collections.abc import Sequence

import pytest

from ragpp.errors import LedgerError
from ragpp.ledger import EventKind, NewEvent, Work, record
from ragpp.ledger.events import SQL
from ragpp.ledger.work import FIRST_DELAY_S, LONGEST_DELAY_S, MAX_ATTEMPTS
from ragpp.stores.postgres import tenant_tx
from tests.support.episodic import NOON
from tests.support.ledger import Bench, keys, until_someone_waits_for
from tests.support.scopes import new_scope
from tests.support.waiting import eventually

pytestmark = pytest.mark.server


def subjects(works: Sequence[Work]) -> list[str]:
    return [work.subject_id for work in works]


async def test_a_lease_that_ran_out_is_given_to_another_and_the_first_can_no_longer_finish(bench: Bench) -> None:
    await bench.record(new_scope(), "x")
    held = keys(await bench.lease("first"))
    await bench.pass_(59)
    assert await bench.lease("second") == []
    assert await bench.ledger.renew(held, "first", 60) == held
    await bench.pass_(59)
    assert await bench.lease("second") == []
    await bench.pass_(2)
    (again,) = await bench.lease("second")
    assert again.attempts == 2
    assert await bench.ledger.renew(held, "first", 60) == []
    assert await bench.ledger.finish(held, "first") == []
    with pytest.raises(LedgerError):
        await bench.ledger.fail(held[0], "first", "too late", retryable=True)
    assert await bench.ledger.finish(held, "second") == held
    assert await bench.ledger.finish(held, "second") == []


async def test_a_failure_is_retried_with_growing_delays_and_then_stays_visible(bench: Bench) -> None:
    scope = new_scope()
    (event_id,) = await bench.record(scope, "x")
    await bench.ledger.finish(keys(await bench.lease(stage="short_term")), "a")
    for attempt in range(1, MAX_ATTEMPTS):
        ((key,),) = [keys(await bench.lease())]
        assert await bench.ledger.fail(key, "a", f"error {attempt}\x00", retryable=True) == "pending"
        delay = min(FIRST_DELAY_S * 2 ** (attempt - 1), LONGEST_DELAY_S)
        if delay > 60:  # long enough that the machine cannot have slept through it
            await bench.pass_(delay - 60)
            assert await bench.lease() == []
            delay = 60
        await bench.pass_(delay + 0.01)
        assert await bench.pending(scope) == 1
    ((key,),) = [keys(await bench.lease())]
    assert await bench.ledger.fail(key, "a", "the last error", retryable=True) == "failed"
    await bench.pass_(10 * LONGEST_DELAY_S)
    assert await bench.lease() == []
    assert await bench.pending(scope) == 0
    (failure,) = [one for one in await bench.ledger.failures(10_000) if one.key.event_id == event_id]
    assert (failure.scope, failure.attempts, failure.error) == (scope, MAX_ATTEMPTS, "the last error")
    await bench.jobs.retry(scope.tenant_id, f"{event_id}.observe")
    ((again,),) = [await bench.lease()]
    assert again.attempts == 1


async def test_what_cannot_be_retried_fails_at_once_and_holds_up_nobody(bench: Bench) -> None:
    scope = new_scope()
    await bench.record(scope, "poison", "fine")
    poison, fine = keys(await bench.lease())
    assert await bench.ledger.fail(poison, "a", "cannot be read", retryable=False) == "failed"
    assert await bench.ledger.finish([fine], "a") == [fine]


@pytest.mark.parametrize("killed", [False, True], ids=["refused", "killed"])
@pytest.mark.parametrize(("kind", "stage"), [("interaction.forgotten", "forget"), ("erase.requested", "erase")])
async def test_a_forgetting_is_never_given_up(bench: Bench, kind: EventKind, stage: str, killed: bool) -> None:
    scope = new_scope()
    await bench.record(scope, "m", kind=kind)
    for _ in range(MAX_ATTEMPTS + 2):
        (work,) = await bench.lease(stage=stage)
        if killed:
            assert await bench.ledger.renew([work.key], "a", 60) == [work.key]
            await bench.pass_(61)
        else:
            assert await bench.ledger.fail(work.key, "a", "a name is taken", retryable=False) == "pending"
            await bench.pass_(2 * LONGEST_DELAY_S)
        assert await bench.pending(scope) == 1
    (work,) = await bench.lease(stage=stage)
    assert work.attempts == MAX_ATTEMPTS + 3
    await bench.ledger.finish([work.key], "a")
    assert await bench.pending(scope) == 0


async def test_what_kills_its_worker_every_time_ends_in_failure(bench: Bench) -> None:
    (event_id,) = await bench.record(new_scope(), "x")
    for _ in range(MAX_ATTEMPTS):
        (work,) = await bench.lease()
        assert len(await bench.ledger.renew([work.key], "a", 60)) == 1
        await bench.pass_(61)
    assert await bench.lease() == []
    (failure,) = [one for one in await bench.ledger.failures(10_000) if one.key.event_id == event_id]
    assert "the lease ran out" in failure.error


async def test_giving_up_takes_half_an_hour_to_an_hour() -> None:
    delays = [min(FIRST_DELAY_S * 2**attempt, LONGEST_DELAY_S) for attempt in range(MAX_ATTEMPTS - 1)]
    assert 30 * 60 < sum(delays) < 60 * 60


async def test_an_outage_does_not_use_up_attempts(bench: Bench) -> None:
    await bench.record(new_scope(), "x")
    for _ in range(2 * MAX_ATTEMPTS):
        (work,) = await bench.lease()
        assert work.attempts == 1
        assert await bench.ledger.postpone([work.key], "a", "the graph is down") == [work.key]
        assert await bench.lease() == []
        await bench.pass_(LONGEST_DELAY_S)


async def test_one_keeps_the_schedule_until_it_says_so_no_longer(bench: Bench) -> None:
    assert await bench.ledger.hold("schedule", "first", 20)
    assert not await bench.ledger.hold("schedule", "second", 20)
    await bench.pass_(15)
    assert await bench.ledger.hold("schedule", "first", 20)
    await bench.pass_(15)
    assert not await bench.ledger.hold("schedule", "second", 20)
    await bench.pass_(6)
    assert await bench.ledger.hold("schedule", "second", 20)
    assert not await bench.ledger.hold("schedule", "first", 20)
    await bench.ledger.let_go("schedule", "first")
    assert not await bench.ledger.hold("schedule", "first", 20)
    await bench.ledger.let_go("schedule", "second")
    assert await bench.ledger.hold("schedule", "first", 20)


async def test_tenants_take_turns_whatever_each_of_them_waits_for(bench: Bench) -> None:
    busy, small = new_scope(), new_scope()
    crowd = [busy.model_copy(update={"user_id": f"u{number}"}) for number in range(30)]
    for user in crowd:
        await bench.record(user, *"abcdefgh")
    await bench.record(small, "fresh")
    first = await bench.lease("one", limit=8)
    assert small.tenant_id in {work.scope.tenant_id for work in first}


async def test_who_asks_for_little_goes_before_who_asks_for_much(bench: Bench) -> None:
    tenant = new_scope()
    crowd = [tenant.model_copy(update={"user_id": f"u{number}"}) for number in range(12)]
    for user in crowd:
        await bench.record(user, *"abcdefgh")
    for round_ in range(3):  # each has had something
        works = await bench.lease(f"owner {round_}", limit=16)
        await bench.ledger.finish(keys(works), f"owner {round_}")
    fresh = tenant.model_copy(update={"user_id": "zoe"})
    await bench.record(fresh, "now")
    for round_ in range(3):  # those who had nothing yet came before it
        works = await bench.lease(f"later {round_}", limit=16)
        if "now" in subjects(works):
            return
        await bench.ledger.finish(keys(works), f"later {round_}")
    raise AssertionError("who came with one thing waits behind those who had much")


async def test_a_lease_leaves_somebody_for_others(bench: Bench) -> None:
    scopes = [new_scope() for _ in range(4)]
    for scope in scopes:
        await bench.record(scope, "x")
    given = [len({work.scope for work in await bench.lease(f"owner {number}")}) for number in range(4)]
    assert given == [2, 1, 1, 0]


async def test_what_is_recorded_while_the_line_is_looked_at_is_never_overlooked(bench: Bench) -> None:
    scope = new_scope()
    total, done = 40, set[str]()

    async def write() -> None:
        for number in range(total):
            await bench.record(scope, f"m{number}")
            await asyncio.sleep(0)

    async def work(owner: str) -> None:
        deadline = asyncio.get_running_loop().time() + 60
        while len(done) < total and asyncio.get_running_loop().time() < deadline:
            works = await bench.lease(owner, limit=2)
            await bench.ledger.finish(keys(works), owner)
            done.update(subjects(works))

    await asyncio.gather(write(), work("one"), work("two"), work("three"))
    assert len(done) == total
    assert await bench.ledger.due(["observe"]) == []


async def test_what_is_recorded_before_a_lease_and_committed_after_it_waits_no_longer_than_a_look(bench: Bench) -> None:
    scope = new_scope()
    await bench.record(scope, "first")
    async with tenant_tx(bench.app, scope) as connection:
        await record(connection, scope, [NewEvent("interaction.stored", "second", NOON)], now=bench.time())
        first = await bench.ledger.lease("observe", limit=10, owner="a", lease_s=60)
    assert subjects(first) == ["first"]
    await bench.ledger.finish(keys(first), "a")

    async def leased() -> list[Work]:
        return await bench.ledger.lease("observe", limit=10, owner="b", lease_s=60)

    assert subjects(await eventually(leased, within_s=60, what="the second is leased")) == ["second"]


async def test_what_failed_is_retried_also_when_its_user_has_left_the_line(bench: Bench) -> None:
    scope = new_scope()
    (event_id,) = await bench.record(scope, "x")
    ((key,),) = [keys(await bench.lease())]
    await bench.ledger.fail(key, "a", "no", retryable=False)
    await bench.pass_(120)
    assert await bench.lease() == []
    assert await bench.ledger.due(["observe"]) == []
    await bench.jobs.retry(scope.tenant_id, f"{event_id}.observe")
    assert subjects(await bench.lease()) == ["x"]


async def test_who_cancels_while_it_is_leased_has_cancelled_it(bench: Bench) -> None:
    scope = new_scope()
    (event_id,) = await bench.record(scope, "x", kind="maintain.requested")
    async with tenant_tx(bench.app, scope) as connection:
        await connection.execute(SQL["cancel_job"], scope.tenant_id, event_id, "maintain")
        leasing = asyncio.create_task(bench.lease(stage="maintain"))
        await until_someone_waits_for(connection, "transactionid")
    assert await leasing == []
    assert (await bench.jobs.job(scope.tenant_id, f"{event_id}.maintain")).state == "cancelled"
