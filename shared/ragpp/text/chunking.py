"""Cutting a long text into pieces that an embedding model reads whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TOKENS: Final = 254
"""all-MiniLM-L6-v2 reads 256 tokens, two of which frame the text."""

CHUNK_TOKENS: Final = 224
"""Content tokens of an interaction's chunk: with the speaker's name before it, its line stays within MAX_TOKENS."""

LEAST_MAX_TOKENS: Final = 16
"""Below it a single character, which may be four tokens, would be a sizeable part of a chunk."""

PARAGRAPH: Final = re.compile(r"\n[^\S\n]*\n")
SENTENCE_END: Final = re.compile(r"[.!?…][\"'’”»)\]]*\Z")
FULL_WIDTH_SENTENCE_END: Final = re.compile(r"[。！？｡]['\"”’」』）]*\Z")
CLOSING: Final = frozenset("'\"”’」』）。！？｡")
LOOK_BACK: Final = 4
"""Characters before a cut in which a sentence's end and the quotes and brackets that close it are looked for."""


class TokenSpans(Protocol):
    """What chunking asks of a tokenizer; `ragpp.text.tokens.TokenCounter` is one."""

    def count(self, text: str) -> int:
        """How many tokens `text` has."""
        ...

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """(start, end) of each token in characters; neither ever decreases."""
        ...


@dataclass(frozen=True, slots=True)
class Piece:
    """`text` is the source's [start:end), `tokens` its count, `ordinal` its place among the chunks from 0."""

    ordinal: int
    start: int
    end: int
    text: str
    tokens: int


class _Cut(IntEnum):
    """How good a place between two tokens is for a cut, worst first."""

    NEVER = 0
    INSIDE_WORD = 1
    WORD = 2
    LINE = 3
    SENTENCE = 4
    PARAGRAPH = 5


def chunk(text: str, counter: TokenSpans, max_tokens: int = MAX_TOKENS, overlap: int = 0) -> list[Piece]:
    """Cut `text` into chunks of at most `max_tokens` tokens, in order.

    A cut is made in the second half of the room that a chunk has, at the last end of a paragraph there; else of a
    sentence, a line, a word; inside a word only when it fills the room. White space stays with what precedes it.
    Each chunk begins where the previous one ends, or up to `overlap` tokens earlier, at the beginning of a word; the
    first begins at 0 and the last ends with the text, so nothing is left out. A text within the limit is one chunk
    equal to it; the empty text has none. Takes time proportional to the length of the text.
    Raises ValueError unless max_tokens ≥ 16 and 0 ≤ overlap ≤ max_tokens / 4; and what `counter` raises.
    """
    if max_tokens < LEAST_MAX_TOKENS or not 0 <= overlap <= max_tokens // 4:
        raise ValueError(f"max_tokens {max_tokens} must be at least 16, and overlap {overlap} at most a quarter of it")
    if not text:
        return []
    spans = counter.spans(text)
    if len(spans) <= max_tokens:
        return [Piece(0, 0, len(text), text, len(spans))]
    cuts = _rate_cuts(text, spans)
    chunks: list[Piece] = []
    first = covered = 0
    while covered < len(spans):
        start = spans[first][0] if first else 0
        limit = min(first + max_tokens, len(spans))
        while True:
            after = _best_cut(cuts, first, covered, limit)
            piece = text[start : spans[after][0] if after < len(spans) else len(text)]
            tokens = counter.count(piece)
            if tokens <= max_tokens or after <= covered + 1:
                break
            # The rest of a word that was cut may have more tokens than the word had there.
            limit = max(after - (tokens - max_tokens), covered + 1)
        chunks.append(Piece(len(chunks), start, start + len(piece), piece, tokens))
        first, covered = _overlapping(cuts, first, after, overlap), after
    return chunks


def _best_cut(cuts: Sequence[_Cut], first: int, covered: int, limit: int) -> int:
    """The token before which the chunk of the tokens from `first` on ends: after `covered`, at most `limit`."""
    if limit == len(cuts):
        return limit
    middle = max(covered, (first + limit) // 2)
    best = max(range(limit, middle, -1), key=cuts.__getitem__, default=limit)
    if cuts[best] >= _Cut.WORD:
        return best
    for place in range(middle, covered, -1):
        if cuts[place] >= _Cut.WORD:
            return place
    for place in range(limit, covered, -1):
        if cuts[place] > _Cut.NEVER:
            return place
    return next((place for place in range(limit, len(cuts)) if cuts[place] > _Cut.NEVER), len(cuts))


def _overlapping(cuts: Sequence[_Cut], first: int, after: int, overlap: int) -> int:
    """Where the chunk after the one that ends before `after` begins: at the best cut among the last `overlap`
    tokens, the earliest of equals, or at `after` when none is at a word."""
    best = max(range(max(first + 1, after - overlap), after), key=cuts.__getitem__, default=after)
    return best if best < after and cuts[best] >= _Cut.WORD else after


def _rate_cuts(text: str, spans: Sequence[tuple[int, int]]) -> list[_Cut]:
    """For each token, how good a cut before it is."""
    pairs = pairwise(spans)
    return [_Cut.NEVER, *(_rate(text, end, start) if start >= end else _Cut.NEVER for (_, end), (start, _) in pairs)]


def _rate(text: str, end: int, start: int) -> _Cut:
    """How good a cut is between tokens that leave [end:start) between them."""
    before, gap = text[max(0, end - LOOK_BACK) : end], text[end:start]
    if not gap:
        full_width = not before.isascii() and FULL_WIDTH_SENTENCE_END.search(before)
        return _Cut.SENTENCE if full_width and text[start] not in CLOSING else _Cut.INSIDE_WORD
    if "\n" in gap and PARAGRAPH.search(gap):
        return _Cut.PARAGRAPH
    if SENTENCE_END.search(before) or FULL_WIDTH_SENTENCE_END.search(before):
        return _Cut.SENTENCE
    if "\n" in gap:
        return _Cut.LINE
    return _Cut.WORD if any(map(str.isspace, gap)) else _Cut.INSIDE_WORD
