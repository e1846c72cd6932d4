"""Jobs: asked for once, seen by their tenant alone, and cancelled while they wait."""

import asyncio
from datetime import UTC, date, datetime, timedelta

import pytest
from pydantic import JsonValue

from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.jobs import Job, UserSettings
from ragpp.ledger import RequestKind
from ragpp.ledger.erasing import Erasure
from ragpp.ledger.work import MAX_ATTEMPTS, SUSPECT_AFTER
from ragpp.models import Scope
from ragpp.stores.migrations import load_migrations
from ragpp_infra.embedded.stack import Endpoints
from tests.support.asking import undone
from tests.support.each import each
from tests.support.episodic import NOON
from tests.support.ledger import Bench, keys
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


async def asked(bench: Bench, scope: Scope, subject: str = "a", kind: RequestKind = "reflect.requested") -> Job:
    return await bench.jobs.request(scope, kind, subject, {"kind": "daily"}, NOON)


async def test_what_is_asked_for_twice_is_one_job(bench: Bench) -> None:
    scope = new_scope()
    first = await asked(bench, scope)
    again = await bench.jobs.request(scope, "reflect.requested", "a", {"kind": "other"}, NOON)
    by_the_workers = await bench.ledger.request(scope, "reflect.requested", "a", {}, NOON)
    other = await asked(bench, scope, "b")
    assert again == first
    assert f"{by_the_workers}.reflect" == first.id
    assert other.id != first.id
    assert (await bench.jobs.jobs(scope.tenant_id)).items == (other, first)
    (work, _) = await bench.lease(stage="reflect")
    assert work.payload == {"kind": "daily"}


async def asked_anew(bench: Bench, scope: Scope, resource: str = "r", **payload: JsonValue) -> Job:
    return await bench.jobs.request_anew(scope, "catalog.requested", f"extract:{resource}", payload, NOON)


async def test_what_may_be_asked_for_again_is_one_job_while_it_waits_and_another_once_it_is_begun(bench: Bench) -> None:
    scope = new_scope()
    first = await asked_anew(bench, scope)
    assert await asked_anew(bench, scope) == first
    assert (first.subject_id, first.stage) == ("extract:r", "catalog")
    assert (await asked_anew(bench, scope, "r2")).id != first.id
    assert (await asked_anew(bench, scope, category_hint="prices")).id != first.id
    assert (await asked_anew(bench, scope.seen_by("sales"))).id != first.id
    assert (await asked_anew(bench, new_scope())).id != first.id
    begun = await bench.lease(stage="catalog")
    again = await asked_anew(bench, scope)
    assert again.id not in {f"{work.key.event_id}.catalog" for work in begun}
    assert await asked_anew(bench, scope) == again


async def test_two_who_ask_for_the_same_at_once_get_one_job(bench: Bench) -> None:
    scope = new_scope()
    jobs = await asyncio.gather(*(asked_anew(bench, scope) for _ in range(8)))
    assert len({job.id for job in jobs}) == 1


async def test_a_job_tells_how_it_is(bench: Bench) -> None:
    scope = new_scope()
    job = await asked(bench, scope)
    assert (job.state, job.kind, job.subject_id, job.user_id) == ("pending", "reflect.requested", "a", scope.user_id)
    works = await bench.lease(stage="reflect")
    assert (await bench.jobs.job(scope.tenant_id, job.id)).state == "leased"
    themes: list[JsonValue] = ["a\x00b", None, 0.5]
    await bench.ledger.finish(keys(works), "a", {works[0].key: {"themes": themes}})
    done = await bench.jobs.job(scope.tenant_id, job.id)
    assert (done.state, done.attempts, done.result) == ("done", 1, {"themes": ["ab", None, 0.5]})


async def test_nobody_elses_job_is_there(bench: Bench) -> None:
    scope, stranger = new_scope(), new_scope()
    job = await asked(bench, scope)
    for tenant_id, user_id in ((stranger.tenant_id, None), (scope.tenant_id, "another")):
        for ask in (bench.jobs.job, bench.jobs.retry, bench.jobs.cancel):
            with pytest.raises(NotFound):
                await ask(tenant_id, job.id, user_id=user_id)
    assert (await bench.jobs.jobs(stranger.tenant_id)).items == ()
    assert (await bench.jobs.job(scope.tenant_id, job.id)).state == "pending"


NO_JOBS = ["", "1", "x.reflect", "1.", "1.reflect ", "9" * 30 + ".reflect", "-1.reflect", "1.é"]


async def test_what_is_no_jobs_id_is_not_found(bench: Bench) -> None:
    async def not_found(job_id: str) -> None:
        with pytest.raises(NotFound):
            await bench.jobs.job(new_scope().tenant_id, job_id)

    await each(NO_JOBS, not_found)


