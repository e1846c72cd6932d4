"""When a relationship holds: what ends it and what does not, whatever order it is heard in."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragpp.fading import LASTS
from ragpp_services.semantic.evidence.folding import Belief, as_archived, spent_verdicts
from ragpp_services.semantic.evidence.identity import IdentityIndex
from ragpp_services.semantic.evidence.timeline import SAID
from ragpp_services.semantic.records import (
    MICROSECONDS_PER_DAY,
    Act,
    Applied,
    RelationshipKey,
    RelationshipState,
    Statement,
)
from ragpp_services.semantic.write.learning import Batch
from tests.support.each import each_case

BELIEF = Belief()
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine fails no test."""
NAMES = {"lisbon": "Lisbon", "porto": "Porto", "madrid": "Madrid", "portugal": "Portugal", "spain": "Spain"}


def days(count: float) -> int:
    return int(count * MICROSECONDS_PER_DAY)


def lives(
    target: str,
    day: float,
    number: int,
    act: Act = "says",
    *,
    type: str = "LIVES_IN",
    context: str = "",
    event: int = -1,
) -> Statement:
    """Evidence that the user lives there, of an event of its own unless told otherwise."""
    identifier = number if event < 0 else event
    return Statement(
        Applied(f"event{identifier}", days(day), identifier, (f"m{identifier}",)),
        RelationshipKey("noor", type, target),
        "Noor",
        NAMES.get(target, target),
        lasting=False,
        context=context,
        act=act,
    )


def held(evidence: Sequence[Statement], until: float = 10_000) -> dict[str, tuple[float, float | None]]:
    """From when until when each holds, in days, of those that were known at `until`."""
    states = BELIEF.fold_all(evidence, days(until))
    return {
        key.target_id: (
            state.valid_from / MICROSECONDS_PER_DAY,
            None if state.valid_to is None else state.valid_to / MICROSECONDS_PER_DAY,
        )
        for key, state in states.items()
    }


def test_a_move_ends_where_one_lived() -> None:
    evidence = [lives("porto", 1, 1), lives("lisbon", 5, 2)]
    assert held(evidence) == {"porto": (1, 5), "lisbon": (5, None)}
    assert held(evidence, 4) == {"porto": (1, None)}
    porto = BELIEF.fold_all(evidence)[evidence[0].key]
    assert (porto.ended_by, porto.weight) == ("m2", 1)


def test_moving_back_opens_the_first_and_ends_the_second() -> None:
    evidence = [lives("porto", 1, 1), lives("lisbon", 5, 2), lives("porto", 9, 3)]
    assert held(evidence) == {"porto": (9, None), "lisbon": (5, 9)}
    porto = BELIEF.fold_all(evidence)[evidence[0].key]
    assert porto.believed == pytest.approx(BELIEF.first * LASTS**8 + BELIEF.step)
    assert (porto.weight, porto.first_mention) == (2, days(1))


def test_what_is_said_to_be_over_is_over_until_it_is_said_again() -> None:
    evidence = [lives("porto", 1, 1), lives("porto", 5, 2, "ends")]
    assert held(evidence) == {"porto": (1, 5)}
    assert held([*evidence, lives("porto", 7, 3, "ends")]) == {"porto": (1, 5)}
    assert held([*evidence, lives("porto", 8, 4)]) == {"porto": (8, None)}


def test_an_ending_of_what_was_never_said_tells_when_it_was_over() -> None:
    assert held([lives("porto", 5, 1, "ends")]) == {"porto": (5, 5)}
    assert held([lives("porto", 5, 1, "ends"), lives("porto", 2, 2)]) == {"porto": (2, 5)}


