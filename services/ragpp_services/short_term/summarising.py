"""The summaries' part of the tier: what moves into them, what a better writer is given, what it wrote, and what is
written again."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from ragpp.aside import aside
from ragpp.clock import Clock
from ragpp.errors import MemorySystemError
from ragpp.models import DEFAULT_SESSION, Entry, Scope, SummaryDraft
from ragpp.stores.forgetting import SourceMarks
from ragpp.text.port import TokenMeter
from ragpp_services.short_term.quoting import INLINE_CHARS, NEW_SHARE, Summariser, SummaryMessage
from ragpp_services.short_term.records import interaction_entries
from ragpp_services.short_term.settings import ShortTermSettings
from ragpp_services.short_term.store import EVERYTHING, Session, ShortTermStore
from ragpp_services.short_term.summary import Said, SummaryLine, attribute, joined, rewritten
from ragpp_services.short_term.view import drafted
from ragpp_services.short_term.window import due

COMPACTION_ATTEMPTS: Final = 3
"""By a write over the hard cap, while others change the session; the next write tries again."""


class Summaries:
    """The part of `ragpp.tiers.ShortTermTier` about summaries."""

    def __init__(
        self,
        store: ShortTermStore,
        settings: ShortTermSettings,
        *,
        summariser: Summariser,
        counter: TokenMeter,
        clock: Clock,
        marks: SourceMarks,
    ) -> None:
        self._store = store
        self._settings = settings
        self._summariser = summariser
        self._counter = counter
        self._clock = clock
        self._marks = marks

    async def compact(self, scope: Scope, epoch: int | None = None) -> bool:
        """See the contract. All but the last five messages move."""
        return await self._compact(scope, epoch) == "moved"

    async def keep_below_cap(self, scope: Scope, sessions: Iterable[tuple[str, int]], epoch: int | None) -> None:
        """Compact those of `sessions`, ids with their tokens, that are over the hard cap. The messages are stored, so
        a failing summariser fails no write."""
        cap = self._settings.hard_cap_factor * self._settings.max_tokens
        for session_id, tokens in sessions:
            if tokens <= cap:
                continue
            for _ in range(COMPACTION_ATTEMPTS):
                try:
                    if await self._compact(scope.in_session(session_id), epoch) != "overtaken":
                        break
                except MemorySystemError:
                    break

    async def _compact(self, scope: Scope, epoch: int | None) -> Literal["nothing due", "moved", "overtaken"]:
        session_id, settings = scope.session_id or DEFAULT_SESSION, self._settings
        session = await self._whole(scope, session_id)
        if session is None:
            return "nothing due"
        leaving = due(
            len(session.messages), session.tokens, max_tokens=settings.max_tokens, keep=settings.keep_messages
        )
        if leaving == 0:
            return "nothing due"
        moved = session.messages[::-1][:leaving]
        lines = await self._summarised(session.summary, [Said.of(message) for message in moved])
        written = await self._store.compact(
            scope, session_id, revision=session.revision, summary=lines, moved=moved, epoch=epoch
        )
        return "moved" if written else "overtaken"

    async def draft_summary(self, scope: Scope) -> SummaryDraft | None:
        """See the contract. Half of the summary's tokens may be written: the next quotes then leave all of it be."""
        session_id = scope.session_id or DEFAULT_SESSION
        session = await self._whole(scope, session_id)
        if session is None:
            return None
        most = max(1, int(self._settings.summary_tokens * (1 - NEW_SHARE)))
        moved = await self._store.moved(scope, session_id)
        return drafted(session_id, session.revision, session.messages, session.summary, moved, most)

    async def write_summary(
        self, scope: Scope, revision: str, text: str, entries: Sequence[Entry], epoch: int | None = None
    ) -> bool:
        """See the contract. At most `summary_tokens` of `text` are kept."""
        session_id = scope.session_id or DEFAULT_SESSION
        text = self._counter.truncate(text, self._settings.summary_tokens)
        session = await self._whole(scope, session_id)
        if session is None or session.revision != revision or not text.strip():
            return False
        folded = [Said.of(entry.interaction) for entry in interaction_entries(entries)]
        lines = rewritten(text, session.summary, folded, self._counter.count)
        marks = self._marks.of_all(scope, (entry.id for entry in entries))
        return await self._store.compact(scope, session_id, revision=revision, summary=lines, marks=marks, epoch=epoch)

    async def torn_summary(self, scope: Scope) -> frozenset[str] | None:
        session_id = scope.session_id or DEFAULT_SESSION
        if not await self._store.is_torn(scope, session_id):
            return None
        return await self._store.moved(scope, session_id)

    async def mend_summary(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> bool:
        session_id = scope.session_id or DEFAULT_SESSION
        session = await self._whole(scope, session_id)
        if session is None or not await self._store.is_torn(scope, session_id):
            return False
        said = [Said.of(entry.interaction) for entry in interaction_entries(entries)]
        ids = {one.id for one in said}
        older = [line for line in session.summary if ids.isdisjoint(line.sources)]
        lines = await self._summarised(older, said)
        marks = self._marks.of_all(scope, (entry.id for entry in entries))
        return await self._store.compact(
            scope, session_id, revision=session.revision, summary=lines, marks=marks, mends=True, epoch=epoch
        )

    async def _whole(self, scope: Scope, session_id: str) -> Session | None:
        """All of the session; looking at it is no use of it."""
        return await self._store.read(scope, session_id, budget=EVERYTHING, least=0, now=self._clock(), touch=False)

    async def _summarised(self, previous: Sequence[SummaryLine], moved: Sequence[Said]) -> list[SummaryLine]:
        """The new summary, of at most `summary_tokens` whatever the summariser answers."""
        limit = self._settings.summary_tokens
        text = await self._summariser.summarise(
            joined(previous),
            [
                SummaryMessage(said_by=message.said_by, content=message.content, occurred_at=message.occurred_at)
                for message in moved
            ],
            limit,
        )
        text = self._counter.truncate(text, limit)
        if sum(len(message.content) for message in moved) > INLINE_CHARS:
            return await aside(attribute, text, previous, moved, self._counter.count)
        return attribute(text, previous, moved, self._counter.count)
