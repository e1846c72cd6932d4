"""The embeddings of names, each made once while it is in use."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.embedding.port import Embedder
from ragpp.errors import InvalidInput
from ragpp.models import Vector
from ragpp.observability.metrics import cache_asked

_KEPT: Final = 4_096
SKETCH_NUMBERS: Final = 64
_SKETCH_SEED: Final = b"ragpp entity sketch"


@cache
def _projection(dimension: int) -> npt.NDArray[np.float32]:
    """`dimension` × 64 signs, the same everywhere and always: what it made is stored."""
    bits = np.unpackbits(
        np.frombuffer(hashlib.shake_256(_SKETCH_SEED).digest(dimension * SKETCH_NUMBERS // 8), dtype=np.uint8)
    )
    return (bits.astype(np.float32) * 2 - 1).reshape(dimension, SKETCH_NUMBERS)


def sketch(vector: Vector) -> list[float]:
    """`vector` in 64 numbers whose cosines are near those of the vectors: off by some 0.12 at most times.

    A random projection onto signs. Source: Achlioptas, Journal of Computer and System Sciences 66 (2003).
    """
    return [round(float(number), 4) for number in np.asarray(vector, dtype=np.float32) @ _projection(len(vector))]


class NameVectors:
    """Embeds names in one batch, remembering the 4,096 used last (6 MB at 384 dimensions): speakers and their
    relatives come up in nearly every message."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()

    async def embed(self, names: Iterable[str]) -> Mapping[str, Vector]:
        """The embedding of each name, by name. Raises EmbeddingError."""
        wanted = list(dict.fromkeys(names))
        missing = [name for name in wanted if name not in self._kept]
        cache_asked("names", hits=len(wanted) - len(missing), misses=len(missing))
        rows = dict(zip(missing, await self._embedder.embed(missing), strict=True)) if missing else {}
        found: dict[str, Vector] = {}
        for name in wanted:
            row = rows[name] if name in rows else self._kept[name]
            found[name] = tuple(row.tolist())
        for name in wanted:
            self._kept[name] = rows[name] if name in rows else self._kept[name]
            self._kept.move_to_end(name)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return found

    def checked(self, vector: Vector) -> Vector:
        """`vector` itself. Raises InvalidInput unless it is finite, not zero, and of the embedder's dimension."""
        if len(vector) != self._embedder.dimension:
            raise InvalidInput(
                f"the embedding has {len(vector)} dimensions, {self._embedder.model} has {self._embedder.dimension}"
            )
        length = float(np.linalg.norm(np.asarray(vector, dtype=np.float64)))
        if not np.isfinite(length) or length == 0.0:
            raise InvalidInput("the embedding is zero or not finite")
        return vector
