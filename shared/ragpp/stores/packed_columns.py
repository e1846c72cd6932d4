"""Columns of thousands of rows as one value each, unpacked into arrays.

A statement packs a column with `string_agg(int8send(x), ''::bytea)` and the like: some 20 times faster to read than
rows. Numbers are in the binary forms of their types, big-endian, in the order of the rows. `string_agg` leaves nulls
out, so what may be null needs a value that stands for it, or the rows behind it move up: NaN of a distance.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""From which PostgreSQL counts its microseconds."""

_FORMS: Final = {"smallint": ">i2", "int": ">i4", "bigint": ">i8", "timestamptz": ">i8"}


def whole_numbers(
    packed: bytes | None, kind: Literal["smallint", "int", "bigint", "timestamptz"]
) -> npt.NDArray[np.int64]:
    """(rows,) of a column of that type; none where there were no rows. Of timestamptz, microseconds since EPOCH."""
    return np.frombuffer(packed or b"", _FORMS[kind]).astype(np.int64)


def moment_of(microseconds: int) -> datetime:
    """The moment, in UTC, of so many microseconds since EPOCH."""
    return EPOCH + timedelta(microseconds=microseconds)


def microseconds_of(moment: datetime) -> int:
    """Microseconds since EPOCH of a moment with a zone."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def flags(packed: bytes) -> npt.NDArray[np.bool_]:
    """(rows,) of a column of bytes, one for each row: 0 is false."""
    return np.frombuffer(packed, np.uint8).astype(np.bool_)


def cosines(distances: bytes) -> npt.NDArray[np.float64]:
    """(rows,), -1 to 1, of a column of cosine distances (`<=>`) as real; NaN where the distance is."""
    return 1.0 - np.frombuffer(distances, ">f4").astype(np.float64)


def direction(packed: bytes) -> npt.NDArray[np.float32]:
    """(dimension,): one vector in the binary form of halfvec, at length 1; it is not zero.

    pgvector sends a halfvec as two numbers of two bytes, its dimension and one unused, and then as many big-endian
    halves.
    """
    vector = np.frombuffer(packed, ">f2", offset=4).astype(np.float32)
    vector /= np.sqrt(vector.dot(vector))  # what `norm` does, at a third of its time
    return vector


def term_weights(packed: bytes, terms: Sequence[int]) -> npt.NDArray[np.float64]:
    """(vectors, terms): what each of the sparse vectors in `packed` has in the dimensions `terms`, 0 where nothing.

    A column of sparsevec, all of one dimension D of at most 2²³ and none with as many entries; `terms` are distinct, in
    [0, D). Where a vector has none of them, a statement may send an empty one in its place.

    pgvector sends a sparse vector as big-endian numbers of four bytes: D, entries, unused; then the indices, from 0;
    then as many float32 weights. No index is as great as D, and as a float32 that pattern of bits is below 1.2·10⁻³⁸,
    which no weight is: so it marks where a vector begins. No weight looks like an index either: as a float32 an index
    is as small.
    """
    numbers = np.frombuffer(packed, ">i4").astype(np.int32)
    if not len(numbers):
        return np.zeros((0, len(terms)))
    begins = np.flatnonzero(numbers == numbers[0])
    entries = numbers[begins + 1]
    weights = numbers.view(np.float32).copy()
    numbers[begins + 1] = -1
    numbers[begins + 2] = -1
    result = np.zeros((len(begins), len(terms)))
    for column, term in enumerate(terms):
        found = np.flatnonzero(numbers == term)
        vectors = np.searchsorted(begins, found) - 1
        result[vectors, column] = weights[found + entries[vectors]]
    return result


def directions(packed: bytes | None) -> npt.NDArray[np.float32]:
    """(rows, dimension) of a column of halfvec, all of one dimension, as they are stored; (0, 0) where there were
    none."""
    numbers = np.frombuffer(packed or b"", ">f2")
    if not len(numbers):
        return np.zeros((0, 0), np.float32)
    dimension = int(np.frombuffer(packed or b"", ">u2", count=1)[0])
    return numbers.reshape(-1, dimension + 2)[:, 2:].astype(np.float32)


def sparse_entries(
    packed: bytes | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """All entries of a column of sparsevec, as `term_weights` describes it: of which vector each is, its dimension and
    what it has there."""
    numbers = np.frombuffer(packed or b"", ">i4").astype(np.int32)
    none = np.zeros(0, np.int64)
    if not len(numbers):
        return none, none, np.zeros(0)
    begins = np.flatnonzero(numbers == numbers[0])
    counts = numbers[begins + 1].astype(np.int64)
    vectors = np.repeat(np.arange(len(begins)), counts)
    within = np.arange(len(vectors)) - np.repeat(np.cumsum(counts) - counts, counts)
    places = np.repeat(begins + 3, counts) + within
    weights = numbers.view(np.float32)[places + np.repeat(counts, counts)]
    return vectors, numbers[places].astype(np.int64), weights.astype(np.float64)
