"""How names are compared, and which names a query may mean."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.semantic.evidence.keys import MAX_KEY_BYTES, content_words, name_key, query_keys, shared_words

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@given(texts)
def test_a_key_is_bounded_and_its_own_key(text: str) -> None:
    key = name_key(text)
    assert len(key.encode()) <= MAX_KEY_BYTES
    assert name_key(key) == key
    assert name_key(f"  {text}\n") == key


def test_case_width_and_ligatures_make_no_difference() -> None:
    assert name_key("ＳＴＲＡẞＥ  ﬁve") == name_key("strasse five") == "strasse five"


def test_long_names_that_differ_at_the_end_differ() -> None:
    assert name_key("x" * 2_000 + "a") != name_key("x" * 2_000 + "b")


@given(texts, st.lists(st.text(min_size=1, max_size=20), max_size=5))
def test_the_names_given_with_a_query_come_first(text: str, entities: list[str]) -> None:
    keys = query_keys(text, entities)
    assert len(keys) == len(set(keys)) <= 160
    expected = list(dict.fromkeys(name_key(entity) for entity in entities))
    assert keys[: len(expected)] == expected


def test_a_query_names_runs_of_words_with_and_without_a_possessive() -> None:
    keys = query_keys("What is Noor's mother doing at the Green Valley Hospital?", ())
    assert {"noor", "noor's mother", "mother", "green valley hospital"} <= set(keys)
    assert not {"what", "the", "is", "the green"} & set(keys)


def test_a_very_long_text_is_read_only_so_far() -> None:
    assert len(query_keys("word " * 100_000, ())) <= 160


@given(texts)
def test_a_text_shares_all_its_words_with_itself(text: str) -> None:
    assert shared_words(text, content_words(text)) == content_words(text)
    assert shared_words("", content_words(text)) == frozenset()
