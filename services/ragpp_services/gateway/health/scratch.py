"""The memory that a report tries things with, and how nothing of it is left."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import uuid4

from ragpp.api import MessageIn, StoreRequest
from ragpp.errors import MemorySystemError
from ragpp.health import SCRATCH_TENANT
from ragpp.ledger.scratch import ScratchLedger
from ragpp.models import Scope, TierName
from ragpp.tiers import Tiers
from ragpp_services.gateway.health.checks import cause_of

SESSION: Final = "health"
SAID: Final = (
    "My sister Elena moved to Porto last spring.",
    "I prefer trains to planes.",
    "Elena has a dog called Bruno.",
)
"""One message each. The first tells of two that the graph then knows, with and without a trained pipeline."""
NAME: Final = "Maria"
ASKED: Final = "Where does Elena live?"
MESSAGES: Final = tuple(f"health-{number}" for number in range(1, len(SAID) + 1))
RESOURCE: Final = "health-resource"
ITEM: Final = "health-item"
PREFERENCE: Final = "health-preference"
SOURCES: Final = (*MESSAGES, RESOURCE, ITEM, PREFERENCE)
"""The ids of all that is written: the same in each report, so that a later one knows what an earlier one left."""
LEFT_AFTER: Final = timedelta(minutes=15)
"""No report takes so long: what is older was left by one that was interrupted."""
MOST_PARTS: Final = 1_000
"""Parts in which a tier erases this little, far more than it needs."""


def new_scope() -> Scope:
    """The scope of a user that there was never before."""
    return Scope(tenant_id=SCRATCH_TENANT, user_id=f"health-{uuid4().hex}", session_id=SESSION)


def said(user_id: str, number: int) -> StoreRequest:
    """The request that one of the messages comes with."""
    message = MessageIn(id=MESSAGES[number], name=NAME, content=SAID[number])
    return StoreRequest(user_id=user_id, session_id=SESSION, messages=(message,))


async def erase(tiers: Tiers, scope: Scope) -> dict[TierName, str]:
    """Erase the user in every tier, without the workers; why not, by tier, where one does not answer."""
    failed: dict[TierName, str] = {}
    for name, tier in tiers.by_name().items():
        try:
            latest = 2**62
            for _ in range(MOST_PARTS):
                if not await tier.erase(scope, latest):
                    break
        except MemorySystemError as error:
            failed[name] = cause_of(error)
    return failed


async def left(tiers: Tiers, scope: Scope, sources: Sequence[str] | None = None) -> str:
    """How much there is of the user, or of what is one of these interactions or rests on one; empty for nothing."""
    held = {name: await tier.holdings(scope, sources) for name, tier in tiers.by_name().items()}
    return ", ".join(f"{count} {name} {kind}" for name, kinds in held.items() for kind, count in kinds.items())


async def sweep(tiers: Tiers, ledger: ScratchLedger, scope: Scope) -> bool:
    """Take away what erasing leaves, the user's epoch last, by which a later report finds what this one could not do;
    False while a worker does something for the user. Raises TierUnavailable."""
    if not await ledger.drop_work(scope):
        return False
    await tiers.short_term.sweep(scope, SOURCES)
    await tiers.semantic.sweep(scope, SOURCES)
    await ledger.sweep(scope, SOURCES)
    return True


async def sweep_left_behind(tiers: Tiers, ledger: ScratchLedger, now: datetime) -> int:
    """Erase and sweep what interrupted reports left; of how many."""
    swept = 0
    for user_id in await ledger.left_behind(now - LEFT_AFTER):
        scope = Scope(tenant_id=SCRATCH_TENANT, user_id=user_id, session_id=SESSION)
        if not await erase(tiers, scope):
            swept += await sweep(tiers, ledger, scope)
    return swept
