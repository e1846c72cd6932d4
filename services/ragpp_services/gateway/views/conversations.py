"""The running conversations, each view's by itself."""

from collections.abc import Collection, Sequence

from ragpp.ledger.views import each_view
from ragpp.models import Entry, InteractionEntry, Scope, Stored
from ragpp.tiers import ShortTermTier
from ragpp_services.gateway.views.seeing import Viewed


class ViewedShortTerm(Viewed[ShortTermTier], of=ShortTermTier):
    """Reads as `Viewed`."""

    async def store(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> list[Stored]:
        """See the protocol. What not all agents may see, and what an agent says, is at once in every view that sees it;
        anything else is brought there by the workers, so that nobody else's write asks for views."""
        stored = await self._tier.store(scope.seen_by(None), entries, epoch)
        said = [entry for entry in entries if isinstance(entry, InteractionEntry)]
        if scope.view is None and all(entry.interaction.visibility == "shared" for entry in said):
            return stored
        for view in each_view(scope, await self._views.of(scope))[1:]:
            seen = [entry for entry in said if entry.interaction.seen_by in {None, view.view}]
            if seen:
                await self._tier.store(view, seen, epoch)
        return stored

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """See the protocol: in every view."""
        return await self._everywhere(scope, lambda view: self._tier.forget(view, ids))

    async def delete_session(self, scope: Scope, only_if_empty: bool = False) -> bool:
        """See the protocol: in every view."""
        return await self._everywhere(scope, lambda view: self._tier.delete_session(view, only_if_empty))
