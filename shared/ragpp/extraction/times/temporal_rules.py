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
THIRDS: Final = {
    "early": "early", "start of": "early", "beginning of": "early", "mid": "mid", "middle of": "mid", "late": "late",
    "end of": "late",
}  # fmt: skip
AMBIGUOUS: Final = frozenset({"may", "mar", "march"})
"""Months that are other words as well where they begin with a small letter."""
DECADES: Final = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
    "nineties": 90,
}  # fmt: skip

ANCHOR: Final = re.compile(
    r"\b(?:yesterday|to(?:day|night|morrow)|tmrw?|ago|(?:minute|hour|day|night|week|weekend|month|year|decade)s?|morning|"
    r"afternoon|evening|spring|summer|autumn|fall|winter|"
    rf"{english.ANY_WEEKDAY}|{english.ANY_MONTH}|christmas|halloween|new year's|boxing|valentine's|(?:19|20)\d\d|"
    r"\d{1,2}(?:st|nd|rd|th)|(?:\d\d)?\d0s|\w{3,6}ties)\b",
    re.IGNORECASE,
)
"""A sentence without any of these names no time, which spares most sentences the patterns."""

_ANY_WD: Final = rf"(?:{'|'.join(english.WEEKDAYS)}|(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\b\.?)"
_WD: Final = rf"(?P<wd>{_ANY_WD})"
_ANY_MON: Final = rf"(?:{'|'.join(english.MONTHS)}|(?:{'|'.join(english.MONTH_ABBREVIATIONS)}|sept)\b\.?)"
_MON: Final = rf"(?P<mon>{_ANY_MON})"
_ANY_DAY: Final = r"(?:[12]\d|3[01]|0?[1-9])"
_DAY: Final = rf"(?P<d>{_ANY_DAY})"
_TH: Final = r"(?P<th>st|nd|rd|th)"
_YEAR: Final = r"(?P<y>(?:19|20)\d\d)"
_N: Final = rf"(?P<n>\d{{1,3}}|{'|'.join(NUMBERS)}|(?:a\s)?couple(?:\sof)?|(?:a\s|the\s)?few|several)"
_UNIT: Final = r"(?P<u>minute|hour|day|night|week|month|year|decade)s?"
_PART: Final = r"(?:\s(?:in the\s)?(?P<part>morning|afternoon|evening|night)\b)?"
_CLOCK: Final = (
    r"(?:,?\s(?:(?:at|around|about|by)\s|@\s?)?(?:(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))?\s?(?P<ap>[ap])\.?m\b|"
    r"(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)\b|(?P<noon>noon|midday)\b))?"
)
_TIME: Final = rf"\b{_PART}{_CLOCK}"
_WHICH: Final = r"(?P<w>last|past|previous|this past|this coming|this|coming|next)"
_PART_OF: Final = r"(?:(?P<third>early|mid|late|(?:start|beginning|middle|end)\sof)[ -])"
_THIRD: Final = rf"{_PART_OF}?"
_ON: Final = r"(?:\b(?P<prep>on|by|until|till?|since|from|for|before|after|between)\s(?:the\s)?)?"
_OF_WEEK: Final = rf"(?:\b(?P<day>{_ANY_WD}),?\s(?:the\s)?)?"
"""A day of the week before a date, which tells its year."""
_IN: Final = r"\b(?:(?P<prep>in|since|by|until|till?|from|before|after|during|back in|around)\s(?:the\s)?)"
NUMBERED: Final = re.compile(r"\d|\wties\b", re.IGNORECASE)
_BESIDE: Final = r"\s?(?:,|/|\+|&|-|–|\b(?:and|or|to|till?|until)\b)?\s?"
LISTED_BEFORE: Final = re.compile(rf"\b{_WD}{_BESIDE}\Z", re.IGNORECASE)
LISTED_BEHIND: Final = re.compile(rf"{_BESIDE}\b{_WD}(?!\w)", re.IGNORECASE)
"""Another day of the week beside one: "tue + thurs", "mon-fri"."""
_BEFORE_DAY: Final = re.compile(r"\b(?:on|by|until|till?|since|next|this|last|coming)\s\Z", re.IGNORECASE)
_BEHIND_SUN: Final = re.compile(r"\s(?:protection|exposure|cream|nav|lounger|block|screen|hat)", re.IGNORECASE)
REPEATED: Final = re.compile(r"\b(?:every|each|most|per|a|an|any)(?:\s(?:other|single|second))?\s$", re.IGNORECASE)
GIVEN_UP: Final = re.compile(r"\b(?:instead of|rather than)\s$", re.IGNORECASE)


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_SPAN: Final = rf"(?P<u>weekend|week|month|year|{'|'.join(SEASONS)}|{_ANY_MON})"


ISO: Final = _pattern(rf"\b{_YEAR}-(?P<mm>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12]\d|3[01])\b")

