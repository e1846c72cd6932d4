"""Metrics that are read when somebody asks for them: pools and caches tell theirs themselves, at no cost till then."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from prometheus_client import Counter, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.exposition import generate_latest
from prometheus_client.samples import Sample

from ragpp.observability.metrics import listed
from ragpp.observability.metrics.asking import CacheName, cache_asked
from ragpp.observability.metrics.switch import REGISTRY


class PoolState(NamedTuple):
    """Connections of one pool, and the most that it makes."""

    in_use: int
    idle: int
    limit: int


CacheInfo: TypeAlias = tuple[int, int, int | None, int]
"""The counters of `functools.lru_cache`: hits, misses, most entries, entries."""


@dataclass(eq=False)
class _Cache:
    name: CacheName
    info: Callable[[], CacheInfo]
    hits: int = 0
    misses: int = 0
    watchers: int = 0


@dataclass(eq=False, frozen=True)
class _Pool:
    part: str
    state: Callable[[], PoolState]


_POOLS: Final[list[_Pool]] = []
_CACHES: Final[list[_Cache]] = []


def watch_pool(part: str, state: Callable[[], PoolState]) -> Callable[[], None]:
    """Tell of a pool from now on, until what is returned is called; several of one part are told as their sum."""
    pool = _Pool(part, state)
    _POOLS.append(pool)
    return lambda: _POOLS.remove(pool)


def watch_cache(name: CacheName, info: Callable[[], CacheInfo]) -> Callable[[], None]:
    """Tell of a cache from now on, until what is returned is called; what was looked up before does not count. One that
    several watch is told of once: those of words are the process's, whoever has them open."""
    watched = next((one for one in _CACHES if one.info is info), None)
    if watched is None:
        hits, misses, *_ = info()
        watched = _Cache(name, info, hits, misses)
        _CACHES.append(watched)
    watched.watchers += 1
    return lambda: _leave(watched)


def _leave(watched: "_Cache") -> None:
    watched.watchers -= 1
    if not watched.watchers:
        _CACHES.remove(watched)


def exposition() -> bytes:
    """All metrics in Prometheus' text format, with what its client tells of every Python process."""
    with listed.TELLING:
        _tell_of_process()
        _read_pools()
        _read_caches()
        return generate_latest(REGISTRY)


def _read_pools() -> None:
    states: dict[str, PoolState] = {}
    for pool in tuple(_POOLS):
        known, now = states.get(pool.part, PoolState(0, 0, 0)), pool.state()
        states[pool.part] = PoolState(*map(sum, zip(known, now, strict=True)))
    listed.CONNECTIONS.clear()
    listed.CONNECTIONS_LIMIT.clear()
    for part, state in states.items():
        listed.CONNECTIONS.labels(part, "in_use").set(state.in_use)
        listed.CONNECTIONS.labels(part, "idle").set(state.idle)
        listed.CONNECTIONS_LIMIT.labels(part).set(state.limit)


def _read_caches() -> None:
    for one in tuple(_CACHES):
        hits, misses, *_ = one.info()
        cache_asked(one.name, hits=max(0, hits - one.hits), misses=max(0, misses - one.misses))
        one.hits, one.misses = hits, misses


class TierCounts(NamedTuple):
    """Recalls that asked a tier, how many of them it answered, and how many within so many seconds, by the bound."""

    asked: int
    answered: int
    within: Mapping[float, int]


def tier_counts(tier: str) -> TierCounts:
    """The counts of a tier so far; where a recall left it out, it was not asked."""
    asked = answered = 0
    within: dict[float, int] = {}
    for sample in _samples(listed.RECALL_TIERS):
        status = sample.labels["status"]
        if sample.labels["tier"] != tier or status == "skipped":
            continue
        if sample.name.endswith("_count"):
            asked += int(sample.value)
            answered += int(sample.value) if status == "ok" else 0
        elif sample.name.endswith("_bucket") and status == "ok":
            within[float(sample.labels["le"])] = int(sample.value)
    return TierCounts(asked, answered, dict(sorted(within.items())))


def cache_counts() -> dict[str, tuple[int, int]]:
    """Look-ups of each cache so far: hits, misses."""
    with listed.TELLING:
        _read_caches()
    counted: dict[str, dict[str, int]] = {}
    for sample in _samples(listed.CACHES):
        if sample.name.endswith("_total"):
            counted.setdefault(sample.labels["cache"], {})[sample.labels["outcome"]] = int(sample.value)
    return {name: (uses["hit"], uses["miss"]) for name, uses in counted.items()}


def _samples(metric: Counter | Histogram) -> Iterator[Sample]:
    return (sample for family in metric.collect() for sample in family.samples)


@cache
def _tell_of_process() -> None:
    """They read the system's files when they are made."""
    ProcessCollector(registry=REGISTRY)
    PlatformCollector(registry=REGISTRY)
