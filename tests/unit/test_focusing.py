"""The part of a text that answers: chosen by meaning and words, read by itself, and the whole where nothing tells."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from ragpp.text.lexical import query_terms, stored_terms
from ragpp.text.sentences import SAVED_CHARS, clean, pieces
from ragpp_services.episodic.focusing import LEAST_CHARS, Asked, answering
from ragpp_services.episodic.sentences import embedded
from tests.support.each import each_case

MORNING = (
    "The tram was late again and everybody stood in the drizzle. The kettle is broken as well. "
    "Our new plumber is called Osgood Pell, from the next village. He comes on Thursdays only. "
    "The cat sleeps on the radiator all day. I should really clean the windows before the spring comes."
)


def part(question: str, text: str, cosines: Sequence[float] = ()) -> str:
    """The part of `text` that answers."""
    terms = query_terms(question)
    held = set(stored_terms(text))
    asked = Asked.of(question, terms, [1.0] * len(terms))
    start, end = answering(asked, text, [term in held for term in terms], cosines)
    return text[start:end]


def test_the_sentence_that_is_nearest_answers_with_what_it_goes_on_from_and_what_goes_on_from_it() -> None:
    assert part("Who mends our pipes?", MORNING, [0.05, 0.1, 0.6, 0.2, 0.0, 0.05]) == (
        "The kettle is broken as well. "
        "Our new plumber is called Osgood Pell, from the next village. He comes on Thursdays only."
    )


def test_without_vectors_words_choose() -> None:
    assert "Osgood Pell" in part("What is the plumber called?", MORNING)
    assert "radiator" not in part("What is the plumber called?", MORNING)


@each_case(
    ("question", "cosines"),
    [
        ("Where do I live?", [0.3, 0.25, 0.35, 0.3, 0.28, 0.31]),
        ("Where do I live?", []),
        ("What is new with the tram, the plumber and the windows?", []),
    ],
)
def test_a_text_of_which_nothing_tells_the_sentences_apart_stays_whole(question: str, cosines: list[float]) -> None:
    assert part(question, MORNING, cosines) == MORNING


def test_what_may_answer_as_well_stays_with_all_between() -> None:
    assert part("Who mends our pipes?", MORNING, [0.5, 0.1, 0.6, 0.2, 0.0, 0.05]).startswith("The tram was late")


def test_the_kind_of_answer_that_is_asked_for_is_in_the_part() -> None:
    text = (
        "On 14 May the boiler gave up. What a noise it made all through the house. Nobody could sleep in here. "
        "So we all went over to the neighbours for a hot bath. The repair of the boiler was cheap in the end, luckily. "
        "Now for the garden, which is full of weeds. The hedge is taller than the shed."
    )
    cosines = [0.1, 0.1, 0.0, 0.1, 0.7, 0.0, 0.0]
    assert "14 May" in part("When was the boiler repaired?", text, cosines)
    assert "14 May" not in part("Why was the boiler repaired?", text, cosines)


def test_what_is_quoted_has_no_vector_and_may_answer() -> None:
    text = (
        'The landlord wrote this: "From October on the rent of each room is 512 euros, heating included." '
        "Nice of him to say so. The neighbours are moving out at last. I bought a big new plant for the hall."
    )
    assert "512 euros" in part("Who is moving out?", text, [0.1, 0.1, 0.5, 0.0])


def test_of_a_long_sentence_in_chat_register_the_clause_with_the_words_answers() -> None:
    text = (
        "ok so the week in short, monday gym as ever, tuesday nothing much at all, the dishwasher engineer is coming "
        "wednesday at 9, then choir in the evening, friday is free for once, and at the weekend we are off to the lake"
    )
    found = part("when is the dishwasher engineer coming", text)
    assert "the dishwasher engineer is coming wednesday at 9" in found
    assert "lake" not in found
    assert part("what about the lake and the gym this week", text) == text


def test_a_short_text_is_whole() -> None:
    assert part("Where is the key?", "The key is at Tom's. It rained.", [0.9, 0.0]) == "The key is at Tom's. It rained."


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=600)
    | st.lists(st.sampled_from(MORNING.split(". ")), max_size=20).map(". ".join),
    st.lists(st.floats(-1, 1), max_size=20),
    st.sampled_from(["Who is the plumber?", "When?", "", "cat / windows", "何時"]),
)
def test_a_part_lies_in_its_text_and_saves_some_of_it(text: str, cosines: list[float], question: str) -> None:
    terms = query_terms(question)
    held = set(stored_terms(text))
    asked = Asked.of(question, terms, [0.5] * len(terms))
    start, end = answering(asked, text, [term in held for term in terms], cosines)
    assert 0 <= start <= end <= len(text)
    assert (start, end) == (0, len(text)) or len(text) - (end - start) >= SAVED_CHARS
    assert answering(asked, text, [term in held for term in terms], cosines) == (start, end)


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=6))
def test_the_nearest_sentence_is_in_the_part_and_the_part_can_be_read_by_itself(cosines: list[float]) -> None:
    sentences = embedded(list(pieces(clean(MORNING))))
    start, end = sentences[cosines.index(max(cosines))]
    shown = part("?", MORNING, cosines)
    assert MORNING[start:end] in shown
    assert len(shown) >= LEAST_CHARS