_JOIN: Final = r"(?:\s(?P<join>to|until|till?|through|thru|and)\s|\s?[-–—]\s?)"
_NO_COUNT: Final = r"(?![\w:%]|\s?(?:[ap]\.?m\b|o'?clock|(?:min|minute|hour|hr|day|week|month|year)s?\b))"
"""Not behind a number that counts something, or is a time of day."""
DAYS: Final = _pattern(
    rf"{_ON}{_OF_WEEK}\b(?P<d1>{_ANY_DAY})(?:st|nd|rd|th)?(?:\s(?:of\s)?(?P<mon1>{_ANY_MON}))?{_JOIN}"
    rf"(?:{_ANY_WD},?\s)?{_DAY}{_TH}?\s(?:of\s)?{_MON}(?:,?\s{_YEAR})?(?!\w)"
)
DAYS_2: Final = _pattern(
    rf"(?<!\d ){_ON}{_OF_WEEK}\b(?P<mon1>{_ANY_MON})\s(?:the\s)?(?P<d1>{_ANY_DAY})(?:st|nd|rd|th)?{_JOIN}"
    rf"(?:{_ANY_WD},?\s)?(?:{_MON}\s)?(?:the\s)?{_DAY}{_TH}?(?:,?\s{_YEAR})?{_NO_COUNT}"
)

DAY_OF_MONTH: Final = _pattern(rf"{_ON}{_OF_WEEK}\b{_DAY}{_TH}?\s(?:of\s)?{_MON}(?:,?\s{_YEAR})\b{_PART}{_CLOCK}")

DAY_OF_MONTH_2: Final = _pattern(rf"{_ON}{_OF_WEEK}\b{_MON}\s(?:the\s)?{_DAY}{_TH}?(?:,?\s{_YEAR})\b{_PART}{_CLOCK}")

DAY_OF_MONTH_3: Final = _pattern(rf"{_ON}{_OF_WEEK}\b{_DAY}{_TH}?\s(?:of\s)?{_MON}(?:,?\s{_YEAR})?{_TIME}")

DAY_OF_MONTH_4: Final = _pattern(rf"{_ON}{_OF_WEEK}\b{_MON}\s(?:the\s)?{_DAY}{_TH}?(?:,?\s{_YEAR})?{_TIME}")

MONTH_OF_YEAR: Final = _pattern(rf"(?:{_IN})?\b{_THIRD}{_MON}(?:\sof|,)?\s{_YEAR}\b")

SEASON_OF_YEAR: Final = _pattern(rf"(?:{_IN})?\b(?P<season>{'|'.join(SEASONS)})(?:\sof)?\s{_YEAR}\b")

YEAR: Final = _pattern(rf"(?:{_IN}|\bof\s)(?:year\s)?{_THIRD}{_YEAR}\b(?!s)")

DECADE: Final = _pattern(
    r"\b(?:in|since|from|during)\sthe\s(?:(?:early|mid|late)[ -])?"
    rf"(?:(?P<century>19|20)?'?(?P<tens>\d0)s|(?P<word>{'|'.join(DECADES)}))\b"
)

RELATIVE_DAY: Final = _pattern(
    rf"\b(?P<word>(?:the\s)?day\s(?:before\syesterday|after\stomorrow)|yesterday|today|tomorrow|tmrw?){_TIME}"
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

PART_OF_MONTH: Final = _pattern(rf"(?P<prep>(?!))?\b{_PART_OF}{_MON}(?!\w)")

ORDINAL: Final = _pattern(
    rf"\b(?:on|by|until|till?|since|from)\sthe\s{_DAY}{_TH}\b{_PART}{_CLOCK}(?!\s(?:of|floor|birthday))"
)

ORDINAL_OF_WEEKDAY: Final = _pattern(
    rf"(?:\b(?P<prep>on|by|until|till?|since|from)\s)?(?:\b{_WHICH}\s)?\b(?P<day>{_ANY_WD}),?\s(?:the\s)?{_DAY}{_TH}\b"
    rf"{_PART}{_CLOCK}(?!\s(?:of|in|floor|birthday|thing|time|place|grade|class|year|husband|wife)\b)"
)

HOLIDAY: Final = _pattern(
    rf"\b(?:(?P<w>last|this past|past|this|next)\s|(?:on|at|by|for|before|after|until|since)\s)"
    rf"(?P<name>{'|'.join(HOLIDAYS)})\b"
)


def is_a_day(match: re.Match[str], name: str) -> bool:
    """False of "sat", "sun" and "wed" but where nothing else can be meant."""
    if match[name].lower().rstrip(".") not in {"sat", "sun", "wed"}:
        return True
    return bool(_BEFORE_DAY.search(match.string, 0, match.start(name))) and not _BEHIND_SUN.match(
        match.string, match.end(name)
    )


def is_listed(match: re.Match[str]) -> bool:
    """True beside another day of the week, where either is in short."""
    start, end = match.span("wd")
    around = (
        LISTED_BEFORE.search(match.string[max(0, start - 24) : start]),
        LISTED_BEHIND.match(match.string, end),
    )
    names = [one["wd"].lower() for one in (match, *around) if one]
    return len(names) > 1 and not all(name.endswith("day") for name in names)


def is_another_word(month: str) -> bool:
    """True of "may" and "march", which are no months wherever they stand."""
    name = month.rstrip(".")
    return name.islower() and name in AMBIGUOUS
