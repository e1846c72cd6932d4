"""The finding that its evidence amounts to, and how a finding tells its time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import DateSpan, Precision
from ragpp_services.procedural.findings.evidence import Evidence, add, fold
from ragpp_services.procedural.naming import finding_line, span_text
from tests.support.each import each_case

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def made(number: int, *sources: str, hours: int = 0, confidence: float = 0.6, text: str = "moves house") -> Evidence:
    return Evidence(number, text, confidence, None, NOON + timedelta(hours=hours), sources, {"count": len(sources)})


def numbered(entries: Sequence[Evidence]) -> list[Evidence]:
    """The evidence after each of `entries` arrived."""
    known: list[Evidence] = []
    for entry in entries:
        number = max((one.number for one in known), default=0) + 1
        known = add(known, Evidence(number, *(getattr(entry, name) for name in Evidence.__slots__[1:])))
    return known


def test_more_sources_are_more_support_and_the_latest_words_count() -> None:
    finding = fold("f", "plan", [made(1, "a", confidence=0.9), made(2, "b", hours=2, text="moves in June")]).finding
    assert (finding.text, finding.confidence, finding.support, finding.sources) == ("moves in June", 0.9, 2, ("a", "b"))
    assert (finding.first_at, finding.last_at) == (NOON, NOON + timedelta(hours=2))


def test_the_same_again_changes_nothing() -> None:
    known = numbered([made(1, "a"), made(1, "b", hours=1)])
    assert add(known, made(3, "a")) == known
    assert add(known, made(3, "b", hours=1)) == known


def test_the_same_interactions_surer_or_later_take_the_place_but_the_first_is_remembered() -> None:
    known = numbered([made(1, "a")])
    assert [one.confidence for one in add(known, made(2, "a", confidence=0.8))] == [0.8]
    later = numbered([made(1, "a", confidence=0.7), *(made(1, "a", hours=n, text=f"in {n}") for n in (1, 2, 3))])
    assert [one.text for one in later] == ["moves house", "in 3"]
    finding = fold("f", "plan", later).finding
    assert (finding.text, finding.confidence, finding.first_at, finding.support) == ("in 3", 0.7, NOON, 1)


def test_a_pattern_that_is_found_every_night_keeps_its_first_and_its_latest_evidence() -> None:
    nights = [made(1, *(f"i{n}" for n in range(night + 3)), hours=24 * night, confidence=0.5) for night in range(30)]
    known = numbered(nights)
    assert len(known) == 2
    finding = fold("f", "pattern", known).finding
    assert (finding.support, finding.first_at, finding.details) == (32, NOON, {"count": 32})


def test_nothing_amounts_to_nothing() -> None:
    with pytest.raises(ValueError, match="at least one"):
        fold("f", "plan", [])


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from("abcd"), min_size=1), st.integers(0, 50), st.floats(0, 1)),
        min_size=1,
        max_size=4,
        unique_by=lambda one: one[1],
    )
)
def test_the_order_of_arrival_makes_no_difference(entries: list[tuple[set[str], int, float]]) -> None:
    seen = set()
    for order in permutations(entries):
        evidence = [made(1, *sorted(sources), hours=hours, confidence=sure) for sources, hours, sure in order]
        finding = fold("f", "plan", numbered(evidence)).finding
        assert numbered([*evidence, *evidence]) == numbered(evidence)
        seen.add((frozenset(finding.sources), finding.first_at, finding.last_at, finding.confidence))
    assert len(seen) == 1


@each_case(
    ("start", "end", "precision", "text"),
    [
        ("2023-05-19T14:00", "2023-05-19T14:01", "minute", "2023-05-19 14:00"),
        ("2023-05-19", "2023-05-20", "day", "2023-05-19"),
        ("2023-05-19", "2023-05-22", "day", "2023-05-19 to 2023-05-21"),
        ("2023-05-15", "2023-05-22", "week", "week of 2023-05-15"),
        ("2023-05-01", "2023-06-01", "month", "2023-05"),
        ("2023-06-01", "2023-09-01", "season", "2023-06 to 2023-08"),
        ("2023-01-01", "2024-01-01", "year", "2023"),
        ("2010-01-01", "2020-01-01", "decade", "2010s"),
    ],
)
def test_a_time_is_told_as_exactly_as_it_is_known(start: str, end: str, precision: Precision, text: str) -> None:
    first, last = (datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in (start, end))
    assert span_text(DateSpan(start=first, end=last, precision=precision, text="then")) == text


def test_a_time_that_is_in_the_words_is_not_told_twice() -> None:
    day = DateSpan(start=NOON.replace(hour=0), end=NOON.replace(day=2, hour=0), precision="day", text="today")
    assert finding_line("the boiler broke", day) == "the boiler broke (2024-05-01)"
    assert finding_line("broke on 2024-05-01", day) == "broke on 2024-05-01"
    assert finding_line("the boiler broke", None) == "the boiler broke"
