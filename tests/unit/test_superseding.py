"""Memories that hold now stand before those they replaced, and nothing else moves."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.episodic.ranking.superseding import (
    LOOKED_AT,
    SEEN,
    Statement,
    asks_for_the_present,
    current_first,
)
from tests.support.each import each_case

QUESTION = "How many hens do I keep?"
RARITY = np.array([3.0, 1.0])
"""The rarity of the question's terms, `hens` and `keep`."""


def statement(
    text: str,
    when: float,
    *,
    raw: float = 1.0,
    role: str = "user",
    name: str | None = None,
    similarity: float = 0.5,
) -> Statement:
    """Found by both terms, and with the same meaning as every other."""
    return Statement(
        text=text,
        speaker=(role, name),
        moment=(when, int(when)),
        raw=raw,
        similarity=similarity,
        vector=np.array([1.0, 0.0], np.float32),
        holds=np.array([True, True]),
    )


def in_order(statements: Sequence[Statement], question: str = QUESTION) -> list[str]:
    return [statements[index].text for index in current_first(question, statements, RARITY).order]


OLD = statement("I keep 8 hens", 1)
NEW = statement("We are at 12 hens now", 2, raw=0.8)


def test_a_later_amount_stands_before_the_one_it_replaces() -> None:
    assert in_order([OLD, NEW]) == [NEW.text, OLD.text]


def test_what_is_said_again_in_the_same_words_corrects_nothing() -> None:
    told = statement("My sister Elena moved to Porto last spring.", 1)
    again = replace(told, moment=(2, 2), raw=0.8)
    found = current_first("Where does my sister live?", [told, again], RARITY)
    assert found.order == [0, 1]
    assert not found.replaced


def test_the_earlier_does_not_pass_the_later() -> None:
    assert in_order([NEW, OLD]) == [NEW.text, OLD.text]


def test_of_three_the_latest_stands_first() -> None:
    latest = statement("20 hens, who would have thought", 3, raw=0.5)
    assert in_order([OLD, NEW, latest]) == [latest.text, NEW.text, OLD.text]


def test_a_change_to_a_number_of_nothing_named_counts() -> None:
    grown = statement("The flock has grown to 15!", 2)
    assert in_order([OLD, grown]) == [grown.text, OLD.text]


@each_case(
    "question",
    [
        "How many hens did I keep?",
        "How many hens did I keep originally?",
        "How many days passed between the first hens and the vet?",
        "Tell me about the hens",
    ],
)
def test_a_question_of_the_past_or_of_several_moments_keeps_its_order(question: str) -> None:
    assert not asks_for_the_present(question)
    assert in_order([OLD, NEW], question) == [OLD.text, NEW.text]


@each_case(
    "other",
    {
        "the same amount": statement("I keep 8 hens, as always", 2),
        "an amount of something else": statement("I keep 12 cows", 2),
        "another speaker": statement("I keep 12 hens", 2, name="Bo"),
        "another who does it": statement("Carla now keeps 12 hens, insane", 2),
        "another without a name": statement("the farm next door keeps 12 hens now!!", 2),
        "at the same moment": statement("I keep 12 hens", 1),
        "far behind": statement("I keep 12 hens", 2, raw=-3.0),
    },
)
def test_what_replaces_nothing_stays(other: Statement) -> None:
    middle = statement("The hens are well", 3)
    assert in_order([OLD, middle, other]) == [OLD.text, middle.text, other.text]


def test_what_somebody_else_has_replaces_nothing_of_the_speakers() -> None:
    own = statement("My flock is of 8 hens", 1)
    for other in ("the flock of my boss is of 12 hens now", "Carla's flock is of 12 hens now"):
        assert in_order([own, statement(other, 2)])[0] == own.text
    assert in_order([own, statement("the flock is of 12 hens now", 2)])[0] != own.text


def test_what_an_assistant_says_replaces_nothing() -> None:
    told = [statement("You keep 8 hens", 1, role="assistant"), statement("You keep 12 hens", 2, role="assistant")]
    assert in_order(told) == [one.text for one in told]


def test_something_else_with_another_number_stays() -> None:
    elsewhere = statement("My aunt has 40 hens", 2)
    elsewhere = Statement(
        elsewhere.text,
        elsewhere.speaker,
        elsewhere.moment,
        elsewhere.raw,
        elsewhere.similarity,
        np.array([0.0, 1.0], np.float32),
        np.array([False, True]),
    )
    assert in_order([OLD, elsewhere]) == [OLD.text, elsewhere.text]


