"""The amounts in a text are found by what they are amounts of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.text.amounts import (
    BARE,
    CLOCK,
    DATE,
    MONEY,
    PERCENT,
    Kind,
    amounts,
    amounts_asked,
    differ,
)
from ragpp.text.lexical import terms


def stem(word: str) -> int:
    (only,) = terms(word)
    return only


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("we keep 12 hens", stem("hen"), "12"),
        ("a flock of twelve brown hens", stem("hens"), "12"),
        ("1,250 crates a week", stem("crate"), "1250"),
        ("the rate is 4.5%", PERCENT, "4.5"),
        ("about 30 percent", PERCENT, "30"),
        ("it costs $1,400", MONEY, "1400"),
        ("due on March 3, 2025", DATE, "mar 3"),
        ("due on the 3rd of March", DATE, "mar 3"),
        ("at 4:30 PM", CLOCK, "16:30"),
        ("at 16:30", CLOCK, "16:30"),
        ("at 12 am", CLOCK, "0:00"),
        ("it answers in 250ms", stem("ms"), "250"),
        ("it has now reached 165", BARE, "165"),
    ],
)
def test_an_amount_is_found_by_what_it_is_of(text: str, kind: Kind, value: str) -> None:
    assert value in amounts(text)[kind]


@pytest.mark.parametrize("text", ["", "no one is here", "version v2", "the someone", "x1", "the hens are well"])
def test_what_is_no_amount_is_left(text: str) -> None:
    assert set(amounts(text)) <= {BARE, *terms(text)}
    assert not {DATE, CLOCK, PERCENT, MONEY} & set(amounts(text))


def test_a_date_is_not_also_a_number() -> None:
    assert amounts("on March 3, 2025 at 4 PM") == {DATE: {"mar 3"}, CLOCK: {"16:00"}}


def test_a_question_asks_for_its_nouns_and_for_what_its_words_stand_for() -> None:
    assert stem("hens") in amounts_asked("How many hens do I keep?")
    assert {DATE, CLOCK} <= amounts_asked("When is the vet coming?")
    assert PERCENT in amounts_asked("What is the hatching rate?")
    assert MONEY in amounts_asked("How much is the feed?")
    assert not {DATE, PERCENT, MONEY} & amounts_asked("How many hens do I keep?")


def test_amounts_differ_only_of_the_same_kind() -> None:
    dozen, score = amounts("12 hens"), amounts("20 hens and 3 cows")
    assert differ(dozen, score, {stem("hens")})
    assert not differ(dozen, score, {stem("cows")})
    assert not differ(score, amounts("3 cows"), {stem("cows")})


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for values in amounts(text).values():
        assert values


@pytest.mark.parametrize("piece", ["1 ", "1,", "a-", "one ", "12 am ", "may 1 ", "1 a a a a "])
def test_a_long_text_is_read_only_as_far_as_it_is_looked_at(piece: str) -> None:
    amounts(piece * 20_000)
    assert amounts(piece * 20_000) == amounts((piece * 20_000)[:4_000])
