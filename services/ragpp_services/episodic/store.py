"""The store of the episodic tier: its rows, written and read in transactions of one user."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ragpp import ledger
from ragpp.clock import Clock
from ragpp.embedding import EmbeddingIdentity
from ragpp.errors import TierUnavailable
from ragpp.health import StoreState
from ragpp.ledger import forgotten, views
from ragpp.models import Filters, Repetition, Scope
from ragpp.stores.compression import LEAST_BYTES
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.jsonpath import UNFILTERED, as_jsonpath
from ragpp.stores.postgres import Connection, Pool, acquired, ensure_open, foreign_errors, ping, tenant_tx
from ragpp.stores.postgres_state import state_of
from ragpp.stores.segments import Segmented, SegmentRows
from ragpp.stores.vector_values import asked_terms, halfvec, sparsevec
from ragpp_services.episodic.rows import (
    Forgotten,
    Found,
    Known,
    NewInteraction,
    StoredInteraction,
    TeachesLess,
    found_of,
    interaction_values,
    stored_of,
)
from ragpp_services.episodic.scan import Columns, filter_values, narrows, session_key
from ragpp_services.episodic.sentence_rows import SentenceRows
from ragpp_services.episodic.statements import SQL


class EpisodicStore:
    """Rows in and out of the schema `episodic`: no embedding, no policy, no HTTP.

    Raises, from any method: TierUnavailable, StorageError.
    """

    def __init__(self, pool: Pool, marks: SourceMarks) -> None:
        self._pool, self._marks = pool, marks

    async def record_identity(self, identity: EmbeddingIdentity) -> EmbeddingIdentity:
        """The identity that this database holds vectors of: `identity` itself when it held none."""
        await ensure_open(self._pool)
        async with foreign_errors("embedding identity"), acquired(self._pool) as connection:
            row = await connection.fetchrow(SQL["record_embedding"], identity.model, identity.dimension)
        if row is None:  # another's insert that is not yet visible: the next call sees it
            raise TierUnavailable("the embedding identity is being recorded")
        return EmbeddingIdentity(row["model"], row["dimension"])

    @asynccontextmanager
    async def writer(self, scope: Scope, epoch: int | None = None) -> AsyncIterator["Writer"]:
        """A transaction in which no other writer changes this user's rows; committed when left without an error.

        Raises Outdated when `epoch` is not the user's.
        """
        async with tenant_tx(self._pool, scope) as connection:
            await forgotten.lock_in_epoch(connection, scope, epoch)
            yield Writer(connection, scope, self._marks)

    @asynccontextmanager
    async def reader(self, scope: Scope, *, planned_once: bool = False) -> AsyncIterator["Reader"]:
        """A transaction that reads this user's rows; `planned_once` as in `ragpp.stores.postgres.as_tenant`."""
        async with tenant_tx(self._pool, scope, planned_once=planned_once) as connection:
            yield Reader(connection, scope)

    @asynccontextmanager
    async def segments(self, scope: Scope) -> AsyncIterator[SegmentRows]:
        """As `reader`, of the segments alone."""
        async with self.reader(scope) as reader:
            yield reader.segments

    @asynccontextmanager
    async def segments_writing(self, scope: Scope) -> AsyncIterator[SegmentRows]:
        """As `writer`, of the segments alone."""
        async with self.writer(scope) as writer:
            yield writer.segments

    async def ping(self) -> str:
        """The server's version."""
        return await ping(self._pool)

    async def state(self, clock: Clock) -> StoreState:
        """The database's, as far as this tier goes."""
        return await state_of(self._pool, clock, "episodic", "ragpp_services.episodic")


