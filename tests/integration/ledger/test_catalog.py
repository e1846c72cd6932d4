"""The ledger's part in the catalog: its events, its work, and results that name what is gone."""

import pytest
from pydantic import JsonValue

from ragpp.catalog import EVERYBODY, RetrievalResult
from ragpp.errors import Conflict, InvalidInput
from ragpp.ledger import DELETING, EventKind, NewEvent, record
from ragpp.ledger.catalog_events import SEEN_BY, CatalogEvents
from ragpp.ledger.extracting import extract_anew
from ragpp.models import SHARED, Scope
from ragpp.stores.postgres import tenant_tx
from tests.support.episodic import NOON
from tests.support.ledger import Bench, keys
from tests.support.marks import MARKS
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


@pytest.fixture
def events(bench: Bench) -> CatalogEvents:
    return CatalogEvents(bench.app, bench.time, MARKS)


async def stored(bench: Bench, scope: Scope, *resources: str, seen_by: str | None = None) -> None:
    payload = {"resource_type": "document"} | ({SEEN_BY: seen_by} if seen_by else {})
    session = scope.session_id
    news = [NewEvent("memory.resource_stored", one, NOON, payload, session, "job-1") for one in resources]
    async with tenant_tx(bench.app, scope) as connection:
        await record(connection, scope, news, now=bench.time())


async def extracted(bench: Bench, scope: Scope, subject: str = "extract:res_1") -> str:
    """The id of a job of the catalog that is done, with a result."""
    job = await bench.jobs.request(scope, "catalog.requested", subject, {"task": "extract"}, NOON)
    works = await bench.lease(stage="catalog")
    await bench.ledger.finish(keys(works), "a", {work.key: {"item_ids": ["item_1"]} for work in works})
    return job.id


async def test_events_are_read_newest_first_page_by_page(bench: Bench, events: CatalogEvents) -> None:
    scope = new_scope().in_session("s1")
    await stored(bench, scope, "res_1", "res_2", "res_3")
    await bench.record(scope, "said")
    page = await events.page(scope, limit=2)
    rest = await events.page(scope, cursor=page.next_cursor, limit=2)
    both = [*page.items, *rest.items]
    ids = [int(one.event_id) for one in both]
    assert ids == sorted(ids, reverse=True)
    assert rest.next_cursor is None
    first = both[-1]
    assert (first.event_type, first.session_id, first.correlation_id) == ("memory.resource_stored", "s1", "job-1")
    assert (first.payload, first.timestamp) == ({"resource_type": "document"}, NOON)
    with pytest.raises(InvalidInput):
        await events.page(scope, cursor="bm8")


async def test_events_are_those_of_a_kind_a_subject_or_a_session(bench: Bench, events: CatalogEvents) -> None:
    scope = new_scope().in_session("s1")
    await stored(bench, scope, "res_1", "res_2")
    await stored(bench, scope.in_session("s2"), "res_3")
    await bench.record(scope, "res_1", kind="memory.resource_deleted")
    assert len((await events.page(scope, subject_id="res_1")).items) == 2
    assert len((await events.page(scope, session_id="s2")).items) == 1
    assert len((await events.page(scope, event_type="memory.resource_deleted")).items) == 1


async def test_events_are_the_users_own_and_those_of_what_all_users_share(bench: Bench, events: CatalogEvents) -> None:
    scope = new_scope()
    other = scope.model_copy(update={"user_id": "other"})
    everybody = scope.model_copy(update={"user_id": EVERYBODY})
    await stored(bench, scope, "res_own")
    await stored(bench, other, "res_other")
    await stored(bench, everybody, "res_shared")
    assert len((await events.page(scope)).items) == 2
    assert len((await events.page(everybody)).items) == 1
    assert (await events.page(new_scope())).items == ()


async def test_an_agent_is_not_told_of_what_another_one_alone_may_see(bench: Bench, events: CatalogEvents) -> None:
    scope = new_scope()
    await stored(bench, scope, "res_shared")
    for agent in ("anna", "bert"):
        await stored(bench, scope, f"res_{agent}", seen_by=agent)
    assert len((await events.page(scope)).items) == 3
    assert len((await events.page(scope.seen_by("anna"))).items) == 2
    assert (await events.page(scope.seen_by("anna"), subject_id="res_bert")).items == ()
    assert len((await events.page(scope.seen_by(SHARED))).items) == 1
    shown = (await events.page(scope.seen_by("bert"), subject_id="res_bert")).items
    assert [one.payload for one in shown] == [{"resource_type": "document"}]