def far_apart(one: Statement, cosine: float) -> Statement:
    """The same with another meaning, and without a word of the question."""
    vector = np.array([cosine, (1 - cosine**2) ** 0.5], np.float32)
    return Statement(one.text, one.speaker, one.moment, one.raw, one.similarity, vector, np.array([False, False]))


REUNION = "When is the family reunion?"


def test_a_correction_stands_before_what_it_corrects_though_it_shares_no_word() -> None:
    planned = statement("the reunion is on june 13", 1)
    moved = far_apart(statement("sorry, I meant that we meet on the 27th", 2, raw=-1.0, similarity=0.1), 0.5)
    assert in_order([planned, moved], REUNION) == [moved.text, planned.text]
    assert current_first(REUNION, [planned, moved], RARITY).replaced == {0: 1}


def test_what_may_be_a_correction_stands_right_behind_and_corrects_nothing() -> None:
    planned, weather = statement("the reunion is on june 13", 1), statement("It rains", 1)
    moved = far_apart(statement("we're all getting together on the 27th of june instead", 2, raw=-1.0), 0.2)
    assert in_order([planned, weather, moved], REUNION) == [planned.text, moved.text, weather.text]
    assert current_first(REUNION, [planned, weather, moved], RARITY).replaced == {}


@each_case(
    "other",
    {
        "of another kind": far_apart(statement("we meet with aunt Rosa instead", 2), 0.2),
        "without a word of correcting": far_apart(statement("on the 27th we go to the sea", 2), 0.5),
        "of something else": far_apart(statement("on the 27th instead", 2, similarity=0.2), 0.2),
        "earlier": far_apart(statement("on the 27th instead", 0), 0.5),
        "by the assistant": far_apart(statement("on the 27th instead", 2, role="assistant"), 0.5),
    },
)
def test_what_corrects_nothing_stays(other: Statement) -> None:
    planned, weather = statement("the reunion is on june 13", 1), statement("It rains", 1)
    assert in_order([planned, weather, other], REUNION)[:2] == [planned.text, weather.text]


DEPLOYED = statement("we deploy on Fridays at four", 1, name="Ana")
DENIED = statement("it's not Fridays any more but Tuesdays", 2, raw=-1.0, name="Bo")


def test_what_denies_the_first_in_its_own_words_replaces_it_whoever_says_so() -> None:
    denied = far_apart(DENIED, 0.3)
    assert current_first("Which day do we deploy?", [DEPLOYED, denied], RARITY).replaced == {0: 1}


@each_case(
    ("told", "other"),
    {
        "of something else": (
            statement("I live in Berlin with two cats", 1),
            far_apart(statement("The conference is not in Berlin but in Munich", 2, similarity=0.1), 0.33),
        ),
        "by somebody else, beside the question": (
            statement("I was told it is Berlin", 1, name="Ana"),
            far_apart(statement("The conference is not in Berlin but in Munich", 2, name="Bo", similarity=0.1), 0.5),
        ),
        "by the assistant": (DEPLOYED, far_apart(statement("not on Fridays any more", 2, role="assistant"), 0.5)),
        "before": (DEPLOYED, far_apart(statement("not on Fridays any more", 0, name="Ana"), 0.5)),
    },
)
def test_a_denial_of_something_else_marks_nothing(told: Statement, other: Statement) -> None:
    """Or else a conference that is not in Berlin moves who lives there."""
    for question in ("Where do I live?", "Which day do we deploy?", "Where is it?"):
        found = current_first(question, [told, other], RARITY)
        assert (found.order, found.replaced) == ([0, 1], {})


def test_a_question_without_a_kind_of_answer_is_corrected_by_amounts_alone() -> None:
    driven = statement("I drive a Corolla", 1)
    walked = far_apart(statement("Actually I walked to the office today", 2), 0.2)
    assert in_order([driven, walked], "What car do I drive?")[0] == driven.text


def test_what_says_the_same_as_the_latest_is_not_marked_as_replaced_by_it() -> None:
    told = [statement("There are 8 hens", 1), statement("10 hens", 2), statement("still 10 hens there", 3)]
    current = current_first(QUESTION, told, RARITY)
    assert all(told[by].moment > told[index].moment for index, by in current.replaced.items())
    assert current.replaced.keys() <= {0}


def test_people_with_names_who_tell_each_other_stories_correct_nothing() -> None:
    planned = statement("the reunion is on june 13", 1, name="Ana")
    moved = far_apart(statement("on the 27th of june instead", 2, name="Ana"), 0.5)
    assert in_order([planned, moved], REUNION)[0] == planned.text
    assert in_order([planned, moved], "When is our family reunion?")[0] == moved.text


