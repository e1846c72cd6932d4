"""What the procedural tier learns over time: validity, confidence, verdicts, merged preferences, rules put aside."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import permutations

import asyncpg
import pytest

from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.models import FindingEntry, MemoryQuery, OneValue, Preference, PreferenceEntry, RuleEntry, Scope
from ragpp.stores.migrations import load_migrations
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.procedural.tier import PostgresProceduralTier
from tests.support.procedural import NOON, procedural_tier
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server

OLD_VERSION = "INSERT INTO older.preference_versions VALUES ($1, 'u', 'p', $2, $3, $4, .8, $5, $6, $6, '{}', '[1]')"
OLD_PREFERENCE = """INSERT INTO older.preferences
    VALUES ($1, 'u', 'p', 'c', 'k', 'tea', .8, true, 6, $2, $2, '{}', NULL, NULL, '[1]')"""


@pytest.fixture(scope="module")
async def tier(endpoints: Endpoints) -> AsyncIterator[PostgresProceduralTier]:
    async with procedural_tier(endpoints) as opened:
        yield opened


@pytest.fixture
def scope() -> Scope:
    return new_scope()


def heard(
    number: int, value: str, *, key: str = "morning", confidence: float = 0.4, stated: bool = False, source: str = ""
) -> PreferenceEntry:
    """Something taken from an interaction of its own, said `number` hours after noon."""
    return PreferenceEntry(
        id=f"e{number}",
        category="drinks",
        key=key,
        value=value,
        confidence=confidence,
        stated=stated,
        occurred_at=NOON + timedelta(hours=number),
        sources=(source or f"i{number}",),
    )


async def shown(tier: PostgresProceduralTier, scope: Scope, hours: int | None = None) -> list[tuple[str, str]]:
    """(key, value) of what is listed, as of so many hours after noon; what is retrieved must be the same."""
    as_of = None if hours is None else NOON + timedelta(hours=hours)
    listed = [(one.key, str(one.value)) for one in (await tier.list_preferences(scope, as_of=as_of)).items]
    found = await tier.retrieve(MemoryQuery(scope=scope, text="drinks", as_of=as_of))
    assert {memory.text for memory in found} == {f"drinks {key}: {value}" for key, value in listed}
    return listed


async def only(tier: PostgresProceduralTier, scope: Scope) -> Preference:
    [preference] = (await tier.list_preferences(scope)).items
    return preference


async def test_what_was_believed_then_is_seen_then(tier: PostgresProceduralTier, scope: Scope) -> None:
    entries = [heard(1, "tea"), heard(3, "coffee"), heard(5, "tea"), heard(2, "gin", key="evening")]
    await tier.store(scope, entries)
    assert await shown(tier, scope, 0) == []
    assert await shown(tier, scope, 1) == [("morning", "tea")]
    assert await shown(tier, scope, 3) == [("evening", "gin"), ("morning", "coffee")]
    assert await shown(tier, scope, 9) == [("evening", "gin"), ("morning", "tea")] == await shown(tier, scope)
    [morning] = [one for one in (await tier.list_preferences(scope)).items if one.key == "morning"]
    assert (morning.valid_from, morning.valid_to) == (NOON + timedelta(hours=5), None)
    assert morning.learned_at == NOON + timedelta(hours=1)
    spans = [(one.value, one.valid_from, one.valid_to) for one in await tier.preference_versions(scope, morning.id)]
    at = {hours: NOON + timedelta(hours=hours) for hours in (1, 3, 5)}
    assert spans == [("tea", at[5], None), ("coffee", at[3], at[5]), ("tea", at[1], at[3])]


async def test_a_list_as_of_a_moment_is_paged_and_narrowed_as_any(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [heard(n, "v", key=f"k{n}") for n in range(5)])
    names, cursor = [], None
    while True:
        page = await tier.list_preferences(scope, "drinks", cursor, 2, as_of=NOON + timedelta(hours=3))
        names += [one.key for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert names == ["k0", "k1", "k2", "k3"]
    assert (await tier.list_preferences(scope, "food", as_of=NOON + timedelta(days=9))).items == ()


async def test_confidence_follows_the_evidence_there_and_back(tier: PostgresProceduralTier) -> None:
    entries = [heard(1, "tea"), heard(2, "tea"), heard(3, "tea", confidence=0.9, source="i2")]
    seen = set()
    for order in permutations(entries):
        scope = new_scope()
        for entry in [*order, *order]:
            await tier.store(scope, [entry])
        seen.add((await only(tier, scope)).confidence)
        await tier.forget_sources(scope, ["i2"])
        assert (await only(tier, scope)).confidence == 0.4
    assert list(seen) == [pytest.approx(1 - 0.6 * 0.1)]


async def test_what_is_not_sure_waits_until_somebody_judges(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(
        scope,
        [
            heard(1, "tea"),
            heard(2, "gin", key="evening", confidence=0.45),
            heard(3, "milk", key="night", stated=True, confidence=0.8),
        ],
    )
    waiting = await tier.review_preferences(scope, 0.5)
    assert [one.value for one in waiting] == ["gin", "tea"]
    assert [one.value for one in await tier.review_preferences(scope, 0.5, limit=1)] == ["gin"]
    gin, tea = waiting
    confirmed = await tier.judge_preference(scope, gin.id, "confirmed")
    assert (confirmed.stated, confirmed.confidence, confirmed.verdict) == (True, 1.0, "confirmed")
    rejected = await tier.judge_preference(scope, tea.id, "rejected")
    assert (rejected.value, rejected.verdict) == ("tea", "rejected")
    assert await tier.review_preferences(scope, 0.5) == []
    assert await shown(tier, scope) == [("evening", "gin"), ("night", "milk")]
    assert (
        await tier.judge_preference(scope, tea.id, "rejected") == rejected == await tier.get_preference(scope, tea.id)
    )
    with pytest.raises(NotFound):
        await tier.judge_preference(scope, "unknown", "confirmed")


async def test_what_was_rejected_is_not_learned_again_and_another_value_is(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.store(scope, [heard(1, "tea")])
    identifier = (await only(tier, scope)).id
    await tier.judge_preference(scope, identifier, "rejected")
    await tier.store(scope, [heard(2, "Tea."), heard(3, "tea", stated=True, confidence=0.95)])
    assert await shown(tier, scope) == [] == await shown(tier, scope, 2)
    await tier.store(scope, [heard(4, "coffee"), heard(5, "tea")])
    assert await shown(tier, scope) == [("morning", "coffee")]
    await tier.forget_sources(scope, ["i1", "i2", "i3", "i4", "i5"])
    with pytest.raises(NotFound):
        await tier.get_preference(scope, identifier)
    await tier.store(scope, [heard(6, "tea")])
    assert await shown(tier, scope) == []
    accepted = await tier.judge_preference(scope, identifier, "confirmed")
    assert (accepted.value, accepted.confidence) == ("tea", 1.0)
    assert await shown(tier, scope) == [("morning", "tea")]


async def test_a_rejection_gives_way_to_the_value_before(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [heard(1, "tea"), heard(2, "coffee")])
    current = await tier.judge_preference(scope, (await only(tier, scope)).id, "rejected")
    assert (current.value, current.verdict) == ("tea", None)
    assert await shown(tier, scope, 2) == [("morning", "tea")]
    versions = await tier.preference_versions(scope, current.id)
    assert [(one.value, one.verdict) for one in versions] == [("coffee", "rejected"), ("tea", None)]
    restored = await tier.restore_preference(scope, current.id, 2)
    assert (restored.value, restored.verdict) == ("coffee", None)


async def test_a_verdict_may_name_the_value_it_is_on(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [heard(1, "tea"), heard(2, "coffee"), heard(3, "milk")])
    identifier = (await only(tier, scope)).id
    assert (await tier.judge_preference(scope, identifier, "rejected", OneValue(value="Coffee"))).value == "milk"
    for _ in range(2):
        assert (await tier.judge_preference(scope, identifier, "rejected", OneValue(value="milk"))).value == "tea"
    assert (await tier.judge_preference(scope, identifier, "confirmed", OneValue(value="milk"))).confidence == 1.0
    with pytest.raises(NotFound):
        await tier.judge_preference(scope, identifier, "rejected", OneValue(value="water"))


async def test_setting_a_rejected_value_by_hand_lifts_the_rejection(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [heard(1, "tea")])
    await tier.judge_preference(scope, (await only(tier, scope)).id, "rejected")
    by_hand = heard(2, "tea", stated=True, confidence=0.8).model_copy(update={"sources": ()})
    lifted = await tier.set_preference(scope, by_hand)
    assert (lifted.value, lifted.verdict) == ("tea", None)
    await tier.judge_preference(scope, lifted.id, "rejected")
    assert (await tier.set_preference(scope, by_hand)).verdict == "rejected"  # delivered again, it says nothing new


async def test_forgetting_a_preference_by_its_id_forgets_the_verdict(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.store(scope, [heard(1, "tea")])
    identifier = (await only(tier, scope)).id
    await tier.judge_preference(scope, identifier, "rejected")
    assert await tier.forget(scope, [identifier]) == 1
    await tier.store(scope, [heard(2, "tea")])
    assert await shown(tier, scope) == [("morning", "tea")]


async def test_a_confirmation_counts_from_when_it_was_given(endpoints: Endpoints, scope: Scope) -> None:
    later = NOON + timedelta(days=1)
    async with procedural_tier(endpoints, clock=lambda: later) as tier:
        await tier.store(scope, [heard(1, "tea"), heard(2, "coffee", key="noon")])
        noon, morning = [
            one.id for one in sorted((await tier.list_preferences(scope)).items, key=lambda p: str(p.value))
        ]
        await tier.judge_preference(scope, noon, "confirmed")
        await tier.judge_preference(scope, morning, "rejected")
        for moment, confidence in [(later - timedelta(hours=1), 0.4), (later, 1.0)]:
            [then] = (await tier.list_preferences(scope, as_of=moment)).items
            assert (then.value, then.confidence) == ("coffee", confidence)


async def merged(tier: PostgresProceduralTier, scope: Scope) -> tuple[str, str]:
    """Two preferences that ask the same, made one; the ids of the kept and of the absorbed one."""
    await tier.store(
        scope, [heard(1, "tea"), heard(2, "coffee", key="at breakfast"), heard(3, "milk", key="at breakfast")]
    )
    ids = {one.key: one.id for one in (await tier.list_preferences(scope)).items}
    keep, absorb = ids["morning"], ids["at breakfast"]
    await tier.merge_preferences(scope, keep, absorb)
    return keep, absorb


async def test_two_preferences_that_ask_the_same_become_one(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [heard(4, "water")])
    keep, absorb = await merged(tier, scope)
    current = await only(tier, scope)
    assert (current.id, current.key, current.value, current.version) == (keep, "morning", "water", 4)
    versions = await tier.preference_versions(scope, keep)
    assert [one.value for one in versions] == ["water", "milk", "coffee", "tea"]
    assert [one.version for one in versions] == [4, 3, 2, 1]
    assert await tier.merge_preferences(scope, keep, absorb) == current
    assert await tier.merge_preferences(scope, absorb, keep) == current
    assert await tier.get_preference(scope, absorb) == current
    await tier.store(scope, [heard(5, "cocoa", key="at breakfast"), heard(3, "milk", key="at breakfast")])
    assert await shown(tier, scope) == [("morning", "cocoa")]
    assert (await tier.restore_preference(scope, absorb, 1)).value == "tea"
    with pytest.raises(InvalidInput):
        await tier.merge_preferences(scope, keep, keep)
    with pytest.raises(NotFound):
        await tier.merge_preferences(scope, keep, "unknown")


async def test_a_merged_preference_forgets_what_either_said(tier: PostgresProceduralTier, scope: Scope) -> None:
    keep, absorb = await merged(tier, scope)
    await tier.forget_sources(scope, ["i3"])
    assert await shown(tier, scope) == [("morning", "coffee")]
    assert await tier.forget(scope, ["e2"]) == 1
    assert await shown(tier, scope) == [("morning", "tea")]
    assert await tier.forget(scope, [absorb]) == 1
    assert await shown(tier, scope) == []
    assert await tier.forget(scope, [keep, absorb]) == 0
    await tier.store(scope, [heard(7, "cocoa", key="at breakfast")])
    assert await shown(tier, scope) == [("at breakfast", "cocoa")]


async def test_a_name_that_rests_on_nothing_any_more_is_not_shown(tier: PostgresProceduralTier, scope: Scope) -> None:
    keep, absorb = await merged(tier, scope)
    await tier.judge_preference(scope, keep, "rejected")
    assert await shown(tier, scope) == [("morning", "coffee")]
    assert await tier.forget_sources(scope, ["i1"]) == 2
    assert await shown(tier, scope) == [("at breakfast", "coffee")]
    assert (await only(tier, scope)).id == absorb
    with pytest.raises(NotFound):
        await tier.get_preference(scope, keep)
    await tier.store(scope, [heard(8, "milk", key="at breakfast"), heard(9, "tea")])
    assert await shown(tier, scope) == [("at breakfast", "coffee"), ("morning", "tea")]
    assert await tier.forget(scope, ["e2"]) == 1
    assert await shown(tier, scope) == [("morning", "tea")]


async def test_merging_again_leads_every_name_to_the_last(tier: PostgresProceduralTier, scope: Scope) -> None:
    keep, absorb = await merged(tier, scope)
    await tier.store(scope, [heard(4, "juice", key="first thing")])
    [first] = [one.id for one in (await tier.list_preferences(scope)).items if one.key == "first thing"]
    await tier.merge_preferences(scope, first, absorb)
    assert {(await tier.get_preference(scope, one)).id for one in (keep, absorb, first)} == {first}
    await tier.store(scope, [heard(5, "a", key="at breakfast"), heard(6, "b")])
    assert await shown(tier, scope) == [("first thing", "b")]
    await tier.forget_sources(scope, ["i4"])
    assert await shown(tier, scope) == [("at breakfast", "a"), ("morning", "b")]


async def test_what_was_learned_before_stays_as_it_was(endpoints: Endpoints) -> None:
    """The migration of rows of the first version, on a copy of the schema that is rolled back."""
    first, second, *_, seventh = (
        one.sql.replace("procedural", "older") for one in load_migrations("procedural", "ragpp_services.procedural")[:7]
    )
    connection = await asyncpg.connect(endpoints.postgres_owner_dsn.get_secret_value())
    said = [
        ("tea", True, 1),
        ("gin", False, 2),
        ("coffee", True, 3),
        ("Coffee", True, 4),
        ("tea", True, 5),
        ("tea", True, 6),
    ]
    try:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute(first)
        for tenant in ("t1", "t2"):
            await connection.execute("SELECT set_config('ragpp.tenant_id', $1, true)", tenant)
            for number, (value, stated, hours) in enumerate(said, start=1):
                version = (tenant, number, f"e{number}", value, stated, NOON + timedelta(hours=hours))
                await connection.execute(OLD_VERSION, *version)
            await connection.execute(OLD_PREFERENCE, tenant, NOON + timedelta(hours=6))
        await connection.execute("SELECT set_config('ragpp.tenant_id', '', true)")
        await connection.execute(second)
        assert await connection.fetch("SELECT * FROM older.preferences") == []
        for tenant in ("t1", "t2"):
            await connection.execute("SELECT set_config('ragpp.tenant_id', $1, true)", tenant)
            [row] = await connection.fetch("SELECT value, valid_from, learned_at, verdict FROM older.preferences")
            assert tuple(row) == ("tea", NOON + timedelta(hours=5), NOON + timedelta(hours=1), None)
        await connection.execute(seventh)
        for tenant in ("t1", "t2"):
            await connection.execute("SELECT set_config('ragpp.tenant_id', $1, true)", tenant)
            assert await connection.fetchval("SELECT value FROM older.preferences") == '"tea"'
            rows = await connection.fetch("SELECT value FROM older.preference_versions ORDER BY version")
            assert [json.loads(row["value"]) for row in rows] == [value for value, _, _ in said]
        await transaction.rollback()
    finally:
        await connection.close()


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
