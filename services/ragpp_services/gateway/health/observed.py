"""What this process has counted, as a report tells it."""

from typing import Final

from ragpp.api import CacheUse, ObservedLatency
from ragpp.models import TierName
from ragpp.observability.metrics import REGISTRY

TIERS: Final = "ragpp_recall_tier_seconds"
CACHES: Final = "ragpp_cache_lookups"


def latency_of(tier: TierName, target_ms: float) -> ObservedLatency:
    """Of recalls since the process began: within the smallest of the histogram's bounds that is not below the
    target."""
    asked = answered = within = 0.0
    bounds: dict[float, float] = {}
    for metric in REGISTRY.collect():
        if metric.name != TIERS:
            continue
        for sample in metric.samples:
            if sample.labels.get("tier") != tier or sample.labels.get("status") == "skipped":
                continue
            if sample.name == f"{TIERS}_count":
                asked += sample.value
                answered += sample.value if sample.labels["status"] == "ok" else 0
            elif sample.name == f"{TIERS}_bucket" and sample.labels["status"] == "ok":
                bounds[float(sample.labels["le"])] = sample.value
    reached = [bound for bound in sorted(bounds) if 1_000 * bound >= target_ms]
    within = bounds[reached[0]] if reached else 0.0
    if not asked:
        return ObservedLatency(recalls=0)
    return ObservedLatency(recalls=int(asked), within_target=within / asked, answered=answered / asked)


def cache_uses() -> dict[str, CacheUse]:
    """Each cache of the process by its name."""
    counted: dict[str, dict[str, int]] = {}
    for metric in REGISTRY.collect():
        if metric.name == CACHES:
            for sample in metric.samples:
                if sample.name == f"{CACHES}_total":
                    uses = counted.setdefault(sample.labels["cache"], {})
                    uses[sample.labels["outcome"]] = int(sample.value)
    return {name: CacheUse(hits=uses.get("hit", 0), misses=uses.get("miss", 0)) for name, uses in counted.items()}
