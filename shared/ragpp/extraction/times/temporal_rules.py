"""The words and patterns of `temporal`, over cleaned sentences."""

import re
from typing import Final

from ragpp.extraction.times.intervals import SEASONS
from ragpp.text import english

NUMBERS: Final = {"a": 1, "an": 1} | english.NUMBERS
RANGES: Final = {"few": (2, 5), "several": (3, 7), "couple": (2, 2)}
HOLIDAYS: Final = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new year's day": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
}  # fmt: skip
"""Those that are on the same day each year."""
DECADES: Final = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
    "nineties": 90,
}  # fmt: skip

ANCHOR: Final = re.compile(
    r"\b(?:yesterday|to(?:day|night|morrow)|ago|(?:minute|hour|day|night|week|weekend|month|year|decade)s?|morning|"
    r"afternoon|evening|spring|summer|autumn|fall|winter|"
    rf"{english.ANY_WEEKDAY}|{english.ANY_MONTH}|christmas|halloween|new year's|boxing|valentine's|(?:19|20)\d\d|"
    r"\d{1,2}(?:st|nd|rd|th)|(?:\d\d)?\d0s|\w{3,6}ties)\b",
    re.IGNORECASE,
)
"""A sentence without any of these names no time, which spares most sentences the patterns."""

_WD: Final = rf"(?P<wd>{'|'.join(english.WEEKDAYS)}|tues|thurs)"
_VERBS: Final = frozenset({"March", "May"})
_MON: Final = (
    f"(?P<mon>{'|'.join(f'(?-i:{name})' if name in _VERBS else name for name in english.MONTHS)}|"
    rf"(?-i:{'|'.join(english.MONTH_ABBREVIATIONS)}|Sept)\b\.?)"
)
_DAY: Final = r"(?P<d>[12]\d|3[01]|0?[1-9])"
_TH: Final = r"(?:st|nd|rd|th)"
_YEAR: Final = r"(?P<y>(?:19|20)\d\d)"
_N: Final = rf"(?P<n>\d{{1,3}}|{'|'.join(NUMBERS)}|(?:a\s)?couple(?:\sof)?|(?:a\s|the\s)?few|several)"
_UNIT: Final = r"(?P<u>minute|hour|day|night|week|month|year|decade)s?"
_PART: Final = r"(?:\s(?:in the\s)?(?P<part>morning|afternoon|evening|night)\b)?"
_CLOCK: Final = (
    r"(?:,?\s(?:at|around|about|by)\s(?:(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))?\s?(?P<ap>[ap])\.?m\b|"
    r"(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)\b|(?P<noon>noon|midday)\b))?"
)
_TIME: Final = rf"\b{_PART}{_CLOCK}"
_WHICH: Final = r"(?P<w>last|past|previous|this past|this coming|this|coming|next)"
_THIRD: Final = r"(?:(?P<third>early|mid|late)[ -])?"
_ON: Final = r"(?:\b(?P<prep>on|by|until|till|since|from|for|before|after)\s(?:the\s)?)?"
_IN: Final = r"\b(?:(?P<prep>in|since|by|until|till|from|before|after|during|back in|around)\s(?:the\s)?)"
NUMBERED: Final = re.compile(r"\d|\wties\b", re.IGNORECASE)
REPEATED: Final = re.compile(r"\b(?:every|each|most|per|a|an|any)(?:\s(?:other|single|second))?\s$", re.IGNORECASE)


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_SPAN: Final = rf"(?P<u>weekend|week|month|year|{'|'.join(SEASONS)}|{_MON.removeprefix('(?P<mon>')}"


ISO: Final = _pattern(rf"\b{_YEAR}-(?P<mm>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12]\d|3[01])\b")

DAY_OF_MONTH: Final = _pattern(rf"{_ON}\b{_DAY}{_TH}?\s(?:of\s)?{_MON}(?:,?\s{_YEAR})\b{_PART}{_CLOCK}")

