"""Which turns answer a question: the promises of ranking, whatever the distances."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ragpp.embedding.asking import load_passage
from ragpp.embedding.port import SECOND_DIMENSION, FloatMatrix
from ragpp.ranking.arrays import FloatArray
from ragpp.ranking.coverage import inverse_document_frequencies
from ragpp_services.episodic.ranking import (
    DEFAULT,
    CandidateTable,
    QuerySignals,
    asks_the_assistant,
    named_speaker,
    rank,
)
from ragpp_services.episodic.ranking.second import STEEPER, UNRELATED_FIRST, on_first_scale, with_second
from ragpp_services.episodic.reading.traits import Trait
from tests.support.each import each_case
from tests.support.ranking import QUESTION, shuffled, table, tables

MARTAS, IVOS = 0, 1


def told_by(*speakers: int) -> CandidateTable:
    """As many rows as speakers, alike but for these, who speak of themselves."""
    rows = table([[1.0]] * len(speakers), speakers=list(speakers))
    return replace(rows, traits=np.full(len(speakers), Trait.OF_SELF))


@each_case(("asker", "first"), [("Marta", MARTAS), ("ivo", IVOS), (" Ivo ", IVOS)])
def test_i_is_who_asks_under_that_name(asker: str, first: int) -> None:
    rows = told_by(MARTAS, IVOS, MARTAS, IVOS)
    ranked = rank(rows, QuerySignals("where do i park?", asker=asker))
    assert [int(rows.speakers[one.row]) for one in ranked] == [first, first, 1 - first, 1 - first]


def test_a_name_under_which_nothing_was_said_makes_nobodys_messages_ones_own() -> None:
    rows = told_by(MARTAS, -1)
    ranked = rank(rows, QuerySignals("where do i park?", asker="Ada"))
    assert [int(rows.speakers[one.row]) for one in ranked] == [-1, MARTAS]


@each_case("text", ["where do we park?", "where does Marta park?", "where is the car?"])
def test_what_is_not_asked_by_one_of_themselves_is_ranked_whoever_asks(text: str) -> None:
    rows = told_by(MARTAS, IVOS)
    without, asked = (list(rank(rows, QuerySignals(text, asker=asker))) for asker in (None, "Ivo"))
    assert without == asked


@given(tables())
def test_scores_are_relevances_in_falling_order_and_each_eligible_interaction_comes_once(found: CandidateTable) -> None:
    ranked = rank(found, QUESTION)
    assert found.eligible is not None
    assert sorted(found.ordinals[one.row] for one in ranked) == sorted(set(found.ordinals[found.eligible]))
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    for one in ranked:
        assert 0 < one.score < 1
        assert 0 <= one.coverage <= 1
        assert one.similarity is None or -1 <= one.similarity <= 1


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(found: CandidateTable, random: Random) -> None:
    order = list(range(len(found)))
    random.shuffle(order)
    other = shuffled(found, np.array(order, dtype=np.int64))
    one = [(found.ordinals[r.row], r.score) for r in rank(found, QUESTION)]
    two = [(other.ordinals[r.row], r.score) for r in rank(other, QUESTION)]
    assert [ordinal for ordinal, _ in one] == [ordinal for ordinal, _ in two]
    assert [score for _, score in one] == pytest.approx([score for _, score in two])


@given(tables(), st.integers(1, 5))
def test_a_limit_keeps_the_first(found: CandidateTable, limit: int) -> None:
    assert list(rank(found, QUESTION, limit=limit)) == list(rank(found, QUESTION))[:limit]


@given(tables(), st.floats(0, 1), st.data())
def test_a_turn_that_says_more_of_what_is_asked_never_falls(
    found: CandidateTable, more: float, data: st.DataObject
) -> None:
    found = replace(found, eligible=None, asked=None, traits=None, ordinals=np.arange(len(found)))
    row = data.draw(st.integers(0, len(found) - 1))
    alone = replace(DEFAULT, lending={}, session_lending=0.0, session=0.0, meaning_before=0.0, meaning_after=0.0)
    held = found.terms > 0
    better = replace(found, terms=np.where(held, found.terms, 0.0))
    better.terms[row] = np.where(held[row], np.maximum(better.terms[row], more), 0.0)

    def place(candidates: CandidateTable) -> int:
        return [one.row for one in rank(candidates, QUESTION, weights=alone)].index(row)

    assert place(better) <= place(found)


def test_an_empty_table_ranks_to_nothing() -> None:
    assert list(rank(table([]), QUESTION)) == []


def test_a_rare_term_counts_more_than_a_common_one() -> None:
    ranked = rank(table([[0.5, 0.0], [0.0, 0.5], [0.0, 0.5], [0.0, 0.5]], sessions=[0, 1, 2, 3]), QuerySignals("x y"))
    assert ranked[0].row == 0


def test_a_turn_borrows_the_words_of_the_turn_it_answers() -> None:
    """The second half of an answer stands beside the question's other half."""
    found = table([[0.6, 0.0], [0.0, 0.6], [0, 0], [0, 0], [0, 0], [0.0, 0.6]], sessions=[0, 0, 1, 1, 1, 2])
    places = [one.row for one in rank(found, QuerySignals("x y"))]
    assert places.index(1) < places.index(5)


