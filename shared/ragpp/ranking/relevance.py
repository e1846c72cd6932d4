"""One scale for what ranks texts: a relevance that can be compared, kept apart from the units it was added up in."""

from typing import Final

import numpy as np

from ragpp.ranking.arrays import FloatArray

MIDDLE: Final = 0.9
SPREAD: Final = 0.3
"""The logistic that makes a relevance of a score: a good answer scores 1.0 to 1.6, one beside the point 0.2."""
_LEAST: Final = 1e-12


def relevance(raw: FloatArray) -> FloatArray:
    """Scores in (0, 1), in the order of `raw`, which is in units of cosine."""
    return np.asarray(1 / (1 + np.exp(np.clip((MIDDLE - raw) / SPREAD, -30, 30))), np.float64)


def raw_of(score: float) -> float:
    """The units of cosine of which `relevance` made `score`."""
    odds = np.clip(score, _LEAST, 1 - _LEAST)
    return float(MIDDLE + SPREAD * np.log(odds / (1 - odds)))
