"""A deterministic embedder without a model: texts that share words or spellings come out near each other."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

import numpy as np

from ragpp.embedding.port import FloatMatrix, require_unicode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORD: Final = re.compile(r"\w+")
GRAM: Final = 3
GRAM_WEIGHT: Final = 0.3
"""The weight of a character trigram, beside 1 for its whole word: inflections stay near, unrelated words stay far."""


class HashingEmbedder:
    """An Embedder for tests and for measuring everything but embedding: the same vectors in every process.

    Words and character trigrams are hashed to signed dimensions and summed (Weinberger et al., ICML 2009).
    It knows no meaning: synonyms are strangers to it.
    """

    def __init__(self, dimension: int = 384) -> None:
        """ValueError unless `dimension` is at least 8."""
        if dimension < 8:
            raise ValueError(f"dimension is {dimension}, and must be at least 8")
        self.model: Final = "ragpp/hashing"
        self.dimension: Final = dimension

    async def embed(self, texts: Sequence[str]) -> FloatMatrix:
        if isinstance(texts, str):
            raise TypeError("embed takes a sequence of texts, not one text")
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for index, text in enumerate(texts):
            require_unicode(text)
            rows[index] = self._vector(text)
        return rows

    async def warm(self) -> None:
        """Nothing to load."""

    async def health_check(self) -> None:
        """Always well."""

    async def close(self) -> None:
        """Nothing to release."""

    def _vector(self, text: str) -> FloatMatrix:
        vector = np.zeros(self.dimension, dtype=np.float32)
        for feature, weight in _features(text):
            dimension, sign = self._place(feature)
            vector[dimension] += sign * weight
        if not vector.any():  # no word at all, or features that cancel out
            vector[self._place(f"text {text}")[0]] = 1.0
        return vector / np.linalg.norm(vector)

    def _place(self, feature: str) -> tuple[int, float]:
        number = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")
        return (number >> 1) % self.dimension, 1.0 if number & 1 else -1.0


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in WORD.findall(text.casefold()):
        yield f"word {word}", 1.0
        framed = f"<{word}>"
        for start in range(len(framed) - GRAM + 1):
            yield f"gram {framed[start : start + GRAM]}", GRAM_WEIGHT
