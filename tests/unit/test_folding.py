"""A text is compared by one spelling, which is never much longer than the text."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ragpp.text.folding import MOST_GROWTH, folded
from ragpp.text.lexical import document_weights, query_terms
from tests.support.each import each_case

ANYTHING = st.characters(exclude_categories=["Cs"])
SPREADING = st.sampled_from("ﷺﷻ㌖㍻㎯㏂ﷲ⑽㈝⁗İ")


@given(st.text(ANYTHING | SPREADING))
def test_no_text_is_more_to_read_than_a_small_multiple_of_its_length(text: str) -> None:
    assert len(folded(text)) <= MOST_GROWTH * len(text)


@given(st.characters(exclude_categories=["Cs"], exclude_characters="ﷺﷻ㌇㌕㌖㌗㌙㌚㌠㌫㌮㌲㌴㌶㍇㍊㍖㎮㎯"))
def test_of_any_other_character_no_more_comes_than_that(character: str) -> None:
    assert len(unicodedata.normalize("NFKC", character).lower()) <= MOST_GROWTH


@each_case("text", ["ﬁve Ⅳ ＷＩＤＥ", "محمد ﷺ رسول الله", "قال رسول الله ﷺ", "㌖を走った", "ﾋﾟｱﾉ", "½ …", "３㎏"])
def test_of_what_people_write_all_is_unified(text: str) -> None:
    assert folded(text) == unicodedata.normalize("NFKC", text).lower()


def test_between_phrases_in_one_character_words_are_still_found() -> None:
    text = "ﷺ" * 100 + "harbour" + "ﷺ" * 100
    assert set(query_terms("harbour")) == set(document_weights(text)) == set(query_terms(text))
