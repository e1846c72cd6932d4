"""Resources put into the catalog are learned behind the write, and what is forgotten is taken out of it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from pydantic import JsonValue

from ragpp.catalog import EVERYBODY, FINDING_ID, ItemQuery, MemoryItem, ResourceEntry, ResourceMessage
from ragpp.errors import ResourceNotFoundError
from ragpp.ledger.erasing import Erasure
from ragpp.ledger.jobs import JobLedger
from ragpp.models import Interaction, InteractionEntry, Scope
from ragpp.settings import PostgresSettings
from ragpp.stores.postgres import create_pool, ensure_open
from tests.support.catalog import resource
from tests.support.episodic import NOON
from tests.support.marks import MARKS
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server

PRICES = "The Basic plan costs $99 per month. The Pro plan costs $299 per month."


@pytest.fixture
async def jobs(gateway: RealGateway) -> Any:
    pool = create_pool(PostgresSettings(), dsn=gateway.settings["POSTGRES_DSN"])
    await ensure_open(pool)
    yield JobLedger(pool, lambda: NOON, MARKS)
    await pool.close()


def said(identifier: str, text: str, minute: int, **more: object) -> Interaction:
    at = NOON + timedelta(minutes=minute)
    given = {"id": identifier, "content": text, "occurred_at": at, "session_id": "s1", "name": "Ann", **more}
    return Interaction.model_validate(given)


def talk(identifier: str, *turns: Interaction, session_id: str = "s1") -> ResourceEntry:
    """The messages as a resource."""
    content, messages = "", list[ResourceMessage]()
    for one in turns:
        content += f"{one.said_by}: "
        ends = len(content) + len(one.content)
        messages.append(
            ResourceMessage(
                role=one.role,
                name=one.name,
                start=len(content),
                end=ends,
                occurred_at=one.occurred_at,
                interaction_id=one.id,
            )
        )
        content += f"{one.content}\n"
    return ResourceEntry(
        id=identifier,
        resource_type="conversation",
        content=content,
        messages=tuple(messages),
        occurred_at=turns[-1].occurred_at,
        session_id=session_id,
    )


async def asked(gateway: RealGateway, scope: Scope, resource_id: str, **more: JsonValue) -> None:
    """Have the resource extracted."""
    payload: dict[str, JsonValue] = {"task": "extract", "resource_id": resource_id, **more}
    await gateway.worker.ledger.request(scope, "catalog.requested", f"extract:{resource_id}", payload, NOON, anew=True)
    await gateway.digest(scope.tenant_id)


async def items_of(gateway: RealGateway, scope: Scope, resource_id: str | None = None) -> Sequence[MemoryItem]:
    return (await gateway.worker.catalog.list_items(scope, None, resource_id, limit=200)).items


async def remembered(gateway: RealGateway, scope: Scope, *turns: Interaction) -> None:
    entries = [InteractionEntry(interaction=one) for one in turns]
    for one in {turn.session_id for turn in turns}:
        of_session = [entry for entry in entries if entry.interaction.session_id == one]
        await gateway.worker.episodic.store(scope.in_session(one), of_session)
    await gateway.digest(scope.tenant_id)


async def test_a_resource_becomes_items_behind_the_write(gateway: RealGateway, jobs: JobLedger) -> None:
    scope = new_scope()
    await gateway.worker.catalog.store(scope, [resource(PRICES, id="res_1")])
    await asked(gateway, scope, "res_1")
    items = await items_of(gateway, scope)
    assert sorted(item.content.rstrip(".") for item in items) == [
        "The Basic plan costs $99 per month",
        "The Pro plan costs $299 per month",
    ]
    assert {item.source_resource_id for item in items} == {"res_1"}
    (job,) = (await jobs.jobs(scope.tenant_id, stage="catalog")).items
    assert job.state == "done"
    result: Any = job.result
    assert (set(result["item_ids"]), result["item_count"]) == ({item.item_id for item in items}, 2)
    found = await gateway.worker.catalog.search_items(scope, ItemQuery(text="What does Pro cost?", k=1))
    assert "$299" in found.items[0].content


async def test_extracting_twice_changes_nothing_and_a_deleted_item_stays_away(gateway: RealGateway) -> None:
    scope = new_scope()
    await gateway.worker.catalog.store(scope, [resource(PRICES, id="res_1")])
    await asked(gateway, scope, "res_1")
    before = await items_of(gateway, scope)
    await asked(gateway, scope, "res_1")
    assert await items_of(gateway, scope) == before
    await gateway.worker.catalog.forget(scope, [before[0].item_id])
    await asked(gateway, scope, "res_1")
    assert [item.item_id for item in await items_of(gateway, scope)] == [before[1].item_id]


async def test_what_observe_found_and_the_item_of_the_same_words_know_each_other(gateway: RealGateway) -> None:
    scope = new_scope()
    turns = (said("m1", "We decided to use PostgreSQL for the ledger.", 1), said("m2", "The ledger has 12 tables.", 2))
    await remembered(gateway, scope, *turns)
    await gateway.worker.catalog.store(scope, [talk("res_1", *turns)])
    await asked(gateway, scope, "res_1")
    findings = {one.id for one in (await gateway.worker.procedural.list_findings(scope)).items}
    named = {item.kind: item.metadata.get(FINDING_ID) for item in await items_of(gateway, scope)}
    assert named["decision"] in findings
    assert named["fact"] is None
    assert {item.kind: item.sources for item in await items_of(gateway, scope)} == {
        "decision": ("m1",),
        "fact": ("m2",),
    }


async def test_a_forgotten_message_goes_from_the_catalog_and_the_rest_is_learned_anew(gateway: RealGateway) -> None:
    scope, witness = new_scope(), new_scope()
    gone, stays = said("m1", "The Basic plan costs $99 per month.", 1), said("m2", "The Pro plan costs $299.", 2)
    for who, turns in ((scope, (gone, stays)), (witness, (stays,))):
        await remembered(gateway, who, *turns)
        await gateway.worker.catalog.store(who, [talk("res_1", *turns), resource(PRICES, id="res_2")])
        for one in ("res_1", "res_2"):
            await asked(gateway, who, one)
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        answer = await api.delete("/v1/interactions/m1", params={"user_id": scope.user_id})
        assert answer.is_success, answer.text
    await gateway.digest(scope.tenant_id)
    here, there = [await gateway.worker.catalog.get_resource(who, "res_1") for who in (scope, witness)]
    assert (here.content, here.messages) == (there.content, there.messages)
    items = [
        sorted((item.content, item.source_resource_id, item.also_in, item.sources) for item in found)
        for found in (await items_of(gateway, scope), await items_of(gateway, witness))
    ]
    assert items[0] == items[1]


async def test_a_session_takes_its_resources_with_it_but_not_those_that_came_later(
    gateway: RealGateway, jobs: JobLedger
) -> None:
    scope = new_scope()
    turn = said("m1", "The Basic plan costs $99 per month.", 1)
    await remembered(gateway, scope, turn)
    notes = resource("The Pro plan costs $299 per month.", id="res_notes", session_id="s1")
    elsewhere = resource("The Max plan costs $999 per month.", id="res_elsewhere", session_id="s2")
    await gateway.worker.catalog.store(scope, [talk("res_talk", turn), notes, elsewhere])
    for one in ("res_talk", "res_notes", "res_elsewhere"):
        await asked(gateway, scope, one)
    job = await jobs.erase(scope, Erasure("session", session_id="s1"))
    later = resource("The Mini plan costs $9 per month.", id="res_later", session_id="s1")
    await gateway.worker.catalog.store(scope, [later])
    await gateway.digest(scope.tenant_id)
    assert {one.resource_id for one in (await gateway.worker.catalog.list_resources(scope)).items} == {
        "res_elsewhere",
        "res_later",
    }
    assert [item.source_resource_id for item in await items_of(gateway, scope)] == ["res_elsewhere"]
    report = (await jobs.job(scope.tenant_id, job.id)).result
    assert report is not None
    told: Any = report["stores"]
    assert told["catalog"] == {
        "found": {"resources": 2, "items": 2},
        "removed": {"resources": 2, "items": 2},
        "found_again": {},
    }
    assert report.keys() == {"what", "dry_run", "stores", "searches"}


async def test_a_user_is_erased_with_what_was_given_to_all(gateway: RealGateway, jobs: JobLedger) -> None:
    scope = new_scope()
    everybody = scope.model_copy(update={"user_id": EVERYBODY})
    own = resource(PRICES, id="res_own")
    given, others = [
        resource(content, id=identifier, contributor=contributor).model_copy(update={"metadata": {"qzname": "a"}})
        for content, identifier, contributor in (
            ("The Max plan costs $999 per month.", "res_given", scope.user_id),
            ("The Mini plan costs $9 per month.", "res_others", "somebody else"),
        )
    ]
    await gateway.worker.catalog.store(scope, [own])
    await gateway.worker.catalog.store(everybody, [given, others])
    for who, one in ((scope, "res_own"), (everybody, "res_given"), (everybody, "res_others")):
        await asked(gateway, who, one)
    job = await jobs.erase(scope, Erasure("user"))
    await gateway.digest(scope.tenant_id)
    assert [item.source_resource_id for item in await items_of(gateway, scope)] == ["res_others"]
    with pytest.raises(ResourceNotFoundError):
        await gateway.worker.catalog.get_resource(scope, "res_given")
    name = jobs.erased_name(scope.tenant_id, scope.user_id)
    report = (await jobs.job(scope.tenant_id, job.id, user_id=name)).result
    assert report is not None
    told: Any = report["stores"]
    assert told["catalog"]["found_again"] == {}
    assert told["catalog"]["removed"]["resources"] == 2
    of_all = (await jobs.jobs(scope.tenant_id, user_id=EVERYBODY, stage="catalog")).items
    assert [one.result for one in of_all] == [None] * len(of_all)
    happened = await gateway.parts.events.page(everybody, event_type="memory.resource_stored")
    names = {one.payload["resource_id"]: one.payload.get("metadata_keys") for one in happened.items}
    assert names == {"res_given": None, "res_others": ["qzname"]}


async def test_a_page_is_made_behind_the_write_and_mended_when_a_message_is_forgotten(gateway: RealGateway) -> None:
    scope, catalog = new_scope(), gateway.worker.catalog
    gone, stays = said("m1", "The Basic plan costs $99 per month.", 1), said("m2", "The Pro plan costs $299.", 2)
    await remembered(gateway, scope, gone, stays)
    await catalog.create_category(scope, "prices", "What the plans cost per month.")
    await catalog.store(scope, [talk("res_1", gone, stays)])
    await asked(gateway, scope, "res_1", category_hint="prices")
    payload: dict[str, JsonValue] = {"task": "consolidate", "category": "prices", "force": False}
    await gateway.worker.ledger.request(scope, "catalog.requested", "consolidate:prices", payload, NOON, anew=True)
    await gateway.digest(scope.tenant_id)
    page = (await catalog.get_category(scope, "prices")).markdown_content
    assert "$99" in page
    assert "$299" in page
    async with gateway.client(await gateway.key(scope.tenant_id)) as api:
        answer = await api.delete("/v1/interactions/m1", params={"user_id": scope.user_id})
        assert answer.is_success, answer.text
    mended = (await catalog.get_category(scope, "prices")).markdown_content
    assert "$99" not in mended
    await gateway.digest(scope.tenant_id)
    page = (await catalog.get_category(scope, "prices")).markdown_content
    assert "$99" not in page
    assert "$299" in page
    assert [item.category for item in await items_of(gateway, scope)] == ["prices"]
