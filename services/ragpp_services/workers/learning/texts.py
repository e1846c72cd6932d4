"""Which words of a text say what it is about. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from ragpp.text.english import CHAT_WORDS, STOP_WORDS
from ragpp.text.lexical import terms, words

EMPTY_WORDS: Final = STOP_WORDS | CHAT_WORDS
"""Words that name no subject. What is learned is known by its other words, so a word that comes in or goes gives what
it is part of another id."""

_CLAUSE: Final = re.compile(r"[.!?…;:,\n()\[\]\"“”]+|\s[-–—]\s")


def content_stems(text: str) -> frozenset[int]:
    """The stems of the words of `text` that carry content."""
    return frozenset(terms(" ".join(word for word in words(text) if word not in EMPTY_WORDS)))


def stem(word: str) -> int:
    """The stem of one word."""
    found = terms(word)
    return found[0] if found else -1


def phrases(text: str) -> list[tuple[str, ...]]:
    """The words and the pairs of adjacent words of `text` that could name a subject, each once, in order: letters, at
    least three of them and nothing else, no empty word at either place; a pair does not cross punctuation."""
    found: dict[tuple[str, ...], None] = {}
    for clause in _CLAUSE.split(text):
        before: str | None = None
        for word in words(clause):
            clean = word.removesuffix("'s")
            good = len(clean) > 2 and clean not in EMPTY_WORDS and clean.isalpha()
            if good:
                found[clean,] = None
                if before is not None:
                    found[before, clean] = None
                before = clean
            else:
                before = None
    return list(found)


def label_of(
    texts: Sequence[str], typical: str, *, share: float = 0.6, most: int = 3, leave: Iterable[str] = ()
) -> str:
    """The label that `texts` have in common, in the words and order of the `typical` one: those of its content words
    that at least `share` of the texts have; the empty text where there are none."""
    wanted = Counter(one for text in texts for one in content_stems(text))
    left = {stem(word) for word in leave}
    label: list[str] = []
    for word in words(typical):
        one = stem(word)
        common = wanted[one] >= share * len(texts) and one not in left and word not in EMPTY_WORDS
        if common and len(word) > 1 and word not in label:
            label.append(word.removesuffix("'s"))
    return " ".join(label[:most])
