"""Statements that say of themselves that something is otherwise than it was, or was said to be. English."""

import re
from typing import Final

from ragpp.text.english import ANY_WEEKDAY
from ragpp.text.lexical import terms

_CORRECTS: Final = re.compile(
    r"\b(?:"
    + "|".join(
        (
            r"instead|no longer|any ?more|from now on|until further notice|correction|actually|after all|turns? out",
            r"I meant|no,? wait|wait,? no|my mistake",
            r"scrap (?:that|it)|t(?:ake|ook|aking)s? over|reschedul\w+|postpon\w+|schedule change",
            r"switch(?:ed|ing)? (?:to|from|over)|moved (?:it|to|the|from|up|back)|changed (?:it|to|from|my|the|our)",
            r"put (?:me|us|it) (?:up|down|on|back)",
            r"not (?:(?:at|in|on|with|to|the|an?|my|our) )?[\w'-]+,? but|(?:but )?not (?:at|in|on|with)",
            r"(?:is|are) now|now (?:it's|on|at|in|we|i)|(?:we|i) now",
            r"(?:'s|'m|'re|is|am|are) (?:on|at|in|with|down to|up to) [\w ]{1,30}now",
        )
    )
    + r")\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:not|no longer|isn't|aren't|instead of|rather than)"
    r" (?:(?:any ?more|at|in|on|with|to|for|by|from|the|an?|my|our) ){0,2}"
    rf"(?P<what>(?-i:[A-Z])[\w'-]+|\d[\d:.]*|{ANY_WEEKDAY}s?\b|[\w'-]+(?=(?: any ?more)?,? but\b))",
    re.IGNORECASE,
)
"""What a statement says it is not: a name, a number, a day, or anything before a "but"."""


def is_a_correction(text: str) -> bool:
    """Whether `text` says that something is otherwise."""
    return _CORRECTS.search(text) is not None


def denied(text: str) -> frozenset[int]:
    """The terms of what `text` says it is not: "not on Fridays any more but on Tuesdays" denies Friday."""
    return frozenset(term for match in _DENIED.finditer(text) for term in terms(match["what"]))
