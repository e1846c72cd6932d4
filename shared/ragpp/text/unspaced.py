"""Writing without spaces between words: where words are in it.

ICU's dictionaries know Chinese, Japanese, Thai, Lao, Khmer and Burmese. Where a word ends hangs on what stands around
it, so a name may be cut in one text and whole in another. Chinese and Japanese are therefore stored by their
characters and pairs of characters, which hang on nothing, and only a question is cut into words, to know which of them
it asks for. The letters of the other scripts say nothing by themselves, so there both are cut.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

SPELLED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, as ranges of a pattern's class."""
_HAN: Final = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA: Final = "\u3040-\u30ff"

LETTERS: Final = SPELLED + _KANA + _HAN
"""These, kana and Chinese characters."""
UNSPACED: Final = re.compile(f"[{LETTERS}]+")
"""A run of such a script."""

_CHARACTER: Final = re.compile(f"[{_HAN}]")
_SPELLED_RUN: Final = re.compile(f"[{SPELLED}]+")
_ONE_KIND: Final = re.compile(f"(?P<spelled>[{SPELLED}]+)|(?P<characters>[^{SPELLED}]+)")
_UNMARKED: Final = re.compile(r"[^\W_]+")
_APART: Final = {"\u0e4d\u0e32": "\u0e33", "\u0ecd\u0eb2": "\u0eb3"}
"""A Thai and a Lao vowel that NFKC takes apart, as the dictionaries have them."""


def stored_in(run: str) -> Iterator[str]:
    """The terms, beside pairs of characters, that find a text with this run of UNSPACED in lower-case NFKC: each
    Chinese character, and each word that is spelled."""
    yield from _CHARACTER.findall(run)
    for spelled in _SPELLED_RUN.finditer(run):
        yield from filter(letters_in, segments(spelled.group()))


def asked_in(run: str, idle: frozenset[str]) -> Iterator[str]:
    """The terms a question asks for with such a run, none of the words `idle`: the words that are spelled; of a word in
    characters its pairs of them, and the Chinese one where there is one alone. Words of one character side by side
    have pairs as well, for many are parts of one name."""
    for match in _ONE_KIND.finditer(run):
        if match["spelled"]:
            yield from (word for word in segments(match["spelled"]) if word not in idle and letters_in(word))
        else:
            yield from _asked_of_characters(match["characters"], idle)


def _asked_of_characters(run: str, idle: frozenset[str]) -> Iterator[str]:
    side_by_side = ""
    for word in segments(run):
        parts = [] if word in idle else letters_in(word)
        if parts and len(characters := _CHARACTER.findall(word)) == 1:
            yield characters[0]
        if len(word) == 1 and parts:
            side_by_side += word
            continue
        for part in (side_by_side, *parts):
            yield from pairs(part)
        side_by_side = ""
    yield from pairs(side_by_side)


def letters_in(run: str) -> list[str]:
    """The parts of a run between marks, which many letters carry and pairs leave out."""
    return _UNMARKED.findall(run)


def segments(run: str) -> list[str]:
    """The words of a run of UNSPACED by ICU, in order; in time proportional to its length."""
    from icu4py.breakers import WordBreaker  # noqa: PLC0415 - 6 MB, for those who meet such a script

    for apart, whole in _APART.items():
        run = run.replace(apart, whole)
    return [run[start:end] for start, end in WordBreaker(run, "en").segments()]


def pairs(run: str) -> list[str]:
    """Each character with the next."""
    return [f"{one}{next_one}" for one, next_one in pairwise(run)]
