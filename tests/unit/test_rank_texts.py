"""Short texts that stand by themselves are ranked by words and meaning as interactions are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ragpp.ranking.arrays import FloatArray
from ragpp.ranking.coverage import document_frequencies, inverse_document_frequencies
from ragpp.ranking.relevance import MIDDLE, SPREAD
from ragpp.ranking.texts import NORMAL, PRIORITY, rank_texts
from ragpp_services.episodic.ranking import DEFAULT, CandidateTable, QuerySignals, rank

UNKNOWN = float("nan")


@st.composite
def texts(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    """Cosines and weights."""
    rows, terms = draw(st.integers(1, 15)), draw(st.integers(0, 4))
    cosine = st.floats(-1, 1, width=32) | st.just(UNKNOWN)
    share = st.just(0.0) | st.floats(0, 1, width=32)
    return draw(arrays(np.float64, rows, elements=cosine)), draw(arrays(np.float64, (rows, terms), elements=share))


def raw_of(scores: FloatArray) -> FloatArray:
    """The sum that relevances were made of."""
    return np.asarray(MIDDLE + SPREAD * np.log(scores / (1 - scores)), np.float64)


@given(texts())
def test_a_text_is_as_relevant_as_an_interaction_that_neither_lends_nor_borrows(
    found: tuple[FloatArray, FloatArray],
) -> None:
    cosines, weights = found
    each = np.arange(len(cosines), dtype=np.int64)
    table = CandidateTable(
        ordinals=each,
        sessions=each,
        occurred_at=np.zeros(len(each)),
        cosines=cosines,
        terms=weights,
        speakers=np.full(len(each), -1, np.int64),
    )
    ranked = rank(table, QuerySignals("paint"), weights=replace(DEFAULT, session=0.0))
    by_row = {one.row: one.score for one in ranked}
    assert rank_texts(cosines, weights) == pytest.approx([by_row[row] for row in range(len(each))])


@given(texts(), st.data())
def test_the_order_of_the_texts_does_not_matter(found: tuple[FloatArray, FloatArray], data: st.DataObject) -> None:
    cosines, weights = found
    order = data.draw(st.permutations(range(len(cosines))))
    assert rank_texts(cosines[order], weights[order]) == pytest.approx(rank_texts(cosines, weights)[order])


def test_no_texts_have_no_scores() -> None:
    assert rank_texts(np.zeros(0), np.zeros((0, 3)), priorities=np.zeros(0)).shape == (0,)


def test_a_question_that_names_its_answer_is_ranked_by_words_and_one_that_hints_by_meaning() -> None:
    cosines = np.array([0.3, 0.5, 0.1])
    named, hinted = np.array([[0.6], [0.0], [0.0]]), np.array([[0.05], [0.0], [0.0]])
    assert rank_texts(cosines, named).argsort()[::-1].tolist() == [0, 1, 2]
    assert rank_texts(cosines, hinted).argsort()[::-1].tolist() == [1, 0, 2]


def test_without_vectors_words_decide_and_without_words_vectors_do() -> None:
    assert rank_texts(np.full(3, UNKNOWN), np.array([[0.0], [0.6], [0.3]])).argsort().tolist() == [0, 2, 1]
    assert rank_texts(np.array([0.2, UNKNOWN, 0.4]), np.zeros((3, 0))).argsort().tolist() == [1, 0, 2]


@given(texts(), st.data())
def test_priority_decides_between_what_answers_about_equally_well_and_nothing_else(
    found: tuple[FloatArray, FloatArray], data: st.DataObject
) -> None:
    cosines, weights = found
    priorities = data.draw(arrays(np.float64, len(cosines), elements=st.integers(0, 10).map(float)))
    plain, prior = rank_texts(cosines, weights), rank_texts(cosines, weights, priorities=priorities)
    assert raw_of(prior) - raw_of(plain) == pytest.approx(PRIORITY * (priorities - NORMAL) / 10, abs=1e-6)
    far_ahead = raw_of(plain)[:, None] > raw_of(plain) + PRIORITY + 1e-6
    assert (prior[:, None] > prior)[far_ahead].all()


@given(texts())
def test_a_normal_priority_changes_nothing(found: tuple[FloatArray, FloatArray]) -> None:
    cosines, weights = found
    same = rank_texts(cosines, weights, priorities=np.full(len(cosines), NORMAL))
    assert same.tolist() == rank_texts(cosines, weights).tolist()


@given(texts())
def test_a_part_of_the_texts_with_the_rarity_of_all_scores_as_among_all(found: tuple[FloatArray, FloatArray]) -> None:
    cosines, weights = found
    rarity = inverse_document_frequencies(len(weights), document_frequencies(weights > 0))
    part = np.unique([int((weights @ rarity).argmax()), len(cosines) - 1])
    alone = rank_texts(cosines[part], weights[part], rarity=rarity)
    assert alone == pytest.approx(rank_texts(cosines, weights)[part])


@given(texts(), st.data())
def test_what_is_around_a_text_only_ever_adds_and_nothing_to_what_is_far_from_the_question(
    found: tuple[FloatArray, FloatArray], data: st.DataObject
) -> None:
    cosines, weights = found
    around = data.draw(arrays(np.float64, weights.shape, elements=st.floats(0, 1, width=32)))
    alone, among = rank_texts(cosines, weights), rank_texts(cosines, weights, around=around)
    assert (among >= alone).all()
    far = np.nan_to_num(cosines) <= 0
    if not np.isnan(cosines).all():
        assert among[far] == pytest.approx(alone[far])


def test_of_texts_that_mean_as_much_the_one_among_the_words_asked_for_is_first() -> None:
    cosines, weights = np.array([0.3, 0.3, 0.3]), np.array([[0.0, 0.0], [0.0, 0.0], [0.6, 0.6]])
    around = np.array([[0.0, 0.0], [0.5, 0.5], [0.0, 0.0]])
    assert rank_texts(cosines, weights, around=around).argsort()[::-1].tolist() == [2, 1, 0]
