"""The time that a question is after: how things are, or how they were. Pure; English."""

import re
from typing import Final

_OF_THE_PAST: Final = re.compile(
    r"\b(?:did|was|were|had|originally|initially|previous(?:ly)?|used to|at first|ago)\b", re.IGNORECASE
)
_OF_SEVERAL: Final = re.compile(
    r"\b(?:between|passed|elapsed|until|since|order|sequence|compar\w*|differen\w*|summar\w*)\b", re.IGNORECASE
)


def asks_beyond_the_present(question: str) -> bool:
    """True where it asks of the past, or compares moments."""
    return _OF_THE_PAST.search(question) is not None or _OF_SEVERAL.search(question) is not None
