"""The first steps against what a health report finds, in either shape of the stack."""

from collections.abc import Mapping
from typing import Final

from ragpp.models import TierName

STORES: Final[Mapping[TierName, str]] = {
    "short_term": "Redis",
    "episodic": "PostgreSQL",
    "semantic": "Neo4j",
    "procedural": "PostgreSQL",
    "catalog": "PostgreSQL",
}
_SERVERS: Final[Mapping[str, tuple[str, str]]] = {
    "Redis": ("valkey", "redis"),
    "PostgreSQL": ("postgres", "postgres"),
    "Neo4j": ("neo4j", "neo4j"),
}
"""The names of a store's server: that for `ragpp logs`, and that in docker-compose.yml."""
FIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "slow": (
        "See what else the machine does; the first questions after a start are slower, so try again.",
        "The figures of all requests are at /metrics (docs/metrics.md).",
    ),
    "observe": (
        "See whether a worker runs: `ragpp status`, or `docker compose ps worker`; start one: `ragpp up`, or "
        "`docker compose up --wait worker`.",
        "See what it says: `ragpp logs workers`, or `docker compose logs worker`; what failed: "
        "`ragpp jobs --state failed`.",
    ),
    "schema": (
        "Bring the schemas up to date: `ragpp up` does, or `docker compose up --wait`, whose `provision` does.",
        "See that every service runs from the same version: `docker compose up --build --wait`.",
    ),
    "clock": ("Set the clocks of all machines by NTP: leases, expiry and the order of messages rest on them.",),
    "disk": ("Make room on the disk, or give the folder a larger one, before the stores can write no more.",),
    "memory": ("Give the store more memory (Redis: `maxmemory`), or let conversations end sooner: SHORT_TERM_TTL_S.",),
    "versions": ("Start all services from one version: `ragpp restart`, or `docker compose up --build --wait`.",),
    "sweep": ("Nothing to do now: the next report sweeps away what this one left.",),
}
_WORKERS: Final = frozenset({"observe", "extract", "forgotten by workers"})


def fix_of(name: str, tier: TierName | None) -> tuple[str, ...]:
    """The first steps to take where the check `name` of `tier` failed."""
    if name in _WORKERS:
        return FIXES["observe"]
    if name in FIXES:
        return FIXES[name]
    return () if tier is None else of_store(tier)


def of_store(tier: TierName) -> tuple[str, ...]:
    """How to get at the store of a tier that does not answer."""
    store = STORES[tier]
    server, container = _SERVERS[store]
    return (
        "Start what does not run: `ragpp up`, or `docker compose up --wait`.",
        f"See what {store} says: `ragpp logs {server}`, or `docker compose logs {container}`; there the tier"
        " itself has a log, too.",
    )
