"""One spelling of a text, to compare it by: compatibility forms unified, in lower case."""

import re
import unicodedata
from typing import Final

MOST_GROWTH: Final = 4
"""How many times its length a text may have when it is folded."""
_SPREADING: Final = re.compile("[\u3300-\u33ff\ufdfa\ufdfb]")
"""Whole words and phrases in one character: up to 18 characters come of it, and of no other more than MOST_GROWTH."""


def folded(text: str) -> str:
    """`text` with compatibility forms unified, in lower case: at most MOST_GROWTH times as long. Of a text of which
    more would come, what is a word or a phrase in one character is left out: nobody writes so, and reading it would
    take longer than any text of that length."""
    line = unicodedata.normalize("NFKC", text).lower()
    if len(line) > MOST_GROWTH * len(text):
        return unicodedata.normalize("NFKC", _SPREADING.sub(" ", text)).lower()
    return line
