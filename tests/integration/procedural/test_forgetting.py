"""The forgetting of preferences and rules, and whether they may be learned again."""

import pytest

from ragpp.errors import Conflict, NotFound
from ragpp.models import MemoryQuery, RuleEntry, Scope
from ragpp_services.procedural.tier import PostgresProceduralTier
from tests.support.asking import connected
from tests.support.procedural import NOON, preference, rule
from tests.support.stacks import StoreStack

pytestmark = pytest.mark.server


async def test_a_forgotten_preference_leaves_no_version_and_does_not_come_back(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    entries = [preference("a", "mild"), preference("b", "hot", hours=1)]
    await tier.store(scope, entries)
    [current] = (await tier.list_preferences(scope)).items
    assert await tier.forget(scope, [current.id]) == 1
    assert await tier.forget(scope, [current.id, "a"]) == 0
    assert [found.duplicate for found in await tier.store(scope, entries)] == [True, True]
    assert (await tier.list_preferences(scope)).items == ()
    assert await tier.retrieve(MemoryQuery(scope=scope, text="mild")) == []
    with pytest.raises(NotFound):
        await tier.preference_versions(scope, current.id)
    with pytest.raises(Conflict):
        await tier.set_preference(scope, entries[0])


async def test_setting_what_was_forgotten_does_not_pass_for_what_others_say(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.store(scope, [preference("a", "mild"), preference("b", "hot", hours=1)])
    await tier.forget(scope, ["b"])
    with pytest.raises(Conflict):
        await tier.set_preference(scope, preference("b", "hot", hours=1))
    assert (await tier.set_preference(scope, preference("a", "mild"))).value == "mild"


async def test_after_forgetting_the_same_can_be_learned_anew(tier: PostgresProceduralTier, scope: Scope) -> None:
    first = await tier.set_preference(scope, preference("a", "mild"))
    await tier.forget(scope, [first.id])
    anew = await tier.set_preference(scope, preference("c", "mild", hours=2))
    assert (anew.value, anew.version) == ("mild", 1)


async def test_forgetting_one_entry_brings_back_what_the_others_say(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [preference("a", "mild"), preference("b", "hot", hours=1)])
    assert await tier.forget(scope, ["b", "unknown"]) == 1
    [current] = (await tier.list_preferences(scope)).items
    assert current.value == "mild"
    assert await tier.forget(scope, ["a"]) == 1
    assert (await tier.list_preferences(scope)).items == ()


async def test_forgetting_an_entry_reaches_the_version_that_restored_it(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    first = await tier.set_preference(scope, preference("a", "mild"))
    await tier.set_preference(scope, preference("b", "hot", hours=1))
    await tier.restore_preference(scope, first.id, 1)
    assert await tier.forget(scope, ["a"]) == 1
    assert [found.value for found in await tier.preference_versions(scope, first.id)] == ["hot"]
    assert (await tier.get_preference(scope, first.id)).value == "hot"


async def test_forgotten_interactions_take_what_rested_on_them_along(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.store(
        scope,
        [
            preference("a", "mild", sources=("i1",)),
            preference("b", "hot", hours=1, sources=("i2", "i3")),
            preference("c", "tea", key="drink", sources=("i2",)),
            preference("d", "told directly", key="direct"),
            rule("r1", "greet", sources=("i2",)),
            rule("r2", "bow", sources=("i2", "i3")),
        ],
    )
    assert await tier.forget_sources(scope, ["i2"]) == 4
    found = {item.key: item for item in (await tier.list_preferences(scope)).items}
    assert {key: item.value for key, item in found.items()} == {"direct": "told directly", "spice": "mild"}
    assert found["spice"].sources == ("i1",)
    assert (await tier.list_rules(scope)).items == ()
    assert await tier.forget_sources(scope, ["i2", "unknown"]) == 0
    again = await tier.store(
        scope, [preference("b", "hot", hours=1, sources=("i3",)), rule("r2", "bow", sources=("i3",))]
    )
    assert [one.duplicate for one in again] == [False, False]


async def test_what_rests_on_a_forgotten_interaction_is_not_learned_late(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.forget_sources(scope, ["gone"])
    late = await tier.store(
        scope, [preference("a", "mild", sources=("gone",)), rule("r", "greet", sources=("gone", "kept"))]
    )
    assert [found.duplicate for found in late] == [True, True]
    assert (await tier.list_preferences(scope)).items == ()
    assert (await tier.list_rules(scope)).items == ()
    assert [one.duplicate for one in await tier.store(scope, [rule("r", "greet", sources=("kept",))])] == [False]


async def test_a_forgotten_rule_does_not_come_back(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.create_rule(scope, rule("r", "greet"))
    assert await tier.forget(scope, ["r"]) == 1
    assert [found.duplicate for found in await tier.store(scope, [rule("r", "greet")])] == [True]
    with pytest.raises(NotFound):
        await tier.get_rule(scope, "r")
    with pytest.raises(NotFound):
        await tier.rule_versions(scope, "r")
    with pytest.raises(Conflict):
        await tier.create_rule(scope, rule("r", "greet"))


async def test_with_a_rule_go_the_ids_of_its_activations(
    tier: PostgresProceduralTier, stack: StoreStack, scope: Scope
) -> None:
    for one in ("r", "other"):
        await tier.create_rule(scope, RuleEntry(id=one, text=f"greet {one}", occurred_at=NOON))
        await tier.record_activation(scope, one, "a")
    await tier.forget(scope, ["r"])
    async with connected(stack.postgres_superuser_dsn()) as connection:
        kept = "SELECT count(*) FROM procedural.applied WHERE user_id = $1 AND counted_at IS NOT NULL"
        assert await connection.fetchval(kept, scope.user_id) == 1
