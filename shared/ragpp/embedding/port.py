"""The port that turns texts into vectors, and the identity that a store records about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import numpy.typing as npt

from ragpp.errors import EmbeddingMismatch, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragpp.text.spans import Span

FloatMatrix = npt.NDArray[np.float32]
SECOND_DIMENSION: Final = 384
"""Numbers in a second encoder's vector: there is one model."""


class Embedder(Protocol):
    """Turns texts into vectors whose inner product is their similarity; one instance serves many tasks at once.

    Making one does no work: what is slow happens in `warm` or in the first call.
    """

    @property
    def model(self) -> str:
        """The model's public name, such as `sentence-transformers/all-MiniLM-L6-v2`; stores record it."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    async def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """One row for each text, in order: float32 (len(texts), dimension), each row of length 1 and never zero.
        No texts give a matrix of no rows. An empty text has a vector too. What is longer than the model reads is
        cut. All or nothing: raises EmbeddingError, or InvalidInput for a text with lone surrogates."""
        ...

    async def warm(self) -> None:
        """Load what the first call would load. Harmless to repeat. Raises EmbeddingError."""
        ...

    async def health_check(self) -> None:
        """Return when a text can be embedded. Raises EmbeddingError, which says why not."""
        ...

    async def close(self) -> None:
        """Release threads and connections; harmless to repeat. What was not finished fails with EmbeddingError."""
        ...


class SecondEncoder(Protocol):
    """Turns questions and passages into vectors whose inner product tells how well one answers the other: beside an
    Embedder, where it is there, never in its place. One instance serves many tasks at once.

    A text has one vector, to the bit, whatever is encoded with it. Making one does no work.
    """

    @property
    def model(self) -> str:
        """The model's public name."""
        ...

    @property
    def dimension(self) -> int:
        """SECOND_DIMENSION."""
        ...

    async def encode_questions(self, texts: Sequence[str]) -> FloatMatrix:
        """One row for each question, in order; of what shape and with what errors, `Embedder.embed` says."""
        ...

    async def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """One row for each text that may answer, in order; as `encode_questions`."""
        ...

    async def encode_spans(self, text: str, spans: Sequence[Span]) -> FloatMatrix:
        """One row for each of `spans`, stretches of `text` in order and without overlap: what a stretch means in what
        surrounds it, the mean of its tokens where `text` is read as a passage. As `encode_questions`."""
        ...

    async def warm(self, *, questions: bool = False) -> None:
        """Look at its files or, for `questions`, load what the first of them would load. Harmless to repeat. Raises
        EmbeddingError."""
        ...

    async def close(self) -> None:
        """Release threads; harmless to repeat. What was not finished fails with EmbeddingError."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """The identity by which two vectors are comparable: the model that made them and their dimension."""

    model: str
    dimension: int

    @classmethod
    def of(cls, embedder: Embedder) -> EmbeddingIdentity:
        """The identity of what `embedder` makes."""
        return cls(embedder.model, embedder.dimension)

    def __str__(self) -> str:
        return f"{self.model} ({self.dimension} dimensions)"


def check_identity(recorded: EmbeddingIdentity, configured: EmbeddingIdentity) -> None:
    """Refuse to mix vectors: raises EmbeddingMismatch unless a store's `recorded` identity is the configured one."""
    if recorded != configured:
        raise EmbeddingMismatch(
            f"the store holds vectors of {recorded}, and the configured embedder is {configured}",
            details={"recorded": str(recorded), "configured": str(configured)},
        )


def require_unicode(text: str) -> None:
    """Raise InvalidInput for a text that UTF-8 cannot carry, which is one with lone surrogates."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"character {error.start} of the text is a lone surrogate, which is not Unicode") from error
