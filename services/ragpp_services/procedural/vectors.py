"""The vectors of what the tier holds, of one model, which is the database's."""

from collections.abc import Sequence

from ragpp.embedding import Embedder
from ragpp.embedding.port import SECOND_DIMENSION
from ragpp.errors import InvalidInput
from ragpp.models import FindingEntry, Vector
from ragpp.tierkit.identity import IdentityCheck
from ragpp_services.procedural.naming import ProceduralEntry, entry_line
from ragpp_services.procedural.store import ProceduralStore


class Vectors:
    """Makes them, or checks those that are given."""

    def __init__(self, store: ProceduralStore, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self.check_identity = IdentityCheck(embedder, store)

    async def embed(self, text: str) -> Vector:
        """The vector of one text. Raises EmbeddingError."""
        matrix = await self._embedder.embed([text])
        return tuple(matrix[0].tolist())

    async def of_entries(self, entries: Sequence[ProceduralEntry]) -> list[Vector]:
        """The vector of each entry: the one that it brings, or one made here, all in one batch.

        Raises InvalidInput for a vector of another dimension, EmbeddingError.
        """
        for entry in entries:
            if isinstance(entry, FindingEntry) and entry.meaning and len(entry.meaning) != SECOND_DIMENSION:
                raise InvalidInput(f"a meaning has {len(entry.meaning)} dimensions, and not {SECOND_DIMENSION}")
        missing = [entry_line(entry) for entry in entries if entry.embedding is None]
        made = iter((await self._embedder.embed(missing)).tolist() if missing else [])
        return [tuple(next(made)) if entry.embedding is None else self.checked(entry.embedding) for entry in entries]

    def checked(self, embedding: Vector) -> Vector:
        """`embedding` itself. Raises InvalidInput unless it has the embedder's dimension."""
        if len(embedding) != self._embedder.dimension:
            raise InvalidInput(f"an embedding has {len(embedding)} dimensions, and not {self._embedder.dimension}")
        return embedding
