"""The catalog: curated knowledge beside the four tiers."""

from typing import Final, Literal

from ragpp.clock import Clock
from ragpp.embedding import Embedder
from ragpp.models import Scope
from ragpp.text.tokens import TokenCounter
from ragpp.tierkit.identity import IdentityCheck
from ragpp_services.catalog.store import CatalogStore


class PostgresCatalogTier:
    """Resources, items and categories in PostgreSQL. Implements `ragpp.tiers.CatalogTier`: what is said of all of them
    here, what is said of one layer in the room of that layer.

    Raises EmbeddingMismatch, before anything is written, while the database holds vectors of another model.
    """

    def __init__(self, store: CatalogStore, *, embedder: Embedder, counter: TokenCounter, clock: Clock) -> None:
        self.name: Final[Literal["catalog"]] = "catalog"
        self._store, self._counter, self._clock = store, counter, clock
        self.check_identity = IdentityCheck(embedder, store)

    async def epoch(self, scope: Scope) -> int:
        """See the contract. The same as the episodic tier's, whose database it is."""
        async with self._store.reading(scope) as rows:
            return await rows.epoch()
