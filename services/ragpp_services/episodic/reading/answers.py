"""Kinds of answer: a question after a time is answered by a text that has one."""

import re
from enum import IntFlag
from typing import Final

from ragpp.text.english import ANY_MONTH, ANY_WEEKDAY


class Kind(IntFlag):
    """The kinds of answer that a text holds, or a question is after."""

    TIME = 1
    NUMBER = 2
    NAME = 4
    PLACE = 8


ALL: Final = Kind.TIME | Kind.NUMBER | Kind.NAME | Kind.PLACE

_UNCERTAIN: Final = r"(?:ma(?:y|r|rch)|sat|sun)"
"""Months and days that are words as well: they count with a capital, or beside what makes them a date."""
_TIMES: Final = (
    rf"(?!{_UNCERTAIN}\b)(?:{ANY_MONTH}|{ANY_WEEKDAY}s?)",
    rf"(?-i:May|March|Sat|Sun)|(?:in|on|next|last|\d) {_UNCERTAIN}|{_UNCERTAIN} \d",
    r"yesterday|today|tonight|tomorrow|last|next|ago|morning|evening|noon|midnight|since|until",
    r"(?:minute|hour|day|week(?:end)?|month|year)s?",
    r"\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.]\d\d|\d{1,2} ?[ap]m|(?:19|20)\d\d",
)
_DETERMINER: Final = r"(?:the|an?|my|our|his|her|their)"
_HOLDS: Final = {
    Kind.TIME: re.compile(rf"\b(?:{'|'.join(_TIMES)})\b", re.IGNORECASE),
    Kind.NUMBER: re.compile(
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|twice|once|hundred|thousand|couple)\b",
        re.IGNORECASE,
    ),
    Kind.NAME: re.compile(
        r"(?<=[a-zé,;:] )(?!I\b|I')[A-ZÀ-Ý][\w'-]+|(?<=['’\"(])[A-Z]\w+|^(?:\W*)(?:Dr|Mr|Mrs|Ms|Prof)\b"
    ),
    Kind.PLACE: re.compile(
        rf"\b(?:in|at|on|behind|under|next to|near|inside|above|below|with|to|from) (?:{_DETERMINER} \w|[A-ZÀ-Ý])"
        r"|\b(?:in|at|behind|under|near) \w",
    ),
}
_ASKED: Final = {
    Kind.TIME: re.compile(
        r"\b(?:when|what time|which day|what day|what date|how long|how often|since when)\b", re.IGNORECASE
    ),
    Kind.NUMBER: re.compile(
        r"\b(?:how (?:many|much|old|big|tall|far|heavy|high)|what (?:size|number|temperature|price|percentage)|"
        r"which (?:port|number|size)|what (?:shoe )?size|cost|owe)\b",
        re.IGNORECASE,
    ),
    Kind.NAME: re.compile(
        r"\b(?:who|whom|whose|which (?:company|doctor|person|vet|teacher)|called|the name of|named|what(?:'s| is| was) "
        r"(?:\w+ ){1,3}name)\b",
        re.IGNORECASE,
    ),
    Kind.PLACE: re.compile(
        r"\b(?:where|which (?:city|town|country|place)|what (?:city|town|country|place))\b", re.IGNORECASE
    ),
}


def kinds_in(text: str, among: Kind = ALL) -> Kind:
    """The kinds of answer that `text` holds of those `among`; a name is a capital within a sentence."""
    return _of(_HOLDS, text, among)


def kinds_asked(question: str) -> Kind:
    """The kinds of answer that `question` is after; none for "what" and "why"."""
    return _of(_ASKED, question, ALL)


def _of(patterns: dict[Kind, re.Pattern[str]], text: str, among: Kind) -> Kind:
    found = Kind(0)
    for kind, pattern in patterns.items():
        if kind & among and pattern.search(text):
            found |= kind
    return found