async def test_jobs_are_listed_by_user_stage_and_state_page_by_page(bench: Bench) -> None:
    scope = new_scope()
    other = scope.model_copy(update={"user_id": "other"})
    await bench.record(scope, "m1", "m2")
    await bench.record(other, "m3")
    job = await asked(bench, scope)
    await bench.jobs.cancel(scope.tenant_id, job.id)
    every: list[Job] = []
    cursor: str | None = None
    while True:
        page = await bench.jobs.jobs(scope.tenant_id, cursor=cursor, limit=2)
        every += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert [one.subject_id for one in every] == ["a", "m3", "m3", "m2", "m2", "m1", "m1"]
    assert len({one.id for one in every}) == 7
    assert len((await bench.jobs.jobs(scope.tenant_id, user_id="other")).items) == 2
    assert len((await bench.jobs.jobs(scope.tenant_id, stage="observe")).items) == 3
    assert [one.id for one in (await bench.jobs.jobs(scope.tenant_id, state="cancelled")).items] == [job.id]
    assert (await bench.jobs.jobs(scope.tenant_id, stage="reflect", state="pending")).items == ()
    with pytest.raises(InvalidInput):
        await bench.jobs.jobs(scope.tenant_id, cursor="bm8")


async def test_what_waits_can_be_cancelled_and_asked_for_again(bench: Bench) -> None:
    scope = new_scope()
    job = await asked(bench, scope)
    assert (await bench.jobs.cancel(scope.tenant_id, job.id)).state == "cancelled"
    assert await bench.lease(stage="reflect") == []
    with pytest.raises(Conflict, match="it was cancelled"):
        await bench.jobs.cancel(scope.tenant_id, job.id)
    assert (await bench.jobs.retry(scope.tenant_id, job.id)).state == "pending"
    assert len(await bench.lease(stage="reflect")) == 1


async def test_what_is_being_done_or_is_done_is_left_alone(bench: Bench) -> None:
    scope = new_scope()
    job = await asked(bench, scope)
    works = await bench.lease(stage="reflect")
    for change in (bench.jobs.cancel, bench.jobs.retry):
        with pytest.raises(Conflict, match="a worker is doing it"):
            await change(scope.tenant_id, job.id)
    await bench.ledger.finish(keys(works), "a")
    for change in (bench.jobs.cancel, bench.jobs.retry):
        with pytest.raises(Conflict, match="it is done") as refused:
            await change(scope.tenant_id, job.id)
        assert refused.value.suggestions


async def test_a_failed_job_shows_its_error_and_can_be_retried(bench: Bench) -> None:
    scope = new_scope()
    job = await asked(bench, scope)
    (work,) = await bench.lease(stage="reflect")
    await bench.ledger.fail(work.key, "a", "no such zone", retryable=False)
    failed = await bench.jobs.job(scope.tenant_id, job.id)
    assert (failed.state, failed.error) == ("failed", "no such zone")
    assert [one.id for one in (await bench.jobs.jobs(scope.tenant_id, state="failed")).items] == [job.id]
    assert (await bench.jobs.retry(scope.tenant_id, job.id)).attempts == 0


async def test_forgetting_cannot_be_cancelled(bench: Bench) -> None:
    scope = new_scope()
    (event_id,) = await bench.record(scope, "m1", kind="interaction.forgotten")
    with pytest.raises(Conflict, match="cannot be cancelled"):
        await bench.jobs.cancel(scope.tenant_id, f"{event_id}.forget")
    assert len(await bench.lease(stage="forget")) == 1
    erasure = await bench.jobs.erase(scope, Erasure("user"))
    with pytest.raises(Conflict, match="cannot be cancelled"):
        await bench.jobs.cancel(scope.tenant_id, erasure.id)


async def test_a_reader_waits_for_digestion_alone(bench: Bench) -> None:
    scope = new_scope()
    await asked(bench, scope)
    assert await bench.pending(scope) == 0
    (event_id,) = await bench.record(scope, "m1")
    assert await bench.pending(scope) == 1
    for stage in ("observe", "short_term"):
        await bench.jobs.cancel(scope.tenant_id, f"{event_id}.{stage}")
    assert await bench.pending(scope) == 0


async def test_a_reflection_waits_for_what_was_said_before_it(bench: Bench) -> None:
    scope = new_scope()
    await bench.record(scope, "m1")
    await asked(bench, scope, kind="extract.requested")
    await asked(bench, scope)
    await bench.record(scope, "m2")
    assert await bench.lease(stage="extract") == []
    works = await bench.lease(limit=1)
    assert await bench.lease(stage="extract") == []
    await bench.ledger.finish(keys(works), "a")
    assert await bench.lease(stage="reflect") == []
    extracting = await bench.lease(stage="extract")
    assert len(extracting) == 1
    await bench.ledger.finish(keys(extracting), "a")
    assert len(await bench.lease(stage="reflect")) == 1


