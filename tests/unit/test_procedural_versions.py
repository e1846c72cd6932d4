"""The preference that its versions amount to."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.procedural.confidence import CAP, combined, independent
from ragpp_services.procedural.naming import value_hash
from ragpp_services.procedural.preferences.versions import Judgement, PreferenceVersion, Verdicts, all_as_written, fold

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def version(
    number: int,
    value: str,
    *,
    confidence: float = 0.8,
    stated: bool = True,
    hours: int | None = None,
    sources: tuple[str, ...] = (),
) -> PreferenceVersion:
    moment = NOON + timedelta(hours=number if hours is None else hours)
    return PreferenceVersion(number, f"e{number}", value, confidence, stated, moment, NOON, sources)


def test_the_new_value_and_the_greater_confidence_are_kept() -> None:
    current = fold([version(1, "tea", confidence=0.9), version(2, "coffee", confidence=0.6)])
    assert (current.value, current.confidence, current.version) == ("coffee", 0.9, 2)


def test_an_inferred_value_waits_beside_a_stated_one() -> None:
    current = fold([version(1, "tea"), version(2, "coffee", stated=False, confidence=0.6)])
    assert (current.value, current.stated, current.confidence) == ("tea", True, 0.8)
    assert (current.waiting, current.waiting_confidence) == ("coffee", 0.6)


def test_an_inferred_value_that_agrees_confirms_and_does_not_wait() -> None:
    current = fold(
        [version(1, "tea", sources=("a",)), version(2, "Tea.", stated=False, confidence=0.5, sources=("b",))]
    )
    assert (current.value, current.stated, current.waiting) == ("tea", True, None)
    assert current.confidence == pytest.approx(0.9)
    assert current.sources == ("a", "b")


def test_a_stated_value_replaces_an_inferred_one_and_ends_the_waiting() -> None:
    inferred, stated = version(1, "tea", stated=False), version(2, "coffee")
    assert fold([inferred, stated]).value == "coffee"
    again = fold([stated, version(3, "milk", stated=False), version(4, "water")])
    assert (again.value, again.waiting) == ("water", None)


def test_what_was_said_earlier_never_overrides_what_was_said_later() -> None:
    current = fold([version(1, "coffee", hours=9), version(2, "tea", hours=3)])
    assert (current.value, current.value_version, current.version) == ("coffee", 1, 2)


def test_an_inference_from_before_a_statement_does_not_wait() -> None:
    assert fold([version(1, "coffee", hours=9), version(2, "tea", hours=3, stated=False)]).waiting is None


def test_the_order_of_arrival_makes_no_difference() -> None:
    said = [("tea", True, 1), ("coffee", False, 2), ("milk", True, 3), ("water", False, 4)]
    seen = set()
    for order in permutations(said):
        current = fold([version(n, value, stated=stated, hours=h) for n, (value, stated, h) in enumerate(order, 1)])
        seen.add((current.value, current.stated, current.waiting, current.occurred_at))
    assert seen == {("milk", True, "water", NOON + timedelta(hours=3))}


def test_nothing_amounts_to_nothing() -> None:
    with pytest.raises(ValueError, match="at least one"):
        fold([])


def said(number: int, value: str, *, confidence: float = 0.5, sources: tuple[str, ...] = ()) -> PreferenceVersion:
    """Something inferred from an interaction of its own."""
    return version(number, value, confidence=confidence, stated=False, sources=sources or (f"i{number}",))


def test_confidence_grows_with_every_independent_repetition_up_to_a_cap() -> None:
    grown = [fold([said(n, "tea") for n in range(1, count + 1)]).confidence for count in (1, 2, 3, 20)]
    assert grown == [0.5, 0.75, 0.875, CAP]


def test_what_was_taken_from_the_same_words_counts_once() -> None:
    twice = [said(1, "tea", sources=("a",)), said(2, "tea", confidence=0.7, sources=("a", "b"))]
    assert fold(twice).confidence == 0.7
    joined = [*twice, said(3, "tea", sources=("c",)), said(4, "tea", sources=("b", "c"))]
    assert fold(joined).confidence == 0.7


def test_a_value_that_changed_begins_with_its_own_confidence() -> None:
    changed = [*(said(n, "tea") for n in range(1, 9)), said(9, "coffee", confidence=0.6)]
    assert fold(changed).confidence == 0.6
    back = [*changed, said(10, "tea", confidence=0.4)]
    assert fold(back).confidence == 0.4


def test_a_setting_that_is_written_again_by_hand_keeps_the_greater_confidence() -> None:
    again = fold([version(1, "tea", confidence=0.7), version(2, "tea", confidence=0.7)])
    assert again.confidence == 0.7
    assert fold([version(1, "tea", confidence=0.7), version(2, "tea", confidence=0.5)]).confidence == 0.7


def test_a_value_is_valid_from_when_it_took_the_place_of_another() -> None:
    versions = [said(1, "coffee"), said(2, "tea"), said(3, "tea"), said(4, "coffee"), said(5, "coffee")]
    current = fold(versions)
    assert (current.valid_from, current.learned_at) == (NOON + timedelta(hours=4), NOON + timedelta(hours=1))
    assert current.occurred_at == NOON + timedelta(hours=5)


def test_every_version_shows_how_long_its_value_held() -> None:
    versions = [said(1, "tea"), version(2, "milk"), said(3, "water"), version(4, "milk")]
    shown = all_as_written("p", "drinks", "morning", versions)
    spans = {item.version: (item.value, item.valid_from, item.valid_to) for item in shown}
    assert [item.version for item in shown] == [4, 3, 2, 1]
    assert spans == {
        1: ("tea", NOON + timedelta(hours=1), NOON + timedelta(hours=2)),
        2: ("milk", NOON + timedelta(hours=2), None),
        3: ("water", NOON + timedelta(hours=3), NOON + timedelta(hours=3)),
        4: ("milk", NOON + timedelta(hours=4), None),
    }


def rejecting(*values: str) -> Verdicts:
    return {value_hash(value): Judgement("rejected", NOON) for value in values}


def test_a_rejected_value_counts_as_never_said() -> None:
    versions = [version(1, "tea"), version(2, "coffee"), said(3, "coffee")]
    current = fold(versions, rejecting("coffee"))
    assert (current.value, current.confidence, current.verdict) == ("tea", 0.8, None)
    assert fold([*versions, version(4, "Coffee!")], rejecting("coffee")).value == "tea"
    assert fold([*versions, said(4, "water")], rejecting("coffee")).waiting == "water"


def test_a_preference_whose_every_value_was_rejected_shows_the_verdict() -> None:
    current = fold([version(1, "tea"), version(2, "coffee")], rejecting("tea", "coffee"))
    assert (current.value, current.verdict) == ("coffee", "rejected")
    assert fold([version(1, "tea"), version(2, "coffee"), said(3, "milk")], rejecting("tea", "coffee")).value == "milk"


def test_a_confirmed_value_is_stated_and_certain_until_another_is_stated() -> None:
    confirmed = {value_hash("tea"): Judgement("confirmed", NOON)}
    current = fold([said(1, "tea", confidence=0.2), said(2, "coffee")], confirmed)
    assert (current.value, current.stated, current.confidence, current.waiting) == ("tea", True, 1.0, "coffee")
    assert current.verdict == "confirmed"
    assert fold([said(1, "tea"), version(2, "coffee")], confirmed).value == "coffee"


def test_what_is_inferred_after_a_confirmation_does_not_outdo_what_was_stated_since() -> None:
    confirmed = {value_hash("tea"): Judgement("confirmed", NOON)}
    later = replace(said(3, "tea"), recorded_at=NOON + timedelta(seconds=1))
    since = fold([said(1, "tea"), version(2, "coffee"), later], confirmed)
    assert (since.value, since.waiting, since.waiting_confidence) == ("coffee", "tea", 0.5)
    known = fold([version(2, "coffee"), said(3, "tea")], confirmed)
    assert (known.value, known.confidence) == ("tea", 1.0)
    relearned = fold([later], confirmed)
    assert (relearned.stated, relearned.confidence, relearned.verdict) == (True, 1.0, "confirmed")
    assert fold([said(1, "coffee"), later], confirmed).value == "tea"


evidence = st.lists(st.tuples(st.lists(st.sampled_from("abcdef"), max_size=3).map(tuple), st.floats(0, 1)), max_size=8)


@given(evidence, st.randoms())
def test_how_sure_evidence_makes_does_not_depend_on_its_order(
    found: list[tuple[tuple[str, ...], float]], random: Random
) -> None:
    shuffled = random.sample(found, len(found))
    sure = combined(independent(found))
    assert combined(independent(shuffled)) == sure
    assert combined(independent([*found, *found])) == sure
    assert 0 <= sure <= max([CAP, *(confidence for _, confidence in found)])
    assert sure >= max([0.0, *(confidence for _, confidence in found)])


writes = st.lists(
    st.tuples(st.sampled_from("abc"), st.floats(0, 1), st.booleans(), st.integers(0, 5)), min_size=1, max_size=8
)


@given(writes)
def test_a_stated_value_is_current_as_soon_as_one_was_stated(said: list[tuple[str, float, bool, int]]) -> None:
    versions = [version(n, v, confidence=c, stated=s, hours=h) for n, (v, c, s, h) in enumerate(said, 1)]
    current = fold(versions)
    stated = [found for found in versions if found.stated]
    assert not stated or current.stated
    assert current.stated or current.waiting is None
    assert current.waiting != current.value
    assert 0 <= current.confidence <= max(CAP, *(found.confidence for found in versions))
    assert current.value in {found.value for found in (stated or versions)}
