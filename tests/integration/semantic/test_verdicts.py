"""A person's judgement of relationships: reviews, confirmations, rejections."""

import pytest

from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.fading import YEARLY
from ragpp.learned import Consolidated
from ragpp_services.semantic.tier import Neo4jSemanticTier
from tests.support.scopes import new_scope
from tests.support.semantic import NOON, entities, relation, relationships, semantic_entry
from tests.support.validity import DAY, FLOOR, LISBON, PORTO, Clock, asked, hear, told

pytestmark = pytest.mark.server


async def test_doubtful_relationships_wait_for_a_person(tier: Neo4jSemanticTier, clock: Clock) -> None:
    scope = new_scope()
    entries = [relation("Noor", "READ", thing, at=NOON - days * DAY) for thing, days in (("tea", 30), ("chess", 10))]
    await tier.store(scope, [*entries, relation("Noor", "READ", "rowing"), relation("Noor", "LIVES_IN", "Porto")])
    await tier.store(scope, [relation("Noor", "LIVES_IN", "Porto", ends=True)])
    doubtful = await tier.review_relationships(scope, 0.5)
    assert [item.target for item in doubtful] == ["chess", "tea"]
    assert [item.target for item in await tier.review_relationships(scope, 0.5, 1)] == ["chess"]
    confirmed = await tier.judge_relationship(scope, doubtful[0].id, "confirmed")
    assert (confirmed.confidence, confirmed.verdict) == (1.0, "confirmed")
    await tier.judge_relationship(scope, doubtful[1].id, "rejected")
    assert await tier.review_relationships(scope, 0.5) == []
    clock.now = NOON + 2 * DAY
    (chess,) = [item for item in await relationships(tier, scope) if item.target == "chess"]
    assert chess.confidence == pytest.approx(0.95**2)


async def test_a_rejection_is_remembered(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await hear(tier, scope, [PORTO, LISBON])
    (lisbon,) = await relationships(tier, scope)
    assert (await tier.judge_relationship(scope, lisbon.id, "rejected")).verdict == "rejected"
    again = [
        (f"again{days}", days, relation("Noor", "LIVES_IN", "Lisbon", context="Lisbon, where I live.", sources=("x",)))
        for days in (7, 3, 12)
    ]
    await hear(tier, scope, again)
    assert told(await relationships(tier, scope)) == [("Noor LIVES_IN Porto", None)]
    assert told(await relationships(tier, scope, "rejected")) == [("Noor LIVES_IN Lisbon", None)]
    assert await asked(tier, scope, "Does Noor live in Lisbon?") == ["Noor LIVES_IN Porto"]
    assert await asked(tier, scope, "Does Noor live in Lisbon?", NOON - 2 * DAY) == ["Noor LIVES_IN Porto"]
    assert await tier.judge_relationship(scope, lisbon.id, "rejected")
    await tier.forget_sources(scope, ["m2", "again7", "again3", "again12"])
    await tier.store(scope, [semantic_entry("Noor", label="PERSON")])
    assert told(await relationships(tier, scope, "all")) == [("Noor LIVES_IN Porto", None)]
    with pytest.raises(NotFound):
        await tier.get_relationship(scope, lisbon.id)


async def test_a_rejection_outlives_its_messages_while_both_things_are_known(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await hear(tier, scope, [("m1", 9, relation("Noor", "LIKES", "tea", label="PRODUCT"))])
    (likes,) = await relationships(tier, scope)
    await tier.judge_relationship(scope, likes.id, "rejected")
    await tier.store(scope, [semantic_entry("tea"), semantic_entry("Noor", label="PERSON")])
    await tier.forget_sources(scope, ["m1"])
    (kept,) = await relationships(tier, scope, "rejected")
    assert (kept.id, kept.weight, kept.sources, kept.context) == (likes.id, 0.0, (), "")
    await hear(tier, scope, [("m2", 1, relation("Noor", "LIKES", "tea", label="PRODUCT"))])
    assert await relationships(tier, scope) == []
    assert (await tier.judge_relationship(scope, likes.id, "confirmed")).confidence == 1.0
    assert told(await relationships(tier, scope)) == [("Noor LIKES tea", None)]
    await tier.forget_sources(scope, ["m2"])
    assert await relationships(tier, scope, "all") == []
    await hear(tier, scope, [("m3", 1, relation("Noor", "LIKES", "tea", label="PRODUCT"))])
    (fresh,) = await relationships(tier, scope)
    assert fresh.verdict is None
    assert fresh.confidence == pytest.approx(0.6 * YEARLY)


async def test_a_rejection_is_forgotten_with_its_relationship(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await hear(tier, scope, [PORTO])
    (porto,) = await relationships(tier, scope)
    await tier.judge_relationship(scope, porto.id, "rejected")
    assert await tier.forget(scope, [porto.id]) == 1
    await hear(tier, scope, [("m8", 2, PORTO[2])])
    (again,) = await relationships(tier, scope)
    assert (again.id, again.verdict, again.weight) == (porto.id, None, 1.0)


async def test_a_verdict_goes_along_when_entities_become_one(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [relation(name, "LIKES", "tea", label="PRODUCT") for name in ("Ann", "Annie")])
    annie = next(item for item in await relationships(tier, scope) if item.source == "Annie")
    await tier.judge_relationship(scope, annie.id, "rejected")
    ids = {entity.name: entity.id for entity in await entities(tier, scope)}
    await tier.merge_entities(scope, ids["Ann"], ids["Annie"])
    assert await relationships(tier, scope) == []
    await tier.split_entity(scope, ids["Ann"], ids["Annie"])
    assert told(await relationships(tier, scope)) == [("Ann LIKES tea", None)]
    assert told(await relationships(tier, scope, "rejected")) == [("Annie LIKES tea", None)]


async def test_judging_what_is_not_there(tier: Neo4jSemanticTier) -> None:
    scope = new_scope()
    with pytest.raises(NotFound):
        await tier.judge_relationship(scope, "none", "confirmed")
    with pytest.raises(NotFound):
        await tier.restore_relationship(scope, "none")
    await tier.store(scope, [relation("Noor", "LIKES", "tea")])
    (likes,) = await relationships(tier, scope)
    with pytest.raises(Conflict):
        await tier.restore_relationship(scope, likes.id)
    with pytest.raises(InvalidInput):
        await tier.consolidate(scope, NOON, 1.5)
    assert await tier.consolidate(new_scope(), NOON, FLOOR) == Consolidated()
