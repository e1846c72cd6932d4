"""Rules that were learned: how they gain support, are put aside, and are unlearned."""

from datetime import timedelta

import pytest

from ragpp.errors import Conflict, InvalidInput
from ragpp.models import FindingEntry, MemoryQuery, RuleEntry, Scope
from ragpp_services.procedural.tier import PostgresProceduralTier
from tests.support.procedural import NOON, heard

pytestmark = pytest.mark.server


async def test_a_rule_is_put_aside_with_the_reason_until_it_is_active_again(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.create_rule(scope, RuleEntry(id="r", text="Use bullets.", occurred_at=NOON, sources=("i1",)))
    aside = await tier.update_rule(scope, "r", aside="it conflicts with a later one")
    assert (aside.active, aside.aside, aside.version) == (False, "it conflicts with a later one", 2)
    assert await tier.update_rule(scope, "r", aside="it conflicts with a later one") == aside
    assert (await tier.update_rule(scope, "r", priority=9)).aside == "it conflicts with a later one"
    assert await tier.retrieve(MemoryQuery(scope=scope, text="anything")) == []
    active = await tier.update_rule(scope, "r", active=True)
    assert (active.active, active.aside) == (True, None)
    assert [one.aside for one in await tier.rule_versions(scope, "r")] == [None, aside.aside, aside.aside, None]
    restored = await tier.restore_rule(scope, "r", 2)
    assert (restored.active, restored.aside) == (False, aside.aside)
    with pytest.raises(InvalidInput):
        await tier.update_rule(scope, "r", aside="why", active=True)


async def test_what_was_put_aside_for_a_rule_that_was_forgotten_is_as_it_was_before(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    rules = [("kept", "Never use bullets."), ("other", "Use bullets."), ("third", "Be brief."), ("own", "Bullets!")]
    said = [RuleEntry(id=i, text=text, occurred_at=NOON, sources=(i,)) for i, text in rules[:3]]
    await tier.store(scope, [*said, RuleEntry(id="own", text="Bullets!", occurred_at=NOON)])
    epoch = await tier.epoch(scope)
    for rule in ("other", "own"):
        await tier.update_rule(scope, rule, aside="conflicts with “Never use bullets.”", epoch=epoch)
    await tier.update_rule(scope, "third", aside="like “Never use bullets.”, nobody followed it")  # a person's words
    assert await tier.forget_sources(scope, ["kept"]) == 3
    found = {one.id: (one.active, one.aside) for one in (await tier.list_rules(scope)).items}
    assert found["other"] == found["own"] == (True, None)
    assert not found["third"][0]
    for rule in found:
        assert all("Never" not in str(one.aside) for one in await tier.rule_versions(scope, rule))


async def test_a_rule_that_is_worked_out_again_gains_support(tier: PostgresProceduralTier, scope: Scope) -> None:
    rule = RuleEntry(id="r", text="Use bullets.", occurred_at=NOON, sources=("i1",))
    await tier.store(scope, [rule])
    [again] = await tier.store(scope, [rule.model_copy(update={"sources": ("i1", "i2")})])
    assert again.duplicate
    assert (await tier.get_rule(scope, "r")).sources == ("i1", "i2")
    with pytest.raises(Conflict):
        await tier.store(scope, [rule.model_copy(update={"text": "Other."})])
    await tier.forget_sources(scope, ["i1"])
    [anew] = await tier.store(scope, [rule.model_copy(update={"text": "Bullets, please.", "sources": ("i2",)})])
    assert not anew.duplicate  # in other words, now that those of the first message are gone
    assert [(one.text, one.sources) for one in await tier.rule_versions(scope, "r")] == [("Bullets, please.", ("i2",))]


async def test_what_a_person_did_to_a_rule_outlives_what_it_was_learned_from(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    rules = [RuleEntry(id=i, text=f"Use {i}.", triggers=(i,), occurred_at=NOON, sources=("i1", i)) for i in ("a", "b")]
    await tier.store(scope, rules)
    await tier.update_rule(scope, "a", text="Hyphens, mostly.", priority=9)
    await tier.update_rule(scope, "b", priority=9)
    await tier.record_outcome(scope, "b", success=True)
    await tier.forget_sources(scope, ["i1"])
    [own] = (await tier.list_rules(scope)).items
    assert (own.id, own.text, own.priority, own.triggers, own.sources) == ("a", "Hyphens, mostly.", 9, (), ())
    assert [one.text for one in await tier.rule_versions(scope, "a")] == ["Hyphens, mostly."]
    await tier.store(scope, [rules[1].model_copy(update={"sources": ("b",)})])
    again = await tier.get_rule(scope, "b")
    assert (again.text, again.priority, again.success_rate) == ("Use b.", 9, 1.0)
    await tier.forget(scope, ["b"])
    assert [one.duplicate for one in await tier.store(scope, [rules[1]])] == [True]


async def test_what_windows_taught_is_unlearned_but_for_what_a_person_restored(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    days = [NOON + timedelta(days=number) for number in range(3)]
    habits = [
        heard(24 * number, "does it regularly", key=key).model_copy(update={"id": f"habit-{key}{number}"})
        for key in ("camping", "running")
        for number in range(3)
    ]
    sources = tuple(f"i{24 * number}" for number in range(3))
    pattern = FindingEntry(
        id="p", finding="pattern", text="often", occurred_at=days[-1], sources=sources, details={"times": 3}
    )
    await tier.store(scope, [*habits, pattern])
    [camping] = [one.id for one in (await tier.list_preferences(scope)).items if one.key == "camping"]
    await tier.restore_preference(scope, camping, 1)
    await tier.unlearn(scope, days[-1], "UTC")
    assert (await tier.list_findings(scope)).items == ()
    assert [(one.key, one.stated) for one in (await tier.list_preferences(scope)).items] == [("camping", True)]
    again = await tier.store(scope, [*habits, pattern])
    assert not any(one.duplicate for one in again)
    assert {one.key for one in (await tier.list_preferences(scope)).items} == {"camping", "running"}


async def test_a_rule_whose_evidence_was_forgotten_is_learned_from_other_evidence(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    rule = RuleEntry(id="r", text="Use bullets.", occurred_at=NOON, sources=("i1",))
    late = RuleEntry(id="late", text="Be brief.", occurred_at=NOON, sources=("i1",))
    await tier.store(scope, [rule])
    assert await tier.forget_sources(scope, ["i1"]) == 1
    assert [one.duplicate for one in await tier.store(scope, [rule, late])] == [True, True]
    assert (await tier.list_rules(scope)).items == ()
    anew = {"sources": ("i2",), "occurred_at": NOON + timedelta(days=7), "priority": 7}
    stored = await tier.store(scope, [one.model_copy(update=anew) for one in (rule, late)])
    assert [one.duplicate for one in stored] == [False, False]
    found = {one.id: (one.sources, one.priority) for one in (await tier.list_rules(scope)).items}
    assert found == {"r": (("i2",), 7), "late": (("i2",), 7)}
