"""The procedural tier's learning over time: validity, confidence, verdicts, merged preferences, rules put aside."""

import json
from datetime import timedelta
from itertools import permutations

import pytest

from ragpp.errors import InvalidInput, NotFound
from ragpp.models import MemoryQuery, OneValue, Preference, Scope
from ragpp.stores.migrations import load_migrations
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.procedural.tier import PostgresProceduralTier
from tests.support.asking import undone
from tests.support.procedural import NOON, heard, procedural_tier
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
OLD_VERSION = "INSERT INTO older.preference_versions VALUES ($1, 'u', 'p', $2, $3, $4, .8, $5, $6, $6, '{}', '[1]')"
OLD_PREFERENCE = """INSERT INTO older.preferences
    VALUES ($1, 'u', 'p', 'c', 'k', 'tea', .8, true, 6, $2, $2, '{}', NULL, NULL, '[1]')"""


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
    said = [
        ("tea", True, 1),
        ("gin", False, 2),
        ("coffee", True, 3),
        ("Coffee", True, 4),
        ("tea", True, 5),
        ("tea", True, 6),
    ]
    async with undone(endpoints.postgres_owner_dsn) as connection:
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
