"""Meaning by the second encoder: a question moved to where its answers are, and cosines on the scale of the first
one's, so that either can stand for the other.

A linear adapter of the question's vector q, q + bias + matrix (q - mean question), learned of questions and of the
messages that answer them in `benchmarks/data/labelled` (`benchmarks/train_adapter.py`): what is stored stays as it is.
"""

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.ranking.arrays import FloatArray
from ragpp_services.episodic.ranking.table import CandidateTable

UNRELATED_FIRST: Final = 0.10
STEEPER: Final = 4.0
"""The cosine of what is unrelated by MiniLM, and how many times as far apart MiniLM's are than those of e5-small-v2.
Means and deviations over the questions and messages of the development conversations."""
WEIGHTS: Final = "adapter.npz"
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Adapter:
    """`question` and `passage`: the mean vectors of questions and of messages, (d,); `bias`: (d,); `matrix`: (d, d)."""

    question: Vector
    passage: Vector
    bias: Vector
    matrix: Vector

    def adapt(self, question: Vector) -> Vector:
        """(d,): where the answers of `question`, (d,) at length 1, are; not of length 1."""
        return np.asarray(question + self.bias + self.matrix @ (question - self.question), np.float32)

    def on_first_scale(self, cosines: FloatArray, adapted: Vector) -> FloatArray:
        """Cosines of messages with a question that was `adapted`, as those of the first encoder; NaN stays."""
        length, unrelated = float(np.linalg.norm(adapted)), float(adapted @ self.passage)
        return np.asarray(UNRELATED_FIRST + STEEPER * (length * cosines - unrelated), np.float64)


@cache
def load_adapter() -> Adapter:
    """The weights that are shipped: some 2 ms."""
    with files(__package__).joinpath(WEIGHTS).open("rb") as file, np.load(file) as kept:
        return Adapter(**{name: kept[name].astype(np.float32) for name in kept.files})


def with_second(table: CandidateTable) -> CandidateTable:
    """`table` where a row that has no `second` yet, as what was just said, has what the first encoder says in its
    place. Without `second` where no row has one."""
    if table.second is None:
        return table
    there = np.isfinite(table.second) & np.isfinite(table.cosines)
    return replace(table, second=np.where(there, table.second, table.cosines) if there.any() else None)
