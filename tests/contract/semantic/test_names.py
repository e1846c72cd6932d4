"""Names of entities and the kinds they are taken for, by people and by who corrects them; in process and over HTTP."""

from datetime import timedelta

import pytest

from ragpp.errors import Conflict, NotFound
from ragpp.models import Entity, Relabelled, Scope
from ragpp.tiers import SemanticTier
from tests.support.scopes import new_scope
from tests.support.semantic import NOON, observation, relation, semantic_entry

pytestmark = pytest.mark.server
DAY = timedelta(days=1)


async def known(tier: SemanticTier, scope: Scope) -> dict[str, Entity]:
    return {one.name: one for one in (await tier.list_entities(scope)).items}


async def test_an_entity_is_called_what_a_person_says_and_still_known_by_its_old_name(tier: SemanticTier) -> None:
    scope = new_scope()
    sister = relation("Elena", "SISTER_OF", "Noor", label="PERSON")
    await tier.observe(scope, [observation("m1", at=NOON - DAY, relationships=(sister,))])
    elena = (await known(tier, scope))["Elena"]
    renamed = await tier.relabel_entity(scope, elena.id, "Elena Costa")
    assert (renamed.id, renamed.name, renamed.aliases, renamed.mentions) == (elena.id, "Elena Costa", ("Elena",), 1)
    assert await tier.relabel_entity(scope, elena.id, "Elena Costa") == renamed
    (kept,) = (await tier.list_relationships(scope)).items
    assert (kept.source, kept.target) == ("Elena Costa", "Noor")
    for number, name in enumerate(("Elena", "Elena Costa", "elena")):
        home = relation(name, "LIVES_IN", "Porto")
        await tier.observe(scope, [observation(f"n{number}", at=NOON, relationships=(home,))])
    assert set(await known(tier, scope)) == {"Elena Costa", "Noor", "Porto"}
    assert (await tier.get_entity(scope, elena.id)).mentions == 4
    again = await tier.relabel_entity(scope, elena.id, "Helena")
    assert (again.name, again.aliases) == ("Helena", ("Elena", "Elena Costa"))
    assert (await tier.list_entities(new_scope())).items == ()
    with pytest.raises(NotFound):
        await tier.relabel_entity(new_scope(), elena.id, "Mallory")


async def test_a_corrected_name_stays_while_anything_mentions_the_entity_and_goes_with_the_last(
    tier: SemanticTier,
) -> None:
    scope = new_scope()
    for number, name in enumerate(("Elena", "Elena Costa", "Elena")):
        home = relation(name, "LIKES", "tea", label="PRODUCT")
        await tier.observe(scope, [observation(f"m{number}", at=NOON, relationships=(home,))])
        if number == 0:
            elena = (await known(tier, scope))["Elena"]
            await tier.relabel_entity(scope, elena.id, "Elena Costa")
    for forgotten, mentions in (("m0", 2), ("m1", 1)):
        await tier.forget_sources(scope, [forgotten])
        left = (await known(tier, scope))["Elena Costa"]
        assert (left.id, left.mentions, left.aliases) == (elena.id, mentions, ("Elena",))
    await tier.forget_sources(scope, ["m2"])
    assert await known(tier, scope) == {}
    assert await tier.holdings(scope) == {"observations": 3}  # which were applied, and say nothing


async def test_a_corrected_name_keeps_no_name_that_nobody_is_known_to_have_said(tier: SemanticTier) -> None:
    scope = new_scope()
    for number, name in enumerate(("Elena", "Elena Costa")):
        home = relation(name, "LIKES", "tea", label="PRODUCT")
        await tier.observe(scope, [observation(f"m{number}", at=NOON, relationships=(home,))])
        if number == 0:
            await tier.relabel_entity(scope, (await known(tier, scope))["Elena"].id, "Elena Costa")
    await tier.forget_sources(scope, ["m0"])
    left = (await known(tier, scope))["Elena Costa"]
    assert (left.mentions, left.aliases) == (1, ())
    assert await tier.named(scope, ["Elena"]) == []


