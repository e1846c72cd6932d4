"""What a preference's versions amount to."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.procedural.versions import PreferenceVersion, fold

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
        [version(1, "tea", sources=("a",)), version(2, "tea", stated=False, confidence=0.95, sources=("b",))]
    )
    assert (current.value, current.stated, current.confidence, current.waiting) == ("tea", True, 0.95, None)
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
    assert 0 <= current.confidence <= max(found.confidence for found in versions)
    assert current.value in {found.value for found in (stated or versions)}
