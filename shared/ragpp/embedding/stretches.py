"""Stretches of a text: the mean of their tokens' states, where the text is read as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ragpp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokenizers import Encoding, Tokenizer

    from ragpp.embedding.lanes import TokenIds
    from ragpp.embedding.port import FloatMatrix

MAX_TOKENS: Final = 256
"""Tokens that are read at once, the two special ones and what stands in front included."""
_MOST_CHARACTERS: Final = 16 * MAX_TOKENS
"""Characters of a stretch that are looked at for the tokens of one run."""
_MOST_BEFORE: Final = 64
"""Characters before the first span that are read with it, such as who speaks."""


def means(
    tokenizer: Tokenizer, states: Callable[[TokenIds], FloatMatrix], text: str, spans: Sequence[Span], prefix: str = ""
) -> Iterator[FloatMatrix]:
    """For each of `spans`, stretches of `text` in order, the mean of its tokens' states, (dimension,). `states`: those
    of the tokens of one run; `prefix`: what stands in front of a text that is read.

    A text that is longer than is read at once is read in pieces, cut between spans; of a span that is longer still its
    beginning counts.
    """
    for window in _windows(tokenizer, text, spans, prefix):
        shift, read = len(prefix) - _begin(window[0]), _framed(tokenizer, text, window[0], window[-1], prefix)
        found = states(read.ids[:MAX_TOKENS])
        offsets = np.array(read.offsets[:MAX_TOKENS])
        for span in window:
            inside = (offsets[:, 0] < span.end + shift) & (offsets[:, 1] > span.start + shift)
            yield (found[inside] if inside.any() else found).mean(axis=0)


def _windows(tokenizer: Tokenizer, text: str, spans: Sequence[Span], prefix: str) -> Iterator[list[Span]]:
    """The spans in groups that can be read at once, with what is between them."""
    window = list[Span]()
    for span in spans:
        if window and len(_framed(tokenizer, text, window[0], span, prefix).ids) > MAX_TOKENS:
            yield window
            window = []
        window.append(span)
    if window:
        yield window


def _framed(tokenizer: Tokenizer, text: str, first: Span, last: Span, prefix: str) -> Encoding:
    """From the first to the last of these, as they are read."""
    return tokenizer.encode(prefix + text[_begin(first) : last.end][:_MOST_CHARACTERS])


def _begin(first: Span) -> int:
    """Where reading begins for a first span: with the text, unless much of it stands before."""
    return first.start if first.start > _MOST_BEFORE else 0
