"""The part of a message that says something that was learned from it, short enough to be read at a glance."""

from typing import Final

from ragpp.text.lexical import words
from ragpp.text.sentences import clean, split

QUOTE_CHARS: Final = 300


def part_about(content: str, text: str) -> str:
    """The sentence of `content` with most words of `text`, and what surrounds it, in one line of at most QUOTE_CHARS
    characters; an ellipsis stands for what is left out."""
    asked = set(words(text))
    spans = [(sentence.start, sentence.end) for sentence in split(clean(content))] or [(0, len(content))]
    start, end = max(spans, key=lambda span: len(asked & set(words(content[slice(*span)]))))
    start = max(0, start - max(0, QUOTE_CHARS - (end - start)) // 2)
    end = min(len(content), start + QUOTE_CHARS)
    cut = " ".join(content[start:end].split())
    return f"{'…' if start else ''}{cut[: QUOTE_CHARS - 2]}{'…' if end < len(content) else ''}"
