"""Two rankings of the same questions: how much better one is, and how sure that is."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

ROUNDS: Final = 10_000
AT_ONCE: Final = 500
"""Rounds whose draws are in memory together."""

Scores: TypeAlias = dict[str, dict[str, list[float]]]
"""By data set and metric, one for each question, in the order in which they are asked."""


@dataclass(frozen=True)
class Difference:
    """After - before: the mean over the questions, and the middle 95 % of what it is when they are drawn again."""

    mean: float
    low: float
    high: float


def paired_bootstrap(before: Sequence[float], after: Sequence[float], *, seed: int = 7) -> Difference:
    """The difference of two rankings on the same questions, which are drawn ROUNDS times with replacement.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, the percentile interval. ValueError when the
    two are not of the same length, or empty.
    """
    differences = np.asarray(after, np.float64) - np.asarray(before, np.float64)
    if not differences.size:
        raise ValueError("there is no question to compare")
    chance = np.random.default_rng(seed)
    means = np.concatenate(
        [
            differences[chance.integers(0, differences.size, (AT_ONCE, differences.size))].mean(axis=1)
            for _ in range(ROUNDS // AT_ONCE)
        ]
    )
    low, high = np.quantile(means, (0.025, 0.975))
    return Difference(float(differences.mean()), float(low), float(high))


def save(scores: Mapping[str, Mapping[str, Sequence[float]]], file: Path) -> None:
    """Write them for a later `load`."""
    file.write_text(json.dumps(scores), encoding="utf-8")


def load(file: Path) -> Scores:
    """The scores that `save` wrote."""
    read: Scores = json.loads(file.read_text(encoding="utf-8"))
    return read


def comparison(before: Scores, after: Scores) -> list[str]:
    """A line for each set and metric: both means, and the difference with its interval, in points; or that it was not
    asked the same questions before."""
    lines = []
    for title, metrics in after.items():
        for metric, values in metrics.items():
            known = before.get(title, {}).get(metric, [])
            if not values and not known:
                continue
            if len(known) != len(values):
                lines.append(f"{title:40s}{metric:9s}not compared: {len(known)} questions before, {len(values)} now")
                continue
            found = paired_bootstrap(known, values)
            sides = 100 * float(np.mean(known)), 100 * float(np.mean(values))
            lines.append(
                f"{title:40s}{metric:9s}{sides[0]:7.1f} → {sides[1]:5.1f}   "
                f"{100 * found.mean:+5.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"
            )
    return lines
