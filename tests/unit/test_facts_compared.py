"""Two facts are one only where they say the same, and a later one takes the place only of what it contradicts."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ragpp.extraction.facts import contradicts, same_fact
from ragpp.extraction.facts.measures import measures
from tests.support.each import each_case

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "fact_pairs.jsonl").read_text("utf-8").splitlines()
]
SENTENCES = st.sampled_from([pair[side] for pair in PAIRS for side in ("a", "b")])


def test_there_are_fifty_pairs_of_both_kinds() -> None:
    assert len(PAIRS) == 50
    assert sum(pair["same"] for pair in PAIRS) == 20


@each_case("pair", PAIRS)
def test_facts_that_are_alike_are_one_only_where_they_say_the_same(pair: dict[str, str | bool]) -> None:
    assert same_fact(str(pair["a"]), str(pair["b"])) is pair["same"]


@each_case("pair", PAIRS)
def test_a_later_fact_supersedes_what_it_gives_another_value_of(pair: dict[str, str | bool]) -> None:
    assert contradicts(str(pair["a"]), str(pair["b"])) is pair["contradicts"]


@given(SENTENCES | st.text(max_size=120), SENTENCES | st.text(max_size=120))
def test_being_the_same_is_mutual_and_the_same_never_contradicts(a: str, b: str) -> None:
    assert same_fact(a, a)
    assert same_fact(a, b) == same_fact(b, a)
    assert not (same_fact(a, b) and contradicts(a, b))


@given(SENTENCES, st.integers(2, 900), st.integers(2, 900))
def test_another_number_is_another_fact(sentence: str, one: int, other: int) -> None:
    assert same_fact(f"{sentence} for {one} people", f"{sentence} for {other} people") is (one == other)


@each_case(
    ("one", "other"),
    [
        ("10k requests", "10,000 requests"),
        ("$99", "99 dollars"),
        ("1.5 million euros", "€1,500,000"),
        ("2 hours", "120 minutes"),
        ("twenty-five seats", "25 seats"),
        ("a dozen seats", "12 seats"),
        ("on 3 May 2024", "on 2024-05-03"),
        ("at 9 am", "at 09:00"),
        ("$9/month", "$9 per month"),
        ("every day", "daily"),
        ("20 percent", "20%"),
    ],
)
def test_a_measure_is_the_same_however_it_is_written(one: str, other: str) -> None:
    assert measures(one) == measures(other)


@each_case(
    ("one", "other"),
    [
        ("$99", "€99"),
        ("$9/month", "$9/year"),
        ("10 ms", "10 s"),
        ("March 2024", "March 2025"),
        ("on Monday", "on Friday"),
    ],
)
def test_units_currencies_periods_and_dates_make_another_measure(one: str, other: str) -> None:
    assert measures(one) != measures(other)


@each_case(
    ("earlier", "later"),
    [
        ("Delivery takes 5 days in Norway", "Delivery takes 3 days in Germany"),
        ("The pro plan costs 100 euros a year", "The pro plan costs 12 euros a month"),
        ("The studio costs 40 euros an hour", "The studio costs 300 euros a day"),
    ],
)
def test_what_is_measured_of_two_places_or_periods_holds_side_by_side(earlier: str, later: str) -> None:
    assert not contradicts(earlier, later)
    assert not contradicts(later, earlier)


@each_case(
    ("earlier", "later"),
    [
        ("Delivery takes 5 days in Norway", "Delivery takes 3 days in Norway"),
        ("The pro plan costs 10 euros a month", "The pro plan costs 12 euros a month"),
        ("The standup is every week", "The standup is every month"),
        ("The head office is in Lyon", "The head office is in Porto"),
        ("The database is Postgres 15", "The database is MySQL 8"),
        ("The meeting is in Graz at 3 pm", "The meeting is in Linz at 4 pm"),
        ("The supplier is Acme at 20 euros per unit", "The supplier is Bolt at 18 euros per unit"),
    ],
)
def test_another_value_of_the_same_takes_its_place(earlier: str, later: str) -> None:
    assert contradicts(earlier, later)
