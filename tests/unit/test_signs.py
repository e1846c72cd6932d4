"""Words beside which something may stand are found whatever their case, once for all that asks for them."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragpp.signs import Places, Signs, any_of, joined


def test_words_are_tried_letter_by_letter_and_begin_and_end_where_they_say() -> None:
    pattern = re.compile(any_of("|pin| street strasse home_address"))
    found = [match.group() for match in pattern.finditer("pin spin streets strasse home address")]
    assert found == ["pin", "street", "strasse", "home address"]


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=8), st.text("abcd ", max_size=30))
def test_a_word_is_found_where_any_of_the_words_is(words: list[str], text: str) -> None:
    found = re.search(any_of(" ".join(words)), text)
    assert (found is not None) == any(word in text for word in words)


def test_a_key_in_json_and_a_curly_apostrophe_are_read_as_words_are() -> None:
    assert list(Signs("home_address c'est").spans("HOME_ADDRESS, c’est")) == [(0, 12), (14, 19)]


def test_a_letter_that_changes_its_length_in_lower_case_moves_no_place() -> None:
    assert list(Signs("street").spans("İ Street")) == [(2, 8)]


@given(st.text("ab ", max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_places_say_what_a_search_of_the_window_says(text: str, first: int, last: int) -> None:
    spans = [match.span() for match in re.finditer("ab", text)]
    places = Places(Signs("ab"), text)
    inside = [end for start, end in spans if start >= first and end <= last]
    assert places.within(first, last) == bool(inside)
    assert places.last(first, last) == (inside[-1] if inside else None)


@given(st.lists(st.integers(0, 50), max_size=8).map(sorted))
def test_windows_that_overlap_are_one(starts: list[int]) -> None:
    length = 60
    windows = list(joined((start - 3, start + 4, length) for start in starts))
    assert {at for first, last in windows for at in range(first, last)} == {
        at for start in starts for at in range(max(0, start - 3), min(length, start + 4))
    }
    assert all(left[1] < right[0] for left, right in pairwise(windows))
