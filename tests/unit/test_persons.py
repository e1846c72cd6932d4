"""Who "I" and "you" are is written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.text.persons import resolved
from tests.support.timing import cpu_s, first_of

CASES = [
    ("I'm tired.", "Ana is tired."),
    ("I’m tired.", "Ana is tired."),
    ("I am tired and I have a cold.", "Ana is tired and Ana has a cold."),
    ("I've met your sister.", "Ana has met Ben's sister."),
    ("I'll call, I'd say.", "Ana will call, Ana would say."),
    ("we've moved; we're done", "Ana has moved; Ana is done"),
    ("My dog, our house: mine and ours.", "Ana's dog, Ana's house: Ana's and Ana's."),
    ("He gave me and us that for myself.", "He gave Ana and Ana that for Ana."),
    ("You're right, you've won, you'll see, you'd know.", "Ben is right, Ben has won, Ben will see, Ben would know."),
    ("You have your keys, and yours are yourself.", "Ben has Ben's keys, and Ben's are Ben."),
    ("i like my tea", "Ana like Ana's tea"),
    ("The US gave us that, i.e. some.", "The US gave Ana that, i.e. some."),
    ("Mystery, young, mean, wet, item, busy.", "Mystery, young, mean, wet, item, busy."),
    ('She said "I love you" to me.', 'She said "I love you" to Ana.'),
    ("“My word” is what I said.", "“My word” is what Ana said."),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_speaker_and_whom_they_talk_with_stand_by_their_names(text: str, expected: str) -> None:
    assert resolved(text, "Ana", "Ben") == expected


def test_whoever_is_not_known_is_not_named() -> None:
    assert resolved("I told you about my trip.", "Ana") == "Ana told you about Ana's trip."
    assert resolved("I told you about my trip.", None, "Ben") == "I told Ben about my trip."
    assert resolved("I told you about my trip.", None) == "I told you about my trip."


def test_a_name_is_taken_as_it_is() -> None:
    assert resolved("I'm here.", r"\1 (me)", "you") == r"\1 (me) is here."


@given(st.text())
def test_without_names_nothing_changes(text: str) -> None:
    assert resolved(text, None) == text


@given(st.text("abc .,!?123\n'’\"", max_size=200))
def test_what_speaks_of_no_person_stays_as_it_is(text: str) -> None:
    assert resolved(text, "Ana", "Ben") == text


@pytest.mark.parametrize("text", first_of(["I'm ", "you ", "I have", "i" * 20, "' I", '"I', "we'"]))
def test_the_time_grows_with_the_length_alone(text: str) -> None:
    assert cpu_s(lambda: resolved(text * 20_000, "Ana", "Ben")) < 5