async def test_an_extraction_waits_for_what_an_outage_or_a_busy_worker_put_off(bench: Bench) -> None:
    scope = new_scope()
    await bench.record(scope, "m1")
    await asked(bench, scope, kind="extract.requested")
    (work,) = await bench.lease()
    await bench.ledger.postpone([work.key], "a", "the graph is down")
    assert await bench.lease(stage="extract") == []
    await bench.pass_(61)
    (work,) = await bench.lease()
    await bench.pass_(61)  # its worker is gone
    assert await bench.lease(stage="extract") == []
    (work,) = await bench.lease()
    await bench.ledger.finish([work.key], "a")
    assert len(await bench.lease(stage="extract")) == 1


async def test_a_reflection_does_not_wait_for_what_is_poisoned(bench: Bench) -> None:
    scope = new_scope()
    await bench.record(scope, "m1")
    await asked(bench, scope)
    (work,) = await bench.lease()
    await bench.ledger.fail(work.key, "a", "poison", retryable=True)
    assert len(await bench.lease(stage="reflect")) == 1


async def test_what_takes_its_worker_with_it_fails_alone(bench: Bench) -> None:
    scope, other = new_scope(), new_scope()
    await bench.record(scope, "m1", "killer", "m3")
    await bench.record(other, "m4")
    done: set[str] = set()
    for crash in range(100):
        works = await bench.lease(f"worker {crash}")
        if not works:
            break
        await bench.ledger.renew(keys(works), f"worker {crash}", 60)
        if all(work.subject_id != "killer" for work in works):
            await bench.ledger.finish(keys(works), f"worker {crash}")
            done |= {work.subject_id for work in works}
        await bench.pass_(61)  # a killed worker's lease runs out
    assert done == {"m1", "m3", "m4"}
    failed = [one for one in await bench.ledger.failures(10_000) if one.scope == scope]
    assert [(one.subject_id, one.attempts) for one in failed] == [("killer", MAX_ATTEMPTS)]
    assert SUSPECT_AFTER < MAX_ATTEMPTS


async def test_lag_tells_what_waits_for_how_long_and_what_succeeded(bench: Bench) -> None:
    scope = new_scope()
    nothing = await bench.jobs.lag(scope.tenant_id)
    assert (nothing.pending, nothing.failed, nothing.oldest_pending_s, nothing.stages) == (0, 0, None, ())
    await bench.record(scope, "m1", "m2")
    await bench.pass_(90)
    (work,) = await bench.lease(limit=1)
    await bench.ledger.finish([work.key], "a")
    (work,) = await bench.lease(limit=1)
    await bench.ledger.fail(work.key, "a", "bad", retryable=False)
    for report in (
        await bench.jobs.lag(scope.tenant_id),
        await bench.jobs.lag(scope.tenant_id, scope.user_id),
    ):
        assert (report.pending, report.failed, report.oldest_pending_s) == (2, 1, 90.0)
        observe, short_term = report.stages
        assert (observe.stage, observe.waiting, observe.failed) == ("observe", 0, 1)
        assert observe.last_success_at is not None
        assert abs(datetime.now(UTC) - observe.last_success_at) < timedelta(hours=1)
        assert (short_term.waiting, short_term.last_success_at) == (2, None)
        assert short_term.oldest_at == bench.time() - timedelta(seconds=90)
    assert (await bench.jobs.lag(scope.tenant_id, "another")).stages == ()
    assert (await bench.jobs.lag(new_scope().tenant_id)).stages == ()


async def test_what_older_versions_stored_of_messages_is_taken_out(endpoints: Endpoints) -> None:
    """The migration, on a copy of the schema that is rolled back."""
    migrations = [one.sql.replace("ledger", "older") for one in load_migrations("ledger", "ragpp.ledger")]
    (emptied,) = [number for number, sql in enumerate(migrations) if "DROP INDEX older.work_with_result" in sql]
    async with undone(endpoints.postgres_owner_dsn) as connection:
        for sql in migrations[:emptied]:
            await connection.execute(sql)
        await connection.execute("ALTER TABLE older.work NO FORCE ROW LEVEL SECURITY")
        await connection.execute("ALTER TABLE older.events NO FORCE ROW LEVEL SECURITY")
        for stage, error, result in OLDER:
            await connection.execute(OLDER_WORK, stage, error, result)
        await connection.execute("ALTER TABLE older.work FORCE ROW LEVEL SECURITY")
        await connection.execute(migrations[emptied])
        assert await connection.fetch("SELECT * FROM older.work") == []
        await connection.execute("ALTER TABLE older.work NO FORCE ROW LEVEL SECURITY")
        rows = await connection.fetch("SELECT stage, last_error, result FROM older.work ORDER BY event_id")
        assert [tuple(row) for row in rows] == [
            ("extract", None, None),
            ("reflect", "KeyError", None),
            ("maintain", None, '{"task": "decay"}'),
            ("observe", "of an older version", None),
        ]


