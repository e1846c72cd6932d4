"""The epochs of forgetting that a stage reads before anything else, and hands to what it writes."""

import asyncio
from dataclasses import dataclass

from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts


@dataclass(frozen=True)
class Epochs:
    """Of one user, by the tiers that learn. What a stage writes itself leaves them as they are."""

    semantic: int
    procedural: int


async def epochs_of(parts: WorkerParts, scope: Scope) -> Epochs:
    """The epochs now; what is read from here on may be written under them. Raises TierUnavailable."""
    semantic, procedural = await asyncio.gather(parts.semantic.epoch(scope), parts.procedural.epoch(scope))
    return Epochs(semantic, procedural)