def test_neighbours_are_only_those_of_the_same_session() -> None:
    together = table([[0.6, 0.0], [0.0, 0.6]], sessions=[0, 0])
    apart = table([[0.6, 0.0], [0.0, 0.6]], sessions=[0, 1])
    assert rank(together, QuerySignals("x y"))[0].score > rank(apart, QuerySignals("x y"))[0].score


def test_a_gap_in_a_partial_table_parts_neighbours() -> None:
    found = table([[0.6, 0.0], [0.0, 0.6]])
    near = replace(found, positions=np.array([4, 5]))
    far = replace(found, positions=np.array([4, 90]))
    assert rank(near, QuerySignals("x y"))[0].score > rank(far, QuerySignals("x y"))[0].score


def test_what_surrounds_a_turn_never_lowers_its_meaning() -> None:
    only = replace(DEFAULT, session=0.0)
    alone = rank(table([[]], [0.8]), QUESTION, weights=only)
    amid = rank(table([[], [], []], [-0.2, 0.8, -0.2]), QUESTION, weights=only)
    assert amid[0].row == 1
    assert amid[0].score == pytest.approx(alone[0].score)


def test_turns_by_the_one_who_is_named_come_first() -> None:
    assert rank(table([[], []], [0.5, 0.5], speakers=[1, 0]), QUESTION)[0].row == 1


def test_a_message_is_judged_by_its_best_chunk_not_by_all_of_them() -> None:
    scattered = [[0.6, 0.0], [0.0, 0.6]]
    whole = [[0.6, 0.6], [0.0, 0.0]]
    found = table(scattered + whole, ordinals=[0, 0, 1, 1], sessions=[0, 0, 1, 1])
    ranked = rank(found, QuerySignals("x y"))
    assert [found.ordinals[one.row] for one in ranked] == [1, 0]
    assert ranked[0].row == 2


def test_a_message_is_eligible_by_any_of_its_chunks_and_as_similar_as_its_most_similar_one() -> None:
    found = replace(table([[0.9], [0.0]], [0.1, 0.4], ordinals=[0, 0]), eligible=np.array([False, True]))
    (only,) = rank(found, QuerySignals("x"))
    assert only.row == 0
    assert only.similarity == pytest.approx(0.4)


def test_an_ineligible_turn_is_not_returned_but_still_lends() -> None:
    found = table([[0.6, 0.0], [0.0, 0.6]])
    hidden = replace(found, eligible=np.array([False, True]))
    ranked = rank(hidden, QuerySignals("x y"))
    assert [one.row for one in ranked] == [1]
    assert ranked[0].score == pytest.approx(next(o.score for o in rank(found, QuerySignals("x y")) if o.row == 1))


def test_assistants_come_behind_users_unless_they_are_asked_for() -> None:
    found = replace(table([[], []], [0.6, 0.5]), traits=np.array([Trait.ASSISTANT, 0]))
    assert rank(found, QuerySignals("Which library do I use?"))[0].row == 1
    assert rank(found, QuerySignals("Which library did you recommend?"))[0].row == 0


def test_an_assistant_with_a_name_is_somebody_who_talks_where_the_question_names_who_talks() -> None:
    found = replace(table([[], []], [0.6, 0.5], speakers=[1, 0]), traits=np.array([Trait.ASSISTANT, 0]))
    assert rank(found, QuerySignals("Which library is used by Ivo?"))[0].row == 0
    assert rank(found, QuerySignals("Which library is used?"))[0].row == 1
    assert rank(found, QuerySignals("Which library do I use?"))[0].row == 1


