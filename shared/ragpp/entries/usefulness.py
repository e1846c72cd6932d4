"""How useful a memory was for an answer, told by the answer's words."""

import math
import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.entries.describing import keywords_of
from ragpp.text.english import NUMBERS, TEENS, TENS
from ragpp.text.lexical import terms, words

CLOSENESS: Final = 3.1
SHARED: Final = 0.9
UNUSED: Final = 3.8
"""A logistic regression on the pairs of a memory and an answer in `benchmarks/data/agents`, learned by
`benchmarks/agents_lab.py` and rounded: what a cosine of 1 and a shared word count for use, and what counts against. Of
a used memory and an unused one that nobody tuned on, the used one is taken for more useful 69 times in 100 (83 of those
that were left out when it is learned)."""
MOST_SHARED: Final = 5
"""Words that count: that still more are shared tells of long texts, rather than of use."""
_DIGITS: Final = {word: str(number) for word, number in (NUMBERS | TEENS | TENS).items()}


def is_named(response: str, names: Sequence[str]) -> bool:
    """True where an answer names a memory by one of its names: its handle, or its id."""
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", response) for name in names)


def shared_terms(response: str, memory: str) -> int:
    """How many words of a memory that tell what it is about, and numbers, an answer has, in any form; a number may be
    spelt out in either, since who answers often writes it as it is spoken."""
    rare = keywords_of(_in_digits(memory), most=None)
    return len(set(terms(" ".join(rare))) & set(terms(_in_digits(response))))


def usefulness(closest: float, shared: int) -> float:
    """0 to 1: how likely it is that a memory was used which the answer does not name. `closest`: the cosine of the
    answer's closest sentence with it; `shared`: the words of it that the answer has, without one of which it was not
    used."""
    return 1 / (1 + math.exp(UNUSED - CLOSENESS * closest - SHARED * min(shared, MOST_SHARED))) if shared else 0.0


def closest_of(sentences: npt.NDArray[np.float32], memory: npt.NDArray[np.float32]) -> float:
    """The greatest cosine of the rows of `sentences`, unit length, with `memory`; 0 of none."""
    return float((sentences @ memory).max()) if len(sentences) else 0.0


def _in_digits(text: str) -> str:
    return " ".join(_DIGITS.get(word, word) for word in words(text))
