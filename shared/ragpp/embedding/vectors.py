"""The vectors that texts are stored under: those that came with them, and those that are made here, in one batch."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragpp.embedding.port import Embedder, FloatMatrix
from ragpp.errors import InvalidInput
from ragpp.models import Vector


async def vectors_of(entries: Sequence[Sequence[Vector | str]], embedder: Embedder) -> list[FloatMatrix]:
    """A (chunks, dimension) matrix of float32 for each entry, whose chunks are given by the vector that they brought or
    by the line to embed; all the lines of all entries at once.

    Raises InvalidInput for a vector of another dimension, or one without a direction; EmbeddingError.
    """
    lines = [chunk for chunks in entries for chunk in chunks if isinstance(chunk, str)]
    made = iter(await embedder.embed(lines) if lines else ())
    matrices = []
    for index, chunks in enumerate(entries):
        matrix = np.empty((len(chunks), embedder.dimension), np.float32)
        for row, chunk in enumerate(chunks):
            matrix[row] = next(made) if isinstance(chunk, str) else vector(chunk, embedder.dimension, f"entry {index}")
        matrices.append(matrix)
    return matrices


def vector(embedding: Vector, dimension: int, whose: str) -> npt.NDArray[np.float32]:
    """`embedding` as an array. Raises InvalidInput unless it has `dimension` finite numbers that are not all zero."""
    numbers = np.asarray(embedding, np.float32)
    if len(numbers) != dimension:
        raise InvalidInput(
            f"{whose} has a vector of {len(numbers)} dimensions; this store holds vectors of {dimension}"
        )
    length = float(np.linalg.norm(numbers))
    if not np.isfinite(length) or length < 1e-3:
        raise InvalidInput(f"{whose} has a vector that is zero or not finite")
    return numbers
