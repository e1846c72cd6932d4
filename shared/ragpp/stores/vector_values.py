"""Search values of texts, as PostgreSQL takes them: vectors of meaning in halves, words as sparse vectors."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from pgvector import HalfVector, SparseVector

from ragpp.text.lexical import DIMENSIONS


def halfvec(embedding: Sequence[float] | npt.NDArray[np.float32]) -> HalfVector:
    """A vector of meaning, to be stored or to ask by."""
    return HalfVector(np.asarray(embedding, np.float32))


def sparsevec(weights: Mapping[int, float]) -> SparseVector:
    """Weights of terms (`ragpp.text.lexical.document_weights`), to be stored."""
    return SparseVector(dict(weights), DIMENSIONS)


def asked_terms(terms: Iterable[int]) -> SparseVector:
    """Terms to ask by (`ragpp.text.lexical.query_terms`), at most 16,000: what has none of them has an inner product
    (`<#>`) of 0 with this."""
    return SparseVector(dict.fromkeys(terms, 1.0), DIMENSIONS)