@given(
    hnp.arrays(np.float64, 6, elements=st.floats(-1, 1)),
    hnp.arrays(np.float64, 6, elements=st.floats(-1, 1) | st.just(float("nan"))),
)
def test_a_row_without_a_vector_by_the_second_encoder_stands_by_its_first(
    first: FloatArray, second: FloatArray
) -> None:
    found = with_second(replace(table([[]] * 6, list(first)), second=second))
    if np.isnan(second).all():
        assert found.second is None
    else:
        assert found.second is not None
        missing = np.isnan(second)
        assert found.second[missing].tolist() == first[missing].tolist()
        assert found.second[~missing].tolist() == second[~missing].tolist()


@given(hnp.arrays(np.float32, SECOND_DIMENSION, elements=st.floats(-1, 1, width=32)))
def test_what_is_unrelated_to_a_question_has_the_same_cosine_by_either_encoder(question: FloatMatrix) -> None:
    of_mean = np.array([float(load_passage() @ question)])
    assert on_first_scale(of_mean, question) == pytest.approx([UNRELATED_FIRST], abs=1e-3)
    better = on_first_scale(of_mean + 0.1, question) - on_first_scale(of_mean, question)
    assert better == pytest.approx([STEEPER * 0.1], abs=1e-3)


def test_the_second_encoder_decides_among_what_the_first_and_words_hold_for_equal() -> None:
    found = replace(table([[0.9], [0.9]], [0.5, 0.5]), second=np.array([0.2, 0.5]))
    assert [one.row for one in rank(found, QuerySignals("kiwi"))] == [1, 0]


def test_a_question_whose_words_find_nothing_is_left_to_the_first_encoder_unless_the_second_finds_its_like() -> None:
    def best(second: float, question: str = "kiwi") -> int:
        found = replace(table([[0.0], [0.0]], [0.5, 0.45]), second=np.array([0.1, second]))
        return rank(found, QuerySignals(question))[0].row

    assert best(0.25) == 0
    assert best(0.60) == 1
    assert best(0.60, "Which kiwi do you recommend?") == 0, "what applies to advice is not like the question"


def test_what_the_second_encoder_finds_in_a_courtesy_an_assistants_answer_or_a_row_of_the_first_opens_nothing() -> None:
    for trait in (Trait.EMPTY, Trait.ASSISTANT):
        found = replace(
            table([[0.0]] * 3, [0.5, 0.45, 0.1]),
            second=np.array([0.1, 0.25, 0.9]),
            traits=np.array([0, 0, trait]),
        )
        assert rank(found, QuerySignals("kiwi"))[0].row == 0, trait
    unread = replace(table([[0.0]] * 3, [0.5, 0.45, 0.9]), second=np.array([0.1, 0.25, np.nan]))
    assert [one.row for one in rank(unread, QuerySignals("kiwi"))] == [2, 0, 1]


def places(found: CandidateTable, question: str) -> list[int]:
    return [one.row for one in rank(found, QuerySignals(question))]


def test_what_repeats_the_question_is_no_evidence_for_it() -> None:
    """Row 0 asks the same, row 1 answers that it does not know, row 2 is the fact, which shares no word."""
    found = replace(
        table([[0.0, 0.0], [0.9, 0.9], [0.0, 0.0]], [0.95, 0.8, 0.3], sessions=[0, 0, 1]),
        asked=np.array([[0.9, 0.9], [0.0, 0.0], [0.0, 0.0]]),
        traits=np.array([Trait.ASKS | Trait.ONLY_ASKS, Trait.ASSISTANT | Trait.EMPTY, 0]),
    )
    assert places(found, "Where did I park the car?")[0] == 2


def test_what_a_message_asks_is_lent_to_the_one_that_answers_it_and_counts_not_for_itself() -> None:
    asked = np.array([[0.0, 0.9], [0.0, 0.0], [0.0, 0.0]])
    found = replace(table([[0.0, 0.0], [0.5, 0.0], [0.5, 0.0]], sessions=[0, 0, 1]), asked=asked)
    assert places(found, "x y") == [1, 2, 0]


