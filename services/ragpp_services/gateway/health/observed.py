"""The counts of this process, as a report tells them."""

from ragpp.api import CacheUse, ObservedLatency
from ragpp.models import TierName
from ragpp.observability.metrics import cache_counts, tier_counts


def latency_of(tier: TierName, target_ms: float) -> ObservedLatency:
    """The tier's recalls since the process began: how many, the share of them that it answered, and the share that it
    answered within the smallest of the histogram's bounds that is not below the target."""
    counts = tier_counts(tier)
    if not counts.asked:
        return ObservedLatency(recalls=0)
    within = next((count for bound_s, count in counts.within.items() if 1_000 * bound_s >= target_ms), 0)
    return ObservedLatency(
        recalls=counts.asked, within_target=within / counts.asked, answered=counts.answered / counts.asked
    )


def cache_uses() -> dict[str, CacheUse]:
    """Each cache of the process by its name."""
    return {name: CacheUse(hits=hits, misses=misses) for name, (hits, misses) in cache_counts().items()}
