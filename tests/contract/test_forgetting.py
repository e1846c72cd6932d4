"""The promises of every tier about writes that come after something was forgotten, in process and over HTTP."""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final, cast

import pytest

from ragpp.errors import Outdated
from ragpp.learned import Reflection
from ragpp.models import InteractionEntry, RuleEntry, Scope
from ragpp.tiers import CatalogTier, MemoryTier, ProceduralTier, SemanticTier, ShortTermTier
from tests.support.catalog import item, resource
from tests.support.contract import Subject
from tests.support.procedural import procedural_entry
from tests.support.scopes import new_scope
from tests.support.semantic import observation, relation
from tests.support.short_term import NOON, short_term_entry

pytestmark = pytest.mark.server
Attempts = list[Callable[[int | None], Awaitable[object]]]


async def test_a_forgetting_begins_an_epoch_of_the_users_own(subject: Subject) -> None:
    alice, bob = new_scope(), new_scope()
    before, elsewhere = await subject.tier.epoch(alice), await subject.tier.epoch(bob)
    await subject.tier.store(alice, [subject.entry("saffron lighthouse")], before)
    assert await subject.tier.epoch(alice) == before
    (memory, *_) = await subject.tier.retrieve(subject.query(alice, "saffron lighthouse"))
    assert await subject.tier.forget(alice, [memory.id]) == 1
    assert await subject.tier.epoch(alice) != before
    await subject.tier.store(bob, [subject.entry("saffron lighthouse")], elsewhere)
    assert await subject.tier.epoch(bob) == elsewhere


async def test_a_write_of_another_epoch_is_refused_whole(subject: Subject) -> None:
    scope = new_scope()
    before = await subject.tier.epoch(scope)
    await subject.tier.store(scope, [subject.entry("saffron lighthouse")], before)
    (memory, *_) = await subject.tier.retrieve(subject.query(scope, "saffron lighthouse"))
    await subject.tier.forget(scope, [memory.id])
    now = await subject.tier.epoch(scope)
    late = subject.entry("granite umbrella")
    for epoch in (before, now - 1, now + 1):
        with pytest.raises(Outdated):
            await subject.tier.store(scope, [late], epoch)
    assert await subject.tier.retrieve(subject.query(scope, "granite umbrella")) == []
    assert [item.duplicate for item in await subject.tier.store(scope, [late], now)] == [False]
    assert await subject.tier.retrieve(subject.query(scope, "granite umbrella"))


async def test_no_epoch_comes_twice(subject: Subject) -> None:
    scope, seen = new_scope(), set[int]()
    for _ in range(3):
        await subject.tier.store(scope, [subject.entry("saffron lighthouse")])
        (memory, *_) = await subject.tier.retrieve(subject.query(scope, "saffron lighthouse"))
        seen.add(await subject.tier.epoch(scope))
        await subject.tier.forget(scope, [memory.id])
    assert len({*seen, await subject.tier.epoch(scope)}) == 4


async def test_what_rests_on_a_forgotten_source_is_not_kept_whenever_it_arrives(subject: Subject) -> None:
    if subject.resting_on is None:
        pytest.skip("what this tier holds rests on nothing")
    scope, other = new_scope(), new_scope()
    before = await subject.tier.epoch(scope)
    await forget_source(subject.tier, scope, "m1")
    assert await subject.tier.epoch(scope) != before
    for epoch in (None, await subject.tier.epoch(scope)):
        await subject.tier.store(scope, [subject.resting_on("saffron lighthouse", "m1")], epoch)
        assert await subject.tier.retrieve(subject.query(scope, "saffron lighthouse")) == []
    await subject.tier.store(scope, [subject.resting_on("granite umbrella", "m2")])
    assert await subject.tier.retrieve(subject.query(scope, "granite umbrella"))
    await subject.tier.store(other, [subject.resting_on("saffron lighthouse", "m1")])
    assert await subject.tier.retrieve(subject.query(other, "saffron lighthouse"))


