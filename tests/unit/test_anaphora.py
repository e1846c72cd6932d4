"""A clause is read with those before it that it cannot be read without, and by itself otherwise."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.workers.language.anaphora import FARTHEST, start_in_context
from ragpp_services.workers.language.cutting import cut
from tests.support.each import each_case


def read_with_before(text: str) -> str:
    """The last clause of `text`, with those that it needs."""
    *before, last = cut(text)
    return text[start_in_context(text, last, before) :]


@each_case(
    "text",
    [
        "The kennel rang about Biscuit. hes a whippet, three years old",
        "We saw Biscuit's vet. So it's the liver, no more cheese",
        "no seafood please. never.",
        "Priya booked the room. Thursday at noon",
        "Biscuit is scared of the hoover. he hides. since spring he also bites the postman",
    ],
)
def test_a_pronoun_or_a_fragment_is_read_with_what_it_means(text: str) -> None:
    assert read_with_before(text) == text


@each_case(
    ("text", "alone"),
    [
        ("The kennel rang. Biscuit is a whippet, three years old", "Biscuit is a whippet, three years old"),
        ("The vet rang. I can't eat liver", "I can't eat liver"),
        ("It rained. We saw Priya, she works at the kennel now", "We saw Priya, she works at the kennel now"),
        ("A. B is long. C is longer. D was the longest by far", "D was the longest by far"),
        ("He snores.", "He snores."),
        ("I sing. Nora hates kiwi.", "Nora hates kiwi."),
        ("I sing. tom loves rice", "tom loves rice"),
        ("It rained. IT hired me in May", "IT hired me in May"),
        ("It rained. This week I'm in Oslo", "This week I'm in Oslo"),
        ("It rained. we saw Łukasz and his dog", "we saw Łukasz and his dog"),
        ("我住在北京。我不吃花生。", "我不吃花生。"),
    ],
)
def test_what_names_whom_it_is_about_is_read_alone(text: str, alone: str) -> None:
    assert read_with_before(text) == alone


def test_what_is_far_off_or_long_or_behind_something_else_is_not_read_with_it() -> None:
    assert read_with_before(f"Biscuit {'barks and ' * 40}howls. he bites") == "he bites"
    assert read_with_before("Biscuit came. " + "it rained. " * FARTHEST + "he bites").count(".") == FARTHEST
    assert read_with_before("decided:\n- dark paint") == "decided:\n- dark paint"
    assert read_with_before("- dark paint\n- a new hob") == "- a new hob"
    text = "Biscuit came. she said so. he bites"
    first, _, last = cut(text)
    assert start_in_context(text, last, [first]) == last.start, "what stands between was left out as somebody else's"


@given(st.lists(st.sampled_from(["He bites.", "Ever.", "We saw Priya.", "it's new", "I sing!"]), max_size=8))
def test_no_clause_is_read_with_a_later_one_or_one_far_before(parts: list[str]) -> None:
    text = " ".join(parts)
    clauses = list(cut(text))
    for index, clause in enumerate(clauses):
        assert (
            clauses[max(0, index - FARTHEST)].start <= start_in_context(text, clause, clauses[:index]) <= clause.start
        )
