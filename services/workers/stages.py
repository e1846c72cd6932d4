"""A stage: what is done about an event, and what must be up for it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.errors import MemorySystemError
from ragpp.ledger import Work
from ragpp.tiers import MemoryTier
from services.workers.parts import WorkerParts

EMBEDDER_PATIENCE_S: Final = 10.0
"""An embedder that takes longer for one word is as good as down."""


@dataclass(frozen=True)
class Stage:
    """`work` does a batch of one user. `tiers` and, where `embeds`, the embedder must be up for it."""

    work: Callable[[WorkerParts, Sequence[Work]], Awaitable[None]]
    tiers: Callable[[WorkerParts], Sequence[MemoryTier]]
    embeds: bool = False


async def is_down(parts: WorkerParts, stage: Stage) -> bool:
    """Whether anything that `stage` needs does not answer; takes EMBEDDER_PATIENCE_S at most."""
    asked = [_tier_is_up(tier) for tier in stage.tiers(parts)]
    if stage.embeds:
        asked.append(_embedder_is_up(parts))
    return not all(await asyncio.gather(*asked))


async def _tier_is_up(tier: MemoryTier) -> bool:
    return (await tier.health_check()).ok


async def _embedder_is_up(parts: WorkerParts) -> bool:
    try:
        async with asyncio.timeout(EMBEDDER_PATIENCE_S):
            await parts.embedder.health_check()
    except (MemorySystemError, TimeoutError):
        return False
    return True
