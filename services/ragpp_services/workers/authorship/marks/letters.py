"""Letters within a message: from the salutation to the name below the sign-off. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from ragpp.text.spans import Span

_FLAGS: Final = re.IGNORECASE | re.MULTILINE
_SALUTATION: Final = re.compile(
    r"^[ \t]*(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|to whom it may concern|"
    r"greetings)\b[^\n.!?]{0,60}"
    r"[,:!]?[ \t]*$",
    _FLAGS,
)
_TO_NOBODY: Final = re.compile(
    r"(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening))(?: (?:there|again|assistant|bot|ai))?",
    re.IGNORECASE,
)
_SIGN_OFF: Final = re.compile(
    r"^[ \t]*(?:(?:with )?(?:best|kind|warm|many|all the|lots of)[ \t]\w+|(?:kind |best |warm )?regards|"
    r"sincerely|cheers|"
    r"yours(?: \w+)?|respectfully|love|thanks|thank you|take care)[,.!]?[ \t]*\n+[ \t]*[A-Z][^\n]{0,60}$",
    _FLAGS,
)
_LETTER: Final = re.compile(r"[^\W_]")


def letters(text: str) -> Iterator[Span]:
    """From a salutation to the name below the sign-off; without one, to the end. At the beginning of a message only
    with a sign-off, and where somebody is named: there it may be the assistant who is greeted."""
    ends = [match.end() for match in _SIGN_OFF.finditer(text)]
    begin = _LETTER.search(text)
    for match in _SALUTATION.finditer(text):
        place = bisect_right(ends, match.end())
        begins = begin is not None and begin.start() >= match.start()
        if begins and _TO_NOBODY.fullmatch(match.group().strip(" \t*,:!")):
            continue
        if place < len(ends):
            yield Span(match.start(), ends[place])
        elif not begins:
            yield Span(match.start(), len(text))
            return
