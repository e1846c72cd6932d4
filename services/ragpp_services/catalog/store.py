"""Rows in and out of the schema `catalog`: no policy, no embedding, no HTTP."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from ragpp.embedding import EmbeddingIdentity
from ragpp.errors import TierUnavailable
from ragpp.ledger import NewEvent, forgotten, record
from ragpp.ledger.events import RequestKind, request
from ragpp.models import Scope
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Connection, Pool, ensure_open, foreign_errors, ping, tenant_tx
from ragpp_services.catalog.categories.rows import CategoryRows
from ragpp_services.catalog.items.rows import ItemRows
from ragpp_services.catalog.resources.rows import ResourceRows
from ragpp_services.catalog.statements import SQL, Statements


class Rows:
    """One user's rows inside one transaction: those of each layer, and what they have in common."""

    def __init__(self, connection: Connection, scope: Scope, marks: SourceMarks) -> None:
        self._connection, self._marks, self.scope = connection, marks, scope
        run = Statements(connection, scope)
        self.resources = ResourceRows(run)
        self.items = ItemRows(run)
        self.categories = CategoryRows(run)

    async def record(self, events: Sequence[NewEvent], now: datetime) -> list[int]:
        """The ids of the events, recorded in this transaction."""
        return await record(self._connection, self.scope, events, now=now)

    async def request(self, subject_id: str, payload: dict[str, str | int | bool | None], now: datetime) -> int:
        """Ask for slow work of the catalog; the same `subject_id` is the same work. Returns the id of its event."""
        kind: RequestKind = "catalog.requested"
        return await request(self._connection, self.scope, kind, subject_id, payload, now, now=now)

    async def forgotten(self, ids: Collection[str]) -> set[str]:
        """Those of `ids`, of interactions, resources or items, that were forgotten."""
        sources = self._marks.of_all(self.scope, ids)
        return await forgotten.forgotten_among(self._connection, self.scope, sources)

    async def add_forgotten(self, ids: Collection[str], now: datetime) -> None:
        """Keep that these were forgotten, until the marks are pruned for their age."""
        await forgotten.add_forgotten(self._connection, self.scope, self._marks.of_all(self.scope, ids), now)

    async def epoch(self) -> int:
        """The user's epoch of forgetting."""
        return await forgotten.epoch_of(self._connection, self.scope)

    async def raise_epoch(self) -> None:
        """Let derived writes be refused whose inputs were read before."""
        await forgotten.raise_epoch(self._connection, self.scope)


class CatalogStore:
    """The tier's tables. Raises, from any method: TierUnavailable, StorageError."""

    def __init__(self, pool: Pool, marks: SourceMarks) -> None:
        self._pool, self._marks = pool, marks

    @asynccontextmanager
    async def reading(self, scope: Scope) -> AsyncIterator[Rows]:
        """A transaction that reads what the scope sees."""
        async with tenant_tx(self._pool, scope) as connection:
            yield Rows(connection, scope, self._marks)

    @asynccontextmanager
    async def writing(self, scope: Scope, epoch: int | None = None) -> AsyncIterator[Rows]:
        """A transaction that changes the user's rows; one at a time for each user. Raises Outdated when `epoch` is not
        the user's."""
        async with tenant_tx(self._pool, scope) as connection:
            await forgotten.lock_in_epoch(connection, scope, epoch)
            yield Rows(connection, scope, self._marks)

    async def record_identity(self, identity: EmbeddingIdentity) -> EmbeddingIdentity:
        """The identity that this database holds vectors of: `identity` itself when it held none."""
        await ensure_open(self._pool)
        async with foreign_errors("embedding identity"), self._pool.acquire(timeout=2.0) as connection:
            row = await connection.fetchrow(SQL["record_embedding"], identity.model, identity.dimension)
        if row is None:  # another's insert that is not yet visible: the next call sees it
            raise TierUnavailable("the embedding identity is being recorded")
        return EmbeddingIdentity(row["model"], row["dimension"])

    async def ping(self) -> str:
        """The server's version."""
        return await ping(self._pool)
