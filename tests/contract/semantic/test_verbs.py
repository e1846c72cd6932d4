"""The semantic tier's own verbs, in process and over HTTP: the same of validity, verdicts and decay."""

from datetime import timedelta

import pytest

from ragpp.errors import Conflict, InvalidInput, NotFound, Outdated
from ragpp.learned import READ_ENTRY, Consolidated
from ragpp.models import MemoryQuery, Scope
from ragpp.tiers import SemanticTier
from tests.support.scopes import new_scope
from tests.support.semantic import NOON, observation, relation, semantic_entry

pytestmark = pytest.mark.server
DAY = timedelta(days=1)


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
