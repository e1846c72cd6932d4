"""The cost of a text's characters: embedding reads word pieces, of which most texts have far fewer than characters, and
some have as many."""

import re
from typing import Final

PIECE: Final = 3
"""The cost of a character that may be a word piece by itself, or several, as a Hangul syllable is. A message of as many
of them as any may have is then within what a request may have by default, and two are not."""
_IN_WORDS: Final = re.compile(r"[A-Za-z0-9\s\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u036f\u1e00-\u1eff]+")
"""Latin letters, their accents, digits and white space: a piece has several of them."""


def cost_of(text: str) -> int:
    """Each Latin letter, digit and white space counts 1, any other character PIECE: signs, emoji, Chinese characters,
    letters that the embedding model knows one by one. In time proportional to the length, some 20 ms for a million."""
    return len(text) + (PIECE - 1) * len(_IN_WORDS.sub("", text))
