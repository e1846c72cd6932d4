"""Indirect questions: what somebody does not know, or wants to be told, in the shape of a statement. Pure; English.

"I don't know where I parked", "any idea who my dentist is" and "I'd like to know what I'm allergic to" hold no answer:
an interrogative clause behind words of not knowing, of asking or of wishing to know tells nothing of what it is about.
"""

import re
from typing import Final

_GREETING: Final = r"(?:and|but|so|or|also|then|hey|hi|hello|ok|okay|btw|oh|well|yo|sorry|quick question|hmm|ugh|man)"
_PLEASE: Final = r"(?:please|pls|plz|kindly)"
OPENING: Final = rf"\W*(?:(?:{_GREETING}|{_PLEASE}),?:? )*+"
"""Words before a clause that say nothing of it."""
WH: Final = r"(?:what|where|when|who|whom|whose|which|how|why|wat|wut|whats|wheres|whos|hows|whens)"
_SPEAKER: Final = r"(?:i|we)(?:'m|'re|'d| am| are| was| were| would)? (?:still |really |just |also )?"
_NOT: Final = r"(?:do not|don't|dont|can't|cannot|cant|no longer)"
_DOUBTS: Final = rf"(?:{_SPEAKER})?(?:{_NOT} (?:know|remember|recall)|wonder(?:ing)?)"
_ASKS: Final = (
    rf"(?:(?:{_SPEAKER})?(?:(?:like|love|want|need) to know|forgot|not sure)"
    r"|(?:(?:i|we) have )?(?:any|no) (?:ideas?|clue)(?: of| about)?"
    r"|(?:can|could|would|will) (?:you|u|someone|anyone) (?:please )?(?:tell|remind) (?:me|us)"
    r"|(?:do|does) (?:you|u|anyone|anybody|someone) (?:happen to )?(?:know|remember)|(?:remind|tell) (?:me|us))"
)
_SINCE: Final = r"(?: (?:again|anymore|any more))?"
_INDIRECT: Final = re.compile(
    rf"{OPENING}(?:{_DOUBTS}{_SINCE} (?:(?!how to\b){WH}|if|whether)|{_ASKS}{_SINCE} {WH}(?! to\b))\b", re.IGNORECASE
)
"""Who does not know whether something is so, or what to do, tells nothing of it; "I don't know how to swim" does."""


def asks_indirectly(clause: str) -> bool:
    """True where `clause` begins as an indirect question; "I know what I want" and "I remember when …" are none."""
    return _INDIRECT.match(clause) is not None
