"""What the parts of the tier share: the store, the embedder and the clock."""

from collections.abc import Sequence
from typing import Final

from ragpp.clock import Clock
from ragpp.embedding import Embedder
from ragpp.errors import InvalidInput
from ragpp.models import Vector
from ragpp.tierkit.identity import IdentityCheck
from ragpp_services.procedural.naming import ProceduralEntry, entry_line
from ragpp_services.procedural.store import ProceduralStore

MAX_PAGE: Final = 500


class Core:
    """The base of the tier's parts."""

    def __init__(self, store: ProceduralStore, *, embedder: Embedder, clock: Clock) -> None:
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self.check_identity = IdentityCheck(embedder, store)

    async def embed(self, text: str) -> Vector:
        """The vector of one text. Raises EmbeddingError."""
        matrix = await self._embedder.embed([text])
        return tuple(matrix[0].tolist())

    async def vectors_of(self, entries: Sequence[ProceduralEntry]) -> list[Vector]:
        """The vector of each entry: the one that it brings, or one made here, all in one batch.

        Raises InvalidInput for a vector of another dimension, EmbeddingError.
        """
        missing = [entry_line(entry) for entry in entries if entry.embedding is None]
        made = iter((await self._embedder.embed(missing)).tolist() if missing else [])
        return [tuple(next(made)) if entry.embedding is None else self.checked(entry.embedding) for entry in entries]

    def checked(self, embedding: Vector) -> Vector:
        """`embedding` itself. Raises InvalidInput unless it has the embedder's dimension."""
        if len(embedding) != self._embedder.dimension:
            raise InvalidInput(f"an embedding has {len(embedding)} dimensions, and not {self._embedder.dimension}")
        return embedding


def page_size(limit: int) -> int:
    """`limit` itself, at most 500. Raises InvalidInput when it is not positive."""
    if limit < 1:
        raise InvalidInput("limit must be at least 1")
    return min(limit, MAX_PAGE)
