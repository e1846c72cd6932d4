"""The contract of the tier that holds running conversations."""

from collections.abc import Collection, Sequence
from typing import Protocol

from ragpp.fields import TokenizerName
from ragpp.models import Entry, Page, Scope, SessionInfo, SessionView, SummaryDraft
from ragpp.tiers.memory import MemoryTier


class ShortTermTier(MemoryTier, Protocol):
    """The running conversations. A scope without a session means the session `default`."""

    async def read(self, scope: Scope, token_budget: int, tokenizer: TokenizerName | None = None) -> SessionView:
        """Summary and latest messages, at most `token_budget` tokens of text however long the messages are, as
        `tokenizer`, or the usual one, counts them; an unknown session is empty. Refreshes the session's time to
        live."""
        ...

    async def list_sessions(self, scope: Scope, cursor: str | None = None, limit: int = 50) -> Page[SessionInfo]:
        """The user's sessions, the one used last first."""
        ...

    async def delete_session(self, scope: Scope, only_if_empty: bool = False) -> bool:
        """Remove the scope's session; False when there was none, or when it has messages and is `only_if_empty`."""
        ...

    async def compact(self, scope: Scope, epoch: int | None = None) -> bool:
        """Move what is over the window into the summary; False when nothing was due or another did it first."""
        ...

    async def draft_summary(self, scope: Scope) -> SummaryDraft | None:
        """The input that is needed to put words of one's own in the place of the quotes in the session's summary; None
        when it has no quotes."""
        ...

    async def write_summary(
        self, scope: Scope, revision: str, text: str, entries: Sequence[Entry], epoch: int | None = None
    ) -> bool:
        """Replace the session's summary by `text`, a line a statement, made from it and from `entries`
        (InteractionEntry): whatever line does not quote rests on all of them. False, and nothing done, when the
        session has changed since `revision` otherwise than by new messages, one of `entries` was forgotten, or `text`
        says nothing."""
        ...

    async def torn_summary(self, scope: Scope) -> frozenset[str] | None:
        """Ids of the messages that the session no longer shows raw, when lines of its summary went with others that
        were forgotten; None when none did."""
        ...

    async def mend_summary(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> bool:
        """Put quotes of `entries` (InteractionEntry, oldest first), the latest of `torn_summary`, in the place of what
        is left of it about them. False, and nothing done, when it is not torn, or the session changes meanwhile
        otherwise than by new messages."""
        ...

    async def rebuild(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> int:
        """Bring a session that was lost back from `entries` (InteractionEntry, oldest first); messages that are
        there stay as they are. Returns how many were added."""
        ...

    async def sweep(self, scope: Scope, sources: Collection[str]) -> None:
        """Take away what forgetting and erasing leave of a user of the SCRATCH_TENANT: the epoch, and what is known of
        these interactions. InvalidInput for another tenant's: a late worker could bring back what was forgotten."""
        ...

    async def is_blank(self) -> bool:
        """True where the store is new or has lost everything: the mark that `mark` leaves is not there."""
        ...

    async def mark(self) -> None:
        """Leave the mark: whatever was to be brought back has been."""
        ...
