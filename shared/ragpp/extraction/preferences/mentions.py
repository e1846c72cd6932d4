"""The types that the readers of preferences share, and what each gives: one mention, or none."""

import re
from collections.abc import Callable, Iterator

from ragpp.extraction.port import Polarity, PreferenceMention

Reader = Callable[[re.Match[str]], Iterator[PreferenceMention]]
Readers = tuple[tuple[re.Pattern[str], Reader], ...]
"""Patterns and what reads their matches."""


def mention(
    category: str, key: str, value: str, confidence: float, polarity: Polarity = "positive"
) -> Iterator[PreferenceMention]:
    """One preference, or none without a key or a value."""
    if key and value:
        yield PreferenceMention(category, key, value, confidence, polarity)
