"""A stage: what is done about an event, what must be up for it, and what it asks of a user's memory before it begins:
its epochs and its views."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.errors import MemorySystemError
from ragpp.ledger import Result, Work, WorkKey
from ragpp.ledger.views import each_view
from ragpp.models import Scope
from ragpp.tiers import MemoryTier
from ragpp_services.workers.parts import WorkerParts

EMBEDDER_PATIENCE_S: Final = 10.0
"""An embedder that takes longer for one word is as good as down."""


@dataclass(frozen=True)
class Stage:
    """`work` does a batch of one user, and may answer results by the work's key, which are kept with it. `tiers` and,
    where `embeds`, the embedder must be up for it. `batch`: works that one lease takes, of any users; a fresh message
    waits for the end of one. Of half as many two workers digest a quarter less a second, and it waits 1.0 s at most in
    place of 1.2 (p95, `make prove-workers`).
    `at_once`: such batches that one worker process has under way."""

    work: Callable[[WorkerParts, Sequence[Work]], Awaitable[Mapping[WorkKey, Result] | None]]
    tiers: Callable[[WorkerParts], Sequence[MemoryTier]]
    embeds: bool = False
    batch: int = 128
    at_once: int = 2


async def is_down(parts: WorkerParts, stage: Stage) -> bool:
    """True where anything that `stage` needs does not answer; takes EMBEDDER_PATIENCE_S at most."""
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


@dataclass(frozen=True)
class Epochs:
    """The epochs of forgetting of one user, by the tiers that learn: read before anything else, and handed to what is
    written. What a stage writes itself leaves them as they are."""

    semantic: int
    procedural: int


async def epochs_of(parts: WorkerParts, scope: Scope) -> Epochs:
    """The epochs now; what is read from here on may be written under them. Raises TierUnavailable."""
    semantic, procedural = await asyncio.gather(parts.semantic.epoch(scope), parts.procedural.epoch(scope))
    return Epochs(semantic, procedural)


async def views_of(parts: WorkerParts, scope: Scope) -> list[Scope]:
    """The scopes of the views that are kept by themselves, without the whole memory. Raises TierUnavailable."""
    return each_view(scope, await parts.views.of(scope))[1:]


async def everywhere(parts: WorkerParts, scope: Scope) -> list[Scope]:
    """The scope of the whole memory, and those of its views. Raises TierUnavailable."""
    return each_view(scope, await parts.views.of(scope))
