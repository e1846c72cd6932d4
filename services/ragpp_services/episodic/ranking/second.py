"""Meaning by the second encoder, on the scale of the first one's, so that either can stand for the other."""

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.embedding.asking import load_passage
from ragpp.ranking.arrays import FloatArray
from ragpp_services.episodic.ranking.table import CandidateTable

UNRELATED_FIRST: Final = 0.10
STEEPER: Final = 4.0
"""The cosine of what is unrelated by MiniLM, and how many times as far apart MiniLM's are than those of e5-small-v2.
Means and deviations over the questions and messages of the development conversations."""
Vector = npt.NDArray[np.float32]


def on_first_scale(cosines: FloatArray, question: Vector) -> FloatArray:
    """Cosines of messages with `question`, (d,) at length 1, as those of the first encoder; NaN stays. Unrelated to a
    question is what a message is on the average."""
    return np.asarray(UNRELATED_FIRST + STEEPER * (cosines - float(question @ load_passage())), np.float64)


def with_second(table: CandidateTable) -> CandidateTable:
    """`table` where a row that has no `second` yet, as what was just said, has what the first encoder says in its
    place. Without `second` where no row has one."""
    if table.second is None:
        return table
    there = np.isfinite(table.second) & np.isfinite(table.cosines)
    return replace(table, second=np.where(there, table.second, table.cosines) if there.any() else None)