def test_a_question_without_terms_moves_nothing() -> None:
    grown = statement("12 hens, who would have thought", 2)
    bare = [
        Statement(s.text, s.speaker, s.moment, s.raw, s.similarity, s.vector, np.zeros(0, np.bool_))
        for s in (OLD, grown)
    ]
    assert current_first(QUESTION, bare, np.zeros(0)).order == [0, 1]


amounts_of_hens = st.builds(
    lambda count, when, raw, role: statement(f"{count} hens", when, raw=raw, role=role),
    st.integers(1, 5),
    st.integers(0, 20),
    st.floats(-1, 2),
    st.sampled_from(["user", "assistant"]),
)


def said_first(statements: Sequence[Statement]) -> int:
    """The first that a user said, of those that are looked at."""
    return next((i for i, one in enumerate(statements[:LOOKED_AT]) if one.speaker[0] != "assistant"), 0)


@given(st.lists(amounts_of_hens, max_size=2 * LOOKED_AT), st.sampled_from([QUESTION, "Which hens were they?"]))
def test_the_order_is_a_permutation_that_moves_only_later_ones_to_the_front(
    statements: list[Statement], question: str
) -> None:
    order = current_first(question, statements, RARITY).order
    assert sorted(order) == list(range(len(statements)))
    if not statements:
        return
    first = said_first(statements)
    moved = order[: order.index(0)]
    assert all(statements[index].moment > statements[first].moment for index in moved)
    assert all(index < LOOKED_AT for index in moved)
    rest = order[order.index(0) :]
    assert rest == sorted(rest)


@given(st.lists(amounts_of_hens, min_size=1, max_size=12))
def test_as_of_a_moment_nothing_later_is_needed(statements: list[Statement]) -> None:
    moment = statements[said_first(statements)].moment
    seen = [one for one in statements if one.moment <= moment]
    order = current_first(QUESTION, seen, RARITY).order
    assert order == list(range(len(seen)))


def test_all_that_a_correction_corrects_is_marked() -> None:
    said = [statement(f"I work at Brightline, {what}", when) for when, what in enumerate(("tenth floor", "as ever"))]
    correction = statement("I work at Brightwater, not at Brightline", 5, raw=0.3)
    found = current_first("Where do I work?", [*said, correction], RARITY)
    assert (found.order[0], found.replaced) == (2, {0: 2, 1: 2})


def test_what_is_taken_back_at_once_is_what_was_said_just_before() -> None:
    visit = statement("mum pushed her visit, she comes on the 27th", 0)
    booked = statement("the cottage is booked for the 24th, for mum's visit", 200_000)
    no = statement("wait no that clashes with mum. ugh", 200_060, raw=0.9)
    for told, is_marked in ((visit, False), (booked, True)):
        found = current_first("When is mum's visit?", [told, no], RARITY)
        assert (0 in found.replaced) is is_marked, told.text


def test_another_date_where_one_is_asked_for_may_correct_the_first_however_little_it_is_like_it() -> None:
    reunion = statement("june 13 family reunion, what do i need to rent", 1)
    moved = statement("so we're all getting together on the 27th of june instead", 2, raw=0.2, similarity=0.1)
    moved = replace(moved, vector=np.array([0.0, 1.0], np.float32), holds=np.array([False, False]))
    weather = statement("so much rain", 3, raw=0.5)
    found = current_first("when is the family reunion?", [reunion, weather, moved], RARITY)
    assert (found.order, found.replaced) == ([0, 2, 1], {})


def test_advice_is_no_state_that_a_later_statement_replaces() -> None:
    assert not asks_for_the_present("What tools would you suggest for my essay?")


def test_what_came_after_the_first_and_is_like_it_may_say_what_has_become_of_it() -> None:
    first = statement("our car is insured with Aster", 2)
    later = statement("the insurance is with Birch", 3, raw=0.4)
    before, unlike = replace(later, moment=(1.0, 1)), replace(later, vector=np.array([0.4, 0.9], np.float32))
    echo = replace(later, speaker=("assistant", None))
    found = current_first("Who insures our car?", [first, later, before, unlike, echo], RARITY)
    assert (found.order, found.replaced, found.may_correct) == ([0, 1, 2, 3, 4], {}, {1: 0})
    behind = [first, *(replace(before, raw=0.9) for _ in range(SEEN)), later]
    assert current_first("Who insures our car?", behind, RARITY).may_correct == {}
