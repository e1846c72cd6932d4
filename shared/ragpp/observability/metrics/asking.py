"""Counts of being asked: requests, recalls and their steps, contexts, caches."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from time import perf_counter
from typing import Final, Literal

from ragpp.observability.metrics import listed
from ragpp.observability.metrics.switch import counted

Step = Literal["embed", "tiers", "fuse", "pack"]
CacheName = Literal["keys", "candidates", "names", "scales", "tokens", "questions", "stems"]
NO_ROUTE: Final = "none"
"""The route of a request that none answers: its address is the caller's text."""


@counted
def request_answered(method: str, route: str | None, status: int, seconds: float) -> None:
    """`route`: as it is written, None where none answered."""
    listed.REQUESTS.labels(method, route or NO_ROUTE, str(status)).observe(seconds)


@cache
def _begin() -> None:
    """Both statuses begin at 0, so that the first of each is seen as a growth."""
    for status in ("complete", "partial"):
        listed.RECALLS.labels(status)


@counted
def recalled(status: str, relevance: str, seconds: float, *, tokens: int, budget: int) -> None:
    """A recall was answered with a context of `tokens` of the `budget`."""
    _begin()
    listed.RECALLS.labels(status).observe(seconds)
    listed.RELEVANCE.labels(relevance).inc()
    if budget > 0:
        listed.BUDGET_USED.observe(tokens / budget)


@counted
def tier_asked(tier: str, status: str, seconds: float, hits: int) -> None:
    """A tier was asked for a recall."""
    listed.RECALL_TIERS.labels(tier, status).observe(seconds)
    if status == "ok":
        listed.RECALL_HITS.labels(tier).inc(hits)
        listed.RECALL_EMPTY.labels(tier).inc(hits == 0)


@counted
def step_taken(step: Step, seconds: float) -> None:
    """A step of a recall took so long."""
    listed.RECALL_STEPS.labels(step).observe(seconds)


@contextmanager
def step(name: Step) -> Iterator[None]:
    """Count what is done inside as that step of a recall, also where it fails."""
    began = perf_counter()
    try:
        yield
    finally:
        step_taken(name, perf_counter() - began)


@counted
def section_packed(section: str, tokens: int) -> None:
    """A context has a section of so many tokens; `section`: its title, of which there is a fixed number."""
    listed.SECTION_TOKENS.labels(section).inc(tokens)


@counted
def cache_asked(cache: CacheName, *, hits: int = 0, misses: int = 0) -> None:
    """So many look-ups found what they wanted, and so many did not."""
    listed.CACHES.labels(cache, "hit").inc(hits)
    listed.CACHES.labels(cache, "miss").inc(misses)
