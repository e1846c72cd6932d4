"""Counting text in the embedding model's own tokens, and cutting it between them."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from tokenizers import Regex, Tokenizer
from tokenizers.pre_tokenizers import BertPreTokenizer, Split
from tokenizers.pre_tokenizers import Sequence as Steps

from ragpp.embedding.checkpoint import Checkpoint, installed_checkpoint
from ragpp.embedding.port import require_unicode
from ragpp.text.unspaced import SPELLED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LONGEST_PIECE: Final = 100
"""Characters. WordPiece gives up on a longer word and calls it one unknown token (`max_input_chars_per_word` in
`tokenizer.json`); longer words are cut into pieces of it, so that no text is cheaper than it looks."""

SPELLED_PIECE: Final = 4
"""Characters. The model knows few letters of Thai, Lao, Khmer and Burmese, and a phrase without spaces would be one
unknown token: what it says would be far too long for a chunk, and for a budget of any language model's."""

UNSETTLED_TOKENS: Final = LONGEST_PIECE + 28
"""How many tokens before a cut may differ from those of the whole text: one piece, and the start of a special token."""

Span = tuple[int, int]


SHORT_CHARS: Final = 32
SHORT_TEXTS: Final = 16_384
"""As many texts of at most so many characters are remembered with their count: dates, names and brackets of lines."""


class TokenCounter:
    """Counts tokens as all-MiniLM-L6-v2 reads them, without the two special ones that frame a text.

    Making one does no work; the tokenizer (20 MB) is loaded by `warm` or by the first call. Safe to share between
    threads. Counting takes about 2 µs a token; a text of 100,000 characters takes 0.05 to 1 s, so keep long texts
    off an event loop.

    Raises, from any method: InvalidInput for a text with lone surrogates; EmbeddingError when the tokenizer's file
    is missing or not the published one.
    """

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        """`checkpoint`: where the tokenizer's file is; the installed model package's when not given."""
        self._checkpoint = checkpoint
        self._count_short = lru_cache(SHORT_TEXTS)(lambda text: len(self._encode(text)))

    @property
    def cache_info(self) -> Callable[[], tuple[int, int, int | None, int]]:
        """The function for how often a short text's count was known already, and how often not: first and second."""
        return self._count_short.cache_info

    def warm(self) -> None:
        """Load the tokenizer; harmless to repeat."""
        _ = self._tokenizer

    def count(self, text: str) -> int:
        """How many tokens `text` has; 0 for one of white space and control characters alone."""
        return self._count_short(text) if len(text) <= SHORT_CHARS else len(self._encode(text))

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """`count` of each, in order."""
        return [self.count(text) for text in texts]

    def spans(self, text: str) -> list[Span]:
        """Where each token stands in `text`, as (start, end) in characters, in order of the text.

        Starts and ends never decrease. The parts of a character that decomposes, such as a Hangul syllable, share
        its span. Between spans lies white space and what the tokenizer ignores.
        """
        require_unicode(text)
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def truncate(self, text: str, max_tokens: int) -> str:
        """The longest prefix of `text` that ends with a token and has at most `max_tokens` of them; `text` itself
        when it has no more. Reads only as much of a long text as it needs. ValueError when `max_tokens` < 0."""
        if max_tokens < 0:
            raise ValueError(f"max_tokens is {max_tokens}, and must not be negative")
        window = 8 * (max_tokens + UNSETTLED_TOKENS)
        spans = self.spans(text[:window])
        while window < len(text) and len(spans) < max_tokens + UNSETTLED_TOKENS:
            window *= 2
            spans = self.spans(text[:window])
        if len(spans) <= max_tokens:
            return text
        return text[: cut_before(spans, max_tokens)]

    def _encode(self, text: str) -> list[int]:
        require_unicode(text)
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = load_tokenizer(self._checkpoint)
        pieces = Split(Regex(f"[{SPELLED}]{{1,{SPELLED_PIECE}}}|[^{SPELLED}]{{1,{LONGEST_PIECE}}}"), "isolated")
        tokenizer.pre_tokenizer = Steps([BertPreTokenizer(), pieces])
        return tokenizer


def load_tokenizer(checkpoint: Checkpoint | None = None) -> Tokenizer:
    """The model's tokenizer with truncation and padding off: the file sets both to 128. Raises EmbeddingError."""
    tokenizer = Tokenizer.from_file(str((checkpoint or installed_checkpoint()).tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def cut_before(spans: list[Span], index: int) -> int:
    """The character that ends a prefix of at most `index` tokens: the end of the token before `spans[index]`, or
    of an earlier one when the two share a character. 0 when there is none."""
    while index > 0 and spans[index - 1][1] > spans[index][0]:
        index -= 1
    return spans[index - 1][1] if index > 0 else 0
