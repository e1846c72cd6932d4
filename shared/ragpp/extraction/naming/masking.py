"""A sentence whose names are single marks, so that a pattern can say "somebody lives in some place".

A mark is one private-use character that carries the number of the referent, padded to the length of what it hides:
an offset in the masked text is the offset in the sentence. `sentences.clean` keeps the private-use area free.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.extraction.naming.words import Name
from ragpp.text.sentences import Sentence

_FIRST: Final = 0xE000
_PAD: Final = "\uf8ff"
MAX_REFERENTS: Final = 4096

ENTITY: Final = "[\ue000-\uefff]\uf8ff*+"
"""The pattern of one mark."""


_MARK: Final = re.compile("[\ue000-\uefff]")


@dataclass(slots=True)
class Reading:
    """One sentence while it is being read: `masked` has the length of `sentence.text`; mark k is `referents[k]`."""

    sentence: Sentence
    masked: str
    referents: list[Name]

    @classmethod
    def of(cls, sentence: Sentence, names: Sequence[Name]) -> "Reading":
        """`names` lie inside `sentence`, without overlap."""
        reading = cls(sentence, sentence.text, [])
        for name in names[:MAX_REFERENTS]:
            reading.hide(name.start - sentence.start, name.end - sentence.start, reading.add(name))
        return reading

    def add(self, name: Name) -> int:
        self.referents.append(name)
        return len(self.referents) - 1

    def hide(self, start: int, end: int, referent: int) -> None:
        """Mark what stands at `start` to `end` as one mention of the referent."""
        mark = chr(_FIRST + referent) + _PAD * (end - start - 1)
        self.masked = self.masked[:start] + mark + self.masked[end:]

    def mark_at(self, at: int) -> int | None:
        """Which referent is mentioned at that place of the text; None where none is, or past its end."""
        if at >= len(self.masked):
            return None
        while at and self.masked[at] == _PAD:
            at -= 1
        return number(self.masked[at]) if is_mark(self.masked[at]) else None

    def referent(self, mark: str) -> Name:
        """Who or what a mark stands for."""
        return self.referents[number(mark)]


def number(mark: str) -> int:
    """Which referent a mark stands for."""
    return ord(mark[0]) - _FIRST


def marks(text: str) -> list[str]:
    """The first characters of the marks in a masked text, in order."""
    return _MARK.findall(text)


def is_mark(character: str) -> bool:
    """True where a character of a masked text starts a mark."""
    return _FIRST <= ord(character) < _FIRST + MAX_REFERENTS
