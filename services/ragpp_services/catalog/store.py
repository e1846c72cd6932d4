"""Rows in and out of the schema `catalog`: no policy, no embedding, no HTTP."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from ragpp.catalog import DEFAULT_CONSOLIDATION_INTERVAL
from ragpp.clock import Clock
from ragpp.embedding import EmbeddingIdentity
from ragpp.errors import TierUnavailable
from ragpp.health import StoreState
from ragpp.ledger import NewEvent, forgotten, record
from ragpp.ledger.events import RequestKind, drop_metadata_keys, request
from ragpp.ledger.extracting import extract_anew
from ragpp.ledger.pins import pinned_in
from ragpp.models import KnownUser, Scope
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Connection, Pool, acquired, ensure_open, foreign_errors, ping, tenant_tx
from ragpp.stores.postgres_state import state_of
from ragpp.stores.segments import SegmentRows
from ragpp_services.catalog.agents.rows import AgentRows
from ragpp_services.catalog.categories.rows import CategoryRows
from ragpp_services.catalog.entries.rows import EntryRows
from ragpp_services.catalog.items.rows import ItemRows
from ragpp_services.catalog.passages.rows import PassageRows
from ragpp_services.catalog.rebuilding_rows import RebuildingRows
from ragpp_services.catalog.resources.rows import ResourceRows
from ragpp_services.catalog.rewording_rows import RewordingRows
from ragpp_services.catalog.statements import EVERYBODY, SQL, Statements
from ragpp_services.catalog.values.rows import ValueRows


@dataclass(frozen=True, slots=True)
class Erasable:
    """Ids of what an erasure takes, by layer; of resources with their tokens."""

    resources: dict[str, int]
    items: list[str]
    categories: list[str]


class Rows:
    """One user's rows inside one transaction: those of each layer, and what they have in common."""

    def __init__(self, connection: Connection, scope: Scope, marks: SourceMarks, consolidation_interval: int) -> None:
        self._connection, self._marks, self.scope = connection, marks, scope
        self.consolidation_interval = consolidation_interval
        self._run = run = Statements(connection, scope)
        self.resources = ResourceRows(run)
        self.items = ItemRows(run)
        self.passages = PassageRows(run)
        self.entries = EntryRows(run)
        self.categories = CategoryRows(run)
        self.rebuilding = RebuildingRows(run)
        self.rewording = RewordingRows(run)
        self.values = ValueRows(run)
        self.agents = AgentRows(run)
        self.segments = SegmentRows(connection, "catalog", scope.tenant_id, SQL)

    @property
    def users(self) -> list[str]:
        """Ids of the users whose rows the scope sees."""
        return list(dict.fromkeys((self.scope.user_id, EVERYBODY)))

    async def users_of_tenant(self, after: str, limit: int, only: str | None) -> list[KnownUser]:
        """At most `limit` users of the tenant, by id from after that one on; of `only` that one."""
        found = await self._connection.fetch(SQL["users"], self.scope.tenant_id, after, only, limit)
        return [KnownUser(user_id=row["user_id"]) for row in found]

    async def record(self, events: Sequence[NewEvent], now: datetime) -> list[int]:
        """The ids of the events, recorded in this transaction."""
        return await record(self._connection, self.scope, events, now=now)

    async def request(self, subject_id: str, payload: dict[str, str | int | bool | None], now: datetime) -> int:
        """Ask for slow work of the catalog; the same `subject_id` is the same work. Returns the id of its event."""
        kind: RequestKind = "catalog.requested"
        return await request(self._connection, self.scope, kind, subject_id, payload, now, now=now)

    async def extract_anew(self, resource_id: str, now: datetime) -> int:
        """Ask for the items of a resource that has changed. Returns the id of its event."""
        return await extract_anew(self._connection, self.scope, resource_id, now=now)

    async def drop_metadata_keys(self, resource_ids: Sequence[str]) -> None:
        """Let events no longer name what the metadata of these resources, which go, was called."""
        await drop_metadata_keys(self._connection, self.scope, resource_ids)

    async def forgotten(self, ids: Collection[str]) -> set[str]:
        """Those of `ids`, of interactions, resources or items, that were forgotten."""
        sources = self._marks.of_all(self.scope, ids)
        return await forgotten.forgotten_among(self._connection, self.scope, sources)

    async def add_forgotten(self, ids: Collection[str], now: datetime) -> None:
        """Keep that these were forgotten, until the marks are pruned for their age."""
        await forgotten.add_forgotten(self._connection, self.scope, self._marks.of_all(self.scope, ids), now)

    async def pinned(self) -> frozenset[str]:
        """Ids of what the user keeps of the catalog."""
        return await pinned_in(self._connection, self.scope, "catalog")

    async def epoch(self) -> int:
        """The user's epoch of forgetting."""
        return await forgotten.epoch_of(self._connection, self.scope)

    async def raise_epoch(self) -> None:
        """Let derived writes be refused whose inputs were read before."""
        await forgotten.raise_epoch(self._connection, self.scope)

    async def content_version(self) -> str:
        """The version of what the scope's answers rest on."""
        row = await self._run.own_row("content_version")
        return "" if row is None else str(row["version"])

    async def erase_version(self) -> None:
        """Keep none, at the end of an erasure that began an epoch."""
        await self._run.change("erase_version")

    async def holdings(self, sources: Collection[str] | None, before: int | None) -> dict[str, int]:
        """How much there is of the user by kind, with what is theirs of what all users share; a kind of which there is
        nothing is left out."""
        row = await self._run.own_row("holdings", None if sources is None else list(sources), before)
        return {kind: count for kind, count in dict(row or {}).items() if count}

    async def erasable(self, before: int, contributor: str | None, limit: int) -> Erasable:
        """Ids of the oldest of each layer, at most `limit` each, that were written by events of before that one; of a
        contributor where one is named."""
        found = Erasable({}, [], [])
        for row in await self._run.own("erasable", before, contributor, limit):
            if row["layer"] == "resource":
                found.resources[row["id"]] = row["tokens"]
            else:
                (found.items if row["layer"] == "item" else found.categories).append(row["id"])
        return found

    async def later_items(self, resource_ids: Collection[str], event_id: int) -> dict[str, int]:
        """Those of these resources on which somebody stored an item by that event or later, with the first of these
        events."""
        rows = await self._run.own("resources_of_later_items", list(resource_ids), event_id)
        return {row["resource_id"]: row["event_id"] for row in rows}

    async def date_stubs(self, events: Mapping[str, int]) -> None:
        """Let stubs, by id, be of these events."""
        if events:
            await self._run.change("date_stubs", list(events), list(events.values()))

    async def contributed_categories(self, contributor: str, before: int) -> list[str]:
        """Names of those categories that a user contributed to what all users share, by events of before that one."""
        return [row["name"] for row in await self._run.own("contributed_categories", contributor, before)]

    async def erase_categories(self, ids: Collection[str], before: int, contributor: str | None) -> list[str]:
        """Delete these categories; returns the ids of the items that are in none for it: of all that were not written
        by events of before that one, or by another contributor, and so are not erased as well."""
        if not ids:
            return []
        names = [row["name"] for row in await self._run.own("erase_categories", list(ids))]
        return [row["id"] for row in await self._run.own("leave_categories", names, before, contributor)]


