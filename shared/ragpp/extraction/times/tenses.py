"""The tense of a sentence, of what was or of what is to come, from its verbs; a heuristic of this project."""

import re
from typing import Final, Literal

from ragpp.text.english import word_set

Tense = Literal["past", "future", "unknown"]

_FUTURE: Final = (
    r"will|won't|shall|\w+'ll|going to|gonna|plans?|planning|hop(?:e|es|ing)|wants?|due|deadline|appointment|let's|"
    r"(?:i'm|we're|she's|he's|they're|it's|am|are|is) (?:\w+ly )?(?!during|morning|evening)\w+ing|have to|has to|"
    r"needs? to|"
    r"must|should|coming|upcoming|soon|until|till?|begins?|starts?|opens?|"
    r"signed up|booked|registered|scheduled|arranged|enrolled|reserved|tickets?|seats?|reservations?|bookings?|"
    r"flies|leaves?|arrives?"
)
IRREGULAR_PASTS: Final = word_set(
    "was were had did went got gotten made took taken came saw seen met bought brought said told thought felt left "
    "kept found gave given began became broke built chose cut drew drove drank drunk ate eaten fell flew flown forgot "
    "forgotten grew heard hid held hurt knew known laid led lent lost meant paid ran rang rode rose sang sank sat sent "
    "shook shot shut slept sold spent spoke stole stood struck swam swore swept taught threw threw tore understood "
    "woke won wore written wrote been gone done moved caught fought quit died broken spoken"
)
"""The commonest past tenses and participles that do not end in -ed."""
_PAST: Final = (
    r"(?<!getting )(?<!get )(?<!\bbe )"  # "is getting married" lies ahead
    r"(?!need|indeed|speed|breed|hundred|embed|exceed|proceed|succeed|bed|red|shed|wed)\w{2,}ed|"
    rf"{'|'.join(sorted(IRREGULAR_PASTS))}|ago|since"
)
_PRESENT: Final = r"am|are|is|i'?m|it's|that's|(?:you|we|they)'re"
"""Verbs that say nothing of when by themselves, and behind which the past of a verb before them does not, either: "the
shifts changed, I'm on days from November"."""
_PUT: Final = re.compile(
    r"(?<![\w'])(?:moved|pushed|shifted|postponed|rescheduled|delayed|changed|swapped|switched|set|fixed|put|brought|"
    r"planned|invited|asked)\b(?!.*\bfrom\b)[^.!?;]{0,60}?(?<!\w)(?P<to>to|for|till|until)\s",
    re.IGNORECASE,
)
"""Verbs that give something a time: what they did is past, and the time is not."""
_CUE: Final = re.compile(rf"(?<![\w'])(?:(?P<future>{_FUTURE})|(?P<past>{_PAST})|{_PRESENT})(?![\w])", re.IGNORECASE)
_PAUSE: Final = re.compile(r"[,.;!?]")
_WINDOW: Final = 160


def tense_at(text: str, start: int, end: int) -> Tense:
    """The tense around `text[start:end]`: that of the nearest verb before it, else of the first one behind it. What is
    so counts right before it alone, and where it is a beginning: "who is my boss" does not put off when I met him."""
    before = [cue for cue in _CUE.finditer(text, max(0, start - _WINDOW), start) if _counts(cue, text, start)]
    cue = before[-1] if before else next(filter(_tells, _CUE.finditer(text, end, end + _WINDOW)), None)
    if cue is None or not _tells(cue):
        return "unknown"
    if cue["past"] and (put := _PUT.match(text, cue.start(), end)) and put.end("to") in range(start - 1, end):
        return "future"
    return "future" if cue["future"] else "past"


def _counts(cue: re.Match[str], text: str, start: int) -> bool:
    between = text[cue.end() : start]
    begins = text.startswith("from ", start) and _PAUSE.search(between) is None
    return _tells(cue) or begins or not between.strip()


def _tells(cue: re.Match[str]) -> bool:
    return bool(cue["past"] or cue["future"])