async def forget_source(tier: MemoryTier, scope: Scope, source: str) -> None:
    if tier.name == "short_term":
        await tier.forget(scope, [source])
    else:
        await cast("SemanticTier | ProceduralTier | CatalogTier", tier).forget_sources(scope, [source])


async def test_every_verb_of_derived_writes_refuses_another_epoch(subject: Subject) -> None:
    prepared = VERBS.get(subject.tier.name)
    if prepared is None:
        pytest.skip("it has no other verb for them")
    scope = new_scope()
    attempts = await prepared(subject.tier, scope)
    epoch = await subject.tier.epoch(scope)
    await forget_source(subject.tier, scope, "elsewhere")
    for attempt in attempts:
        with pytest.raises(Outdated):
            await attempt(epoch)
    epoch = await subject.tier.epoch(scope)
    for attempt in attempts:
        await attempt(epoch)


async def of_short_term(tier: MemoryTier, scope: Scope) -> Attempts:
    """In a session that has a summary, and is due for another."""
    sessions = cast("ShortTermTier", tier)

    def said(first: int) -> list[InteractionEntry]:
        return [
            short_term_entry(f"number {n}", id=f"n{n}", occurred_at=NOON + timedelta(minutes=n), tokens=300)
            for n in range(first, first + 8)
        ]

    await sessions.store(scope, said(0))
    assert await sessions.compact(scope)
    draft = await sessions.draft_summary(scope)
    assert draft is not None
    await sessions.store(scope, said(8))
    return [
        lambda epoch: sessions.rebuild(scope, [short_term_entry("late")], epoch),
        lambda epoch: sessions.write_summary(scope, draft.revision, "they counted", [short_term_entry("x")], epoch),
        lambda epoch: sessions.compact(scope, epoch),
    ]


async def of_semantic(tier: MemoryTier, scope: Scope) -> Attempts:
    graph = cast("SemanticTier", tier)
    return [
        lambda epoch: graph.observe(
            scope, [observation("m1", relationships=(relation("Noor", "LIVES_IN", "Porto"),))], epoch
        ),
        lambda epoch: graph.consolidate(scope, NOON, 0.1, epoch),
    ]


async def of_procedural(tier: MemoryTier, scope: Scope) -> Attempts:
    """Derived writes of a user who has two preferences and a rule."""
    procedures = cast("ProceduralTier", tier)
    one, two = [await procedures.set_preference(scope, procedural_entry(text)) for text in ("tea", "green tea")]
    rule = await procedures.create_rule(scope, RuleEntry(id="r", text="greet", occurred_at=NOON))
    report = Reflection(id="report", kind="daily", date=date(2024, 5, 1), status="completed", created_at=MOMENT)
    return [
        lambda epoch: procedures.merge_preferences(scope, one.id, two.id, epoch),
        lambda epoch: procedures.update_rule(scope, rule.id, priority=1, epoch=epoch),
        lambda epoch: procedures.save_reflection(scope, report, epoch),
    ]


async def of_catalog(tier: MemoryTier, scope: Scope) -> Attempts:
    """Derived writes of a user who has a resource and a category."""
    catalog = cast("CatalogTier", tier)
    await catalog.store(scope, [resource("a note", id="r")])
    await catalog.create_category(scope, "pricing", "What the plans cost")
    await catalog.store(scope, [item("Basic is $99", "r", category="pricing")])
    return [
        lambda epoch: catalog.put_extracted(scope, "r", [item("Pro is $299", "r", id="x", by_hand=False)], epoch),
        lambda epoch: catalog.consolidate(scope, "pricing", force=True, epoch=epoch),
    ]


MOMENT: Final = datetime(2024, 5, 2, tzinfo=UTC)
VERBS: Final[dict[str, Callable[[MemoryTier, Scope], Awaitable[Attempts]]]] = {
    "short_term": of_short_term,
    "semantic": of_semantic,
    "procedural": of_procedural,
    "catalog": of_catalog,
}