async def test_windows_that_were_looked_at_before_they_were_remembered_are(endpoints: Endpoints) -> None:
    """The migration, on a copy of the schema that is rolled back."""
    migrations = [one.sql.replace("ledger", "older") for one in load_migrations("ledger", "ragpp.ledger")]
    (seeded,) = [number for number, sql in enumerate(migrations) if "CREATE TABLE older.windows" in sql]
    async with undone(endpoints.postgres_owner_dsn) as connection:
        for sql in migrations[:seeded]:
            await connection.execute(sql)
        for table in ("work", "events", "user_settings"):
            await connection.execute(f"ALTER TABLE older.{table} NO FORCE ROW LEVEL SECURITY")
        await connection.execute("INSERT INTO older.user_settings VALUES ('t', 'u', 'Asia/Tokyo', 3, 'default', now())")
        for stage, state, payload in OLDER_WINDOWS:
            await connection.execute(OLDER_REQUEST, stage, state, payload)
        await connection.execute(migrations[seeded])
        await connection.execute("ALTER TABLE older.windows NO FORCE ROW LEVEL SECURITY")
        rows = await connection.fetch("SELECT stage, start_at, end_at, day FROM older.windows ORDER BY event_id")
        assert [(row["stage"], row["start_at"].isoformat(), row["end_at"].isoformat(), row["day"]) for row in rows] == [
            ("extract", "2026-03-07T20:00:00+00:00", "2026-03-07T21:00:00+00:00", None),
            ("reflect", "2026-03-07T20:00:00+00:00", "2026-03-07T21:00:00+00:00", date(2026, 3, 8)),
            ("reflect", "2026-03-07T15:00:00+00:00", "2026-03-08T15:00:00+00:00", date(2026, 3, 8)),
        ]


async def test_settings_are_kept_for_the_user_alone(bench: Bench) -> None:
    scope = new_scope()
    default = await bench.jobs.settings(scope)
    assert (default.time_zone, default.reflect_at, default.plan) == ("UTC", 3, "default")
    wanted = UserSettings(time_zone="Asia/Kathmandu", reflect_at=0, plan="gold")
    assert await bench.jobs.set_settings(scope, default) == default
    assert await bench.jobs.set_settings(scope, wanted) == wanted
    assert await bench.jobs.settings(scope) == wanted
    assert await bench.ledger.user_settings(scope) == wanted
    assert await bench.jobs.settings(scope.model_copy(update={"user_id": "other"})) == default
    assert await bench.jobs.settings(new_scope()) == default


KINDS: tuple[RequestKind, ...] = ("extract.requested", "reflect.requested", "maintain.requested")
OLDER = (
    ("extract", None, '{"patterns": [{"text": "a secret"}]}'),
    ("reflect", "KeyError: 'a secret'", '{"themes": ["a secret"]}'),
    ("maintain", None, '{"task": "decay"}'),
    ("observe", "a secret: and more", None),
)
OLDER_REQUEST = """
WITH asked AS (INSERT INTO older.events (tenant_id, user_id, kind, subject_id, payload, occurred_at)
               VALUES ('t', 'u', $1::text || '.requested', gen_random_uuid()::text, $3::text::json, now())
               RETURNING event_id)
INSERT INTO older.work (event_id, stage, tenant_id, user_id, due_at, state)
SELECT event_id, $1::text, 't', 'u', now(), $2::text FROM asked
"""
OLDER_WINDOWS = (
    ("extract", "done", '{"start": "2026-03-07T20:00:00Z", "end": "2026-03-07T21:00:00Z"}'),
    ("extract", "pending", '{"start": "2026-03-07T20:00:00Z", "end": "2026-03-07T21:00:00Z"}'),
    ("extract", "done", "{}"),
    ("reflect", "done", '{"kind": "incremental", "start": "2026-03-07T20:00:00Z", "end": "2026-03-07T21:00:00Z"}'),
    ("reflect", "done", '{"kind": "daily", "date": "2026-03-08"}'),
    ("reflect", "done", '{"kind": "daily", "date": "soon"}'),
)
OLDER_WORK = """
WITH event AS (INSERT INTO older.events (tenant_id, user_id, kind, subject_id, payload, occurred_at)
               VALUES ('t', 'u', 'k', 's', '{}', now()) RETURNING event_id)
INSERT INTO older.work (event_id, stage, tenant_id, user_id, due_at, last_error, result)
SELECT event_id, $1, 't', 'u', now(), $2, $3 FROM event
"""
