"""Indirect questions: what somebody does not know, or wants to be told, in the shape of a statement. Pure; English.

"I don't know where I parked", "any idea who my dentist is" and "I'd like to know what I'm allergic to" hold no answer:
an interrogative clause behind a word of knowing or asking tells nothing of what it is about.
"""

import re
from typing import Final

GREETING: Final = r"(?:and|but|so|or|also|then|hey|hi|hello|ok|okay|btw|oh|well|yo|sorry|quick question)"
PLEASE: Final = r"(?:please|pls|plz|kindly)"
OPENING: Final = rf"\W*(?:(?:{GREETING}|{PLEASE}),?:? )*+"
"""Words before a clause that say nothing of it."""
WH: Final = r"(?:what|where|when|who|whom|whose|which|how|why|wat|wut|whats|wheres|whos|hows|whens)"
_KNOWING: Final = (
    r"(?:know|knows|wonder|wondering|curious|ideas?|clue|sure|certain|forget|forgot|forgotten|recall|remind|tell|"
    r"remember(?! when\b)|find out|figure out)"
)
_INDIRECT: Final = re.compile(
    rf"(?:{OPENING}|(?:hmm|ugh|man),? )(?:[\w']+ ){{0,5}}?{_KNOWING}(?: (?:me|us))?(?: (?:again|anymore))?"
    rf"(?: of| about)? (?:{WH}(?! to\b)|(?<=wonder )(?:if|whether)|(?<=wondering )(?:if|whether))\b",
    re.IGNORECASE,
)


def asks_indirectly(clause: str) -> bool:
    """True where `clause` begins as an indirect question; "I know how to swim" is none, nor is "I remember when …"."""
    return _INDIRECT.match(clause) is not None