def test_what_is_about_somebody_else_is_set_back_for_a_question_about_oneself() -> None:
    found = replace(
        table([[0.9], [0.5], [0.0]], [0.4, 0.4, 0.0], sessions=[0, 1, 2]),
        traits=np.array([Trait.OF_OTHERS, Trait.OF_SELF, 0]),
    )
    assert places(found, "Where do I live?")[0] == 1
    assert places(found, "Where does my sister live?")[0] == 0


def test_a_question_after_a_time_is_answered_by_what_has_one() -> None:
    found = replace(table([[0.5], [0.5]], sessions=[0, 1]), traits=np.array([Trait.PLACE, Trait.TIME]))
    assert places(found, "When is the exam?")[0] == 1
    assert places(found, "Where is the exam?")[0] == 0


def test_a_question_that_hardly_shares_a_word_with_anything_is_left_to_meaning() -> None:
    """Row 0 shares a word of many, row 1 none."""
    terms = [[0.6, *[0.0] * 11], [0.0] * 12]
    hints = table(terms, [0.2, 0.35], sessions=[0, 1])
    assert places(hints, "a long question that only hints at what it needs")[0] == 1
    clear = table([row[:2] for row in terms], [0.2, 0.35], sessions=[0, 1])
    assert places(clear, "x y")[0] == 0


def test_what_has_nothing_to_do_with_the_question_borrows_nothing() -> None:
    found = table([[0.9, 0.9], [0.0, 0.0], [0.0, 0.0]], [0.6, 0.0, 0.3], sessions=[0, 0, 1])
    signals = {one.row: one.signals for one in rank(found, QuerySignals("x y", explain=True))}
    assert signals[1]["lent words"] == 0
    near = replace(found, cosines=np.array([0.6, 0.2, 0.3]))
    assert rank(near, QuerySignals("x y", explain=True))[1].signals["lent words"] > 0


def test_the_signals_of_an_answer_add_up_to_its_score() -> None:
    found = replace(table([[0.9, 0.1], [0.2, 0.7]], [0.6, 0.1]), traits=np.array([Trait.ASKS, Trait.EMPTY]))
    for one in rank(found, QuerySignals("When did Marta paint?", explain=True)):
        assert sum(one.signals.values()) == pytest.approx(one.raw)


def test_without_vectors_words_decide_and_without_words_vectors_do() -> None:
    nan = float("nan")
    by_words = rank(table([[0.1], [0.9]], [nan, nan]), QUESTION)
    assert [one.row for one in by_words] == [1, 0]
    assert by_words[0].similarity is None
    assert [one.row for one in rank(table([[], []], [0.1, 0.9]), QUESTION)] == [1, 0]


def test_frequencies_of_all_rows_can_be_given_for_a_part_of_them() -> None:
    found = table([[0.5, 0.0], [0.0, 0.5]], sessions=[0, 1])
    ranked = rank(found, QuerySignals("x y", documents=1_000, frequencies=(900, 3)))
    assert ranked[0].row == 1


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_rarity_is_positive_and_falls_with_frequency(one: int, two: int) -> None:
    few, many = sorted((one, two))
    rare, common = inverse_document_frequencies(10_000, np.array([few, many], dtype=np.float64))
    assert rare >= common > 0


@each_case(
    ("text", "names", "expected"),
    [
        ("What did Marta paint?", ("Ivo", "Marta"), 1),
        ("what did marta paint?", ("Ivo", "Marta"), 1),
        ("Marta's boat", ("Marta",), 0),
        ("What did Marta give Ivo?", ("Ivo", "Marta"), None),
        ("What may Ivo do in may?", ("Ivo", "May"), 0),
        ("Did Marta call?", ("Marta Ruiz", "Ivo"), 0),
        ("Martas boat", ("Marta",), None),
        ("Who painted it?", ("Marta",), None),
        ("(.*) [", ("(.*) [", "Ivo"), 0),
        ("What did 安娜 say?", ("安娜",), 0),
        ("Who?", (), None),
    ],
)
def test_the_named_speaker_is_the_only_one_a_question_mentions(
    text: str, names: tuple[str, ...], expected: int | None
) -> None:
    assert named_speaker(text, names) == expected


@each_case(
    ("text", "expected"),
    [
        ("What did you suggest for dinner?", True),
        ("The tool you recommended", True),
        ("Could you summarise my project?", False),
        ("Can you help me set up what you need?", False),
    ],
)
def test_a_question_about_the_assistants_own_words_is_told_from_a_request(text: str, expected: bool) -> None:
    assert asks_the_assistant(text) is expected
