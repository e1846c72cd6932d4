"""Relationships that a person states, in process and over HTTP."""

from datetime import timedelta

import pytest

from ragpp.errors import Conflict, InvalidInput
from ragpp.models import Entity, MemoryQuery, Scope, StatedRelationship
from ragpp.tiers import SemanticTier
from tests.support.scopes import new_scope
from tests.support.semantic import NOON, observation, relation, semantic_entry

pytestmark = pytest.mark.server
DAY = timedelta(days=1)


def said(identifier: str, target: str, *, days_ago: int = 0, until: int | None = None) -> StatedRelationship:
    """That Noor has lived in `target` since so many days ago, until so many."""
    return StatedRelationship(
        entry=relation("Noor", "LIVES_IN", target, id=identifier, at=NOON - days_ago * DAY),
        until=None if until is None else NOON - until * DAY,
    )


async def test_what_a_person_states_is_confirmed_and_rests_on_no_message(tier: SemanticTier) -> None:
    scope = new_scope()
    stated = await tier.state_relationship(scope, said("s1", "Porto", days_ago=400))
    assert (stated.source, stated.type, stated.target) == ("Noor", "LIVES_IN", "Porto")
    assert (stated.verdict, stated.confidence, stated.sources, stated.weight) == ("confirmed", 1.0, (), 1)
    assert (stated.valid_from, stated.valid_to) == (NOON - 400 * DAY, None)
    assert await tier.state_relationship(scope, said("s1", "Porto", days_ago=400)) == stated
    again = said("s1", "Porto").model_copy(update={"is_dated": False})  # asked later, without a date of its own
    assert await tier.state_relationship(scope, again) == stated
    with pytest.raises(Conflict):
        await tier.state_relationship(scope, said("s1", "Lisbon", days_ago=400))
    found = await tier.retrieve(MemoryQuery(scope=scope, text="Where does Noor live?", entities=("Noor",)))
    assert stated.id in {one.id for one in found if one.kind == "relationship"}
    await tier.forget_sources(scope, ["m1"])
    assert (await tier.list_relationships(scope)).items == (stated,)
    assert (await tier.list_relationships(new_scope())).items == ()


async def test_what_is_stated_ends_what_was_said_and_is_ended_by_what_is_said_later(tier: SemanticTier) -> None:
    scope = new_scope()
    old = relation("Noor", "LIVES_IN", "Lisbon")
    await tier.observe(scope, [observation("m1", at=NOON - 9 * DAY, relationships=(old,))])
    await tier.state_relationship(scope, said("s1", "Porto", days_ago=5))
    assert [one.target for one in (await tier.list_relationships(scope)).items] == ["Porto"]
    new = relation("Noor", "LIVES_IN", "Faro")
    await tier.observe(scope, [observation("m2", at=NOON - DAY, relationships=(new,))])
    assert [one.target for one in (await tier.list_relationships(scope)).items] == ["Faro"]
    await tier.forget_sources(scope, ["m2"])
    (current,) = (await tier.list_relationships(scope)).items
    assert (current.target, current.verdict) == ("Porto", "confirmed")


async def test_what_is_stated_with_an_end_held_until_then(tier: SemanticTier) -> None:
    scope = new_scope()
    stated = await tier.state_relationship(scope, said("s1", "Porto", days_ago=9, until=4))
    assert (stated.valid_from, stated.valid_to) == (NOON - 9 * DAY, NOON - 4 * DAY)
    assert (await tier.list_relationships(scope)).items == ()
    (then,) = (await tier.list_relationships(scope, as_of=NOON - 5 * DAY)).items
    assert then.id == stated.id
    (kept,) = await tier.stated_relationships(scope)
    assert (kept.entry.id, kept.entry.target, kept.until) == ("s1", "Porto", NOON - 4 * DAY)


async def test_stating_lifts_a_rejection_and_forgetting_takes_back_what_was_stated(tier: SemanticTier) -> None:
    scope = new_scope()
    stated = await tier.state_relationship(scope, said("s1", "Porto"))
    await tier.judge_relationship(scope, stated.id, "rejected")
    assert (await tier.state_relationship(scope, said("s1", "Porto"))).verdict == "rejected"  # delivered again
    assert (await tier.state_relationship(scope, said("s2", "Porto"))).verdict == "confirmed"
    assert await tier.forget(scope, [stated.id]) == 1
    assert await tier.stated_relationships(scope) == []
    assert (await tier.list_relationships(scope, state="all")).items == ()
    with pytest.raises(Conflict):
        await tier.state_relationship(scope, said("s1", "Porto"))  # delivered late
    assert (await tier.state_relationship(scope, said("s3", "Porto"))).weight == 1


async def test_what_only_a_forgotten_statement_named_goes_with_it(tier: SemanticTier) -> None:
    scope = new_scope()
    await tier.observe(scope, [observation("m1", relationships=(relation("Noor", "LIKES", "tea"),))])
    porto = await tier.state_relationship(scope, said("s1", "Porto", days_ago=9, until=4))
    await tier.state_relationship(scope, said("s2", "Faro"))
    assert await tier.forget(scope, [porto.id]) == 1
    assert set(await known(tier, scope)) == {"Noor", "tea", "Faro"}
    assert await tier.forget(scope, [(await known(tier, scope))["Noor"].id]) == 1
    assert set(await known(tier, scope)) == {"tea"}
    for late in (said("s1", "Porto", days_ago=9, until=4), said("s2", "Faro")):
        with pytest.raises(Conflict):
            await tier.state_relationship(scope, late)
    assert set(await known(tier, scope)) == {"tea"}


async def test_nothing_is_related_to_itself(tier: SemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("Porto", label="GPE", aliases=("Oporto",))])
    loops = [relation("noor", "FRIEND_OF", "Noor", label="PERSON"), relation("Porto", "NEAR", "Oporto")]
    loops[1] = loops[1].model_copy(update={"source_label": "GPE"})
    for entry in loops:
        with pytest.raises(InvalidInput):
            await tier.state_relationship(scope, StatedRelationship(entry=entry))
    assert await tier.stated_relationships(scope) == []
    assert [one.mentions for one in (await tier.list_entities(scope)).items] == [1]


async def known(tier: SemanticTier, scope: Scope) -> dict[str, Entity]:
    return {one.name: one for one in (await tier.list_entities(scope)).items}


async def test_an_id_that_looks_like_anothers_end_is_free_for_that(tier: SemanticTier) -> None:
    scope = new_scope()
    await tier.state_relationship(scope, said("x.until", "Lisbon", days_ago=30))
    stated = await tier.state_relationship(scope, said("x", "Porto", days_ago=9, until=4))
    assert (stated.target, stated.valid_to) == ("Porto", NOON - 4 * DAY)
    ends = {one.entry.id: one.until for one in await tier.stated_relationships(scope)}
    assert ends == {"x.until": None, "x": NOON - 4 * DAY}


async def test_what_is_stated_without_confirming_it_leaves_the_verdict_that_there_is(tier: SemanticTier) -> None:
    scope = new_scope()
    stated = await tier.state_relationship(scope, said("s1", "Porto"), confirm=False)
    assert (stated.verdict, stated.weight) == (None, 1)
    await tier.judge_relationship(scope, stated.id, "rejected")
    again = await tier.state_relationship(scope, said("s2", "Porto"), confirm=False)
    assert (again.id, again.verdict) == (stated.id, "rejected")
