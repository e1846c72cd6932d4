"""The vectors of what the catalog holds, of one model, which is the database's."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragpp.embedding import Embedder, FloatMatrix
from ragpp.embedding.vectors import vector, vectors_of
from ragpp.models import Vector
from ragpp.tierkit.identity import IdentityCheck
from ragpp_services.catalog.store import CatalogStore


class Vectors:
    """Makes them, or checks those that are given; all of unit length."""

    def __init__(self, store: CatalogStore, embedder: Embedder) -> None:
        self._embedder = embedder
        self.check_identity = IdentityCheck(embedder, store)

    @property
    def model(self) -> str:
        """The embedder's public name."""
        return self._embedder.model

    async def embed_all(self, texts: Sequence[str]) -> list[Vector]:
        """The vector of each text, in one batch. Raises EmbeddingError."""
        return [tuple(row) for row in (await self._embedder.embed(texts)).tolist()] if texts else []

    async def of_texts(self, given: Sequence[Vector | str]) -> FloatMatrix:
        """(texts, dimension): the vector that each brought, or that of its words, all made in one batch.

        Raises InvalidInput for a vector of another dimension, or one without a direction; EmbeddingError.
        """
        matrices = await vectors_of([[one] for one in given], self._embedder)
        if not matrices:
            return np.empty((0, self._embedder.dimension), np.float32)
        return _unit(np.concatenate(matrices))

    async def of_question(self, text: str, embedding: Vector | None) -> npt.NDArray[np.float32]:
        """(dimension,): of a question, which may bring its own. Raises InvalidInput, EmbeddingError."""
        if embedding is not None:
            return vector(embedding, self._embedder.dimension, "the question")
        return (await self._embedder.embed([text])).reshape(-1)


def _unit(matrix: FloatMatrix) -> FloatMatrix:
    result: FloatMatrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return result
