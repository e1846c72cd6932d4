"""That a store holds the vectors of one model, seen before the first of them is read or written."""

from typing import Protocol

from ragpp.embedding import Embedder, EmbeddingIdentity, check_identity


class IdentityStore(Protocol):
    """A store that knows whose vectors it holds."""

    async def record_identity(self, identity: EmbeddingIdentity, /) -> EmbeddingIdentity:
        """The identity that it holds vectors of: `identity` itself when it held none. Raises TierUnavailable."""
        ...


class IdentityCheck:
    """Compares an embedder's identity with that of a store, until both were seen to be one."""

    def __init__(self, embedder: Embedder, store: IdentityStore) -> None:
        self._embedder, self._store = embedder, store
        self._passed = False

    async def __call__(self) -> None:
        """Raises EmbeddingMismatch, also when asked again; TierUnavailable."""
        if not self._passed:
            configured = EmbeddingIdentity.of(self._embedder)
            check_identity(await self._store.record_identity(configured), configured)
            self._passed = True
