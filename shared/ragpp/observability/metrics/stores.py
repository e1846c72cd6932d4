"""Counts of what this depends on: the stores, and language models."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from ragpp.observability.metrics import listed
from ragpp.observability.metrics.switch import counted


@dataclass(frozen=True, slots=True)
class Held:
    """The amount that a store holds of a part, of all tenants. `counts` by kind; `size`, `limit`: in bytes, None where
    the store does not tell or has none."""

    counts: Mapping[str, int] = field(default_factory=dict)
    size: int | None = None
    limit: int | None = None


OUTCOMES: Final = ("ok", "unavailable", "rate_limited", "malformed", "refused", "budget_spent", "cancelled")


@cache
def _begin(purpose: str) -> None:
    """All outcomes begin at 0, so that the first of each is seen as a growth."""
    for outcome in OUTCOMES:
        listed.MODEL_CALLS.labels(purpose, outcome)


@counted
def tier_pinged(tier: str, *, ok: bool, seconds: float) -> None:
    """A tier was asked whether it can work."""
    listed.TIER_UP.labels(tier).set(ok)
    listed.TIER_PING.labels(tier).set(seconds)


@counted
def held_seen(part: str, held: Held) -> None:
    """So much is held of a part."""
    for kind, count in held.counts.items():
        listed.HELD.labels(part, kind).set(count)
    if held.size is not None:
        listed.HELD_BYTES.labels(part).set(held.size)
    if held.limit is not None:
        listed.HELD_LIMIT.labels(part).set(held.limit)


@counted
def language_model_called(
    purpose: str, outcome: str, seconds: float, *, input_tokens: int = 0, output_tokens: int = 0, unsplit: int = 0
) -> None:
    """A language model was called, or would have been. `unsplit`: tokens of which nobody knows the direction."""
    _begin(purpose)
    listed.MODEL_CALLS.labels(purpose, outcome).inc()
    listed.MODEL_SECONDS.labels(purpose).observe(seconds)
    for direction, tokens in (("input", input_tokens), ("output", output_tokens), ("unsplit", unsplit)):
        if tokens:
            listed.MODEL_TOKENS.labels(purpose, direction).inc(tokens)
