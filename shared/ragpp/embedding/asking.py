"""How people ask: what the second encoder learned of questions in chat register and of the messages that answer them.

The weights are a file beside this module, which `benchmarks/train_asking.py` makes of the labelled chats.
"""

from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.embedding.low_rank import LowRank, read_low

WEIGHTS: Final = "asking.npz"


@cache
def load_asking() -> LowRank:
    """The changes of the upper layers for questions, as they are shipped: some 10 ms."""
    with files(__package__).joinpath(WEIGHTS).open("rb") as file, np.load(file) as kept:
        return read_low(kept)


@cache
def load_passage() -> npt.NDArray[np.float32]:
    """(d,): the mean vector of messages."""
    with files(__package__).joinpath(WEIGHTS).open("rb") as file, np.load(file) as kept:
        return np.asarray(kept["passage"], np.float32)
