"""The semantic tier's own verbs, in process and over HTTP: the same of validity, verdicts and decay."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from ragpp.errors import Conflict, InvalidInput, NotFound, Outdated
from ragpp.learned import READ_ENTRY, Consolidated
from ragpp.models import Entity, MemoryQuery, Relabelled, Scope, StatedRelationship
from ragpp.tiers import SemanticTier
from ragpp_infra.embedded.stack import Endpoints
from tests.support.contract import reached
from tests.support.scopes import new_scope
from tests.support.semantic import NOON, observation, relation, semantic_entry, semantic_tier

pytestmark = pytest.mark.server
DAY = timedelta(days=1)


@pytest.fixture(params=["local", "http"])
async def tier(request: pytest.FixtureRequest, endpoints: Endpoints) -> AsyncIterator[SemanticTier]:
    async with reached(request.param, "semantic", SemanticTier, semantic_tier(endpoints, clock=lambda: NOON)) as opened:
        yield opened


async def test_an_ending_closes_a_relationship_at_its_time(tier: SemanticTier) -> None:
    scope = new_scope()
    begin, end = NOON - 9 * DAY, NOON - 2 * DAY
    await tier.observe(scope, [observation("m1", at=begin, relationships=(relation("Noor", "LIVES_IN", "Porto"),))])
    over = relation("Noor", "LIVES_IN", "Porto", ends=True)
    await tier.observe(scope, [observation("m2", at=end, relationships=(over,))])
    assert (await tier.list_relationships(scope)).items == ()
    (ended,) = (await tier.list_relationships(scope, state="ended")).items
    assert (ended.valid_from, ended.valid_to, ended.ended_by, ended.learned_at) == (begin, end, "m2", begin)
    (then,) = (await tier.list_relationships(scope, as_of=end - DAY)).items
    assert (then.id, then.valid_to) == (ended.id, None)


async def test_a_relationship_has_the_verb_that_said_so_last(tier: SemanticTier) -> None:
    scope = new_scope()
    for number, verb in enumerate(("read", "devour", "")):
        said = relation("Noor", "READ", "Dune").model_copy(update={"verb": verb})
        await tier.observe(scope, [observation(f"m{number}", at=NOON - (9 - number) * DAY, relationships=(said,))])
        (known,) = (await tier.list_relationships(scope)).items
        assert known.verb == verb
        found = await tier.retrieve(MemoryQuery(scope=scope, text="What has Noor read?"))
        assert [one.metadata["verb"] for one in found if one.kind == "relationship"] == [verb]
    await tier.forget_sources(scope, ["m2"])
    (left,) = (await tier.list_relationships(scope)).items
    assert left.verb == "devour"
    (then,) = (await tier.list_relationships(scope, as_of=NOON - 9 * DAY)).items
    assert then.verb == "read"


async def test_a_person_confirms_rejects_and_restores(tier: SemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [relation("Noor", "WATCHED", "tea", at=NOON - 400 * DAY)])
    (doubtful,) = await tier.review_relationships(scope, 0.5)
    assert await tier.consolidate(scope, NOON, 0.01) == Consolidated(updated=1, archived=1)
    assert await tier.consolidate(scope, NOON, 0.01) == Consolidated()
    (archived,) = (await tier.list_relationships(scope, state="archived")).items
    assert (archived.id, archived.archived) == (doubtful.id, True)
    restored = await tier.restore_relationship(scope, doubtful.id)
    assert (restored.archived, restored.confidence) == (False, 0.6)
    with pytest.raises(Conflict):
        await tier.restore_relationship(scope, doubtful.id)
    assert (await tier.judge_relationship(scope, doubtful.id, "rejected")).verdict == "rejected"
    assert [item.id for item in (await tier.list_relationships(scope, state="rejected")).items] == [doubtful.id]
    assert (await tier.judge_relationship(scope, doubtful.id, "confirmed")).confidence == 1.0
    with pytest.raises(NotFound):
        await tier.judge_relationship(new_scope(), doubtful.id, "rejected")


async def test_what_was_rejected_is_found_by_who_asks_for_it(tier: SemanticTier) -> None:
    """It tells against the messages it was learned from, and must never pass for something known."""
    scope = new_scope()
    works = relation("user", "WORKS_AT", "Brightline")
    await tier.observe(scope, [observation("m1", relationships=(works,))])
    (known,) = (await tier.list_relationships(scope)).items
    question = MemoryQuery(scope=scope, text="Where do I work?", entities=("user",))
    (found,) = await tier.retrieve(question)
    assert (found.id, "verdict" in found.metadata) == (known.id, False)
    await tier.judge_relationship(scope, known.id, "rejected")
    assert await tier.retrieve(question) == []
    judging = question.model_copy(update={"rejected": True})
    (rejected,) = await tier.retrieve(judging)
    assert (rejected.id, rejected.sources, rejected.confidence) == (known.id, ("m1",), 0.0)
    assert rejected.metadata["verdict"] == "rejected"
    assert rejected.score > 0
    assert await tier.retrieve(judging.model_copy(update={"scope": new_scope()})) == []
    (unrelated,) = await tier.retrieve(judging.model_copy(update={"text": "Where do I park?"}))
    assert unrelated.score == 0
    await tier.judge_relationship(scope, known.id, "confirmed")
    (again,) = await tier.retrieve(judging)
    assert "verdict" not in again.metadata


async def test_what_says_the_same_as_a_person_is_not_told_against(tier: SemanticTier) -> None:
    """A denial is among the sources of what it ends; who then rejects that does not mean the denial."""
    scope = new_scope()
    works = relation("user", "WORKS_AT", "Brightline")
    await tier.observe(scope, [observation("m1", relationships=(works,))])
    (known,) = (await tier.list_relationships(scope)).items
    await tier.judge_relationship(scope, known.id, "rejected")
    for number, days in (("m2", 1), ("m3", 2)):
        later = NOON + timedelta(days=days)
        over = relation("user", "WORKS_AT", "Brightline", ends=True, at=later)
        await tier.observe(scope, [observation(number, at=later, relationships=(over,))])
    question = MemoryQuery(scope=scope, text="Where do I work?", entities=("user",), rejected=True)
    (rejected,) = await tier.retrieve(question)
    assert (rejected.id, rejected.sources) == (known.id, ("m1",))


async def test_what_was_rejected_takes_no_place_of_what_is_known(tier: SemanticTier) -> None:
    scope = new_scope()
    for number, firm in enumerate(("Brightline", "Acme")):
        works = relation("user", "WORKS_WITH", firm)
        await tier.observe(scope, [observation(f"m{number}", relationships=(works,))])
    wrong = next(one for one in (await tier.list_relationships(scope)).items if one.target == "Acme")
    await tier.judge_relationship(scope, wrong.id, "rejected")
    question = MemoryQuery(scope=scope, text="Whom do I work with?", entities=("user",), rejected=True, limit=1)
    known, rejected = await tier.retrieve(question)
    assert (known.text, rejected.id) == ("user WORKS_WITH Brightline", wrong.id)
    assert len(await tier.retrieve(question.model_copy(update={"rejected": False}))) == 1


async def test_who_asks_is_no_answer_and_what_is_known_of_them_is_if_it_is_asked_for(tier: SemanticTier) -> None:
    scope = new_scope()
    told = (relation("user", "WORKS_AT", "Brightline"), relation("user", "LIVES_IN", "Lagos"))
    await tier.observe(scope, [observation("m1", relationships=told)])
    for text, expected in (
        ("Where do I work?", {"user WORKS_AT Brightline"}),
        ("What do you know about me?", {"user WORKS_AT Brightline", "user LIVES_IN Lagos"}),
        ("Which colour do I like?", set()),
        ("Which colour does the user like?", set()),
    ):
        query = MemoryQuery(scope=scope, text=text, entities=("user",), mode="lexical")
        assert {memory.text for memory in await tier.retrieve(query)} == expected


async def test_consolidating_answers_what_became_one(tier: SemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("Café Rosa", label="ORG"), semantic_entry("Cafe Rosa", label="ORG")])
    await tier.store(scope, [relation("Noor", "LIKES", "tea", at=NOON - 400 * DAY)])
    done = await tier.consolidate(scope, NOON, None)
    assert (done.updated, done.archived) == (0, 0)
    (merged,) = done.merged
    assert (merged.name, merged.aliases, len(merged.merged_from)) == ("Café Rosa", ("Cafe Rosa",), 1)
    assert await tier.consolidate(scope, NOON, None) == Consolidated()
    assert (await tier.consolidate(scope, NOON, 0.0)).updated == 1
    with pytest.raises(InvalidInput):
        await tier.consolidate(scope, NOON, -1.0)


async def test_what_a_message_teaches_anew_stands_in_the_place_of_what_it_taught(tier: SemanticTier) -> None:
    scope, other = new_scope(), new_scope()
    home, work = relation("Noor", "LIVES_IN", "Porto"), relation("Noor", "WORKS_AT", "Globex", label="ORG")
    before = observation("m1", relationships=(home, work))
    await tier.observe(scope, [before, observation("m2", relationships=(relation("Tom", "LIVES_IN", "Rome"),))])
    await tier.observe(other, [before])
    known = {one.type: one for one in (await tier.list_relationships(scope)).items if one.source == "Noor"}
    await tier.judge_relationship(scope, known["WORKS_AT"].id, "confirmed")
    assert await tier.observe(scope, [observation("m1", relationships=(work,))]) == [False]
    epoch = await tier.epoch(scope)

    for now in (epoch, None):
        assert await tier.observe(scope, [observation("m1", relationships=(work,))], now, ["m1"]) == [True]

    with pytest.raises(Outdated):
        await tier.observe(scope, [before], epoch, ["m1"])
    left = {one.type: one for one in (await tier.list_relationships(scope)).items if one.source == "Noor"}
    assert [*left] == ["WORKS_AT"]
    assert (left["WORKS_AT"].id, left["WORKS_AT"].weight) == (known["WORKS_AT"].id, known["WORKS_AT"].weight)
    assert left["WORKS_AT"].verdict == "confirmed"
    assert {one.name for one in (await tier.list_entities(scope)).items} == {"Noor", "Globex", "Tom", "Rome"}
    assert len((await tier.list_relationships(other)).items) == 2
    assert await tier.observe(scope, [], None, ["m1"]) == []
    assert {one.name for one in (await tier.list_entities(scope)).items} == {"Tom", "Rome"}
    await tier.forget_sources(scope, ["m1"])
    await tier.observe(scope, [before], None, ["m1"])
    assert {one.name for one in (await tier.list_entities(scope)).items} == {"Tom", "Rome"}


async def test_what_a_model_read_in_a_message_may_be_read_in_it_again(tier: SemanticTier) -> None:
    scope = new_scope()
    read = observation("m1", relationships=(relation("Noor", "LIVES_IN", "Porto"),), event_id=f"{READ_ENTRY}1")
    assert await tier.observe(scope, [read]) == [True]
    assert await tier.observe(scope, [], None, ["m1"]) == []
    assert (await tier.list_entities(scope)).items == ()
    assert await tier.observe(scope, [read]) == [True]
    assert len((await tier.list_relationships(scope)).items) == 1


async def test_what_a_person_deleted_is_not_taught_anew(tier: SemanticTier) -> None:
    scope = new_scope()
    said = observation(
        "m1",
        relationships=(
            relation("Noor", "LIVES_IN", "Porto"),
            relation("Jonas", "WORKS_AT", "Globex", label="ORG"),
            relation("Tom", "LIVES_IN", "Rome"),
        ),
    )
    await tier.observe(scope, [said])
    known = {one.source: one.id for one in (await tier.list_relationships(scope)).items}
    tom = next(one for one in (await tier.list_entities(scope)).items if one.name == "Tom")
    assert await tier.forget(scope, [known["Jonas"], tom.id]) == 2

    await tier.observe(scope, [said], None, ["m1"])

    assert [one.source for one in (await tier.list_relationships(scope)).items] == ["Noor"]
    assert {one.name for one in (await tier.list_entities(scope)).items} == {"Noor", "Porto", "Jonas", "Globex", "Rome"}


async def test_a_name_means_whom_it_meant_when_its_message_teaches_anew(tier: SemanticTier) -> None:
    """Names are told apart in the order of arrival: what teaches anew has not arrived later for it."""
    said = [
        observation("m1", entities=(semantic_entry("Anna Weber"), semantic_entry("Rosa"))),
        observation("m2", entities=(semantic_entry("Anna Huber"),)),
        observation("m3", entities=(semantic_entry("Anna"),)),
    ]
    taught, witness = new_scope(), new_scope()
    await tier.observe(taught, said)
    await tier.observe(taught, [observation("m1", entities=(semantic_entry("Anna Weber"),))], None, ["m1"])
    await tier.observe(witness, [observation("m1", entities=(semantic_entry("Anna Weber"),)), *said[1:]])

    async def known(scope: Scope) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        return [(one.name, one.aliases, one.sources) for one in (await tier.list_entities(scope)).items]

    assert await known(taught) == await known(witness)


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
