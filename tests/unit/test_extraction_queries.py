"""Whom a question names is looked up, and nobody else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.extraction.query import MAX_CANDIDATES, query_entities
from ragpp.names import SPEAKER


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("When did Noor's mum visit Glasgow?", ["Noor's mother", "Noor", "Glasgow", "mother", "mum"]),
        ("Who works at the Royal Clyde Hospital?", ["Royal Clyde Hospital", "Clyde"]),
        ("What does my mom think?", ["mother", "mom"]),
        ("where does salma live", ["salma"]),
        ("When is the University of Porto open on Monday?", ["University of Porto", "Porto"]),
    ],
)
def test_a_query_names_what_to_look_up(query: str, expected: list[str]) -> None:
    found = query_entities(query)
    assert set(expected) <= set(found)
    assert found[0] == expected[0]


@given(st.text(max_size=100))
def test_candidates_are_few_and_distinct(query: str) -> None:
    found = query_entities(query)
    assert len(found) <= MAX_CANDIDATES
    assert len({name.casefold() for name in found}) == len(found)


@pytest.mark.parametrize(
    "query",
    [
        "Where do I live?",
        "What is my sister's name?",
        "What does the user's boss like?",
        "Do my mother, my father, my sister and my brother like me?",
    ],
)
def test_who_asks_in_the_first_person_is_named_however_many_kin_are(query: str) -> None:
    assert SPEAKER in query_entities(query)


@pytest.mark.parametrize(
    "query", ["How large is the US?", "Which towns, i.e. ports, are there?", "Who lives in Porto?"]
)
def test_who_asks_of_others_is_not_named(query: str) -> None:
    assert SPEAKER not in query_entities(query)


def test_a_question_without_names_has_no_names() -> None:
    assert query_entities("What is it?") == ()