class CatalogStore:
    """The tier's tables. `consolidation_interval`: so many items that came since a page was made have it made anew at
    once. Raises, from any method: TierUnavailable, StorageError."""

    def __init__(
        self, pool: Pool, marks: SourceMarks, consolidation_interval: int = DEFAULT_CONSOLIDATION_INTERVAL
    ) -> None:
        self._pool, self._marks, self._interval = pool, marks, consolidation_interval

    @asynccontextmanager
    async def reading(self, scope: Scope) -> AsyncIterator[Rows]:
        """A transaction that reads what the scope sees."""
        async with tenant_tx(self._pool, scope) as connection:
            yield self._rows(connection, scope)

    @asynccontextmanager
    async def writing_shared(self, scope: Scope) -> AsyncIterator[tuple[Rows, Rows]]:
        """As `writing`, and of what all users of the tenant share as well: the user's rows and those."""
        shared = scope.model_copy(update={"user_id": EVERYBODY})
        async with tenant_tx(self._pool, scope) as connection:
            await forgotten.lock_in_epoch(connection, scope, None)
            await forgotten.lock_in_epoch(connection, shared, None)
            yield self._rows(connection, scope), self._rows(connection, shared)

    @asynccontextmanager
    async def writing(self, scope: Scope, epoch: int | None = None) -> AsyncIterator[Rows]:
        """A transaction that changes the user's rows; one at a time for each user. Raises Outdated when `epoch` is not
        the user's."""
        async with tenant_tx(self._pool, scope) as connection:
            await forgotten.lock_in_epoch(connection, scope, epoch)
            yield self._rows(connection, scope)

    @asynccontextmanager
    async def noting(self, scope: Scope) -> AsyncIterator[Rows]:
        """A transaction that changes what agents are given, which nothing else rests on: nobody waits for it, and it
        waits for nobody."""
        async with tenant_tx(self._pool, scope) as connection:
            yield self._rows(connection, scope)

    @asynccontextmanager
    async def segments(self, scope: Scope) -> AsyncIterator[SegmentRows]:
        """As `reading`, of the segments alone."""
        async with self.reading(scope) as rows:
            yield rows.segments

    @asynccontextmanager
    async def segments_writing(self, scope: Scope) -> AsyncIterator[SegmentRows]:
        """As `writing`, of the segments alone."""
        async with self.writing(scope) as rows:
            yield rows.segments

    def _rows(self, connection: Connection, scope: Scope) -> Rows:
        return Rows(connection, scope, self._marks, self._interval)

    async def record_identity(self, identity: EmbeddingIdentity) -> EmbeddingIdentity:
        """The identity that this database holds vectors of: `identity` itself when it held none."""
        await ensure_open(self._pool)
        async with foreign_errors("embedding identity"), acquired(self._pool) as connection:
            row = await connection.fetchrow(SQL["record_embedding"], identity.model, identity.dimension)
        if row is None:  # another's insert that is not yet visible: the next call sees it
            raise TierUnavailable("the embedding identity is being recorded")
        return EmbeddingIdentity(row["model"], row["dimension"])

    async def ping(self) -> str:
        """The server's version."""
        return await ping(self._pool)

    async def state(self, clock: Clock) -> StoreState:
        """The database's, as far as this tier goes."""
        return await state_of(self._pool, clock, "catalog", "ragpp_services.catalog")