def test_two_places_in_one_message_never_end_one_another() -> None:
    nested = [lives("lisbon", 1, 1), lives("portugal", 1, 2, event=1)]
    assert held(nested) == {"lisbon": (1, None), "portugal": (1, None)}
    later = [*nested, lives("portugal", 4, 3, context="I moved around Portugal")]
    assert held(later) == {"lisbon": (1, None), "portugal": (1, None)}
    assert held([*later, lives("madrid", 9, 4)])["lisbon"] == (1, 9)


def test_a_country_ends_a_town_only_with_a_move() -> None:
    home = lives("lisbon", 1, 1)
    assert held([home, lives("portugal", 3, 2, context="I live in Portugal")])["lisbon"] == (1, None)
    assert held([home, lives("spain", 3, 2, context="I moved to Spain")])["lisbon"] == (1, 3)


@each_case("type_name", ["WORKS_AT", "STUDIES_AT"])
def test_a_new_job_ends_the_old_one_and_a_second_one_does_not(type_name: str) -> None:
    first = lives("mill", 1, 1, type=type_name)
    second = lives("bakery", 3, 2, type=type_name, context="I also work at the bakery at weekends")
    new = lives("bank", 5, 3, type=type_name, context="I started at the bank")
    assert held([first, second]) == {"mill": (1, None), "bakery": (3, None)}
    assert held([first, second, new]) == {"mill": (1, 5), "bakery": (3, 5), "bank": (5, None)}


@each_case("type_name", ["SIBLING_OF", "BROTHER_OF", "SPOUSE_OF", "FRIEND_OF", "LIKES", "VISITED", "OWNS"])
def test_another_brother_ends_nothing(type_name: str) -> None:
    evidence = [lives("sami", 1, 1, type=type_name), lives("karim", 3, 2, type=type_name, context="I moved, started")]
    assert held(evidence) == {"sami": (1, None), "karim": (3, None)}


def test_what_a_person_rejects_never_held_and_ends_nothing() -> None:
    evidence = [lives("porto", 1, 1), lives("lisbon", 5, 2), lives("lisbon", 8, 3, "rejected")]
    assert held(evidence)["porto"] == (1, None)
    states = BELIEF.fold_all([*evidence, lives("lisbon", 9, 4), lives("lisbon", 10, 5)])
    assert states[evidence[1].key].verdict == "rejected"
    assert states[evidence[0].key].valid_to is None
    assert BELIEF.fold_all(evidence, days(6))[evidence[1].key].verdict == "rejected"
    taken_back = BELIEF.fold_all([*evidence, lives("lisbon", 9, 4, "confirmed")])
    assert (taken_back[evidence[1].key].verdict, taken_back[evidence[0].key].valid_to) == ("confirmed", days(5))


def test_what_is_confirmed_is_sure_from_then_and_fades_as_usual() -> None:
    evidence = [lives("porto", 1, 1), lives("porto", 8, 2, "confirmed")]
    state = BELIEF.fold(evidence)
    assert state is not None
    assert (state.verdict, state.weight, state.valid_from) == ("confirmed", 1, days(1))
    assert BELIEF.confidence(state, days(8)) == 1.0
    assert BELIEF.confidence(state, days(9)) == pytest.approx(LASTS)
    before = BELIEF.fold_all(evidence, days(7))[evidence[0].key]
    assert (before.verdict, before.believed) == (None, BELIEF.first)


def test_nothing_but_consent_is_nothing_and_a_rejection_is_kept() -> None:
    assert BELIEF.fold([lives("porto", 8, 2, "confirmed"), lives("porto", 9, 3, "restored")]) is None
    state = BELIEF.fold([lives("porto", 8, 2, "rejected")])
    assert state is not None
    assert (state.verdict, state.weight, state.sources) == ("rejected", 0, ())


def test_consent_to_what_is_forgotten_is_none_to_whoever_says_the_same_later() -> None:
    """Nobody had said so by then, as far as is known; in time or out of it."""
    for day in (9, 1):
        alone = BELIEF.fold([lives("porto", day, 5)])
        assert BELIEF.fold([lives("porto", 8, 2, "confirmed"), lives("porto", day, 5)]) == alone
    dated_later = [lives("porto", 9, 1), lives("porto", 8, 2, "confirmed")]
    kept = BELIEF.fold(dated_later)
    assert kept is not None
    assert kept.verdict == "confirmed"


