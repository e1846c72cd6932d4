"""Classifying: how likely each head is true of a clause, by MiniLM's own weights with what was learned added to them.

What was learned are matrices of a low rank, beside most weights of the upper layers, and a layer of heads behind the
mean of a clause's tokens in its message. They are a file beside this module, which `benchmarks/train_classifier.py`
makes of what judges are trained on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import structlog

from ragpp.embedding.checkpoint import LAYERS
from ragpp.embedding.graph_cache import Tuning
from ragpp.embedding.low_rank import LowRank, read_low
from ragpp.embedding.tuned import TunedMiniLM
from ragpp.errors import EmbeddingError
from ragpp.errors.summaries import safe_summary
from ragpp.text.spans import Span

WEIGHTS: Final = "classifier.npz"
Floats = npt.NDArray[np.float32]
_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Trained:
    """`low`: what is added to the network's weights; `heads`: (dimension, heads); `bias`: (heads,)."""

    low: LowRank
    heads: Floats
    bias: Floats

    @property
    def tuning(self) -> Tuning:
        """The tuning that makes the graph of it."""
        return Tuning(self.low.name, lambda: self.low.changes(LAYERS))


class Classifier:
    """Classifies clauses in their messages: all clauses of a message together, up to whose end it is read."""

    def __init__(self, cache_dir: Path, trained: Trained | None = None) -> None:
        """`cache_dir`: where the graph is kept; `trained`: other weights than those that are shipped."""
        self._trained = trained or load_trained()
        self._encoder = TunedMiniLM(cache_dir, self._trained.tuning)

    async def warm(self) -> None:
        """Load what the first call would load. Harmless to repeat. Raises EmbeddingError."""
        await self.scores("warm", [Span(0, 4)])

    async def scores(self, text: str, spans: Sequence[Span]) -> Floats:
        """(spans, heads): log-odds, of stretches of `text` in order. Raises EmbeddingError."""
        means = await self._encoder.encode_spans(text, spans)
        return np.asarray(means @ self._trained.heads + self._trained.bias, np.float32)


def read_trained(arrays: Mapping[str, npt.NDArray[np.float16]]) -> Trained:
    """The weights in `arrays`."""
    return Trained(read_low(arrays), arrays["heads"].astype(np.float32), arrays["bias"].astype(np.float32))


@cache
def load_trained() -> Trained:
    """The weights that are shipped: some 10 ms."""
    with files(__package__).joinpath(WEIGHTS).open("rb") as file, np.load(file) as kept:
        return read_trained(kept)


async def usable_classifier(cache_dir: Path) -> Classifier | None:
    """The classifier, loaded; None, with a line in the log, where MiniLM's files cannot be read."""
    classifier = Classifier(cache_dir)
    try:
        await classifier.warm()
    except EmbeddingError as error:
        _log.warning("classifier.left_out", error=safe_summary(error))
        return None
    return classifier