class Writer(SentenceRows):
    """Changes to one user's rows, inside `EpisodicStore.writer`."""

    def __init__(self, connection: Connection, scope: Scope, marks: SourceMarks) -> None:
        super().__init__(connection, scope)
        self._marks = marks

    async def note_repetitions(self, found: Iterable[Repetition]) -> list[TeachesLess]:
        """Add what messages repeat; what is noted stays. Answers what in them was not known to be repeated."""
        rows = [(one.id, one.start, one.end, of) for one in found for of in one.of or (None,)]
        if not rows:
            return []
        noted = await self._connection.fetch(
            SQL["note_repetitions"], *self._scope.user_key, *map(list, zip(*rows, strict=True))
        )
        return [TeachesLess(row["id"], row["event_id"], row["repeated_id"]) for row in noted]

    async def known(self, ids: Collection[str]) -> dict[str, Known]:
        """The stored state of those of `ids` that exist."""
        rows = await self._connection.fetch(SQL["known"], *self._scope.user_key, list(ids))
        return {row["id"]: Known(row["content_hash"], row["event_id"], row["seen_by"]) for row in rows}

    async def forgotten(self, ids: Collection[str]) -> set[str]:
        """Those of `ids` that were forgotten."""
        sources = self._marks.of_all(self._scope, ids)
        return await forgotten.forgotten_among(self._connection, self._scope, sources)

    async def record(self, events: Sequence[ledger.NewEvent], now: datetime) -> list[int]:
        """Append to the ledger in this transaction; the ids in the same order."""
        return await ledger.record(self._connection, self._scope, events, now=now)

    async def note_views(self, new: Sequence[NewInteraction], event_ids: Sequence[int]) -> None:
        """Let there be a view for each agent that alone may see one of `new`, whose events these are."""
        agents = {seen_by for one in new if (seen_by := one.interaction.seen_by) is not None}
        await views.note_views(self._connection, self._scope, agents, max(event_ids, default=0))

    async def insert(self, new: Sequence[NewInteraction], event_ids: Sequence[int], now: datetime) -> None:
        """Add `new`, whose ids are new, in their order; `event_ids` are those of their events."""
        if not new:
            return
        columns = zip(*map(interaction_values, new, event_ids), strict=True)
        rows = await self._connection.fetch(SQL["insert_interactions"], *self._scope.user_key, *map(list, columns), now)
        ordinals = {row["id"]: row["ordinal"] for row in rows}
        chunks = [(one, part, chunk) for one in new for part, chunk in enumerate(one.chunks)]
        await self._connection.execute(
            SQL["insert_chunks"],
            *self._scope.user_key,
            [ordinals[one.interaction.id] for one, _, _ in chunks],
            [part for _, part, _ in chunks],
            [one.interaction.occurred_at for one, _, _ in chunks],
            [session_key(one.interaction.session_id) for one, _, _ in chunks],
            [chunk.start for _, _, chunk in chunks],
            [chunk.end for _, _, chunk in chunks],
            [chunk.tokens for _, _, chunk in chunks],
            [one.interaction.name for one, _, _ in chunks],
            [halfvec(chunk.embedding) for _, _, chunk in chunks],
            [sparsevec(chunk.lexical) for _, _, chunk in chunks],
            [chunk.traits for _, _, chunk in chunks],
            [one.interaction.seen_by for one, _, _ in chunks],
        )

    async def forget(self, ids: Collection[str], now: datetime) -> list[Forgotten]:
        """Delete those of `ids` that exist, with their chunks, and mark them as forgotten, in a new epoch; what they
        were, oldest first."""
        rows = await self._connection.fetch(SQL["forget"], *self._scope.user_key, list(ids))
        if rows:
            marks = self._marks.of_all(self._scope, (row["id"] for row in rows))
            await forgotten.raise_epoch(self._connection, self._scope)
            await forgotten.add_forgotten(self._connection, self._scope, marks, now)
            ordinals = [row["ordinal"] for row in rows]
            await self._connection.execute(SQL["forget_chunks"], *self._scope.user_key, ordinals)
            await self.forget_sentences(rows)
            await self._connection.execute(SQL["forget_repetitions"], *self._scope.user_key, ordinals)
        gone = [Forgotten(row["id"], row["ordinal"], row["session_id"], row["occurred_at"]) for row in rows]
        return sorted(gone, key=lambda one: one.ordinal)

    async def erase(self, before: int, limit: int, now: datetime) -> bool:
        """Delete `limit` interactions at most that were stored by events of before that one, the oldest first, with
        their chunks, and mark them as forgotten, in a new epoch; whether there may be more."""
        rows = await self._connection.fetch(SQL["recorded_before"], *self._scope.user_key, before, None, None, limit)
        if not await self.forget([row["id"] for row in rows], now):
            await forgotten.raise_epoch(self._connection, self._scope)
        return len(rows) == limit

    async def compress(self, smaller: Mapping[str, bytes]) -> None:
        """Keep these texts, by the ids of their interactions, as they were packed; as they are where nothing was."""
        await self._connection.execute(SQL["compress"], *self._scope.user_key, list(smaller), list(smaller.values()))