async def test_a_question_is_recorded_without_its_words(events: CatalogEvents) -> None:
    scope = new_scope()
    found = RetrievalResult(items=(), total_found=0, search_time_ms=1.5, confidence_scores=())
    await events.retrieved(scope.seen_by("anna"), "Where is the safe?", found)
    (event,) = (await events.page(scope)).items
    assert event.payload == {
        "query_hash": MARKS.of_query("Where is the safe?"),
        "mode": "rag",
        "result_count": 0,
        "search_time_ms": 1.5,
        "escalated": False,
    }
    assert (await events.page(scope.seen_by("bert"))).items == ()


@pytest.mark.parametrize("kind", sorted(DELETING))
async def test_results_that_may_name_what_is_gone_go_with_it(bench: Bench, kind: EventKind) -> None:
    scope, other = new_scope(), new_scope()
    of_user, of_other = await extracted(bench, scope), await extracted(bench, other)
    reflected = await bench.jobs.request(scope, "reflect.requested", "a", {"kind": "daily"}, NOON)
    works = await bench.lease(stage="reflect")
    await bench.ledger.finish(keys(works), "a", {work.key: {"reflection_id": "r"} for work in works})
    await bench.record(scope, "res_1", kind=kind)
    assert (await bench.jobs.job(scope.tenant_id, of_user)).result is None
    assert (await bench.jobs.job(scope.tenant_id, of_user)).state == "done"
    assert (await bench.jobs.job(other.tenant_id, of_other)).result == {"item_ids": ["item_1"]}
    assert (await bench.jobs.job(scope.tenant_id, reflected.id)).result == {"reflection_id": "r"}


async def test_the_application_cannot_change_results_otherwise(bench: Bench) -> None:
    scope, other = new_scope(), new_scope()
    job = await extracted(bench, scope)
    async with tenant_tx(bench.app, other) as connection:
        await connection.execute("SELECT ledger.drop_results($1, $2)", *scope.user_key)
    assert (await bench.jobs.job(scope.tenant_id, job)).result == {"item_ids": ["item_1"]}


async def test_the_workers_ask_anew_as_the_application_does(bench: Bench) -> None:
    scope = new_scope()
    first = await bench.jobs.request_anew(scope, "catalog.requested", "extract:res_1", {}, NOON)
    by_the_workers = await bench.ledger.request(scope, "catalog.requested", "extract:res_1", {}, NOON, anew=True)
    assert f"{by_the_workers}.catalog" == first.id
    await bench.lease(stage="catalog")
    assert await bench.ledger.request(scope, "catalog.requested", "extract:res_1", {}, NOON, anew=True) > by_the_workers


async def test_a_reader_does_not_wait_for_the_catalogs_work(bench: Bench) -> None:
    scope = new_scope()
    await bench.jobs.request(scope, "catalog.requested", "extract:res_1", {}, NOON)
    assert await bench.pending(scope) == 0


async def test_what_was_stored_after_an_erasure_was_asked_for_is_known(bench: Bench) -> None:
    scope = new_scope()
    await stored(bench, scope, "res_before")
    await bench.record(scope, "user", kind="erase.requested")
    await stored(bench, scope, "res_after")
    await stored(bench, new_scope(), "res_elsewhere")
    (work,) = await bench.lease(stage="erase")
    assert await bench.erasures.stored_since(work) == {"res_after"}
    await bench.erasures.drop_results(scope)


async def test_a_category_that_was_asked_for_is_known_again(bench: Bench) -> None:
    scope = new_scope()
    asked: list[dict[str, JsonValue]] = [
        {"task": "extract", "resource_id": "res_1", "category_hint": "prices"},
        {"task": "extract", "resource_id": "res_1", "again": True},
        {"task": "extract", "resource_id": "res_2", "category_hint": "people"},
    ]
    for number, payload in enumerate(asked):
        await bench.ledger.request(scope, "catalog.requested", f"{number}", payload, NOON)
    assert await bench.ledger.category_hint(scope, "res_1") == "prices"
    assert await bench.ledger.category_hint(scope, "res_3") is None
    assert await bench.ledger.category_hint(new_scope(), "res_1") is None


async def test_a_resource_that_a_forgetting_took_from_is_extracted_anew_whatever_happens(bench: Bench) -> None:
    scope = new_scope()
    async with tenant_tx(bench.app, scope) as connection:
        job_id = f"{await extract_anew(connection, scope, 'res_1', now=bench.time())}.catalog"
    with pytest.raises(Conflict, match="cannot be cancelled"):
        await bench.jobs.cancel(scope.tenant_id, job_id)
    (work,) = await bench.lease(stage="catalog")
    await bench.ledger.fail(work.key, "a", "no such category", retryable=False)
    assert (await bench.jobs.job(scope.tenant_id, job_id)).state == "pending"
