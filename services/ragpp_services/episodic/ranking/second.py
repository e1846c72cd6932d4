"""Meaning by the second encoder: on the scale of the first one's cosines, so that either can stand for the other."""

from dataclasses import replace
from typing import Final

import numpy as np

from ragpp.ranking.arrays import FloatArray
from ragpp_services.episodic.ranking.table import CandidateTable

UNRELATED: Final = 0.71
UNRELATED_FIRST: Final = 0.10
STEEPER: Final = 4.0
"""The cosine of what is unrelated by e5-small-v2 and by MiniLM, and how many times as far apart MiniLM's are: 0.80 of
the one is 0.46 of the other. Means and deviations over the questions and messages of the development conversations."""


def on_first_scale(second: FloatArray) -> FloatArray:
    """Cosines of the second encoder as those of the first; NaN stays."""
    return np.asarray(UNRELATED_FIRST + STEEPER * (second - UNRELATED), np.float64)


def with_second(table: CandidateTable) -> CandidateTable:
    """`table` with `second` on the first encoder's scale; a row that has none yet, as what was just said, has what the
    first says in its place. Without `second` where no row has one."""
    if table.second is None:
        return table
    there = np.isfinite(table.second) & np.isfinite(table.cosines)
    second = np.where(there, on_first_scale(table.second), table.cosines) if there.any() else None
    return replace(table, second=second)
