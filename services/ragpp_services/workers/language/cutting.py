"""Cutting: the stretches of a message that are judged by themselves. Pure."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from ragpp.text.indirect import asks_indirectly
from ragpp.text.sentences import Sentence, clean, split
from ragpp.text.spans import Span

MOST: Final = 200
"""Stretches of one message; what a longer one says behind them teaches nothing."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_ASKING: Final = re.compile(
    r"\s*(?:[,;–—]|\s-)\s+(?=(?:(?:so|and|but|any ideas?|idk|pls|please)\s+)?(?:what|which|where|when|why|who|how|any|"
    r"can|could|will|would|should|shall|is|are|do|does|did|got)\b)",
    re.IGNORECASE,
)
"""Before a question that follows what is told in the same sentence: "I'm celiac, where can I eat in Rome?"."""

_GOES_ON: Final = re.compile(r"[,;:–—]|\s(?:but|so|and|because|cause|cos)\s", re.IGNORECASE)
"""Behind an indirect question, where something may be told: "not sure why, but I moved to Berlin"."""


def cut(text: str) -> dict[Span, bool]:
    """The sentences of `text` in order, the first MOST of them, none without a word, and whether each asks. What one
    tells before it asks is a stretch of its own. What is quoted stays in the sentence that quotes it; what is a
    quotation alone, code or an address is none."""
    stretches = (stretch for sentence in split(clean(text, titles=True)) for stretch in _told_and_asked(text, sentence))
    return dict(islice((one for one in stretches if _WORD.search(text, one[0].start, one[0].end)), MOST))


def _told_and_asked(text: str, sentence: Sentence) -> Iterator[tuple[Span, bool]]:
    asks = sentence.asks or sentence.text.endswith("?")
    asking = _ASKING.search(text, sentence.start, sentence.end) if asks else None
    if asking is None:
        only_asks = asks_indirectly(sentence.text) and _GOES_ON.search(sentence.text) is None
        yield Span(sentence.start, sentence.end), sentence.asks or only_asks
        return
    yield Span(sentence.start, asking.start()), False
    yield Span(asking.end(), sentence.end), True
