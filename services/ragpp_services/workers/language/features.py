"""Features of a clause: its words, pairs of words and stretches of letters, hashed. Pure, the same in every process."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

WORDS: Final = 1 << 13
LETTERS: Final = 1 << 14
SIZE: Final = WORDS + LETTERS
"""Hashed features: those of words, behind them those of letters."""
_MOST_WORDS: Final = 120
_TOKEN: Final = re.compile(r"[\w']+|[?!…/:]")
_GRAMS: Final = (2, 3, 4)

Sparse = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]
"""Indexes below SIZE, each once and in order, and their values."""


def hashed(text: str) -> Sparse:
    """The features of `text`, whose words and whose letters have together a length of 1 or a little more each."""
    words = _TOKEN.findall(text.lower().replace("’", "'"))[:_MOST_WORDS]
    values: dict[int, float] = defaultdict(float)
    for found in (list(_of_words(words)), list(_of_letters(words))):
        for index in found:
            values[index] += len(found) ** -0.5
    order = sorted(values)
    return np.array(order, np.int64), np.array([values[index] for index in order], np.float32)


def _of_words(words: Sequence[str]) -> Iterator[int]:
    for word in words:
        yield crc32(f"w{word}".encode()) % WORDS
    for before, word in zip(("^", *words), (*words, "$"), strict=True):
        yield crc32(f"b{before} {word}".encode()) % WORDS


def _of_letters(words: Sequence[str]) -> Iterator[int]:
    for word in words:
        padded = f" {word} "
        for length in _GRAMS:
            for start in range(len(padded) - length + 1):
                yield WORDS + crc32(f"c{padded[start : start + length]}".encode()) % LETTERS
