"""What a process counts of what it does, for Prometheus: the closed list of metrics, each with its meaning.

No label holds a tenant, a user, a session, an id or a text: labels are names that the code has (a route as it is
written, a tier, a stage), so there are no more series than of those. A process has one registry; `/metrics` of each
service answers what is in it, and two workers each count their own, but for the ledger, which all see.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.exposition import generate_latest

REGISTRY: Final = CollectorRegistry()
_SECONDS: Final = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SHARES: Final = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
NO_ROUTE: Final = "none"
"""The route of a request that none answers: its address is the caller's text."""

_requests: Final = Histogram(
    "ragpp_request_seconds",
    "How long requests took until they were answered, by method, route as it is written, and status.",
    ["method", "route", "status"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
_recalls: Final = Histogram(
    "ragpp_recall_seconds",
    "How long recalls took, by status: partial where a tier was late or down.",
    ["status"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
_tiers: Final = Histogram(
    "ragpp_recall_tier_seconds",
    "How long each tier took to answer a recall, by what became of it: ok, timeout, unavailable, error, skipped.",
    ["tier", "status"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
_hits: Final = Counter("ragpp_recall_hits", "Memories that each tier found for recalls.", ["tier"], registry=REGISTRY)
_empty: Final = Counter(
    "ragpp_recall_empty", "Recalls for which a tier that answered found nothing.", ["tier"], registry=REGISTRY
)
_relevance: Final = Counter(
    "ragpp_recall_relevance",
    "Recalls by whether anything that was found is about the question: none, some, clear; unknown where that cannot be "
    "told.",
    ["relevance"],
    registry=REGISTRY,
)
_budget: Final = Histogram(
    "ragpp_context_used_share",
    "Which share of its budget of tokens a context took.",
    buckets=_SHARES,
    registry=REGISTRY,
)
_sections: Final = Counter(
    "ragpp_context_section_tokens", "Tokens of contexts, by the section they are in.", ["section"], registry=REGISTRY
)
_messages: Final = Counter(
    "ragpp_messages",
    "Messages that were to be remembered, by what became of them: stored, duplicate, forgotten.",
    ["outcome"],
    registry=REGISTRY,
)
_work: Final = Counter(
    "ragpp_work",
    "Work that was taken from the ledger, by stage and outcome: done; postponed, for something was down; failed, which "
    "is tried again or given up.",
    ["stage", "outcome"],
    registry=REGISTRY,
)
_working: Final = Histogram(
    "ragpp_work_seconds",
    "How long a batch of one user's work took, by stage.",
    ["stage"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
_learned: Final = Counter(
    "ragpp_learned",
    "What messages taught, by kind: entity, relationship, preference, finding.",
    ["kind"],
    registry=REGISTRY,
)
_ledger: Final = Gauge(
    "ragpp_ledger_works",
    "Work in the ledger that is not done, of all tenants, by stage and state: pending, leased, failed. Every worker "
    "tells the same.",
    ["stage", "state"],
    registry=REGISTRY,
)
_oldest: Final = Gauge(
    "ragpp_ledger_oldest_seconds",
    "How long the oldest work that is not done has been waiting; 0 where none does.",
    registry=REGISTRY,
)


def exposition() -> bytes:
    """All of it in Prometheus' text format, with what its client tells of every Python process."""
    _tell_of_process()
    return generate_latest(REGISTRY)


@cache
def _tell_of_process() -> None:
    """They read the system's files when they are made."""
    ProcessCollector(registry=REGISTRY)
    PlatformCollector(registry=REGISTRY)


def request_answered(method: str, route: str | None, status: int, seconds: float) -> None:
    """`route`: as it is written, None where none answered."""
    _requests.labels(method, route or NO_ROUTE, str(status)).observe(seconds)


def recalled(status: str, relevance: str, seconds: float, *, tokens: int, budget: int) -> None:
    """A recall was answered with a context of `tokens` of the `budget`."""
    _recalls.labels(status).observe(seconds)
    _relevance.labels(relevance).inc()
    if budget > 0:
        _budget.observe(tokens / budget)


def tier_asked(tier: str, status: str, seconds: float, hits: int) -> None:
    """A tier was asked for a recall."""
    _tiers.labels(tier, status).observe(seconds)
    if status == "ok":
        _hits.labels(tier).inc(hits)
        _empty.labels(tier).inc(hits == 0)


def section_packed(section: str, tokens: int) -> None:
    """A context has a section of so many tokens; `section`: its title, of which there is a fixed number."""
    _sections.labels(section).inc(tokens)


def messages_kept(*, stored: int, duplicates: int, forgotten: int) -> None:
    """Messages were acknowledged."""
    for outcome, count in (("stored", stored), ("duplicate", duplicates), ("forgotten", forgotten)):
        _messages.labels(outcome).inc(count)


def work_ended(stage: str, outcome: str, works: int = 1) -> None:
    """Work of a stage is done, postponed, or failed."""
    _work.labels(stage, outcome).inc(works)


def batch_worked(stage: str, seconds: float) -> None:
    """A batch of one user's work was done."""
    _working.labels(stage).observe(seconds)


def learned(kind: str, count: int) -> None:
    """Messages taught so many of a kind."""
    _learned.labels(kind).inc(count)


def ledger_seen(works: Mapping[tuple[str, str], int], oldest_s: float) -> None:
    """What is in the ledger now: `works` by stage and state."""
    _ledger.clear()
    for (stage, state), count in works.items():
        _ledger.labels(stage, state).set(count)
    _oldest.set(oldest_s)
