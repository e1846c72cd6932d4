"""The counts of a recall, and of the tiers that it asks."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Final, Literal, Unpack

from ragpp.api import RecallResponse
from ragpp.models import TierName
from ragpp.observability import metrics, traces
from ragpp.tiers import MemoryTier

PING_EVERY_S: Final = 15.0
"""How often each tier is asked whether it can work: what nobody asks fails unnoticed."""


@contextmanager
def recall_step(name: Literal["fuse", "pack"], **told: Unpack[traces.Attributes]) -> Iterator[None]:
    """Count what is done inside as that step of a recall, in the metrics and in its trace."""
    with metrics.step(name), traces.step(name, **told):
        yield


def count_recall(answer: RecallResponse, budget: int) -> None:
    """Count an answer whose context had `budget` tokens."""
    relevance = answer.relevance or "unknown"
    metrics.recalled(answer.status, relevance, answer.elapsed_ms / 1_000, tokens=answer.tokens, budget=budget)
    traces.note(status=answer.status, relevance=relevance, tokens=answer.tokens, budget=budget)
    for name, tier in answer.tiers.items():
        metrics.tier_asked(name, tier.status, tier.ms / 1_000, tier.hits)
    for section in answer.sections:
        metrics.section_packed(section.title, section.tokens)


@asynccontextmanager
async def watched(tiers: Mapping[TierName, MemoryTier], *, every_s: float = PING_EVERY_S) -> AsyncIterator[None]:
    """While inside, each of `tiers` is asked every `every_s` seconds whether it can work, and the metrics tell what it
    answered. Nothing is asked where nothing is counted."""
    asked = tiers if metrics.is_counting() else {}
    watching = [asyncio.create_task(_watch(name, tier, every_s)) for name, tier in asked.items()]
    try:
        yield
    finally:
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)


async def _watch(name: TierName, tier: MemoryTier, every_s: float) -> None:
    while True:
        health = await tier.health_check()
        metrics.tier_pinged(name, ok=health.ok, seconds=health.ms / 1_000)
        await asyncio.sleep(every_s)
