"""Vectors that came with a text are kept, the others are made, and all are stored as they are."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.embedding import FloatMatrix
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.embedding.vectors import vectors_of
from ragpp.errors import InvalidInput
from ragpp.stores.packed_columns import direction, term_weights
from ragpp.stores.vector_values import asked_terms, halfvec, sparsevec
from ragpp.text.lexical import document_weights, query_terms

EAST, NORTH = (1.0, *(0.0,) * 7), (0.0, 1.0, *(0.0,) * 6)


class CountingEmbedder(HashingEmbedder):
    """Counts its batches."""

    def __init__(self) -> None:
        super().__init__(8)
        self.batches: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> FloatMatrix:
        self.batches.append(list(texts))
        return await super().embed(texts)


async def test_what_is_missing_is_made_in_one_batch_and_stands_where_it_was_missing() -> None:
    embedder = CountingEmbedder()
    found = await vectors_of([["one", EAST], [], [NORTH], ["two"]], embedder)
    assert embedder.batches == [["one", "two"]]
    one, two = await HashingEmbedder(8).embed(["one", "two"])
    assert [matrix.shape for matrix in found] == [(2, 8), (0, 8), (1, 8), (1, 8)]
    assert found[0].tolist() == [one.tolist(), list(EAST)]
    assert found[2].tolist() == [list(NORTH)]
    assert found[3].tolist() == [two.tolist()]


async def test_no_model_is_asked_where_all_vectors_were_brought() -> None:
    embedder = CountingEmbedder()
    await vectors_of([[EAST], [NORTH]], embedder)
    assert embedder.batches == []


async def test_a_vector_that_cannot_be_stored_is_refused_by_the_place_of_its_entry() -> None:
    with pytest.raises(InvalidInput, match="entry 1 has a vector of 2 dimensions"):
        await vectors_of([[EAST], [(1.0, 0.0)]], HashingEmbedder(8))


@given(st.lists(st.text(min_size=1, max_size=200).filter(str.strip), max_size=6), st.text(max_size=60))
def test_the_words_of_a_text_come_back_from_its_column_as_they_were_stored(texts: list[str], question: str) -> None:
    terms, stored = query_terms(question), [document_weights(text) for text in texts]
    packed = b"".join(sparsevec(weights).to_binary() for weights in stored)
    found = term_weights(packed, terms)
    assert found.tolist() == [[float(np.float32(weights.get(term, 0.0))) for term in terms] for weights in stored]
    assert asked_terms(terms).indices() == sorted(terms)


def test_a_direction_survives_being_stored_in_halves() -> None:
    packed = halfvec((3.0, -4.0, 0.0)).to_binary()
    assert direction(packed).tolist() == pytest.approx([0.6, -0.8, 0.0])
