"""How a window of tokens is shared out: what fits into a read, and what has to leave. Pure."""

from collections.abc import Sequence
from typing import Final

LEAST_SHARE: Final = 32
"""Tokens. Below it a cut message says nothing, so fewer messages are shown instead."""


def due(messages: int, tokens: int, *, max_tokens: int, keep: int) -> int:
    """How many of the oldest messages have to move into the summary: all but the last `keep` once the session, its
    summary included, has more than `max_tokens`; before that none."""
    return max(0, messages - keep) if tokens > max_tokens else 0


def allot(sizes: Sequence[int], budget: int, *, keep: int) -> list[int]:
    """Tokens for each of the latest messages, whose `sizes` come newest first; the rest are left out.

    The last `keep` share the budget evenly: a short one gets all that it needs, the long ones are cut to the same
    length. Where that is under 32 tokens, fewer share it. When all of them fit, older ones follow whole, up to the
    first that does not fit. The sum is at most `budget`; nothing gets 0.
    """
    if budget < 1 or not sizes:
        return []
    latest = list(sizes[:keep])
    while len(latest) > 1 and (level := _level(latest, budget)) < min(LEAST_SHARE, max(latest)):
        latest.pop()
    level = _level(latest, budget)
    shares = [min(size, level) for size in latest]
    left = budget - sum(shares)
    if len(latest) == min(keep, len(sizes)) and shares == latest:
        for size in sizes[keep:]:
            if size > left:
                break
            shares.append(size)
            left -= size
    return shares


def _level(sizes: Sequence[int], budget: int) -> int:
    """The largest length to which all may be cut so that they fit together."""
    left, waiting = budget, sorted(sizes)
    for position, size in enumerate(waiting):
        share = left // (len(waiting) - position)
        if size > share:
            return share
        left -= size
    return waiting[-1]
