"""The names that a text has, in scripts that inflect names, join something to them or have no spaces around them."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from ragpp.text.affixes import ARABIC, HANGUL, arabic_spellings, korean_forms
from ragpp.text.folding import folded
from ragpp.text.lexical import stem, words
from ragpp.text.unspaced import UNSPACED, segments

_OTHER: Final = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_WORD: Final = re.compile(r"[^\W_]+")
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
_CASES: Final = (
    "ами", "ями", "ого", "его", "ому", "ему", "ой", "ей", "ою", "ею", "ью", "ом", "ем", "ам", "ям", "ах", "ях", "ых",
    "ов", "ев", "а", "я", "у", "ю", "е", "ы", "и", "о", "й", "ь", "і", "ї",
)  # fmt: skip
"""Endings of nouns and surnames. Snowball's stems are too short for names: Анна and Аня would be one."""
LONGEST_NAME: Final = 4
"""Words of a name that is looked for in a run without spaces."""


def is_of_other_script(name: str) -> bool:
    """True where a name has letters that are not Latin."""
    return not name.isascii() and _OTHER.search(name) is not None


class Said:
    """A text, and the forms of its words as far as a name asks for them."""

    def __init__(self, text: str) -> None:
        self._text = text

    def names(self, name: str) -> bool:
        """True where the text has `name`, which `is_of_other_script`: as it is in a script without spaces; else as a
        word, or several side by side, with what is joined to them, in any case. Never one without letter or digit.
        """
        if UNSPACED.search(name):
            return folded(name) in self._line
        wanted = [_as_a_name(word) for word in words(name)]
        if not wanted:
            return False
        starts = range(len(self._forms) - len(wanted) + 1)
        return any(all(word in self._forms[start + place] for place, word in enumerate(wanted)) for start in starts)

    @cached_property
    def _line(self) -> str:
        return folded(self._text)

    @cached_property
    def _forms(self) -> list[frozenset[str]]:
        return [_as_said(word) for word in words(self._text)]


def names_in(text: str) -> Iterator[str]:
    """The possible names in `text` beside its words as they stand: words side by side of a run without spaces, words
    without what Korean or Arabic joins to them."""
    if text.isascii():
        return
    line = folded(text)
    for run in UNSPACED.finditer(line):
        cut = segments(run.group())
        for length in range(1, LONGEST_NAME + 1):
            yield from ("".join(cut[start : start + length]) for start in range(len(cut) - length + 1))
    for word in _WORD.findall(line):
        if HANGUL.search(word):
            yield from korean_forms(word)
        elif ARABIC.search(word):
            yield from arabic_spellings(word)


def _as_a_name(word: str) -> str:
    if HANGUL.search(word):
        return word
    if _CYRILLIC.search(word):
        plain = word.replace("ё", "е")
        return plain[:-1] if len(plain) > 2 and plain[-1] in "аяоеийыьії" else plain
    return arabic_spellings(word)[0] if ARABIC.search(word) and arabic_spellings(word) else stem(word)


def _as_said(word: str) -> frozenset[str]:
    if HANGUL.search(word):
        return frozenset({word, *korean_forms(word)})
    if _CYRILLIC.search(word):
        plain = word.replace("ё", "е")
        return frozenset({plain, *(plain.removesuffix(ending) for ending in _CASES if len(plain) > len(ending) + 1)})
    return frozenset(arabic_spellings(word)) if ARABIC.search(word) else frozenset({stem(word)})