def test_what_is_said_first_after_a_rejection_is_believed_as_what_is_new() -> None:
    """Else the state of now, where consent that is spent takes the rejection along, tells another past than it was."""
    state = BELIEF.fold([lives("porto", 1, 1, "rejected"), lives("porto", 2, 2)])
    alone = BELIEF.fold([lives("porto", 2, 2)])
    assert state is not None
    assert alone is not None
    assert state.believed == alone.believed


def test_with_consent_that_is_spent_goes_the_rejection_that_it_took_back() -> None:
    """Or whoever keeps the rest would find the older verdict to be the last."""
    evidence = [lives("porto", 2, 2, "rejected"), lives("porto", 3, 3, "confirmed"), lives("porto", 9, 4)]
    spent = spent_verdicts(evidence)
    assert [item.act for item in spent] == ["confirmed", "rejected"]
    rest = [item for item in evidence if item not in spent]
    assert BELIEF.fold(rest) == BELIEF.fold(evidence) == BELIEF.fold([lives("porto", 9, 4)])
    again = [*evidence, lives("porto", 10, 5, "rejected")]
    assert spent_verdicts(again) == spent
    state = BELIEF.fold(again)
    assert state is not None
    assert state.verdict == "rejected"


def test_an_ending_said_of_the_other_end_weighs_nothing() -> None:
    state = BELIEF.fold([lives("ann", 3, 1, "mirrors", type="SPOUSE_OF")])
    assert state is not None
    assert (state.weight, state.valid_to) == (0, days(3))


acts: list[Act] = ["says", "says", "says", "says", "ends", "mirrors", "confirmed", "rejected", "restored"]
timelines = st.lists(
    st.tuples(
        st.integers(0, 40),
        st.sampled_from(sorted(NAMES)),
        st.sampled_from(acts),
        st.booleans(),
    ),
    min_size=1,
    max_size=16,
).map(
    lambda rows: [
        lives(target, day, number, act, context="moved" if moved else "")
        for number, (day, target, act, moved) in enumerate(rows)
    ]
)


@UNTIMED
@given(timelines, st.randoms(), st.integers(0, 40))
def test_the_order_in_which_evidence_is_heard_makes_no_difference(
    evidence: list[Statement], chance: Random, until: int
) -> None:
    shuffled = list(evidence)
    chance.shuffle(shuffled)
    assert BELIEF.fold_all(shuffled, days(until)) == BELIEF.fold_all(evidence, days(until))
    assert BELIEF.fold_all([*shuffled, *evidence]) == BELIEF.fold_all(evidence)


@UNTIMED
@given(timelines, st.integers(0, 41))
def test_the_state_of_now_tells_the_past_from_its_last_change_on(evidence: list[Statement], until: int) -> None:
    """A recall `as_of` relies on this when it does not read the evidence."""
    then = BELIEF.fold_all(evidence, days(until))
    for key, state in BELIEF.fold_all(evidence).items():
        if state.changed_at <= days(until):
            told = state.at(days(until))
            assert told == then[key]
            assert BELIEF.confidence(state, days(until)) == BELIEF.confidence(then[key], days(until))


