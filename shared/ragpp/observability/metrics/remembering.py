"""Counts of remembering: messages, the work that they make, what it taught, and what was let go."""

from collections.abc import Mapping
from functools import cache
from typing import Literal

from ragpp.observability.metrics import listed
from ragpp.observability.metrics.switch import counted


@counted
def messages_kept(*, stored: int, duplicates: int, forgotten: int) -> None:
    """Messages were acknowledged."""
    for outcome, count in (("stored", stored), ("duplicate", duplicates), ("forgotten", forgotten)):
        listed.MESSAGES.labels(outcome).inc(count)


@cache
def _begin(stage: str) -> None:
    """All outcomes begin at 0, so that the first of each is seen as a growth."""
    for outcome in ("done", "postponed", "failed"):
        listed.WORK.labels(stage, outcome)


@counted
def work_ended(stage: str, outcome: str, works: int = 1) -> None:
    """Work of a stage is done, postponed, or failed."""
    _begin(stage)
    listed.WORK.labels(stage, outcome).inc(works)


@counted
def batch_worked(stage: str, seconds: float) -> None:
    """A batch of one user's work was done."""
    listed.WORKING.labels(stage).observe(seconds)


@counted
def digested(seconds: float) -> None:
    """A message was digested so long after it was stored."""
    listed.DIGESTION.observe(max(0.0, seconds))


@counted
def learned(kind: str, count: int) -> None:
    """Messages taught so many of a kind."""
    listed.LEARNED.labels(kind).inc(count)


@counted
def retained(tier: str, outcome: Literal["let_go", "compressed", "vectors_dropped"], count: int) -> None:
    """A policy let so many of a tier go, or had so many compressed, or left without vectors."""
    listed.RETENTION.labels(tier, outcome).inc(count)


@counted
def ledger_seen(works: Mapping[tuple[str, str], int], oldest_s: Mapping[str, float]) -> None:
    """Set the ledger's counts: `works` by stage and state, and how long the oldest of each stage has been waiting."""
    with listed.TELLING:
        listed.LEDGER.clear()
        for (stage, state), count in works.items():
            listed.LEDGER.labels(stage, state).set(count)
        listed.OLDEST.clear()
        for stage, seconds in oldest_s.items():
            listed.OLDEST.labels(stage).set(max(0.0, seconds))


@counted
def worker_beat(moment_s: float) -> None:
    """A worker looked for work at that moment, in seconds since 1970."""
    listed.BEAT.set(moment_s)
