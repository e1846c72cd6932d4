"""That a store holds the vectors of one model, seen before the first of them is read or written."""

from collections.abc import Awaitable, Callable

from ragpp.embedding import Embedder, EmbeddingIdentity, check_identity


class IdentityCheck:
    """Compares an embedder's identity with the one that a store holds vectors of, until both were seen to be one.

    `record`: puts an identity into a store that has none, and returns the one that it has then.
    """

    def __init__(self, embedder: Embedder, record: Callable[[EmbeddingIdentity], Awaitable[EmbeddingIdentity]]) -> None:
        self._embedder, self._record = embedder, record
        self._passed = False

    async def __call__(self) -> None:
        """Raises EmbeddingMismatch, also when asked again; TierUnavailable."""
        if not self._passed:
            configured = EmbeddingIdentity.of(self._embedder)
            check_identity(await self._record(configured), configured)
            self._passed = True
