"""A process's counts of what it does, for Prometheus: `listed` is the closed list of metrics, each with its meaning.

No label holds a tenant, a user, a session, an id or a text: labels are names that the code has (a route as it is
written, a tier, a stage, a table), so there are no more series than of those. A process has one registry; `/metrics`
of each service answers what is in it, and two workers each count their own, but for the ledger, which all see.
"""

from ragpp.observability.metrics.asking import (
    NO_ROUTE,
    cache_asked,
    recalled,
    request_answered,
    section_packed,
    step,
    step_taken,
    tier_asked,
)
from ragpp.observability.metrics.reading import (
    PoolState,
    cache_counts,
    exposition,
    tier_counts,
    watch_cache,
    watch_pool,
)
from ragpp.observability.metrics.remembering import (
    batch_worked,
    digested,
    learned,
    ledger_seen,
    messages_kept,
    retained,
    work_ended,
    worker_beat,
)
from ragpp.observability.metrics.stores import Held, held_seen, language_model_called, tier_pinged
from ragpp.observability.metrics.switch import REGISTRY, count_if, is_counting

__all__ = [
    "NO_ROUTE",
    "REGISTRY",
    "Held",
    "PoolState",
    "batch_worked",
    "cache_asked",
    "cache_counts",
    "count_if",
    "digested",
    "exposition",
    "held_seen",
    "is_counting",
    "language_model_called",
    "learned",
    "ledger_seen",
    "messages_kept",
    "recalled",
    "request_answered",
    "retained",
    "section_packed",
    "step",
    "step_taken",
    "tier_asked",
    "tier_counts",
    "tier_pinged",
    "watch_cache",
    "watch_pool",
    "work_ended",
    "worker_beat",
]
