"""How much of a question texts hold, and how far its words are trusted for it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ragpp.ranking.arrays import BoolArray, FloatArray
from ragpp.ranking.coverage import TRUSTED, coverage, document_frequencies, trust_in_words

SHARES = st.floats(0, 1, width=32)
SHAPES = st.tuples(st.integers(1, 12), st.integers(0, 5))


@st.composite
def questions(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    """Rows' weights of the terms of a question, and the rarity of these."""
    rows, terms = draw(SHAPES)
    weights = draw(arrays(np.float64, (rows, terms), elements=SHARES))
    return weights, draw(arrays(np.float64, terms, elements=st.floats(0.0078125, 12, width=32)))


@given(questions())
def test_coverage_is_a_share_that_all_of_the_question_makes_whole(question: tuple[FloatArray, FloatArray]) -> None:
    weights, rarity = question
    covered = coverage(weights, rarity)
    assert ((covered >= 0) & (covered <= 1 + 1e-9)).all()
    assert coverage(np.ones_like(weights), rarity) == pytest.approx(1.0 if len(rarity) else 0.0)


@given(questions(), SHARES, st.data())
def test_who_holds_more_of_a_term_covers_no_less(
    question: tuple[FloatArray, FloatArray], more: float, data: st.DataObject
) -> None:
    weights, rarity = question
    row = data.draw(st.integers(0, len(weights) - 1))
    better = weights.copy()
    better[row] = np.maximum(better[row], more)
    assert coverage(better, rarity)[row] >= coverage(weights, rarity)[row] - 1e-12


@given(arrays(np.bool_, SHAPES, elements=st.booleans()), st.data())
def test_a_document_of_many_rows_holds_what_any_of_them_does_and_counts_once(
    held: BoolArray, data: st.DataObject
) -> None:
    later = data.draw(st.sets(st.integers(1, len(held) - 1))) if len(held) > 1 else set()
    firsts = [0, *sorted(later)]
    documents = [held[start:end] for start, end in zip(firsts, [*firsts[1:], len(held)], strict=True)]
    counted = document_frequencies(held, np.array(firsts, np.int64)).tolist()
    assert counted == [sum(bool(one[:, term].any()) for one in documents) for term in range(held.shape[1])]
    assert document_frequencies(held).tolist() == [int(held[:, term].sum()) for term in range(held.shape[1])]


@given(st.floats(0, 1), st.floats(0, 1))
def test_trust_grows_with_what_the_best_text_covers(one: float, other: float) -> None:
    low, high = TRUSTED
    less, more = sorted((one, other))
    assert 0 <= trust_in_words(less) <= trust_in_words(more) <= 1
    assert trust_in_words(low) == 0
    assert trust_in_words(high) == 1
    assert trust_in_words((low + high) / 2) == pytest.approx(0.5)


def test_without_an_interval_words_are_trusted_whatever_they_find() -> None:
    assert trust_in_words(0.0, (0.0, 0.0)) == 1
