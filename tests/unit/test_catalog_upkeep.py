"""The catalog as time passes: pages are made of what came, and old resources are compressed or become stubs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, cast

from pydantic import JsonValue

from ragpp.catalog import EVERYBODY, MemoryCategory, MemoryItem, Resource, ResourceMessage
from ragpp.jobs import UserSettings
from ragpp.ledger import Work, WorkKey
from ragpp.models import SHARED, Filters, Interaction, Page, Scope
from ragpp.retention import COMPRESSED_AFTER_DAYS, RetentionPolicy, TierRetention
from ragpp_services.workers.parts import LearningPolicy, WorkerParts
from ragpp_services.workers.stages.maintain import maintain
from tests.support import values
from tests.support.episodic import NOON
from tests.support.kept_catalog import KeptCatalog
from tests.support.workers import parts_with

SCOPE: Final = Scope(tenant_id="t", user_id="u")
LONG: Final = "The harbour has 12 berths. " * 20


@dataclass
class Ledger:
    """A ledger of what was asked for, by its subject."""

    asked: dict[str, Mapping[str, JsonValue]] = field(default_factory=dict)

    async def user_settings(self, scope: Scope) -> UserSettings:
        del scope
        return UserSettings()

    async def request(
        self, scope: Scope, kind: str, subject_id: str, payload: Mapping[str, JsonValue], at: object, *, anew: bool
    ) -> int:
        del scope, kind, at, anew
        self.asked[subject_id] = payload
        return 1


@dataclass
class Pins:
    """Those of the catalog."""

    ids: frozenset[str] = frozenset()

    async def pinned(self, scope: Scope, tier: str) -> frozenset[str]:
        del scope
        return self.ids if tier == "catalog" else frozenset()


@dataclass
class Erasures:
    """The ledger of erasures: whose ids it dropped out of the audit."""

    dropped: list[Scope] = field(default_factory=list)

    async def drop_marked_ids(self, scope: Scope) -> None:
        self.dropped.append(scope)


@dataclass
class Episodic:
    """Interactions of long ago."""

    said: dict[str, Interaction] = field(default_factory=dict)

    async def list_interactions(
        self, scope: Scope, filters: Filters | None, cursor: str | None, limit: int
    ) -> Page[Interaction]:
        del scope, filters, cursor, limit
        return Page[Interaction](items=tuple(self.said.values()))

    async def index_sentences(self, scope: Scope, limit: int) -> int:
        assert scope.user_id != EVERYBODY
        del limit
        return 0

    async def forget(self, scope: Scope, ids: list[str]) -> int:
        del scope
        for one in ids:
            del self.said[one]
        return len(ids)


def resource(identifier: str, days: float, **more: object) -> Resource:
    at = NOON - timedelta(days=days)
    given = {"resource_type": "document", "content": LONG, "occurred_at": at, "created_at": NOON, **more}
    return Resource.model_validate({"resource_id": identifier, **given})


def parts_of(catalog: KeptCatalog, policy: RetentionPolicy | None = None, **more: object) -> WorkerParts:
    learning = LearningPolicy(retention={} if policy is None else {"default": policy})
    given: dict[str, object] = {
        "ledger": Ledger(),
        "pins": Pins(),
        "episodic": Episodic(),
        "erasures": Erasures(),
        **more,
    }
    return parts_with(catalog=catalog, clock=lambda: NOON, learning=learning, **given)


async def done(parts: WorkerParts, scope: Scope = SCOPE, **payload: JsonValue) -> dict[str, Any]:
    work = Work(WorkKey(1, "maintain"), scope, "maintain.requested", "s", NOON, 1, payload)
    return cast("dict[str, Any]", (await maintain(parts, [work]))[work.key])


def category(name: str, **more: object) -> MemoryCategory:
    given = {"category_id": f"cat_{name}", "name": name, "description": "A description.", "markdown_content": "#"}
    return MemoryCategory.model_validate({**given, "updated_at": NOON, **more})


async def test_each_day_pages_are_asked_for_to_which_anything_came() -> None:
    pages = [category("prices", new_items=1), category("people"), category("plans", new_items=3, edited=True)]
    ledger = Ledger()
    parts = parts_of(KeptCatalog(categories={one.name: one for one in pages}), ledger=ledger)
    assert (await done(parts, task="catalog"))["consolidating"] == 1
    assert list(ledger.asked.values()) == [{"task": "consolidate", "category": "prices", "force": False}]


async def test_what_all_users_share_is_looked_after_like_a_users_own() -> None:
    catalog = KeptCatalog(categories={"prices": category("prices", new_items=1)})
    everybody = SCOPE.model_copy(update={"user_id": EVERYBODY})
    assert (await done(parts_of(catalog), everybody, task="catalog"))["consolidating"] == 1


async def test_nothing_is_done_twice_for_a_view() -> None:
    catalog = KeptCatalog(categories={"prices": category("prices", new_items=1)})
    assert (await done(parts_of(catalog), SCOPE.seen_by(SHARED), task="catalog"))["consolidating"] == 0
    assert catalog.compressed_before is None


async def test_resources_are_compressed_after_three_months_unless_a_policy_says_otherwise() -> None:
    catalog = KeptCatalog({"res_1": resource("res_1", 91), "res_2": resource("res_2", 89)})
    assert (await done(parts_of(catalog), task="catalog"))["compressed"] == 1
    assert catalog.compressed_before == NOON - timedelta(days=COMPRESSED_AFTER_DAYS)
    await done(parts_of(catalog, RetentionPolicy(catalog=TierRetention(compress_after_days=7))), task="catalog")
    assert catalog.compressed_before == NOON - timedelta(days=7)


async def test_vectors_of_old_resources_go_where_a_policy_says_so_and_else_stay() -> None:
    catalog = KeptCatalog({"res_1": resource("res_1", 91), "res_2": resource("res_2", 89)})
    assert (await done(parts_of(catalog), task="catalog"))["vectors_dropped"] == 0
    assert catalog.vectors_before is None
    policy = RetentionPolicy(catalog=TierRetention(drop_vectors_after_days=90))
    assert (await done(parts_of(catalog, policy), task="catalog"))["vectors_dropped"] == 1
    assert catalog.vectors_before == NOON - timedelta(days=90)


async def test_old_resources_become_stubs_and_no_item_goes() -> None:
    old, fresh, pinned = resource("res_old", 40), resource("res_new", 20), resource("res_pinned", 40)
    catalog = KeptCatalog({one.resource_id: one for one in (old, fresh, pinned)}, {"item_1": item("res_old")})
    policy = RetentionPolicy(catalog=TierRetention(max_age_days=30))
    parts = parts_of(catalog, policy, pins=Pins(frozenset({"res_pinned"})))
    told = (await done(parts, task="retention", dry_run=True))["tiers"]["catalog"]
    assert (told["due"], told["bytes"], told["items"][0]["id"]) == (1, len(LONG), "res_old")
    assert not any(one.is_stub for one in catalog.resources.values())
    await done(parts, task="retention")
    assert [one.resource_id for one in catalog.resources.values() if one.is_stub] == ["res_old"]
    assert list(catalog.items) == ["item_1"]
    assert (await done(parts, task="retention"))["tiers"]["catalog"]["due"] == 0


async def test_what_a_pinned_resource_holds_stays_in_the_episodic_tier() -> None:
    at = NOON - timedelta(days=40)
    said = {one: Interaction(id=one, content="It has 12 berths.", occurred_at=at) for one in ("m1", "m2")}
    held = ResourceMessage(start=0, end=3, interaction_id="m1")
    catalog = KeptCatalog({"res_1": resource("res_1", 40, resource_type="conversation", messages=(held,))})
    policy = RetentionPolicy(episodic=TierRetention(max_age_days=30))
    ledger = Erasures()
    parts = parts_of(catalog, policy, pins=Pins(frozenset({"res_1"})), episodic=Episodic(said), erasures=ledger)
    await done(parts, task="retention")
    assert list(said) == ["m1"]
    assert SCOPE in ledger.dropped, "the audit still has ids of what went"


def item(resource_id: str) -> MemoryItem:
    return values.item(NOON, "The harbour has 12 berths.", source_resource_id=resource_id)
