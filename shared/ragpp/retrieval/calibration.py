"""Similarities that mean the same whichever model makes the vectors. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

FEWEST_PAIRS: Final = 45
"""The least number of random pairs, all those of ten items: with fewer, what is unrelated is not known."""
ANSWERED: Final = 0.89
"""Where, from what is unrelated to what is the same, the questions end that their own item answers: of the measured
model (0.90 - 0.10) / (1 - 0.10)."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A scale for cosines: `unrelated` is 0 on it, `answered` is 1, and what is beyond them is cut."""

    unrelated: float
    answered: float

    def __post_init__(self) -> None:
        if not -1 <= self.unrelated < self.answered <= 1:
            raise ValueError(f"{self.unrelated} to {self.answered} is no scale of cosines")

    def of(self, cosine: float | None) -> float:
        """A cosine on the scale, 0 to 1; None, of what has no vector, is 0."""
        if cosine is None:
            return 0.0
        return min(1.0, max(0.0, (cosine - self.unrelated) / (self.answered - self.unrelated)))

    @classmethod
    def of_model(cls, model: str) -> "Calibration | None":
        """The scale of an embedding model that was measured; None for another."""
        return _MEASURED.get(model)

    @classmethod
    def of_pairs(cls, cosines: Sequence[float]) -> "Calibration":
        """The scale of a model that nobody measured, by the cosines of random pairs of its own items: their mean is
        unrelated, and the rest of the way to 1 is scaled as it is of the measured one. With fewer than FEWEST_PAIRS the
        mean counts as 0."""
        unrelated = min(0.95, max(-0.95, fmean(cosines))) if len(cosines) >= FEWEST_PAIRS else 0.0
        return cls(unrelated, unrelated + ANSWERED * (1 - unrelated))


MINILM: Final = Calibration(0.10, 0.90)
"""Source: `benchmarks/data/catalog`, November 2026. The mean cosine is 0.101 of the 88,410 pairs of its 421 items, and
as much of its 50 development questions with all items; of each question with the item that answers it the median is
0.54, the largest 0.89."""
_MEASURED: Final = {"sentence-transformers/all-MiniLM-L6-v2": MINILM}
