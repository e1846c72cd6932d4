"""Cutting: the stretches of a message that are judged by themselves. Pure."""

import re
from typing import Final

from ragpp.text.sentences import clean, split
from ragpp.text.spans import Span

MOST: Final = 200
"""Stretches of one message; what a longer one says behind them teaches nothing."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def cut(text: str) -> dict[Span, bool]:
    """The sentences of `text` in order, the first MOST of them, none without a word, and whether each asks. What is
    quoted stays in the sentence that quotes it; what is a quotation alone, code or an address is none."""
    found = dict[Span, bool]()
    for sentence in split(clean(text, titles=True)):
        if _WORD.search(text, sentence.start, sentence.end):
            found[Span(sentence.start, sentence.end)] = sentence.asks
            if len(found) == MOST:
                break
    return found
