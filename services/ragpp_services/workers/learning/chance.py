"""Tests of a regularity: is it more than chance? Pure."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

SIGNIFICANCE: Final = 0.05
"""Largest probability that chance alone would show a regularity somewhere, all places looked at counted."""
WAKING_HOURS: Final = 16
"""Chance is taken to spread what somebody does over the hours that they are awake, not over all 24: stricter."""
WIDEST_H: Final = 3
"""A regular time of day is a window of at most so many hours."""


class Regular(NamedTuple):
    """`hits` of `days` days lie in the window; `chance` is the corrected probability of as many or more by chance.
    `start`: the first hour (0 to 23) or the weekday (0 Monday). `width`: hours, or 1 for a weekday."""

    start: int
    width: int
    hits: int
    days: int
    chance: float


def tail(n: int, k: int, p: float) -> float:
    """Probability of at least `k` hits in `n` independent trials of probability `p` each; 1 for k ≤ 0."""
    p = min(max(p, 0.0), 1.0)
    return min(1.0, sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(max(k, 0), n + 1)))


def regular_hour(hours: Sequence[Collection[int]]) -> Regular | None:
    """The window of hours into which most days' occurrences fall, the narrowest of those that surprise most, or None.

    `hours`: of each day, the hours (0 to 23) at which it was done; a day is a hit when one of them is in the window,
    so a day with many occurrences has a greater chance to be one. Binomial test of the hits against hours drawn evenly
    from the waking ones, with Bonferroni's correction for the windows looked at.
    """
    days = len(hours)
    if not days:
        return None
    per_day = sum(len(set(of_day)) for of_day in hours) / days
    best: Regular | None = None
    for width in range(1, WIDEST_H + 1):
        p = 1 - (1 - width / WAKING_HOURS) ** per_day
        for start in range(24):
            window = {(start + offset) % 24 for offset in range(width)}
            hits = sum(any(hour in window for hour in of_day) for of_day in hours)
            chance = min(1.0, tail(days, hits, p) * 24 * WIDEST_H)
            if chance < SIGNIFICANCE and (best is None or chance < best.chance):
                best = Regular(start, width, hits, days, chance)
    return best


def regular_weekday(weekdays: Sequence[int]) -> Regular | None:
    """The weekday on which most of the days fall (0 Monday), or None; binomial test against one in seven, with
    Bonferroni's correction for the seven."""
    if not weekdays:
        return None
    weekday, hits = min(Counter(weekdays).items(), key=lambda item: (-item[1], item[0]))
    chance = min(1.0, 7 * tail(len(weekdays), hits, 1 / 7))
    return Regular(weekday, 1, hits, len(weekdays), chance) if chance < SIGNIFICANCE else None


def follows(after: int, sessions_of_first: int, sessions_of_second: int, sessions: int, pairs: int) -> float:
    """Probability that a second thing comes after a first in at least `after` of the `sessions_of_first` sessions by
    chance, corrected for the number of `pairs` looked at: it is in as many sessions as it is, and before the first as
    often as after."""
    if sessions_of_first == 0 or sessions == 0:
        return 1.0
    p = 0.5 * min(1.0, sessions_of_second / sessions)
    return min(1.0, max(pairs, 1) * tail(sessions_of_first, after, p))
