"""A message is as good as the sentence of it that answers."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.episodic.ranking import DEFAULT, CandidateTable, QuerySignals, rank
from tests.support.ranking import QUESTION, shuffled, table, tables

SPOKEN = QuerySignals("What did Marta paint?", explain=True)


def test_a_sentence_that_answers_lifts_its_message_and_not_its_similarity() -> None:
    whole = table([[0.9], [0.9]], [0.4, 0.4], sessions=[0, 1])
    first, second = rank(replace(whole, sentences=np.array([float("nan"), 0.8])), SPOKEN)
    assert (first.row, second.row) == (1, 0)
    assert first.signals["meaning"] == pytest.approx(0.4 + DEFAULT.sentence * (0.8 - 0.4))
    assert second.signals["meaning"] == pytest.approx(0.4)
    assert (first.similarity, second.similarity) == (0.4, 0.4)


def test_sentences_count_for_nothing_where_words_find_nothing() -> None:
    hint = table([[0.0], [0.0]], [0.4, 0.5], sessions=[0, 1])
    told = replace(hint, sentences=np.array([0.9, 0.1]))
    assert [(one.row, one.raw) for one in rank(told, QUESTION)] == [(one.row, one.raw) for one in rank(hint, QUESTION)]


def test_a_message_is_found_by_the_chunk_whose_sentence_answers() -> None:
    two = table([[0.9], [0.9]], [0.5, 0.4], ordinals=[0, 0])
    assert rank(two, QUESTION)[0].row == 0
    assert rank(replace(two, sentences=np.array([0.5, 0.9])), QUESTION)[0].row == 1


def test_without_a_vector_of_its_own_a_row_has_no_meaning() -> None:
    by_words = table([[0.9]], [float("nan")])
    (one,) = rank(replace(by_words, sentences=np.array([0.9])), SPOKEN)
    assert one.signals["meaning"] == 0
    assert one.similarity is None


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter_with_sentences_either(found: CandidateTable, random: Random) -> None:
    known = np.array([random.choice([float("nan"), random.uniform(-1, 1)]) for _ in range(len(found))])
    order = np.array(random.sample(range(len(found)), len(found)), dtype=np.int64)
    other = replace(shuffled(found, order), sentences=known[order])
    one, two = rank(replace(found, sentences=known), QUESTION), rank(other, QUESTION)
    assert [found.ordinals[r.row] for r in one] == [other.ordinals[r.row] for r in two]
    assert [r.score for r in one] == pytest.approx([r.score for r in two])
