"""How sure an answer is that was found by words and meaning. Pure."""

from collections.abc import Sequence
from statistics import pstdev
from typing import Final

from ragpp.catalog import MemoryItem

ESCALATION_THRESHOLD: Final = 0.6
"""Below which confidence a hybrid retrieval asks a language model (document 002 §2.4)."""
VARIANCE_THRESHOLD: Final = 0.15
"""From which standard deviation of the similarities on an answer is less sure (document 002 §2.4)."""
SCORED: Final = 5
"""How many of the first are looked at, however many were asked for: confidence is of the question, not of `k`."""
GAP: Final = 0.2
"""The most that the distance to the next one adds."""


class ConfidenceScorer:
    """Scores the confidence of what was found, of 0 to 1."""

    def __init__(self, variance_threshold: float = VARIANCE_THRESHOLD) -> None:
        """`variance_threshold`: a standard deviation, 0 to 1. Raises ValueError for another."""
        if not 0 <= variance_threshold <= 1:
            raise ValueError(f"variance_threshold: {variance_threshold} is not between 0 and 1")
        self.variance_threshold = variance_threshold

    def score(self, results: Sequence[tuple[MemoryItem, float]], query: str) -> float:
        """The score of `results`, best first, each with its similarity from 0 to 1 (`RetrievalResult.similarities`):

            top + min(gap, 0.2) - max(0, deviation - variance_threshold), within 0 to 1

        where `gap` is what the first is more similar than the next is, below 0 where it is less and words alone put it
        first, and `deviation` the standard deviation of the first five. Nothing found is 0. One alone has no gap.
        `query` does not count: whether it asks for reasoning is `asks_for_reasoning`'s to say.

        Source: document 002 §2.5 for the three factors; the sum is this project's.
        """
        del query
        return self.of_similarities([similarity for _, similarity in results])

    def of_similarities(self, similarities: Sequence[float]) -> float:
        """The same of the similarities alone."""
        first = list(similarities[:SCORED])
        if not first:
            return 0.0
        gap = min(first[0] - first[1], GAP) if len(first) > 1 else 0.0
        return min(1.0, max(0.0, first[0] + gap - self.excess(first)))

    def excess(self, similarities: Sequence[float]) -> float:
        """The deviation of the first ones beyond `variance_threshold`, at least 0."""
        return max(0.0, pstdev(similarities[:SCORED]) - self.variance_threshold) if similarities else 0.0