DAY_OF_MONTH_2: Final = _pattern(rf"{_ON}\b{_MON}\s(?:the\s)?{_DAY}{_TH}?(?:,?\s{_YEAR})\b{_PART}{_CLOCK}")

DAY_OF_MONTH_3: Final = _pattern(rf"{_ON}\b{_DAY}{_TH}?\s(?:of\s)?{_MON}(?:,?\s{_YEAR})?{_TIME}")

DAY_OF_MONTH_4: Final = _pattern(rf"{_ON}\b{_MON}\s(?:the\s)?{_DAY}{_TH}?(?:,?\s{_YEAR})?{_TIME}")

MONTH_OF_YEAR: Final = _pattern(rf"(?:{_IN})?\b{_THIRD}{_MON}(?:\sof|,)?\s{_YEAR}\b")

SEASON_OF_YEAR: Final = _pattern(rf"(?:{_IN})?\b(?P<season>{'|'.join(SEASONS)})(?:\sof)?\s{_YEAR}\b")

YEAR: Final = _pattern(rf"(?:{_IN}|\bof\s)(?:year\s)?{_THIRD}{_YEAR}\b(?!s)")

DECADE: Final = _pattern(
    r"\b(?:in|since|from|during)\sthe\s(?:(?:early|mid|late)[ -])?"
    rf"(?:(?P<century>19|20)?'?(?P<tens>\d0)s|(?P<word>{'|'.join(DECADES)}))\b"
)

RELATIVE_DAY: Final = _pattern(
    rf"\b(?P<word>(?:the\s)?day\s(?:before\syesterday|after\stomorrow)|yesterday|today|tomorrow){_TIME}"
)

PART_OF_DAY: Final = _pattern(r"\b(?:(?P<w>this|last)\s(?P<p>morning|afternoon|evening|night)|tonight)\b")

WHICH_WEEKDAY: Final = _pattern(rf"{_ON}\b{_WHICH}\s{_WD}(?!s){_TIME}")

SECOND_SPAN: Final = _pattern(r"\b(?:the\s)?(?P<u>weekend|week|month|year)\s(?P<w>before\slast|after\snext)\b")

WHICH_SPAN: Final = _pattern(rf"{_ON}\b{_WHICH}\s{_SPAN}\b")

UNTIL_NOW: Final = _pattern(
    r"\b(?:over|in|for|during|within)?\s?the\s(?:past|last)\s"
    rf"(?P<n>\d{{1,3}}|{'|'.join(english.NUMBERS)}|couple(?:\sof)?|few|several)\s"
    rf"{_UNIT}\b"
)

FROM_NOW: Final = _pattern(rf"\b{_N}\s{_UNIT}\s(?P<ago>(?P<now>ago|back))\b")

FROM_NOW_2: Final = _pattern(
    rf"\b(?P<ago>(?!))?(?:in\s{_N}\s{_UNIT}(?:'s?|s')?(?:\stime)?)\b(?P<now>(?!))?(?!\s(?:of|i|we|old|a|each))"
)

FROM_NOW_3: Final = _pattern(rf"\b(?P<ago>(?!))?{_N}\s{_UNIT}\s(?P<now>from\snow|later than now)\b")

WEEKDAY_ALONE: Final = _pattern(rf"{_ON}\b{_WD}(?!s){_TIME}")

MONTH_ALONE: Final = _pattern(rf"(?:{_IN})\b{_THIRD}{_MON}(?!\w)")

ORDINAL: Final = _pattern(
    rf"\b(?:on|by|until|till|since|from)\sthe\s{_DAY}{_TH}\b{_PART}{_CLOCK}(?!\s(?:of|floor|birthday))"
)

HOLIDAY: Final = _pattern(
    rf"\b(?:(?P<w>last|this past|past|this|next)\s|(?:on|at|by|for|before|after|until|since)\s)"
    rf"(?P<name>{'|'.join(HOLIDAYS)})\b"
)
