"""Which views of a user's memory there are, for whoever changes all of them."""

from ragpp.ledger.views import each_view
from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts


async def views_of(parts: WorkerParts, scope: Scope) -> list[Scope]:
    """The scopes of the views that are kept by themselves, without the whole memory. Raises TierUnavailable."""
    return each_view(scope, await parts.views.of(scope))[1:]


async def everywhere(parts: WorkerParts, scope: Scope) -> list[Scope]:
    """The scope of the whole memory, and those of its views. Raises TierUnavailable."""
    return each_view(scope, await parts.views.of(scope))
