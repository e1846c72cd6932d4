"""First lines of paragraphs that stand above the rest of them as headings, without marks. Pure, in linear time."""

import re
from collections.abc import Sequence
from typing import Final

LONGEST: Final = 120
"""Characters of a line that may stand above others as their heading."""
SHORT_LINE: Final = 60
"""Characters up to which a line of any text has room for a further word; of one whose lines are longer, up to these."""
_SENTENCE: Final = re.compile(r"[.!?…。！？｡][\"'’”»)\]]*(?:\s|$)")
_GOES_ON: Final = (".", "!", ";", ",", ":", "-")


def heads(first: str, rest: Sequence[str]) -> bool:
    """True where `first` is the heading of the lines `rest` that follow it in its paragraph: it ends in no full stop,
    the line had room for the word that begins the next, and what follows are sentences. Its own grammar says nothing,
    for what is wrong is asked about in a statement as well."""
    line = first.strip()
    if not rest or not 0 < len(line) <= LONGEST or line.endswith(_GOES_ON):
        return False
    word = rest[0].split(maxsplit=1)[:1]
    if not word or next(filter(str.isalpha, word[0]), "").islower():
        return False
    room = max(SHORT_LINE, *(len(one.rstrip()) for one in rest))
    return len(line) + 1 + len(word[0]) <= room and any(_SENTENCE.search(one) for one in rest)
