"""The ledger's promises: an event for each change, and nothing that is to be done is lost or done by two."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from uuid import uuid4

import asyncpg
import pytest
from pydantic import JsonValue

from infra.embedded.stack import Endpoints
from ragpp.errors import LedgerError, TierUnavailable
from ragpp.ledger import NewEvent, Work, WorkKey, WorkLedger, record
from ragpp.ledger.events import SQL
from ragpp.ledger.work import FIRST_DELAY_S, LONGEST_DELAY_S, MAX_ATTEMPTS
from ragpp.postgres import Connection, Pool, create_pool, ensure_open, tenant_tx
from ragpp.settings import PostgresSettings
from tests.support.episodic import NOON
from tests.support.ledger import Bench, Time, keys, ledger_pools
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
async def pools(endpoints: Endpoints) -> AsyncIterator[tuple[Pool, Pool]]:
    async with ledger_pools(endpoints) as opened:
        yield opened


@pytest.fixture
async def bench(pools: tuple[Pool, Pool]) -> AsyncIterator[Bench]:
    bench = Bench(*pools)
    yield bench
    await bench.clear()


def subjects(works: Sequence[Work]) -> list[str]:
    return [work.subject_id for work in works]


async def test_every_statement_can_be_prepared_by_the_role_that_runs_it(bench: Bench) -> None:
    of_the_app = {"record", "pending", "jobs", "job", "retry_job", "cancel_job", "tenant_lag", "tenant_progress"}
    of_the_app |= {"set_user_settings", "pin"}
    of_both = {"lock_user", "record_others", "requested", "drop_results", "user_settings"}
    for pool, names in ((bench.app, of_the_app | of_both), (bench.relay, set(SQL) - of_the_app)):
        await ensure_open(pool)
        async with pool.acquire() as connection:
            for name in names:
                assert await connection.prepare(SQL[name]), name


async def test_an_event_comes_out_as_it_went_in(bench: Bench) -> None:
    scope = new_scope()
    subject = "'; -- \n{}\u202e🙂%$1\\"
    (event_id,) = await bench.record(scope, subject)
    (work,) = await bench.lease()
    assert work.key == WorkKey(event_id, "observe")
    assert work.scope == scope
    assert (work.kind, work.subject_id, work.payload) == ("interaction.stored", subject, {"subject": subject})
    assert (work.occurred_at, work.attempts) == (NOON, 1)


async def test_nothing_is_recorded_when_the_change_is_not_committed(bench: Bench) -> None:
    scope = new_scope()

    async def change() -> None:
        async with tenant_tx(bench.app, scope) as connection:
            await record(connection, scope, [NewEvent("interaction.stored", "x", NOON)], now=bench.time())
            raise RuntimeError("changed my mind")

    with pytest.raises(RuntimeError, match="changed my mind"):
        await change()
    assert await bench.pending(scope) == 0
    assert await bench.lease() == []


async def test_each_kind_has_its_stages(bench: Bench) -> None:
    scope = new_scope()
    await bench.record(scope, "stored")
    await bench.record(scope, "changed", kind="preference.changed")
    await bench.record(scope, "forgotten", kind="interaction.forgotten")
    assert subjects(await bench.lease(stage="observe")) == ["stored"]
    assert subjects(await bench.lease(stage="short_term")) == ["stored"]
    assert await bench.lease("b", stage="forget") == []


async def test_a_users_events_come_in_their_order_and_to_one_owner_at_a_time(bench: Bench) -> None:
    alice, bob = new_scope(), new_scope()
    await bench.record(alice, *"abcdef")
    await bench.record(bob, "g")
    first = await bench.lease("one", limit=3)
    second = await bench.lease("two")
    assert (subjects(first), subjects(second)) == (list("abc"), ["g"])
    await bench.ledger.finish(keys(first), "one")
    assert subjects(await bench.lease("two")) == list("def")


async def test_owners_at_once_share_the_work_without_overlap(bench: Bench) -> None:
    scopes = [new_scope() for _ in range(12)]
    for scope in scopes:
        await bench.record(scope, *"abcde")

    async def work(owner: str) -> list[Work]:
        done: list[Work] = []
        while batch := await bench.lease(owner, limit=7):
            assert len(await bench.ledger.finish(keys(batch), owner)) == len(batch)
            done += batch
        return done

    done = await asyncio.gather(*(work(f"owner {number}") for number in range(4)))
    handed_out = [key for batch in done for key in keys(batch)]
    assert len(handed_out) == len(set(handed_out)) == 60
    assert [await bench.pending(scope) for scope in scopes] == [5] * 12  # short_term is still to be done
    await asyncio.gather(*(bench.lease(stage="short_term") for _ in range(2)))


async def test_a_lease_that_ran_out_is_given_to_another_and_the_first_can_no_longer_finish(bench: Bench) -> None:
    await bench.record(new_scope(), "x")
    held = keys(await bench.lease("first"))
    bench.time.pass_(59)
    assert await bench.lease("second") == []
    assert await bench.ledger.renew(held, "first", 60) == held
    bench.time.pass_(59)
    assert await bench.lease("second") == []
    bench.time.pass_(2)
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
        bench.time.pass_(delay - 0.01)
        assert await bench.lease() == []
        bench.time.pass_(0.02)
        assert await bench.pending(scope) == 1
    ((key,),) = [keys(await bench.lease())]
    assert await bench.ledger.fail(key, "a", "the last error", retryable=True) == "failed"
    bench.time.pass_(10 * LONGEST_DELAY_S)
    assert await bench.lease() == []
    assert await bench.pending(scope) == 0
    (failure,) = [one for one in await bench.ledger.failures(10_000) if one.key.event_id == event_id]
    assert (failure.scope, failure.attempts, failure.error) == (scope, MAX_ATTEMPTS, "the last error")
    assert await bench.ledger.retry("observe", [event_id]) == 1
    ((again,),) = [await bench.lease()]
    assert again.attempts == 1


async def test_what_cannot_be_retried_fails_at_once_and_holds_up_nobody(bench: Bench) -> None:
    scope = new_scope()
    await bench.record(scope, "poison", "fine")
    poison, fine = keys(await bench.lease())
    assert await bench.ledger.fail(poison, "a", "cannot be read", retryable=False) == "failed"
    assert await bench.ledger.finish([fine], "a") == [fine]


async def test_what_kills_its_worker_every_time_ends_in_failure(bench: Bench) -> None:
    (event_id,) = await bench.record(new_scope(), "x")
    for _ in range(MAX_ATTEMPTS):
        (work,) = await bench.lease()
        assert len(await bench.ledger.renew([work.key], "a", 60)) == 1
        bench.time.pass_(61)
    assert await bench.lease() == []
    (failure,) = [one for one in await bench.ledger.failures(10_000) if one.key.event_id == event_id]
    assert "the lease ran out" in failure.error


async def test_a_lease_that_ran_out_before_its_work_began_is_no_attempt(bench: Bench) -> None:
    await bench.record(new_scope(), "x")
    for _ in range(2 * MAX_ATTEMPTS):
        (work,) = await bench.lease()
        assert work.attempts == 1
        bench.time.pass_(61)
    (work,) = await bench.lease("late")
    assert await bench.ledger.renew([work.key], "late", 60) == [work.key]
    bench.time.pass_(61)
    (work,) = await bench.lease()
    assert work.attempts == 2


async def test_giving_up_takes_half_an_hour_to_an_hour() -> None:
    delays = [min(FIRST_DELAY_S * 2**attempt, LONGEST_DELAY_S) for attempt in range(MAX_ATTEMPTS - 1)]
    assert 30 * 60 < sum(delays) < 60 * 60


async def test_a_result_keeps_its_texts_but_for_nul(bench: Bench) -> None:
    scope = new_scope()
    job = await bench.jobs.request(scope, "reflect.requested", "a", {}, NOON)
    (work,) = await bench.lease(stage="reflect")
    result: dict[str, JsonValue] = {"a\x00": ["C:\\u0000", {"b": "x\x00y"}, None, 1.5], "\\": "\\\x00"}
    assert await bench.ledger.finish([work.key], "a", {work.key: result}) == [work.key]
    stored = (await bench.jobs.job(scope.tenant_id, job.id)).result
    assert stored == {"a": ["C:\\u0000", {"b": "xy"}, None, 1.5], "\\": "\\"}


async def test_an_outage_does_not_use_up_attempts(bench: Bench) -> None:
    await bench.record(new_scope(), "x")
    for _ in range(2 * MAX_ATTEMPTS):
        (work,) = await bench.lease()
        assert work.attempts == 1
        assert await bench.ledger.postpone([work.key], "a", "the graph is down") == [work.key]
        assert await bench.lease() == []
        bench.time.pass_(LONGEST_DELAY_S)


async def test_forgetting_waits_for_what_still_holds_the_forgotten(bench: Bench) -> None:
    scope = new_scope()
    await bench.record(scope, "x")
    observing = await bench.lease("observer")
    await bench.record(scope, "x", kind="interaction.forgotten")
    await bench.record(scope, "later")
    later = await bench.lease("repairer", stage="short_term")
    assert await bench.lease("forgetter", stage="forget") == []
    await bench.ledger.finish(keys(observing), "observer")
    await bench.ledger.finish(keys(later)[:1], "repairer")
    assert subjects(await bench.lease("forgetter", stage="forget")) == ["x"]


async def test_pending_counts_the_events_between_two_ids_of_this_user_alone(bench: Bench) -> None:
    scope, other = new_scope(), new_scope()
    ids = await bench.record(scope, *"abcd")
    await bench.record(other, "x")
    assert ids == sorted(set(ids))
    assert await bench.pending(scope) == 4
    assert await bench.pending(scope, ids[1], ids[2]) == 2
    assert await bench.pending(scope, ids[3]) == 1
    assert await bench.pending(scope, None, ids[0]) == 1
    assert await bench.pending(scope.model_copy(update={"tenant_id": other.tenant_id})) == 0
    for stage in ("observe", "short_term"):
        works = [work for work in await bench.lease(stage=stage) if work.key.event_id == ids[0]]
        assert await bench.pending(scope) == 4
        await bench.ledger.finish(keys(works), "a")
    assert await bench.pending(scope) == 3


async def test_the_lag_tells_what_waits_and_since_when(bench: Bench) -> None:
    before = await bench.ledger.lag()
    await bench.record(new_scope(), "x", "y")
    lag = await bench.ledger.lag()
    assert lag.waiting == before.waiting + 4
    assert lag.oldest_at == bench.time()
    assert lag.counts[("observe", "pending")] >= 2


@pytest.mark.parametrize(
    ("statement", "arguments", "index"),
    [
        ("lease", "'observe', now(), 'me', now(), 100, 3", "work_waiting"),
        ("pending", "'t', 'u', NULL, NULL", "work_waiting"),
        ("lag", "", "work_failed"),
        ("failures", "100", "work_failed"),
        ("retry", "NULL, NULL, now()", "work_failed"),
    ],
)
async def test_what_is_done_or_failed_is_not_read_by_who_looks_for_something_else(
    bench: Bench, statement: str, arguments: str, index: str
) -> None:
    await ensure_open(bench.relay)
    async with bench.relay.acquire() as connection, connection.transaction():
        # a small table is read whole, whatever its indexes are
        await connection.execute("SET LOCAL enable_seqscan = off")
        await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        await connection.execute(f"PREPARE looked_at AS {SQL[statement]}")
        given = f"({arguments})" if arguments else ""
        plan = "\n".join(row[0] for row in await connection.fetch(f"EXPLAIN EXECUTE looked_at{given}"))
        await connection.execute("DEALLOCATE looked_at")
    assert index in plan
    assert "Seq Scan on work" not in plan


async def test_event_ids_of_a_user_grow_in_the_order_of_commit(bench: Bench) -> None:
    scope = new_scope()
    entered = asyncio.Event()
    seen: list[int] = []

    async def slow() -> None:
        async with tenant_tx(bench.app, scope) as connection:
            await record(connection, scope, [NewEvent("interaction.stored", "slow", NOON)], now=bench.time())
            entered.set()
            await _until_someone_waits_for(connection)
            seen.append(0)

    async def quick() -> None:
        await entered.wait()
        await bench.record(scope, "quick")
        seen.append(1)

    await asyncio.gather(slow(), quick())
    assert seen == [0, 1]
    assert subjects(await bench.lease()) == ["slow", "quick"]


async def _until_someone_waits_for(connection: Connection) -> None:
    async with asyncio.timeout(10):
        waiting = 0
        while not waiting:
            waiting = await connection.fetchval(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            )


async def test_the_relay_sees_the_ledger_alone(endpoints: Endpoints, bench: Bench) -> None:
    await bench.record(new_scope(), "x")
    connection = await asyncpg.connect(endpoints.postgres_relay_dsn.get_secret_value())
    try:
        assert await connection.fetchval("SELECT count(*) FROM ledger.events") > 0
        for statement in (
            "DELETE FROM ledger.events",
            "UPDATE ledger.events SET subject_id = ''",
            "DELETE FROM ledger.work",
            "UPDATE ledger.user_settings SET plan = 'none'",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    finally:
        await connection.close()


async def test_a_ledger_that_is_down_says_so_at_once() -> None:
    settings = PostgresSettings(dsn="postgresql://ragpp_relay:x@127.0.0.1:1/ragpp")
    pool = create_pool(settings, vectors=False)
    ledger = WorkLedger(pool, Time())
    async with asyncio.timeout(1):
        with pytest.raises(TierUnavailable):
            await ledger.lease("observe", limit=1, owner=uuid4().hex, lease_s=1)
    await pool.close()
