"""How useful a memory was for an answer, told by the answer's words."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.entries.describing import keywords_of
from ragpp.text.lexical import terms

NOT_USED: Final = 0.35
WELL_USED: Final = 0.75
"""Cosines of an answer's closest sentence with a memory: up to the one it was not used, from the other it was."""
RARE_CHARS: Final = 4
"""Letters of a word that few texts have: short words are frequent (Zipf)."""


def is_named(response: str, names: Sequence[str]) -> bool:
    """Whether an answer names a memory by one of its names: its handle, or its id."""
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", response) for name in names)


def shares_a_rare_term(response: str, memory: str) -> bool:
    """Whether both have a word that tells what the memory is about, or a number."""
    rare = [word for word in keywords_of(memory, most=None) if len(word) >= RARE_CHARS or any(map(str.isdigit, word))]
    return not set(terms(" ".join(rare))).isdisjoint(terms(response))


def usefulness(closest: float) -> float:
    """0 to 1, of the cosine of the memory with the answer's closest sentence: straight from NOT_USED to WELL_USED."""
    return float(np.clip((closest - NOT_USED) / (WELL_USED - NOT_USED), 0.0, 1.0))


def closest_of(sentences: npt.NDArray[np.float32], memory: npt.NDArray[np.float32]) -> float:
    """The greatest cosine of the rows of `sentences`, unit length, with `memory`; 0 of none."""
    return float((sentences @ memory).max()) if len(sentences) else 0.0
