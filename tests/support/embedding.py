"""Embedders that do what real ones do at the wrong moment."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import EmbeddingError


class LostEmbedder(HashingEmbedder):
    """The hashing embedder, until it `is_lost`: then it raises EmbeddingError."""

    is_lost = False

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if self.is_lost:
            raise EmbeddingError("the embedder is away")
        return await super().embed(texts)
