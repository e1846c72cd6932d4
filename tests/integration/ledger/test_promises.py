"""The ledger's promises: an event for each change, and nothing that is to be done is lost or done by two."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest
from pydantic import JsonValue

from ragpp.errors import LedgerError, NotFound, TierUnavailable
from ragpp.jobs import UserSettings
from ragpp.ledger import NewEvent, Work, WorkKey, WorkLedger, record
from ragpp.ledger.erasing import SQL as ERASING
from ragpp.ledger.erasing import Erasure, erasure_of
from ragpp.ledger.events import SQL
from ragpp.models import Scope
from ragpp.settings import PostgresSettings
from ragpp.stores.postgres import create_pool, ensure_open, tenant_tx
from tests.support.each import each
from tests.support.episodic import NOON
from tests.support.ledger import Bench, Time, keys, until_someone_waits_for
from tests.support.marks import MARKS
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


def subjects(works: Sequence[Work]) -> list[str]:
    return [work.subject_id for work in works]


async def test_every_statement_can_be_prepared_by_the_role_that_runs_it(bench: Bench) -> None:
    of_the_app = {"record", "pending", "jobs", "job", "retry_job", "cancel_job", "tenant_lag", "tenant_progress"}
    of_the_app |= {"set_user_settings", "pin", "epoch", "raise_epoch", "add_forgotten", "forgotten"}
    of_the_app |= {"catalog_events", "user_choices", "personal_policy", "set_personal_policy", "drop_personal_policy"}
    of_both = {"lock_user", "record_others", "requested", "request_state", "user_settings", "look_again"}
    of_both |= {"drop_results"}
    of_others = {"prune_audit"}
    for pool, names in ((bench.app, of_the_app | of_both), (bench.relay, set(SQL) - of_the_app - of_others)):
        await ensure_open(pool)
        async with pool.acquire() as connection:
            for name in names:
                assert await connection.prepare(SQL[name]), name


async def test_every_statement_of_erasures_can_be_prepared(bench: Bench) -> None:
    of_the_app, of_others = {"lately_kept", "drop_kept"}, {"known_elsewhere", "erase_elsewhere", "partitions_of"}
    for pool, names in ((bench.app, of_the_app), (bench.relay, set(ERASING) - of_the_app - of_others)):
        await ensure_open(pool)
        async with pool.acquire() as connection:
            for name in names:
                assert await connection.prepare(ERASING[name]), name


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
    assert subjects(await bench.lease("b", stage="forget")) == ["forgotten"]  # also while the others are under way


async def test_a_users_events_come_in_their_order_and_to_one_owner_at_a_time(bench: Bench) -> None:
    alice = new_scope()
    bob = alice.model_copy(update={"user_id": "bob"})
    await bench.record(alice, *"abcdef")
    await bench.record(bob, *"ghijklmn")  # more than alice, so after her
    first = await bench.lease("one", limit=3)
    second = await bench.lease("two")
    assert (subjects(first), subjects(second)) == (list("abc"), list("ghijklmn"))
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


async def test_what_is_recorded_after_an_erasure_waits_for_it_but_another_forgetting(bench: Bench) -> None:
    scope = new_scope()
    await bench.record(scope, "before")
    job = await bench.jobs.erase(scope, Erasure("session", session_id="s1"))
    await bench.record(scope, "after")
    await bench.record(scope, "forgotten", kind="interaction.forgotten")
    (before,) = await bench.lease()
    assert before.subject_id == "before"
    await bench.ledger.finish([before.key], "a")
    assert await bench.lease() == []
    assert subjects(await bench.lease(stage="forget")) == ["forgotten"]
    (work,) = await bench.lease(stage="erase")
    assert await bench.ledger.fail(work.key, "a", "a store is down", retryable=True) == "pending"
    assert await bench.lease() == []  # also while it waits to be tried again
    await bench.pass_(10)
    (work,) = await bench.lease(stage="erase")
    await bench.erasures.tell(work, {"what": "session"})
    await bench.erasures.progress(work, 1)
    so_far = (await bench.jobs.job(scope.tenant_id, job.id)).result
    assert so_far == {"what": "session", "interactions_done": 1}
    await bench.pass_(61)
    (work,) = await bench.lease("b", stage="erase")
    assert (work.told, work.progress, work.owner) == ({"what": "session"}, 1, "b")
    assert job.id == f"{work.key.event_id}.erase"
    assert await bench.ledger.finish([work.key], "b", {work.key: {"done": 2}}) == [work.key]
    assert subjects(await bench.lease()) == ["after"]
    assert (await bench.jobs.job(scope.tenant_id, job.id)).result == {"done": 2}


async def test_the_record_of_a_users_erasure_is_kept_under_another_name(bench: Bench) -> None:
    scope, now = new_scope(), bench.time()
    await bench.jobs.set_settings(scope, UserSettings(plan="trial"))
    await bench.record(scope, "before")
    for stage in ("observe", "short_term"):
        (work,) = await bench.lease(stage=stage)
        await bench.ledger.finish([work.key], "a")
    job = await bench.jobs.erase(scope, Erasure("user"))
    await bench.record(scope, "after")
    assert (await bench.jobs.settings(scope)).plan == "default"
    (work,) = await bench.lease(stage="erase")
    assert erasure_of(work).held == {"settings": 1, "schedule": 3}
    await bench.erasures.erase_events(work)
    await bench.erasures.conclude(work, {"what": "user"})
    with pytest.raises(LedgerError):
        await bench.erasures.conclude(work, {"what": "nothing"})
    (after,) = await bench.lease()
    assert after.subject_id == "after"
    read = await bench.jobs.job(scope.tenant_id, job.id, user_id=scope.user_id)
    assert (read.state, read.user_id, read.result) == ("done", MARKS.of_user(scope), {"what": "user"})
    with pytest.raises(NotFound):
        await bench.jobs.job(scope.tenant_id, job.id, user_id="somebody else")
    with pytest.raises(NotFound):
        await bench.jobs.job(new_scope().tenant_id, job.id, user_id=scope.user_id)
    listed = await bench.jobs.jobs(scope.tenant_id, user_id=scope.user_id)
    assert {one.subject_id for one in listed.items} == {"after"}
    assert now == bench.time()


async def test_events_go_by_an_erasure_that_is_under_way_and_by_no_other_way(bench: Bench) -> None:
    scope, other = new_scope(), new_scope()
    bench.time.now = datetime.now(UTC)
    await bench.record(scope, "x", kind="preference.changed")
    await bench.record(other, "y", kind="preference.changed")
    await bench.jobs.erase(scope, Erasure("user"))
    await bench.record(scope, "z")
    delete = "DELETE FROM ledger.events WHERE user_id = ANY ($1::text[]) AND kind <> 'erase.requested'"
    users = [scope.user_id, other.user_id]
    assert await bench.relay.execute(delete, users) == "DELETE 0"
    assert await bench.lease(stage="erase")
    assert await bench.relay.execute(delete, users) == "DELETE 1"


async def test_cleaning_is_wanted_once_and_begun_every_while_at_most(bench: Bench) -> None:
    await bench.erasures.want_cleaning(["a", "b"])
    await bench.erasures.want_cleaning(["a"])
    begun = await bench.erasures.begin_cleaning(600)
    assert sorted(begun) == ["a", "b"]
    await bench.erasures.end_cleaning("a", begun["a"])
    await bench.erasures.want_cleaning(["a"])  # "b" did not succeed
    assert await bench.erasures.begin_cleaning(600) == {}
    again = await bench.erasures.begin_cleaning(0)
    assert sorted(again) == ["a", "b"]
    for name, begun_at in again.items():
        await bench.erasures.end_cleaning(name, begun_at)
    assert await bench.erasures.begin_cleaning(0) == {}


async def test_a_result_keeps_its_texts_but_for_nul(bench: Bench) -> None:
    scope = new_scope()
    job = await bench.jobs.request(scope, "reflect.requested", "a", {}, NOON)
    (work,) = await bench.lease(stage="reflect")
    result: dict[str, JsonValue] = {"a\x00": ["C:\\u0000", {"b": "x\x00y"}, None, 1.5], "\\": "\\\x00"}
    assert await bench.ledger.finish([work.key], "a", {work.key: result}) == [work.key]
    stored = (await bench.jobs.job(scope.tenant_id, job.id)).result
    assert stored == {"a": ["C:\\u0000", {"b": "xy"}, None, 1.5], "\\": "\\"}


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
        leased = [work for _ in range(2) for work in await bench.lease(stage=stage)]
        works = [work for work in leased if work.key.event_id == ids[0]]
        assert await bench.pending(scope) == 4
        await bench.ledger.finish(keys(works), "a")
    assert await bench.pending(scope) == 3


async def test_the_lag_tells_what_waits_and_since_when(bench: Bench) -> None:
    before = await bench.ledger.lag()
    await bench.record(new_scope(), "x", "y")
    lag = await bench.ledger.lag()
    assert lag.waiting == before.waiting + 4
    assert lag.oldest_by_stage["observe"] == bench.time()
    assert lag.counts[("observe", "pending")] >= 2


LOOKING = [
    ("lease", "'observe', '{t}', '{u}', 4, 100, 'me', 20, 3", "work_in_turn"),
    ("stages_due", "'{observe}'", "work_leased"),
    ("whose_turn", "'observe', 't', 16", "queues_"),
    ("after_turn", "'observe', '{t}', '{u}', '{now}', '{1}', '{f}', 1", "work_in_turn"),
    ("pending", "'t', 'u', NULL, NULL", "work_in_turn"),
    ("lag", "", "work_failed"),
    ("failures", "100", "work_failed"),
    ("to_look_again", "'t', 'u', 'extract'", "work_in_turn"),
]


async def test_what_is_done_or_failed_is_not_read_by_who_looks_for_something_else(bench: Bench) -> None:
    async def by_its_index(case: tuple[str, str, str]) -> None:
        statement, arguments, index = case
        await ensure_open(bench.relay)
        async with bench.relay.acquire() as connection, connection.transaction():
            # a small table is read whole, whatever its indexes are
            await connection.execute("SET LOCAL enable_seqscan = off")
            await connection.execute("SET LOCAL enable_bitmapscan = off")
            await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
            await connection.execute(f"PREPARE looked_at AS {SQL[statement]}")
            given = f"({arguments})" if arguments else ""
            plan = "\n".join(row[0] for row in await connection.fetch(f"EXPLAIN EXECUTE looked_at{given}"))
            await connection.execute("DEALLOCATE looked_at")
        assert index in plan
        assert "Seq Scan on work" not in plan

    await each(LOOKING, by_its_index)


async def test_event_ids_of_a_user_grow_in_the_order_of_commit(bench: Bench) -> None:
    scope = new_scope()
    entered = asyncio.Event()
    seen: list[int] = []

    async def slow() -> None:
        async with tenant_tx(bench.app, scope) as connection:
            await record(connection, scope, [NewEvent("interaction.stored", "slow", NOON)], now=bench.time())
            entered.set()
            await until_someone_waits_for(connection)
            seen.append(0)

    async def quick() -> None:
        await entered.wait()
        await bench.record(scope, "quick")
        seen.append(1)

    await asyncio.gather(slow(), quick())
    assert seen == [0, 1]
    assert subjects(await bench.lease()) == ["slow", "quick"]


async def test_the_relay_sees_the_ledger_alone_and_deletes_nothing_that_matters(bench: Bench) -> None:
    await prune_all(bench)
    await bench.record(new_scope(), "x")
    async with bench.relay.acquire() as connection:
        for statement in (
            "UPDATE ledger.events SET subject_id = ''",
            "DELETE FROM ledger.work",
            "UPDATE ledger.user_settings SET plan = 'none'",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
        events = await connection.fetchval("SELECT count(*) FROM ledger.events")
        assert events > 0
        assert await connection.execute("DELETE FROM ledger.events") == "DELETE 0"
        assert await connection.fetchval("SELECT count(*) FROM ledger.events") == events


async def test_a_ledger_that_is_down_says_so_at_once() -> None:
    settings = PostgresSettings(dsn="postgresql://ragpp_relay:x@127.0.0.1:1/ragpp", query_timeout_s=600)
    pool = create_pool(settings, vectors=False)
    ledger = WorkLedger(pool, Time())
    async with asyncio.timeout(60):
        with pytest.raises(TierUnavailable):
            await ledger.lease("observe", limit=1, owner=uuid4().hex, lease_s=1)
    await pool.close()


async def test_what_is_finished_and_old_is_pruned_and_nothing_else(bench: Bench) -> None:
    now = await prune_all(bench)

    async def recorded(scope: Scope, *days_ago: int) -> list[int]:
        ids = []
        for days in days_ago:
            bench.time.now = now - timedelta(days=days)
            ids += await bench.record(scope, f"{days} days ago", kind="maintain.requested")
        return ids

    done, waits, fails = new_scope(), new_scope(), new_scope()
    old, older, young = await recorded(done, 31, 40, 29)
    await finish_all(bench, "maintain")
    (waiting,) = await recorded(waits, 50)
    (failed,) = await recorded(fails, 50)
    bench.time.now = now
    works = [work for _ in range(2) for work in await bench.lease(stage="maintain")]
    (bad,) = [work for work in works if work.key.event_id == failed]
    await bench.ledger.fail(bad.key, "a", "no", retryable=False)

    before = now - timedelta(days=30)
    assert await bench.schedule.prune(before, 1) == 1
    assert await bench.schedule.prune(before, 100) == 1
    assert await bench.schedule.prune(before, 100) == 0
    async with bench.relay.acquire() as connection:
        left = await connection.fetch(
            "SELECT event_id FROM ledger.events WHERE event_id = ANY ($1)", [old, older, young, waiting, failed]
        )
        works_left = await connection.fetchval(
            "SELECT count(*) FROM ledger.work WHERE event_id = ANY ($1)", [old, older]
        )
    assert {row["event_id"] for row in left} == {young, waiting, failed}
    assert works_left == 0


async def prune_all(bench: Bench) -> datetime:
    """Let go what other tests left; the moment at which that was done."""
    now = datetime.now(UTC)
    while await bench.schedule.prune(now, 10_000):
        continue
    return now


async def finish_all(bench: Bench, stage: str) -> None:
    while works := await bench.lease(stage=stage):
        await bench.ledger.finish(keys(works), "a")


async def test_what_was_done_last_week_is_not_pruned_whoever_asks(bench: Bench) -> None:
    now = await prune_all(bench)
    bench.time.now = now - timedelta(days=9)
    await bench.record(new_scope(), "x", kind="maintain.requested")
    await finish_all(bench, "maintain")
    assert await bench.schedule.prune(now, 100) == 0
