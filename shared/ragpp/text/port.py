"""The protocols of tokenizers, special tokens left out: where a text's tokens stand, for the embedding model's
(`ragpp.text.tokens`), and how many they are, for those of the models that read (`ragpp.text.readers`)."""

from collections.abc import Sequence
from typing import Protocol

from ragpp.fields import TokenizerName


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
        """A prefix of `text` of at most `max_tokens` tokens, as long as a cut between its tokens can be; `text` itself
        when it has no more. Reads only as much of a long text as it needs. ValueError when `max_tokens` < 0."""
        ...


class ReaderMeter(TokenMeter, Protocol):
    """One of a model that reads."""

    @property
    def name(self) -> TokenizerName:
        """The name of its tokenizer."""
        ...


def tokens_within(text: str, most: int, counter: TokenMeter) -> int | None:
    """Tokens of `text`; None where it has more than `most`, of which no more is looked at than shows it."""
    if len(text) > most and len(counter.truncate(text, most)) < len(text):
        return None
    tokens = counter.count(text)
    return tokens if tokens <= most else None
