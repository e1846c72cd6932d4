"""The closed list of metrics, each with its meaning: docs/metrics.md has the same list, in the same order.

Counters end in `_total` when they are told. Seconds, shares of 1, tokens, bytes and plain numbers; no other units.
"""

from threading import Lock
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from ragpp.observability.metrics.switch import REGISTRY

TELLING: Final = Lock()
"""Held while what is read when somebody asks is read and told, and while series are replaced by others: a worker
answers several who ask, each in a thread, and none is to see half of it."""
_SECONDS: Final = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""With the bounds that tiers are to keep among them: 10, 50, 100 and 200 ms."""
_STEPS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
_WAITS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3_600.0, 21_600.0)
_SHARES: Final = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)

REQUESTS: Final = Histogram(
    "ragpp_request_seconds",
    "How long requests took until they were answered, by method, route as it is written, and status.",
    ["method", "route", "status"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
RECALLS: Final = Histogram(
    "ragpp_recall_seconds",
    "How long recalls took, by status: partial where a tier was late or down.",
    ["status"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
RECALL_TIERS: Final = Histogram(
    "ragpp_recall_tier_seconds",
    "How long each tier took to answer a recall, by what became of it: ok, timeout, unavailable, error, skipped.",
    ["tier", "status"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
RECALL_STEPS: Final = Histogram(
    "ragpp_recall_step_seconds",
    "How long the steps of a recall took: embed (the question), tiers (until the last has answered or is given up), "
    "fuse, pack.",
    ["step"],
    buckets=_STEPS,
    registry=REGISTRY,
)
RECALL_HITS: Final = Counter(
    "ragpp_recall_hits", "Memories that each tier found for recalls.", ["tier"], registry=REGISTRY
)
RECALL_EMPTY: Final = Counter(
    "ragpp_recall_empty", "Recalls for which a tier that answered found nothing.", ["tier"], registry=REGISTRY
)
RELEVANCE: Final = Counter(
    "ragpp_recall_relevance",
    "Recalls by whether anything that was found is about the question: none, some, clear; unknown where that cannot be "
    "told.",
    ["relevance"],
    registry=REGISTRY,
)
BUDGET_USED: Final = Histogram(
    "ragpp_context_used_share",
    "Which share of its budget of tokens a context took.",
    buckets=_SHARES,
    registry=REGISTRY,
)
SECTION_TOKENS: Final = Counter(
    "ragpp_context_section_tokens", "Tokens of contexts, by the section they are in.", ["section"], registry=REGISTRY
)
CACHES: Final = Counter(
    "ragpp_cache_lookups",
    "Look-ups of what a process keeps for a while, by cache and outcome, hit or miss: keys (API keys), candidates "
    "(memories for an agent's message), names (their vectors), scales (of similarities), tokens (of short texts), "
    "questions (their words), stems.",
    ["cache", "outcome"],
    registry=REGISTRY,
)
MESSAGES: Final = Counter(
    "ragpp_messages",
    "Messages that were to be remembered, by what became of them: stored, duplicate, forgotten.",
    ["outcome"],
    registry=REGISTRY,
)
WORK: Final = Counter(
    "ragpp_work",
    "Work that was taken from the ledger, by stage and outcome: done; postponed, for something was down; failed, which "
    "is tried again or given up.",
    ["stage", "outcome"],
    registry=REGISTRY,
)
WORKING: Final = Histogram(
    "ragpp_work_seconds",
    "How long a batch of one user's work took, by stage.",
    ["stage"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
DIGESTION: Final = Histogram(
    "ragpp_digestion_seconds",
    "How long after it was stored a message was digested, so that what it says is known.",
    buckets=_WAITS,
    registry=REGISTRY,
)
LEARNED: Final = Counter(
    "ragpp_learned",
    "What messages taught, by kind: entity, relationship, preference, finding.",
    ["kind"],
    registry=REGISTRY,
)
RETENTION: Final = Counter(
    "ragpp_retention",
    "What the operator's policies did, by tier and outcome: let_go, compressed.",
    ["tier", "outcome"],
    registry=REGISTRY,
)
LEDGER: Final = Gauge(
    "ragpp_ledger_works",
    "Work in the ledger that is not done, of all tenants, by stage and state: pending, leased, failed. Every worker "
    "tells the same.",
    ["stage", "state"],
    registry=REGISTRY,
)
OLDEST: Final = Gauge(
    "ragpp_ledger_oldest_seconds",
    "How long the oldest work of a stage that is not done has been waiting; no series where none does.",
    ["stage"],
    registry=REGISTRY,
)
BEAT: Final = Gauge(
    "ragpp_worker_beat_timestamp_seconds",
    "When a worker last looked for work, in seconds since 1970; 0 in what is no worker.",
    registry=REGISTRY,
)
TIER_UP: Final = Gauge(
    "ragpp_tier_up",
    "Whether each tier could work when the gateway asked it last, every 15 s: 1 or 0.",
    ["tier"],
    registry=REGISTRY,
)
TIER_PING: Final = Gauge(
    "ragpp_tier_ping_seconds",
    "How long that question took.",
    ["tier"],
    registry=REGISTRY,
)
CONNECTIONS: Final = Gauge(
    "ragpp_pool_connections",
    "Connections of this process to a store, by whose they are and state: in_use, idle. Neo4j's driver does not tell.",
    ["part", "state"],
    registry=REGISTRY,
)
CONNECTIONS_LIMIT: Final = Gauge(
    "ragpp_pool_limit",
    "The most connections that there may be; who wants one more waits.",
    ["part"],
    registry=REGISTRY,
)
HELD: Final = Gauge(
    "ragpp_held",
    "About how much is held, of all tenants: rows of each table, entities and relationships of the graph, keys of "
    "Redis. Looked at once a minute by every process that has the store open.",
    ["part", "kind"],
    registry=REGISTRY,
)
HELD_BYTES: Final = Gauge(
    "ragpp_held_bytes",
    "How many bytes that takes, indexes included: on disk in PostgreSQL, in memory in Redis. Neo4j does not tell.",
    ["part"],
    registry=REGISTRY,
)
HELD_LIMIT: Final = Gauge(
    "ragpp_held_limit_bytes",
    "How many it may take where the store has a limit, at which Redis refuses to store more.",
    ["part"],
    registry=REGISTRY,
)
MODEL_CALLS: Final = Counter(
    "ragpp_language_model_calls",
    "Calls of language models, by purpose and outcome: ok, unavailable, rate_limited, malformed, refused, "
    "budget_spent, cancelled.",
    ["purpose", "outcome"],
    registry=REGISTRY,
)
MODEL_TOKENS: Final = Counter(
    "ragpp_language_model_tokens",
    "Tokens spent on language models, by purpose and direction: input, output; unsplit where a call that failed told "
    "only their sum.",
    ["purpose", "direction"],
    registry=REGISTRY,
)
MODEL_SECONDS: Final = Histogram(
    "ragpp_language_model_seconds",
    "How long calls of language models took, waiting for their turn included.",
    ["purpose"],
    buckets=_SECONDS,
    registry=REGISTRY,
)
