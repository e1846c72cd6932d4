"""From evidence to state: order does not matter, and what is extended equals what is folded."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragpp.models import LISTED_SOURCES
from ragpp_services.semantic.evidence.folding import (
    Belief,
    choose_name,
    extend_entity,
    fold_mentions,
    latest_sources,
)
from ragpp_services.semantic.records import (
    MICROSECONDS_PER_DAY,
    Applied,
    Mention,
    RelationshipKey,
    RelationshipState,
    SourceRef,
    Statement,
)

BELIEF = Belief()
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine fails no test."""
KEY = RelationshipKey("a", "WATCHED", "b")


def applied(number: int, day: float) -> Applied:
    return Applied(f"event{number}", int(day * MICROSECONDS_PER_DAY), number, (f"m{number}",))


def said(number: int, day: float, *, lasting: bool = False, asks: bool = False) -> Statement:
    context = f"said {number}{'?' if asks else ''}"
    return Statement(applied(number, day), KEY, "A", "B", lasting=lasting, context=context)


def mention(number: int, day: float, name: str = "Anna", aliases: tuple[str, ...] = ()) -> Mention:
    return Mention(applied(number, day), "a", name, aliases)


statements = st.lists(st.tuples(st.integers(0, 60), st.booleans(), st.booleans()), min_size=1, max_size=30).map(
    lambda days: [said(number, day, lasting=lasting, asks=asks) for number, (day, lasting, asks) in enumerate(days)]
)
mentions = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from(["Anna", "ANNA", "Mom", "Annie"]), st.sampled_from([(), ("mum",)])),
    min_size=1,
    max_size=30,
).map(lambda rows: [mention(number, day, name, aliases) for number, (day, name, aliases) in enumerate(rows)])


def test_confidence_starts_at_0_6_and_each_mention_adds_0_1_to_what_decay_left() -> None:
    state = BELIEF.fold([said(0, 0), said(1, 10)])
    assert state is not None
    assert state.confidence == pytest.approx(0.6 * 0.95**10 + 0.1)
    assert BELIEF.confidence(state, int(12 * MICROSECONDS_PER_DAY)) == pytest.approx(state.confidence * 0.95**2)
    assert BELIEF.confidence(state, 0) == state.confidence


def test_what_lasts_hardly_fades() -> None:
    state = BELIEF.fold([said(0, 0, lasting=True)])
    assert state is not None
    assert BELIEF.confidence(state, 365 * MICROSECONDS_PER_DAY) > 0.4


def test_a_question_is_quoted_only_where_nobody_told_it() -> None:
    """It takes for known what others have said, and adds to it."""
    told, asked = said(1, 0), said(2, 1, asks=True)
    both, alone = BELIEF.fold([told, asked]), BELIEF.fold([asked])
    assert both is not None
    assert alone is not None
    assert (both.context, both.weight, alone.context) == (told.context, 2, asked.context)


def test_confidence_never_passes_one() -> None:
    state = BELIEF.fold([said(number, 0) for number in range(30)])
    assert state is not None
    assert (state.confidence, state.weight) == (1.0, 30)


@UNTIMED
@given(statements, st.randoms())
def test_a_fold_does_not_depend_on_the_order_it_is_given(evidence: list[Statement], chance: Random) -> None:
    shuffled = list(evidence)
    chance.shuffle(shuffled)
    assert BELIEF.fold(shuffled) == BELIEF.fold(evidence)


@UNTIMED
@given(statements)
def test_extending_equals_folding_whenever_it_is_possible(evidence: list[Statement]) -> None:
    state: RelationshipState | None = None
    for count, statement in enumerate(evidence, start=1):
        extended = BELIEF.extend(state, statement) if state is not None else BELIEF.fold([statement])
        folded = BELIEF.fold(evidence[:count])
        assert folded is not None
        if extended is not None:
            assert extended.confidence == pytest.approx(folded.confidence)
            assert replace(extended, confidence=0.0) == replace(folded, confidence=0.0)
        state = folded


@UNTIMED
@given(statements)
def test_an_event_counts_once(evidence: list[Statement]) -> None:
    assert BELIEF.fold(evidence + evidence) == BELIEF.fold(evidence)


@UNTIMED
@given(mentions)
def test_extending_an_entity_equals_folding_its_mentions(evidence: list[Mention]) -> None:
    state = fold_mentions("a", "PERSON", evidence[:1])
    assert state is not None
    for item in evidence[1:]:
        state = extend_entity(state, item)
    folded = fold_mentions("a", "PERSON", evidence)
    assert folded is not None
    assert state == folded


@UNTIMED
@given(mentions, st.randoms(use_true_random=False))
def test_names_said_at_once_come_in_one_order(evidence: list[Mention], random: Random) -> None:
    """Entities that became one bring a mention each of the same event, in whatever order the graph reads them."""
    at_once = [replace(item, applied=evidence[0].applied) for item in evidence]
    shuffled = random.sample(at_once, len(at_once))
    assert fold_mentions("a", "PERSON", shuffled) == fold_mentions("a", "PERSON", at_once)


def test_nothing_is_known_without_evidence() -> None:
    assert BELIEF.fold([]) is None
    assert fold_mentions("a", "PERSON", []) is None


def test_an_entity_keeps_its_own_first_name_after_absorbing_another() -> None:
    absorbed = replace(mention(0, 0, "Mom"), path=("b",))
    assert choose_name([absorbed, mention(1, 5, "Anna")]) == "Anna"
    assert choose_name([absorbed]) == "Mom"
    assert choose_name([absorbed, mention(1, 5, "Anna")], frozenset({"anna"})) == "Mom"
    assert choose_name([absorbed], frozenset({"mom"})) is None


def test_the_latest_sources_come_first_and_each_once() -> None:
    refs = [SourceRef(f"m{number}", number) for number in range(50)]
    latest = latest_sources([*refs, SourceRef("m0", 99)])
    assert len(latest) == LISTED_SOURCES
    assert [ref.id for ref in latest[:3]] == ["m0", "m49", "m48"]
