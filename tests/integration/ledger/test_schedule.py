"""The schedule: what has settled, which nights have come, whose memory is to be looked after; each asked for once."""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from ragpp.catalog import EVERYBODY
from ragpp.jobs import UserSettings
from ragpp.ledger import NewEvent, Work, record
from ragpp.models import Scope
from ragpp.stores.postgres import tenant_tx
from ragpp_services.workers.parts import LearningPolicy, SchedulePolicy
from ragpp_services.workers.running.schedule import Scheduler
from tests.support.ledger import Bench
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server

START = datetime(1931, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """One whose time begins at START."""
    bench.time.now = START
    return bench


class NoGraph:
    """A graph in which nothing was forgotten."""

    async def prune_forgotten(self, before: datetime, limit: int) -> int:
        del before, limit
        return 0


def schedule(bench: Bench) -> Scheduler:
    return Scheduler(bench.schedule, SchedulePolicy(), LearningPolicy(), bench.time, NoGraph())


async def said(bench: Bench, scope: Scope, *moments: datetime) -> None:
    async with tenant_tx(bench.app, scope) as connection:
        events = [NewEvent("interaction.stored", f"{moment.isoformat()}", moment) for moment in moments]
        await record(connection, scope, events, now=bench.time())
    await digested(bench)


async def digested(bench: Bench) -> None:
    while works := await bench.lease(limit=1_000):
        await bench.ledger.finish([work.key for work in works], "a")


async def asked(bench: Bench, scope: Scope, stage: str) -> list[Work]:
    """The works that were asked for about this user, now being done."""
    return [work for work in await all_asked(bench, stage) if work.scope == scope]


async def all_asked(bench: Bench, stage: str) -> list[Work]:
    found: list[Work] = []
    while works := await bench.lease(stage=stage, limit=10_000):
        found += works
    return found


async def test_a_user_who_fell_quiet_is_extracted_for_once(bench: Bench) -> None:
    scope = new_scope()
    first, last = START - timedelta(days=2), START - timedelta(days=1)
    await said(bench, scope, last, first)
    bench.time.pass_(29)
    await schedule(bench).extract()
    assert await asked(bench, scope, "extract") == []
    bench.time.pass_(1)
    await schedule(bench).extract()
    await schedule(bench).extract()
    (work,) = await asked(bench, scope, "extract")
    start, end = (datetime.fromisoformat(str(work.payload[side])) for side in ("start", "end"))
    assert start == first
    assert last < end < last + timedelta(seconds=1)
    assert work.occurred_at == last


async def test_the_last_moment_there_is_holds_up_nobody(bench: Bench) -> None:
    last, other = new_scope(), new_scope()
    await said(bench, last, datetime.max.replace(tzinfo=UTC))
    await said(bench, other, START)
    bench.time.pass_(30)
    assert await schedule(bench).extract() >= 2
    works = await all_asked(bench, "extract")
    assert [sum(work.scope == scope for work in works) for scope in (last, other)] == [1, 1]


async def test_one_user_whose_turn_goes_wrong_holds_up_nobody(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, other = new_scope(), new_scope()
    await said(bench, broken, START)
    await said(bench, other, START)
    bench.time.pass_(86_400)
    for verb in ("request_extract", "request_reflections", "request_maintenance"):
        whole = getattr(bench.schedule, verb)

        async def fails(scope: Scope, *given: object, whole: Callable[..., Awaitable[object]] = whole) -> object:
            if scope == broken:
                raise OverflowError("nothing good comes of this one")
            return await whole(scope, *given)

        monkeypatch.setattr(bench.schedule, verb, fails)
    scheduler = schedule(bench)
    for ask, stage in (
        (scheduler.extract, "extract"),
        (scheduler.reflect, "reflect"),
        (scheduler.maintain, "maintain"),
    ):
        assert await ask() >= 1
        works = await all_asked(bench, stage)
        assert [sum(work.scope == scope for work in works) for scope in (broken, other)] == [0, 1]
        await bench.ledger.finish([work.key for work in works], "a")


async def test_a_user_who_never_falls_quiet_is_extracted_for_by_number_and_by_the_hour(bench: Bench) -> None:
    many, slow = new_scope(), new_scope()
    await said(bench, many, *(START - timedelta(seconds=second) for second in range(20)))
    await schedule(bench).extract()
    works = await asked(bench, many, "extract")
    assert len(works) == 1
    await bench.ledger.finish([work.key for work in works], "a")
    for _ in range(6):
        await said(bench, slow, bench.time())
        await schedule(bench).extract()
        assert await asked(bench, slow, "extract") == []
        bench.time.pass_(601)
        await said(bench, slow, bench.time())
    await schedule(bench).extract()
    assert len(await asked(bench, slow, "extract")) == 1


async def test_what_is_said_while_an_extraction_waits_is_one_more_extraction_afterwards(bench: Bench) -> None:
    scope = new_scope()
    await said(bench, scope, START)
    bench.time.pass_(30)
    await schedule(bench).extract()
    for _ in range(3):
        await said(bench, scope, bench.time())
        bench.time.pass_(30)
        await schedule(bench).extract()
    (work,) = await asked(bench, scope, "extract")
    await bench.ledger.finish([work.key], "a")
    await schedule(bench).extract()
    (work,) = await asked(bench, scope, "extract")
    assert datetime.fromisoformat(str(work.payload["start"])) == START + timedelta(seconds=30)


async def test_a_night_is_asked_for_when_it_comes_on_the_users_clocks(bench: Bench) -> None:
    scope = new_scope()
    await bench.jobs.set_settings(scope, UserSettings(time_zone="Asia/Tokyo", reflect_at=4))
    await said(bench, scope, START)  # nine in the evening in Tokyo
    bench.time.now = datetime(1931, 3, 10, 18, 59, tzinfo=UTC)
    await schedule(bench).reflect()
    assert await asked(bench, scope, "reflect") == []
    bench.time.now = datetime(1931, 3, 10, 19, 0, tzinfo=UTC)
    await schedule(bench).reflect()
    (work,) = await asked(bench, scope, "reflect")
    assert work.subject_id == "daily:1931-03-10"
    assert work.payload == {"kind": "daily", "date": "1931-03-10", "time_zone": "Asia/Tokyo"}
    assert work.occurred_at == datetime(1931, 3, 10, 15, tzinfo=UTC)
    await bench.ledger.finish([work.key], "a")
    await schedule(bench).reflect()
    assert await asked(bench, scope, "reflect") == []


async def test_what_comes_late_for_a_night_is_asked_for_anew_by_one_of_two_workers(bench: Bench) -> None:
    scope = new_scope()
    night = datetime(1931, 3, 11, 3, tzinfo=UTC)
    await said(bench, scope, START)
    bench.time.now = night
    await schedule(bench).reflect()
    await said(bench, scope, START + timedelta(hours=1))
    await schedule(bench).reflect()
    (work,) = await asked(bench, scope, "reflect")  # it waited for its turn, and will see what came
    assert work.subject_id == "daily:1931-03-10"
    await bench.ledger.finish([work.key], "a")
    for subject in ("daily:1931-03-10:2", "daily:1931-03-10:3"):
        await said(bench, scope, START)
        quarters = await bench.schedule.quarters(scope)
        await schedule(bench).reflect()
        (work,) = await asked(bench, scope, "reflect")
        assert (work.subject_id, work.payload["date"]) == (subject, "1931-03-10")
        failed = await bench.ledger.fail(work.key, "a", "gone wrong", retryable=False)
        assert failed == "failed"
        # another worker, which read what was due before
        days = {date(1931, 3, 10): night}
        assert await bench.schedule.request_reflections(scope, days, "UTC", quarters) == 0
        assert await asked(bench, scope, "reflect") == []


async def test_missed_nights_are_made_up_for_in_their_order(bench: Bench) -> None:
    scope = new_scope()
    for _ in range(12):
        await said(bench, scope, bench.time())
        bench.time.pass_(86_400)
    await schedule(bench).reflect()
    days = [work.subject_id for work in await asked(bench, scope, "reflect")]
    today = date(1931, 3, 22)
    assert days == [f"daily:{today - timedelta(days=back)}" for back in range(7, 0, -1)]


async def test_history_that_is_brought_in_is_not_reflected_upon_unasked(bench: Bench) -> None:
    scope = new_scope()
    await said(bench, scope, *(START - timedelta(days=days) for days in (400, 30, 12)))
    await schedule(bench).reflect()
    assert await asked(bench, scope, "reflect") == []


async def test_upkeep_is_asked_for_once_a_day(bench: Bench) -> None:
    scope = new_scope()
    await said(bench, scope, START)
    await schedule(bench).maintain()
    await schedule(bench).maintain()
    works = await asked(bench, scope, "maintain")
    assert [work.payload for work in works] == [{"task": "decay"}]
    await bench.ledger.finish([work.key for work in works], "a")
    bench.time.pass_(86_400)
    await schedule(bench).maintain()
    works = await asked(bench, scope, "maintain")
    assert [work.subject_id for work in works] == ["decay:1931-03-11"]


async def test_what_is_kept_in_the_catalog_is_looked_after_each_day(bench: Bench) -> None:
    scope, everybody = new_scope(), new_scope().model_copy(update={"user_id": EVERYBODY})
    await bench.record(scope, "res_1", "res_2", kind="memory.resource_stored")
    await bench.record(everybody, "res_3", kind="memory.resource_stored")
    await schedule(bench).maintain()
    works = [*await bench.lease(stage="maintain"), *await bench.lease(stage="maintain")]
    assert {(work.scope.user_id, str(work.payload["task"])) for work in works} == {
        (scope.user_id, "decay"),
        (scope.user_id, "catalog"),
        (EVERYBODY, "catalog"),
    }


async def test_a_user_of_whose_catalog_only_the_workers_made_something_is_not_noted(bench: Bench) -> None:
    """A worker that was slower than the user's erasure leaves no trace of the user."""
    scope = new_scope()
    await bench.record(scope, "res_1", kind="memory.items_extracted")
    await schedule(bench).maintain()
    assert await asked(bench, scope, "maintain") == []