async def test_an_entity_is_what_a_person_says_and_still_recognised_as_what_it_was_taken_for(
    tier: SemanticTier,
) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("Brightline", label="PERSON", id="a")])
    taken = (await known(tier, scope))["Brightline"]
    company = await tier.relabel_entity(scope, taken.id, label="ORG")
    assert (company.id, company.name, company.label, company.aliases) == (taken.id, "Brightline", "ORG", ())
    await tier.store(scope, [semantic_entry("Brightline", label="PERSON", id="b")])
    await tier.store(scope, [semantic_entry("Brightline", label="ORG", id="c")])
    (only,) = (await tier.list_entities(scope)).items
    assert (only.id, only.label, only.mentions) == (taken.id, "ORG", 3)
    both = await tier.relabel_entity(scope, taken.id, "Brightline Ltd", "PRODUCT")
    assert (both.name, both.label, both.aliases) == ("Brightline Ltd", "PRODUCT", ("Brightline",))
    assert (await tier.relabel_entity(scope, taken.id, label="PERSON")).label == "PERSON"


async def test_a_name_that_another_of_that_kind_bears_is_refused_and_names_it(tier: SemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry(name, label="PERSON") for name in ("Elena", "Greta")])
    await tier.store(scope, [semantic_entry("Greta", label="ORG")])
    elena = (await known(tier, scope))["Elena"]
    with pytest.raises(Conflict) as caught:
        await tier.relabel_entity(scope, elena.id, "greta")
    (bearer,) = (one for one in (await tier.list_entities(scope, label="PERSON")).items if one.name == "Greta")
    assert caught.value.details == {"entity_id": bearer.id}
    (company,) = (await tier.list_entities(scope, label="ORG")).items
    with pytest.raises(Conflict):
        await tier.relabel_entity(scope, company.id, label="PERSON")
    assert (await tier.get_entity(scope, elena.id)).name == "Elena"


async def test_what_was_taken_for_something_is_recognised_after_a_merge_and_told_apart_after_a_split(
    tier: SemanticTier,
) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("Brightline", label="PERSON", id="a")])
    await tier.store(scope, [semantic_entry("Brightline Ltd", label="ORG", id="b")])
    taken, kept = [(await known(tier, scope))[name] for name in ("Brightline", "Brightline Ltd")]
    await tier.relabel_entity(scope, taken.id, label="ORG")
    await tier.merge_entities(scope, kept.id, taken.id)
    await tier.store(scope, [semantic_entry("Brightline", label="PERSON", id="c")])
    (one,) = (await tier.list_entities(scope)).items
    assert (one.id, one.label, one.mentions) == (kept.id, "ORG", 3)
    await tier.split_entity(scope, kept.id, taken.id)
    await tier.store(scope, [semantic_entry("Brightline Ltd", label="PERSON", id="d")])
    found = {(entity.name, entity.label) for entity in (await tier.list_entities(scope)).items}
    assert found == {("Brightline", "ORG"), ("Brightline Ltd", "ORG"), ("Brightline Ltd", "PERSON")}
    await tier.store(scope, [semantic_entry("Brightline", label="PERSON", id="e")])
    assert len((await tier.list_entities(scope)).items) == 3


async def test_what_people_called_things_is_listed_with_what_those_were(tier: SemanticTier) -> None:
    scope = new_scope()
    entries = [semantic_entry(name, label="PERSON") for name in ("Elena", "Globex", "Otto")]
    await tier.store(scope, entries)
    assert await tier.relabelled(scope) == []
    there = await known(tier, scope)
    await tier.relabel_entity(scope, there["Globex"].id, label="ORG")
    await tier.relabel_entity(scope, there["Elena"].id, "Helena")
    await tier.relabel_entity(scope, there["Elena"].id, "Elena Costa")
    assert await tier.relabelled(scope) == [
        Relabelled(name="Globex", label="ORG", former_labels=("PERSON",)),
        Relabelled(name="Elena Costa", label="PERSON", former_names=("Helena", "Elena")),
    ]
    assert await tier.relabelled(new_scope()) == []