class Reader(SentenceRows):
    """Reads of one user's rows, inside `EpisodicStore.reader`."""

    async def scan(
        self,
        filters: Filters,
        as_of: datetime | None,
        embedding: Sequence[float] | npt.NDArray[np.float32] | None,
        terms: Collection[int],
        chosen: tuple[Sequence[int], Segmented] | None = None,
        second: npt.NDArray[np.float32] | None = None,
    ) -> Columns:
        """Every chunk of the user that existed at `as_of`, with its distance to `embedding`, that by the second encoder
        to `second`, and its weights of `terms`, where they are given. Of `chosen` ordinals and segments only those and
        what lies in no segment."""
        arguments = (
            *self._scope.user_key,
            *filter_values(filters, as_of),
            None if embedding is None else halfvec(embedding),
            asked_terms(terms) if terms else None,
            narrows(filters),
            self._scope.view,
            None if second is None else halfvec(second),
            *(UNFILTERED if filters.metadata is None else as_jsonpath(filters.metadata)),
        )
        if chosen is None:
            row = await self._connection.fetchrow(SQL["scan"], *arguments)
        else:
            ordinals, segmented = chosen
            _, after, until = segmented.gap_columns
            row = await self._connection.fetchrow(SQL["scan_chosen"], *arguments, ordinals, after, until)
        assert row is not None  # noqa: S101 - an aggregate without groups always has one row
        return Columns(**row)

    async def found(
        self,
        keys: Sequence[tuple[datetime, int, int]],
        embedding: Sequence[float] | npt.NDArray[np.float32] | None,
        *,
        vectors: bool,
    ) -> dict[int, Found]:
        """The interactions of those (occurred_at, ordinal, part) that exist, by ordinal; with the cosines of the parts'
        sentences to `embedding`, where it is given, and the parts' vectors on request."""
        columns = tuple(map(list, zip(*keys, strict=True))) or ([], [], [])
        asked = None if embedding is None else halfvec(embedding)
        rows = await self._connection.fetch(SQL["found"], *self._scope.user_key, *columns, vectors, asked)
        return {row["ordinal"]: found_of(row) for row in rows}

    async def repetitions(self, ids: Collection[str]) -> list[Repetition]:
        """The repetitions that are noted of these messages."""
        rows = await self._connection.fetch(SQL["repetitions"], *self._scope.user_key, list(ids), self._scope.view)
        return [Repetition(id=row["id"], start=row["start"], end=row["end"]) for row in rows]

    async def noted_repeats(self, ids: Collection[str]) -> set[str]:
        """The other messages of which it is noted that they repeat any of these."""
        rows = await self._connection.fetch(SQL["noted_repeats"], *self._scope.user_key, list(ids))
        return {row["id"] for row in rows}

    async def holdings(self, ids: Collection[str] | None, before: int | None) -> int:
        """How many interactions there are; of `ids`, and stored by events of before that one, where these are given."""
        given = None if ids is None else list(ids)
        count: int = await self._connection.fetchval(SQL["holdings"], *self._scope.user_key, given, before)
        return count

    async def recorded_before(self, event_id: int, limit: int) -> list[str]:
        """Ids of the scope's session and agent, where it names them, oldest first."""
        scope = self._scope
        values = (event_id, scope.session_id, scope.agent_id, limit)
        rows = await self._connection.fetch(SQL["recorded_before"], *scope.user_key, *values)
        return [row["id"] for row in rows]

    async def recorded(self, after: int, limit: int) -> dict[str, int]:
        """The ids of interactions with the events that recorded them, in the order of these, from after that one."""
        rows = await self._connection.fetch(SQL["recorded_in"], *self._scope.user_key, after, self._scope.view, limit)
        return {row["id"]: row["event_id"] for row in rows}

    async def page(
        self,
        filters: Filters,
        as_of: datetime | None,
        after: tuple[datetime, int] | None,
        limit: int,
        *,
        newest_first: bool,
    ) -> list[StoredInteraction]:
        """At most `limit` interactions by time, those beyond the position `after` in that direction."""
        rows = await self._connection.fetch(
            SQL["newest" if newest_first else "oldest"],
            *self._scope.user_key,
            *filter_values(filters, as_of),
            *(after or (None, None)),
            limit,
            self._scope.view,
            *(UNFILTERED if filters.metadata is None else as_jsonpath(filters.metadata)),
        )
        return [stored_of(row) for row in rows]

    async def compressible(self, before: datetime, limit: int) -> dict[str, str]:
        """At most `limit` long texts from before that moment which were not looked at yet, by their ids."""
        rows = await self._connection.fetch(SQL["compressible"], *self._scope.user_key, before, LEAST_BYTES, limit)
        return {row["id"]: row["content"] for row in rows}

    async def epoch(self) -> int:
        """The user's epoch of forgetting."""
        return await forgotten.epoch_of(self._connection, self._scope)

    async def pending(self, first_event: int | None, last_event: int | None) -> int:
        """How many of the user's events still wait for a worker."""
        return await ledger.pending(self._connection, self._scope, first_event, last_event)