@UNTIMED
@given(timelines, st.randoms(), st.integers(1, 4))
def test_what_is_heard_piece_by_piece_amounts_to_what_is_folded_at_once(
    evidence: list[Statement], chance: Random, size: int
) -> None:
    """The way of `learning`: what it extends or makes itself, and what it leaves to a fold, late evidence included."""
    heard = [item for item in evidence if item.act in SAID]
    chance.shuffle(heard)
    heard = [replace(item, applied=replace(item.applied, sequence=number)) for number, item in enumerate(heard)]
    states: dict[RelationshipKey, RelationshipState] = {}
    for start in range(0, len(heard), size):
        batch = Batch(IdentityIndex(()))
        batch.statements = {
            (item.applied.event_id, item.key, item.source_name, item.target_name): item
            for item in heard[start : start + size]
        }
        touched, stale = batch.relationship_states(states, BELIEF)
        states |= touched
        folded = BELIEF.fold_all(heard[: start + size])
        if stale:  # one source and one kind: all of them are rivals
            states |= folded
        assert {key: rounded(state) for key, state in states.items()} == {
            key: rounded(state) for key, state in folded.items()
        }


def rounded(state: RelationshipState) -> RelationshipState:
    return replace(state, believed=round(state.believed, 9), confidence=round(state.confidence, 9))


@UNTIMED
@given(timelines)
def test_of_one_person_at_most_one_home_of_a_kind_holds(evidence: list[Statement]) -> None:
    plain = [item for item in evidence if item.act == "says"]
    for until in range(0, 41, 5):
        states = BELIEF.fold_all(plain, days(until))
        open_ones = {key.target_id for key, state in states.items() if state.valid_to is None}
        assert len(open_ones & {"lisbon", "porto", "madrid"}) <= 1


@UNTIMED
@given(timelines, st.lists(st.integers(0, 60), max_size=5), st.integers(0, 90))
def test_persisting_decay_changes_no_reading_and_nothing_learned_later(
    evidence: list[Statement], nights: list[int], until: int
) -> None:
    for state in BELIEF.fold_all(evidence).values():
        persisted = state
        for night in sorted(nights):
            if persisted.confidence_at < days(night):
                persisted = BELIEF.persisted(persisted, days(night), 0.0)
        assert BELIEF.confidence(persisted, days(until)) == pytest.approx(
            BELIEF.confidence(state, days(until)), rel=1e-12, abs=0
        )
        said = lives(state.key.target_id, 95, 99)
        assert BELIEF.extend(persisted, said) == BELIEF.extend(state, said)


def faded(state: RelationshipState, floor: float = 0.1) -> bool:
    return BELIEF.persisted(state, days(200), floor).archived_at is not None


def visited(day: float, number: int, act: Act = "says") -> Statement:
    """Evidence of something that fades."""
    return lives("porto", day, number, act, type="VISITED")


def test_what_fades_below_the_floor_is_archived_unless_it_lasts_or_was_confirmed() -> None:
    plain, lasting = BELIEF.fold([visited(1, 1)]), BELIEF.fold([replace(visited(1, 1), lasting=True)])
    sure = BELIEF.fold([visited(1, 1), visited(2, 2, "confirmed")])
    assert plain is not None
    assert lasting is not None
    assert sure is not None
    assert faded(plain)
    home = BELIEF.fold([lives("porto", 1, 1)])
    assert home is not None
    assert not faded(home, floor=0.9)  # it holds until there is another
    assert not faded(plain, floor=0.0)
    assert not faded(sure)
    assert not faded(lasting, floor=0.9)


def test_what_was_archived_comes_back_with_a_mention_or_a_restoration_alone() -> None:
    said = [visited(1, 1), visited(2, 2)]
    before = BELIEF.fold(said)
    assert before is not None
    archived = BELIEF.persisted(before, days(200), 0.1)
    for evidence, comes_back in (
        (said, False),
        (said[:1], False),
        ([*said, visited(3, 3)], True),
        ([*said, visited(201, 3, "restored")], True),
        ([*said, visited(201, 3, "confirmed")], True),
    ):
        state = BELIEF.fold(evidence)
        assert state is not None
        assert (as_archived(state, archived).archived_at is None) == comes_back
    restored = BELIEF.fold([*said, visited(201, 3, "restored")])
    assert restored is not None
    assert restored.believed == BELIEF.first
