"""What the rest asks of a tokenizer; `ragpp.text.tokens.TokenCounter` is one. Special tokens are left out."""

from collections.abc import Sequence
from typing import Protocol


class TokenSpans(Protocol):
    """Tells where a text's tokens stand."""

    def count(self, text: str) -> int:
        """How many tokens `text` has."""
        ...

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """(start, end) of each token in characters; neither ever decreases."""
        ...


class TokenMeter(Protocol):
    """Measures a text, and cuts it to a measure."""

    def count(self, text: str) -> int:
        """How many tokens `text` has."""
        ...

    def truncate(self, text: str, max_tokens: int) -> str:
        """The longest prefix of `text` of at most `max_tokens` tokens."""
        ...
