"""The policy of the episodic tier: every interaction kept once, and found by meaning, word and time."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final, Literal

from ragpp.aside import aside, portions
from ragpp.clock import Clock, from_moment, to_moment
from ragpp.embedding import Embedder, SecondEncoder
from ragpp.errors import Conflict, InvalidInput, Outdated
from ragpp.health import StoreState
from ragpp.ledger import NewEvent
from ragpp.ledger.forgotten import forgotten_event
from ragpp.models import (
    DEFAULT_SESSION,
    Entry,
    Filters,
    Health,
    Interaction,
    InteractionEntry,
    KnownUser,
    Page,
    Scope,
    Stored,
)
from ragpp.stores.compression import packed_all
from ragpp.stores.cursors import decode_cursor, encode_cursor, page_size
from ragpp.text.port import TokenSpans
from ragpp.tierkit.health import health_of
from ragpp.tierkit.identity import IdentityCheck
from ragpp.tierkit.segmenting import Segmenter
from ragpp.tiers import ERASED_AT_ONCE
from ragpp_services.episodic import indexing
from ragpp_services.episodic.finding import Finder
from ragpp_services.episodic.repeats import Repeats, note_what_repeats
from ragpp_services.episodic.rows import Known, NewInteraction
from ragpp_services.episodic.searching import Searching
from ragpp_services.episodic.sentence_index import SentenceIndex
from ragpp_services.episodic.store import EpisodicStore

_MAX_BIGINT: Final = (1 << 63) - 1
COMPRESSED_AT_ONCE: Final = 200
"""Old texts that are read and compressed together."""
INLINE_CHARS: Final = 4_000
"""Up to this much text is cut and indexed on the event loop; more goes to a thread, so that nobody waits for it."""


class PostgresEpisodicTier:
    """`ragpp.tiers.EpisodicTier` on PostgreSQL with pgvector.

    Raises, beside what the protocol says: EmbeddingMismatch, from any method that reads or writes vectors, while the
    database holds those of another model; EmbeddingError where a text had to be embedded here.
    """

    name: Literal["episodic"] = "episodic"

    def __init__(
        self,
        store: EpisodicStore,
        embedder: Embedder,
        counter: TokenSpans,
        clock: Clock,
        segments_from_rows: int,
        second: SecondEncoder | None = None,
    ) -> None:
        self._store, self._embedder, self._counter, self._clock = store, embedder, counter, clock
        self.check_identity = IdentityCheck(embedder, store)

        self.segmenter = Segmenter("episodic", store.segments, store.segments_writing, least_rows=segments_from_rows)

        self.retrieve = Searching(store, embedder, self.check_identity, self.segmenter).retrieve

        self._repeats = repeats = Repeats(store)
        self.note_repetitions = repeats.note_repetitions
        self.repetitions = repeats.repetitions
        self.repeated_by = repeats.repeated_by

        self.index_sentences = SentenceIndex(store, embedder, self.check_identity, second).index_sentences

        finder = Finder(store)
        self.naming = finder.naming
        self.containing = finder.containing

    async def epoch(self, scope: Scope) -> int:
        async with self._store.reader(scope) as reader:
            return await reader.epoch()

    async def store(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> list[Stored]:
        """See the protocol. The same content is the same role, name and content (`indexing.content_hash`). An id that
        was forgotten stays so, whatever is said under it."""
        await self.check_identity()
        wanted = [entry for entry in entries if isinstance(entry, InteractionEntry)]
        if len(wanted) != len(entries):
            raise InvalidInput("the episodic tier holds interactions, and nothing else")
        if not wanted:
            return []
        interactions = await self._indexed(wanted)
        ids = [one.interaction.id for one in interactions]
        now = self._clock()
        async with self._store.writer(scope, epoch) as writer:
            known = await writer.known(set(ids))
            _refuse_conflicts(interactions, known)
            gone = await writer.forgotten(set(ids) - known.keys())
            fresh: dict[str, NewInteraction] = {}
            for one in interactions:
                if one.interaction.id not in known and one.interaction.id not in gone:
                    fresh.setdefault(one.interaction.id, one)
            event_ids = await writer.record([_stored_event(one.interaction) for one in fresh.values()], now)
            await writer.insert(list(fresh.values()), event_ids, now)
            await writer.note_views(list(fresh.values()), event_ids)
        recorded = {identifier: row.event_id for identifier, row in known.items()}
        recorded.update(zip(fresh, event_ids, strict=True))
        return [
            Stored(id=identifier, forgotten=True)
            if identifier in gone
            else Stored(id=identifier, duplicate=fresh.pop(identifier, None) is None, event_id=recorded[identifier])
            for identifier in ids
        ]

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """See the protocol. What was derived from the interactions is cleaned by way of the ledger."""
        now = self._clock()
        found, seen = await self._repeats.of(scope, ids)
        async with self._store.writer(scope) as writer:
            less = await note_what_repeats(writer, ids, found, seen)
            gone = await writer.forget(ids, now)
            events = [forgotten_event(one.id, one.occurred_at, one.session_id, less.get(one.id)) for one in gone]
            await writer.record(events, now)
        return len(gone)

    async def replace(self, scope: Scope, entries: Sequence[Entry], of: Sequence[str]) -> list[str]:
        """See the protocol. What repeats the messages that go is looked for before their replacements are there, which
        do not repeat but are them. A new id that is known, or was forgotten, is not stored again."""
        await self.check_identity()
        wanted = [entry for entry in entries if isinstance(entry, InteractionEntry)]
        if len(wanted) != len(of) or len(wanted) != len(entries):
            raise InvalidInput("a message is replaced by one interaction")
        if not wanted:
            return []
        new = dict(zip(of, await self._indexed(wanted), strict=True))
        found, seen = await self._repeats.of(scope, of)
        now = self._clock()
        async with self._store.writer(scope) as writer:
            there = await writer.known(of)
            ids = {one.interaction.id for one in new.values()}
            kept_out = (await writer.known(ids)).keys() | await writer.forgotten(ids)
            less = await note_what_repeats(writer, there, found, seen)
            fresh = [one for old, one in new.items() if old in there and one.interaction.id not in kept_out]
            event_ids = await writer.record([_stored_event(one.interaction) for one in fresh], now)
            await writer.insert(fresh, event_ids, now)
            await writer.note_views(fresh, event_ids)
            gone = await writer.forget(there, now)
            events = [forgotten_event(one.id, one.occurred_at, one.session_id, less.get(one.id)) for one in gone]
            await writer.record(events, now)
        return [one.id for one in gone]

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        async with self._store.reader(scope) as reader:
            count = await reader.holdings(sources, before)
        return {"interactions": count} if count else {}

    async def erase(self, scope: Scope, before: int) -> bool:
        """See the protocol. ERASED_AT_ONCE interactions at a time; unlike `forget`, nothing is left to be cleaned by
        way of the ledger."""
        async with self._store.writer(scope) as writer:
            return await writer.erase(before, ERASED_AT_ONCE, self._clock())

    async def recorded_before(self, scope: Scope, event_id: int, limit: int) -> list[str]:
        async with self._store.reader(scope) as reader:
            return await reader.recorded_before(event_id, max(0, limit))

    async def recorded(self, scope: Scope, after: int = 0, limit: int = ERASED_AT_ONCE) -> dict[str, int]:
        async with self._store.reader(scope) as reader:
            return await reader.recorded(after, max(0, limit))

    async def health_check(self) -> Health:
        return await health_of(self.name, "PostgreSQL", self._version)

    async def state(self) -> StoreState:
        return await self._store.state(self._clock)

    async def _version(self) -> str:
        version = await self._store.ping()
        await self.check_identity()
        return self.segmenter.told_in(version)

    async def get(self, scope: Scope, ids: Collection[str]) -> list[Interaction]:
        async with self._store.reader(scope) as reader:
            return [one.interaction for one in await reader.get(ids)]

    async def list_interactions(
        self,
        scope: Scope,
        filters: Filters | None = None,
        cursor: str | None = None,
        limit: int = 50,
        newest_first: bool = True,
    ) -> Page[Interaction]:
        """See the protocol. InvalidInput for a `limit` that no page has."""
        limit = page_size(limit)
        after = _position(cursor) if cursor is not None else None
        async with self._store.reader(scope) as reader:
            found = await reader.page(filters or Filters(), None, after, limit + 1, newest_first=newest_first)
        items, following = tuple(one.interaction for one in found[:limit]), None
        if len(found) > limit:
            following = encode_cursor(to_moment(items[-1].occurred_at), found[limit - 1].ordinal)
        return Page(items=items, next_cursor=following)

    async def session_tail(self, scope: Scope, limit: int = 20) -> list[Interaction]:
        """See the protocol. A scope without a session means the session `default`."""
        filters = Filters(session_id=scope.session_id or DEFAULT_SESSION)
        async with self._store.reader(scope) as reader:
            interactions = await reader.page(filters, None, None, max(0, limit), newest_first=True)
        return [one.interaction for one in reversed(interactions)]

    async def compress(self, scope: Scope, before: datetime) -> int:
        """See the protocol. COMPRESSED_AT_ONCE texts at a time, read and packed before writers have to wait."""
        done = 0
        while True:
            async with self._store.reader(scope) as reader:
                epoch = await reader.epoch()
                texts = await reader.compressible(before, COMPRESSED_AT_ONCE)
            smaller = await asyncio.to_thread(packed_all, texts)
            with suppress(Outdated):  # something was forgotten meanwhile: it is read again
                async with self._store.writer(scope, epoch) as writer:
                    await writer.compress(smaller)
                done += sum(map(bool, smaller.values()))
                if len(texts) < COMPRESSED_AT_ONCE:
                    return done

    async def users(self, scope: Scope, after: str = "", limit: int = 50, only: str | None = None) -> list[KnownUser]:
        async with self._store.reader(scope) as reader:
            return await reader.users(after, page_size(limit), only)

    async def pending(self, scope: Scope, first_event: int | None = None, last_event: int | None = None) -> int:
        """See the protocol. What failed for good is not waited for."""
        async with self._store.reader(scope) as reader:
            return await reader.pending(first_event, last_event)

    async def _indexed(self, entries: Sequence[InteractionEntry]) -> list[NewInteraction]:
        sizes = [len(entry.interaction.content) for entry in entries]
        if sum(sizes) <= INLINE_CHARS:
            cuts = indexing.cut_all(entries, self._counter)
            return indexing.new_interactions(entries, cuts, await indexing.embed_missing(entries, cuts, self._embedder))
        cuts, made = [], []
        for some in portions(sizes):
            cuts += await aside(indexing.cut_all, entries[some], self._counter)
        vectors = await indexing.embed_missing(entries, cuts, self._embedder)
        for some in portions(sizes):
            made += await aside(indexing.new_interactions, entries[some], cuts[some], vectors[some])
        return made


def _refuse_conflicts(interactions: Sequence[NewInteraction], known: Mapping[str, Known]) -> None:
    """Raises Conflict when an id stands for other content, in the store or earlier in the batch, or for what another
    agent alone may see, or all agents and now one alone."""
    contents = {identifier: row.content_hash for identifier, row in known.items()}
    indexes = [
        index
        for index, one in enumerate(interactions)
        if contents.setdefault(one.interaction.id, one.content_hash) != one.content_hash
        or _is_of_others(one.interaction, known.get(one.interaction.id))
    ]
    if indexes:
        more = f", and so are {len(indexes) - 1} more of {len(interactions)}" if len(indexes) > 1 else ""
        raise Conflict(
            f"the id {interactions[indexes[0]].interaction.id!r} is known with other content{more}",
            details={"indexes": indexes},
        )


def _is_of_others(interaction: Interaction, known: Known | None) -> bool:
    """True where it would be told what another agent was told, or is not to be seen by whoever sees it."""
    if known is None:
        return False
    return (interaction.seen_by is not None) if known.seen_by is None else known.seen_by != interaction.agent_id


def _stored_event(interaction: Interaction) -> NewEvent:
    return NewEvent(
        "interaction.stored", interaction.id, interaction.occurred_at, {"session_id": interaction.session_id}
    )


def _position(cursor: str) -> tuple[datetime, int]:
    micros, ordinal = decode_cursor(cursor, int, int)
    try:
        moment = from_moment(micros)
    except OverflowError as error:
        raise InvalidInput("the cursor is not one that this list gave out") from error
    if not 0 <= ordinal <= _MAX_BIGINT:
        raise InvalidInput("the cursor is not one that this list gave out")
    return moment, ordinal
