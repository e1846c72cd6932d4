"""The promises of every tier about erasing a user, and about telling how much it holds, in process and over HTTP."""

from typing import cast

import pytest

from ragpp.errors import Outdated
from ragpp.models import RuleEntry, Scope
from ragpp.tiers import CatalogTier, EpisodicTier, ProceduralTier, ShortTermTier
from tests.support.contract import Subject
from tests.support.procedural import procedural_entry
from tests.support.scopes import new_scope
from tests.support.semantic import NOON

pytestmark = pytest.mark.server
ANY_EVENT = 2**62
"""After every event that there is."""


async def erased(subject: Subject, scope: Scope, before: int = ANY_EVENT) -> None:
    """Erase until nothing is left; AssertionError when that does not end."""
    for _ in range(100):
        if not await subject.tier.erase(scope, before):
            return
    raise AssertionError("there is always more")


async def test_nobody_of_whom_nothing_is_known_holds_anything(subject: Subject) -> None:
    scope = new_scope()
    assert await subject.tier.holdings(scope) == {}
    assert await subject.tier.holdings(scope, ["m1"], ANY_EVENT) == {}
    await erased(subject, scope)


async def test_what_is_erased_is_gone_and_another_users_is_not(subject: Subject) -> None:
    alice, bob = new_scope(), new_scope()
    for scope in (alice, bob):
        await subject.tier.store(scope, [subject.entry("saffron lighthouse"), subject.entry("granite umbrella")])
        assert await subject.tier.retrieve(subject.query(scope, "saffron lighthouse"))
    held = await subject.tier.holdings(bob)
    assert held
    assert all(held.values())
    await erased(subject, alice)
    assert await subject.tier.holdings(alice) == {}
    for text in ("saffron lighthouse", "granite umbrella"):
        assert await subject.tier.retrieve(subject.query(alice, text)) == []
        assert await subject.tier.retrieve(subject.query(bob, text))
    assert await subject.tier.holdings(bob) == held


async def test_what_is_counted_of_sources_is_what_rests_on_them(subject: Subject) -> None:
    if subject.resting_on is None:
        pytest.skip("what this tier holds rests on nothing")
    scope = new_scope()
    await subject.tier.store(scope, [subject.resting_on("saffron lighthouse", "m1")])
    await subject.tier.store(scope, [subject.resting_on("granite umbrella", "m2")])
    one = await subject.tier.holdings(scope, ["m1"])
    both = await subject.tier.holdings(scope, ["m1", "m2"])
    assert one
    assert {kind: 2 * count for kind, count in one.items()} == both
    assert await subject.tier.holdings(scope, ["m3"]) == {}
    assert await subject.tier.holdings(scope, []) == {}


async def test_an_erasure_begins_an_epoch_each_time(subject: Subject) -> None:
    scope, seen = new_scope(), set[int]()
    await subject.tier.store(scope, [subject.entry("saffron lighthouse")])
    for _ in range(3):
        before = await subject.tier.epoch(scope)
        seen.add(before)
        await erased(subject, scope)
        with pytest.raises(Outdated):
            await subject.tier.store(scope, [subject.entry("late")], before)
    assert len({*seen, await subject.tier.epoch(scope)}) == 4
    assert await subject.tier.holdings(scope) == {}


async def test_what_rested_on_a_forgotten_source_is_not_kept_after_an_erasure_either(subject: Subject) -> None:
    if subject.tier.name not in {"short_term", "procedural", "catalog"} or subject.resting_on is None:
        pytest.skip("the marks of the others are looked at elsewhere")
    scope = new_scope()
    if subject.tier.name == "short_term":
        await subject.tier.forget(scope, ["m1"])
    else:
        await cast("ProceduralTier | CatalogTier", subject.tier).forget_sources(scope, ["m1"])
    await erased(subject, scope)
    await subject.tier.store(scope, [subject.resting_on("saffron lighthouse", "m1")])
    assert await subject.tier.retrieve(subject.query(scope, "saffron lighthouse")) == []


async def test_interactions_of_later_events_stay_and_ids_that_went_are_known_again(subject: Subject) -> None:
    if subject.protocol is not EpisodicTier:
        pytest.skip("of the episodic tier")
    tier, scope = cast("EpisodicTier", subject.tier), new_scope()
    early, late = subject.entry("saffron lighthouse", id="early"), subject.entry("granite umbrella", id="late")
    await tier.store(scope, [early])
    (stored,) = await tier.store(scope, [late])
    assert stored.event_id is not None
    assert await tier.recorded_before(scope, stored.event_id, 10) == ["early"]
    assert await tier.recorded_before(scope, ANY_EVENT, 1) == ["early"]
    assert await tier.recorded_before(scope.in_session("elsewhere"), ANY_EVENT, 10) == []
    assert await tier.holdings(scope, None, stored.event_id) == {"interactions": 1}
    await erased(subject, scope, stored.event_id)
    assert [one.id for one in (await tier.list_interactions(scope)).items] == ["late"]
    assert [one.forgotten for one in await tier.store(scope, [early])] == [True]


async def test_what_somebody_set_later_stays_and_what_was_learned_later_goes(subject: Subject) -> None:
    if subject.tier.name != "procedural":
        pytest.skip("of the procedural tier")
    tier, scope = cast("ProceduralTier", subject.tier), new_scope()
    (first,) = await tier.store(scope, [procedural_entry("saffron lighthouse")])
    assert first.event_id is not None
    await tier.store(scope, [procedural_entry("granite umbrella")])
    await tier.store(scope, [procedural_entry("learned lately", sources=("m1",))])
    await tier.create_rule(scope, RuleEntry(id="set", text="greet", occurred_at=NOON))
    await tier.create_rule(scope, RuleEntry(id="learned", text="wave", occurred_at=NOON, sources=("m1",)))
    before = await tier.holdings(scope, None, first.event_id + 1)
    assert before == {"preferences": 2, "rules": 1}
    await erased(subject, scope, first.event_id + 1)
    assert await tier.holdings(scope, None, first.event_id + 1) == {}
    assert [one.value for one in (await tier.list_preferences(scope)).items] == ["granite umbrella"]
    assert [one.id for one in (await tier.list_rules(scope)).items] == ["set"]


async def test_a_conversation_that_goes_on_is_not_ended_where_only_an_empty_one_is_meant(subject: Subject) -> None:
    if subject.tier.name != "short_term":
        pytest.skip("of the short-term tier")
    tier, scope = cast("ShortTermTier", subject.tier), new_scope()
    await tier.store(scope, [subject.entry("saffron lighthouse", id="m1")])
    assert not await tier.delete_session(scope, only_if_empty=True)
    assert [one.messages for one in (await tier.list_sessions(scope)).items] == [1]
    await tier.forget(scope, ["m1"])  # one of which nothing is left has ended
    assert not await tier.delete_session(scope, only_if_empty=True)
    assert (await tier.list_sessions(scope)).items == ()
