"""The short-term tier: the running conversations, each within its window."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

from ragpp.clock import Clock
from ragpp.errors import Conflict, InvalidInput
from ragpp.fields import TokenizerName
from ragpp.health import StoreState
from ragpp.models import (
    DEFAULT_SESSION,
    Entry,
    Health,
    Memory,
    MemoryQuery,
    Page,
    Scope,
    SessionInfo,
    SessionView,
    Stored,
)
from ragpp.stores.cursors import decode_cursor, encode_cursor, page_size
from ragpp.stores.forgetting import SourceMarks
from ragpp.text.port import TokenMeter
from ragpp.text.readers import Tokenizers
from ragpp.tierkit.health import health_of
from ragpp_services.short_term import memories
from ragpp_services.short_term.quoting import Summariser
from ragpp_services.short_term.records import (
    Appended,
    Message,
    NewMessage,
    content_hash,
    encode_body,
    interaction_entries,
    moment_key,
)
from ragpp_services.short_term.settings import ShortTermSettings
from ragpp_services.short_term.store import EVERYTHING, Session, ShortTermStore
from ragpp_services.short_term.summarising import Summaries
from ragpp_services.short_term.summary import SummaryLine
from ragpp_services.short_term.view import listed, shown

LONG_TEXT: Final = 4_000
"""Characters. A longer text is counted in a thread, so that other calls do not wait for it."""
COUNTED_OTHERWISE: Final = 2
"""Times a budget that is read of what is stored: another tokenizer may count so much less than the one it was stored
with."""


class RedisShortTermTier:
    """Sessions in Redis. Implements `ragpp.tiers.ShortTermTier`.

    Messages are ordered by `occurred_at`, then by arrival. Over `max_tokens` a session is due to be compacted:
    `compact` does it, and a write does it itself once the session is over the hard cap.
    """

    def __init__(
        self,
        store: ShortTermStore,
        settings: ShortTermSettings,
        *,
        summariser: Summariser,
        tokenizers: Tokenizers,
        clock: Clock,
        marks: SourceMarks,
    ) -> None:
        self.name: Final[Literal["short_term"]] = "short_term"
        self._store, self._settings, self._clock, self._marks = store, settings, clock, marks
        self._tokenizers, self._counter = tokenizers, tokenizers.named()
        self.epoch = store.epoch
        self.mark, self.is_blank, self.sweep = store.upkeep.mark, store.upkeep.is_blank, store.upkeep.sweep

        self._summaries = summaries = Summaries(
            store, settings, summariser=summariser, counter=self._counter, clock=clock, marks=marks
        )
        self.compact = summaries.compact
        self.draft_summary = summaries.draft_summary
        self.write_summary = summaries.write_summary
        self.torn_summary = summaries.torn_summary
        self.mend_summary = summaries.mend_summary

    async def store(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> list[Stored]:
        """InteractionEntry, each to its own session. The content of an id is its role, name and content; one that was
        forgotten is a duplicate."""
        if not entries:
            return []
        appended = await self._append(scope, entries, "store", epoch)
        if appended.conflicts:
            raise Conflict("an id is known with other content", details={"indexes": list(appended.conflicts)})
        await self._summaries.keep_below_cap(scope, appended.tokens, epoch)
        return [
            Stored(id=entry.id, duplicate=duplicate)
            for entry, duplicate in zip(entries, appended.duplicates, strict=True)
        ]

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """The session's latest messages, newest first, then its summary, within the budget. The words of the query
        make no difference: what was just said matters because it was just said.

        The session is that of the filters, else that of the scope. The summary is left out where a filter asks for
        what it no longer tells: who spoke, when, and about what.
        """
        if query.filters.metadata is not None:
            return []
        session_id = query.filters.session_id or query.scope.session_id or DEFAULT_SESSION
        budget = self._settings.max_tokens if query.token_budget is None else query.token_budget
        beyond = EVERYTHING if memories.narrows(query) else 0
        session = await self._read(query.scope, session_id, beyond, query.limit)
        if session is None or budget == 0:
            return []
        messages = memories.wanted(session.messages, query)[: query.limit]
        lines = memories.wanted_lines(session.summary, query)
        counter = await self._tokenizers.ready(query.tokenizer)
        view = self._view(session_id, session, budget, messages, lines, counter)
        return memories.ranked(view, lines, query.limit)

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """From whatever session of the user holds them; lines of a summary that rest on them go as well.

        Before anything is removed the ids are kept from coming late, into sessions that there are and into others.
        """
        if not ids:
            return 0
        now = self._clock()
        await self._store.mark_forgotten(scope, self._marks.of_all(scope, ids), now=now)
        known = [session_id for _, session_id in await self._store.session_ids(scope, since=self._oldest())]
        session_ids = list(dict.fromkeys([*known, scope.session_id or DEFAULT_SESSION]))
        return len(await self._store.remove(scope, session_ids, set(ids), now))

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        """See the contract. Sessions and their messages; of `sources`, messages of these ids and lines of summaries
        that rest on any of them. Looking is no use of a session. It keeps no events: `before` narrows nothing."""
        del before
        now = self._clock()
        known = [session_id for _, session_id in await self._store.session_ids(scope, since=self._oldest())]
        if sources is None:
            sizes = await self._store.sizes(scope, known)
            counts = {"sessions": len(sizes), "messages": sum(size.messages for size in sizes)}
        else:
            wanted, counts = set(sources), {"messages": 0, "summary_lines": 0}
            for session_id in known:
                session = await self._store.read(scope, session_id, budget=EVERYTHING, least=0, now=now, touch=False)
                if session is not None:
                    counts["messages"] += sum(message.id in wanted for message in session.messages)
                    counts["summary_lines"] += sum(not wanted.isdisjoint(line.sources) for line in session.summary)
        return {kind: count for kind, count in counts.items() if count}

    async def erase(self, scope: Scope, before: int) -> bool:
        """See the contract. All at once, and what is said by now as well: workers put what stays elsewhere back."""
        del before
        await self._store.erase(scope)
        return False

    async def health_check(self) -> Health:
        return await health_of(self.name, "Redis", self._store.upkeep.ping)

    async def state(self) -> StoreState:
        return await self._store.upkeep.state(self._clock)

    async def read(self, scope: Scope, token_budget: int, tokenizer: TokenizerName | None = None) -> SessionView:
        """See the contract. A quarter of the budget is kept for the summary as far as it needs it; the latest messages
        share the rest, and the long ones among them are cut (`truncated`)."""
        if token_budget < 0:
            raise InvalidInput("token_budget must not be negative")
        session_id = scope.session_id or DEFAULT_SESSION
        session = await self._read(scope, session_id, token_budget * COUNTED_OTHERWISE)
        if session is None:
            return SessionView(session_id=session_id)
        counter = await self._tokenizers.ready(tokenizer)
        return self._view(session_id, session, token_budget, session.messages, session.summary, counter)

    async def list_sessions(self, scope: Scope, cursor: str | None = None, limit: int = 50) -> Page[SessionInfo]:
        """See the contract. A session that is used while the list is read moves to its front."""
        size = page_size(limit)
        before = None if cursor is None else decode_cursor(cursor, int, str)
        places = await self._store.session_ids(scope, since=self._oldest(), before=before, limit=size + 1)
        sizes = await self._store.sizes(scope, [session_id for _, session_id in places[:size]])
        following = encode_cursor(*places[size - 1]) if len(places) > size else None
        items = tuple(listed(found, self._settings.max_tokens) for found in sizes)
        return Page[SessionInfo](items=items, next_cursor=following)

    async def delete_session(self, scope: Scope, only_if_empty: bool = False) -> bool:
        """See the contract. Its messages do not come back by being delivered again or by a rebuild, for the ids that
        it had stay known for a session's time to live; what is said after it begins it anew."""
        session_id = scope.session_id or DEFAULT_SESSION
        return await self._store.delete(scope, session_id, only_if_empty=only_if_empty)

    async def rebuild(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> int:
        """See the contract. What was forgotten stays so, and an id with other content stays as it is."""
        if not entries:
            return 0
        appended = await self._append(scope, entries, "rebuild", epoch)
        await self._summaries.keep_below_cap(scope, appended.tokens, epoch)
        return sum(not duplicate for duplicate in appended.duplicates)

    async def _append(
        self, scope: Scope, entries: Sequence[Entry], mode: Literal["store", "rebuild"], epoch: int | None
    ) -> Appended:
        messages = [
            NewMessage(
                session_id=entry.interaction.session_id,
                id=entry.id,
                mark=self._marks.of(scope, entry.id),
                hash=content_hash(entry.interaction),
                moment=moment_key(entry.interaction.occurred_at),
                tokens=max(1, entry.tokens or await self._count(entry.interaction.content)),
                body=encode_body(entry.interaction),
            )
            for entry in interaction_entries(entries)
        ]
        return await self._store.append(scope, messages, mode=mode, now=self._clock(), epoch=epoch)

    async def _count(self, text: str) -> int:
        if len(text) > LONG_TEXT:
            return await asyncio.to_thread(self._counter.count, text)
        return self._counter.count(text)

    async def _read(self, scope: Scope, session_id: str, budget: int, least: int = 0) -> Session | None:
        least = max(least, self._settings.keep_messages)
        return await self._store.read(scope, session_id, budget=budget, least=least, now=self._clock(), touch=True)

    def _view(
        self,
        session_id: str,
        session: Session,
        budget: int,
        messages: Sequence[Message],
        lines: Sequence[SummaryLine],
        counter: TokenMeter,
    ) -> SessionView:
        return shown(
            session_id,
            messages,
            lines,
            counter,
            budget=budget,
            keep=self._settings.keep_messages,
            share=session.tokens / self._settings.max_tokens,
        )

    def _oldest(self) -> datetime:
        """Sessions that were used last before this have expired."""
        return self._clock() - timedelta(seconds=self._settings.ttl_s)
