"""Packed columns are unpacked as PostgreSQL and pgvector pack them."""

import struct
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.stores.packed_columns import (
    cosines,
    direction,
    directions,
    flags,
    microseconds_of,
    moment_of,
    sparse_entries,
    term_weights,
    whole_numbers,
)
from tests.support.each import each_case

TERMS = st.integers(0, 30)
WEIGHTS = st.floats(-1, 1, width=32).filter(lambda weight: abs(weight) > 1e-30)


def sparsevec(dimension: int, weights: dict[int, float]) -> bytes:
    kept = sorted(weights.items())
    head = struct.pack(f">3i{len(kept)}i", dimension, len(kept), 0, *(term for term, _ in kept))
    return head + struct.pack(f">{len(kept)}f", *(weight for _, weight in kept))


@given(
    st.sampled_from([31, 1_024, 1 << 20, 1 << 23]),
    st.lists(st.dictionaries(TERMS, WEIGHTS, max_size=8), max_size=12),
    st.lists(TERMS, unique=True, max_size=6),
)
def test_each_sparse_vector_keeps_its_weights_of_what_is_asked_whatever_its_dimension(
    dimension: int, vectors: list[dict[int, float]], terms: list[int]
) -> None:
    found = term_weights(b"".join(sparsevec(dimension, one) for one in vectors), terms)
    assert found.shape == (len(vectors), len(terms))
    assert found.tolist() == [[one.get(term, 0.0) for term in terms] for one in vectors]


@given(st.sampled_from([31, 1 << 20, 1 << 23]), st.lists(st.dictionaries(TERMS, WEIGHTS, max_size=8), max_size=12))
def test_all_entries_of_sparse_vectors_come_back(dimension: int, vectors: list[dict[int, float]]) -> None:
    places, terms, weights = sparse_entries(b"".join(sparsevec(dimension, one) for one in vectors))
    found = list(zip(places.tolist(), terms.tolist(), weights.tolist(), strict=True))
    assert found == [(place, term, one[term]) for place, one in enumerate(vectors) for term in sorted(one)]


@each_case(("kind", "code", "most"), [("smallint", "h", 15), ("int", "i", 31), ("bigint", "q", 63)])
def test_a_column_of_numbers_holds_the_least_and_the_greatest_of_its_type(kind: str, code: str, most: int) -> None:
    values = [-(1 << most), -1, 0, (1 << most) - 1]
    assert whole_numbers(struct.pack(f">4{code}", *values), kind).tolist() == values  # type: ignore[arg-type]  # sampled
    assert whole_numbers(None, kind).tolist() == []  # type: ignore[arg-type]  # the same


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_comes_back_to_the_microsecond(moment: datetime) -> None:
    since = (moment - datetime(2000, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert moment_of(int(whole_numbers(struct.pack(">q", since), "timestamptz")[0])) == moment
    assert microseconds_of(moment) == since


def test_distances_come_back_as_cosines_and_bytes_as_flags() -> None:
    assert cosines(struct.pack(">3f", 0.0, 1.0, 2.0)).tolist() == [1.0, 0.0, -1.0]
    assert np.isnan(cosines(struct.pack(">2f", float("nan"), 1.0))).tolist() == [True, False]
    assert flags(b"\x00\x01").tolist() == [False, True]


def test_a_vector_in_halves_comes_back_at_length_one() -> None:
    found = direction(struct.pack(">2H3e", 3, 0, 0.0, 1.5, -2.0))
    assert found.tolist() == pytest.approx([0.0, 0.6, -0.8])
    assert found.dtype == np.float32


def test_vectors_in_halves_come_back_as_they_are() -> None:
    packed = struct.pack(">2H3e", 3, 0, 0.0, 1.5, -2.0) + struct.pack(">2H3e", 3, 0, 1.0, 0.0, 0.5)
    assert directions(packed).tolist() == [[0.0, 1.5, -2.0], [1.0, 0.0, 0.5]]
    assert directions(None).shape == (0, 0)
