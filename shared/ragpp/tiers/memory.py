"""The contract of every memory tier."""

from collections.abc import Collection, Sequence
from typing import Protocol

from ragpp.health import StoreState
from ragpp.models import Entry, Health, Memory, MemoryQuery, Scope, Stored, TierName

ERASED_AT_ONCE = 500
"""The most that one `erase` of a tier takes of each kind of thing: a fifth of a second, in which others wait."""


class MemoryTier(Protocol):
    """A place where memories are kept and found again; one instance serves many tasks at once.

    A call is confined to its `Scope`: it never returns, counts or deletes what belongs to another. Of a scope with a
    `view` the episodic tier shows what is in it; the others keep each view by itself, as if it were another user's
    memory, which holds what the workers let it learn.

    A write that is derived from memory carries the `epoch` that was read before what it is derived from. It raises
    Outdated, and nothing is written, when anything of the user was forgotten since, as far as the store knows; so what
    a worker that was stopped in its work brings back late is refused. None: not derived, but said by somebody now. What
    rests on forgotten sources alone is not kept either way.

    What is listed or put up for review comes in pages of 1 to 1,000; InvalidInput for another `limit`.

    Raises, from any method: TierUnavailable. A write may then have happened or not; repeating it with the
    same ids is safe.
    """

    @property
    def name(self) -> TierName:
        """Which tier this is."""
        ...

    async def epoch(self, scope: Scope) -> int:
        """Which epoch of forgetting the user's memory is in, in this tier's store: another one, never to come again,
        after anything of it was forgotten. Read it before what a write is derived from, and hand it to the write."""
        ...

    async def store(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> list[Stored]:
        """Store all of `entries` or none; answers in the same order. An id that is known is a duplicate when
        its content is the same, and a Conflict for all of `entries` when it is not; `details["indexes"]` names
        the conflicting positions. InvalidInput for a kind of entry that this tier does not hold."""
        ...

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """At most `query.limit` memories, best first, and behind them what `query.rejected` adds; empty when nothing
        matches."""
        ...

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """Delete; return how many existed. Unknown ids are ignored, so a retry is harmless."""
        ...

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        """How much is held of the user, by kind; a kind of which there is nothing is left out. `sources`: only what is
        one of these interactions, or rests on any of them. `before`: only what `erase` would take."""
        ...

    async def erase(self, scope: Scope, before: int) -> bool:
        """Delete a part of all that is held of the user, but for what was written by the event `before` or later, as
        far as the tier keeps events; True while there may be more. Begins an epoch, each time. The epoch itself and
        what is known of ids that were forgotten stay."""
        ...

    async def health_check(self) -> Health:
        """Ping the tier's own store; answers within two seconds and never raises."""
        ...

    async def state(self) -> StoreState:
        """How the tier's own store is: version, schema, clock, and how much it holds of all tenants. It takes as long
        as counting does, some milliseconds to a second; StorageError where the store refuses to tell."""
        ...
