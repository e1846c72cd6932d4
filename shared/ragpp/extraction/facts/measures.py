"""The measures of a fact, in one form for all the ways of writing them: "10k" and "10,000", "$99" and "99 dollars",
"2 hours" and "120 minutes", "3 May 2024" and "2024-05-03". English."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ragpp.text.amounts import SPECIAL, Kind, amounts
from ragpp.text.english import ANY_MONTH, ANY_WEEKDAY, MONTHS, NUMBERS, TEENS, TENS, month_number

_BELOW_A_HUNDRED: Final = NUMBERS | TEENS | TENS
_LARGE: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SMALL_WORD: Final = (
    rf"(?:(?:{'|'.join(TENS)})(?:[-\s](?:{'|'.join(list(NUMBERS)[:9])}))?|{'|'.join(_BELOW_A_HUNDRED)})"
)
_SPELT: Final = re.compile(
    rf"\b(?:(?P<many>{_SMALL_WORD}|a(?=\s(?:hundred|thousand|million)))\s(?P<large>hundred|thousand)|(?P<small>{_SMALL_WORD}))\b",
    re.IGNORECASE,
)
_DOZEN: Final = re.compile(r"\ba dozen\b", re.IGNORECASE)
_TIMES: Final = re.compile(r"\b(once|twice)\b", re.IGNORECASE)
_MAGNITUDE: Final = re.compile(
    r"(?<![\w.])(?P<sign>[$€£]?)(?P<digits>\d[\d,]*(?:\.\d+)?)\s?(?:(?P<k>k)|(?P<m>M|mn|mio)|(?P<b>bn|B)|"
    r"(?P<word>hundred|thousand|million|billion))(?![\w-])"
)
_CURRENCIES: Final = (
    ("$", r"dollars?|usd|bucks|us\$"),
    ("€", r"euros?|eur"),
    ("£", r"pounds?(?: sterling)?|gbp|quid"),
)
_DIGITS: Final = r"(?:\d[\d,.]*\d|\d)"
_MONEY: Final = tuple(
    (
        sign,
        re.compile(rf"(?<![\w.])(?:(?:{words})\s*(?P<b>{_DIGITS})|(?P<a>{_DIGITS})\s*(?:{words})\b)", re.IGNORECASE),
    )
    for sign, words in _CURRENCIES
)
_ISO: Final = re.compile(r"\b(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])-(?P<d>[0-3]\d)(?:T[\d:.]+Z?)?\b")
_YEAR: Final = re.compile(r"(?<![\w.,$€£])(?:19|20)\d\d(?![\w.,%]*\d)(?!\s(?:users|requests|rows|items|[a-z]+s\b))")
_QUARTER: Final = re.compile(r"\bq([1-4])\b|\b(first|second|third|fourth) quarter\b", re.IGNORECASE)
_BARE_MONTH: Final = re.compile(
    rf"\b(?<!\d\s)(?<!\d(?:st|nd|rd|th)\s)(?P<month>{ANY_MONTH})\b(?!\.?\s\d{{1,2}}\b)", re.IGNORECASE
)
_ANY_WEEKDAY: Final = re.compile(rf"\b({ANY_WEEKDAY})s?\b", re.IGNORECASE)
_ADVERBS_OF_PERIOD: Final = {"hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month",
                             "quarterly": "quarter", "annually": "year", "annual": "year",
                             "yearly": "year"}  # fmt: skip
_PERIOD: Final = re.compile(
    r"(?:/\s?|\b(?:per|each|every|a|an)\s)(?P<unit>second|minute|hour|day|night|week|month|mo|quarter|year|yr|min|sec|"
    rf"h|s)\b|\b(?P<adverb>{'|'.join(_ADVERBS_OF_PERIOD)})\b",
    re.IGNORECASE,
)
_PERIODS: Final = {"mo": "month", "yr": "year", "min": "minute", "sec": "second", "h": "hour", "s": "second",
                   "night": "day"}  # fmt: skip
_UNITS: Final[dict[str, tuple[float, str]]] = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), (0.001, "seconds")),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1, "seconds")),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), (60, "seconds")),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (3_600, "seconds")),
    **dict.fromkeys(("day", "days"), (86_400, "seconds")),
    **dict.fromkeys(("week", "weeks", "wk", "wks"), (604_800, "seconds")),
    **dict.fromkeys(("month", "months"), (1, "months")),
    **dict.fromkeys(("year", "years", "yr", "yrs"), (12, "months")),
    **dict.fromkeys(("kb", "kilobyte", "kilobytes"), (0.001, "megabytes")),
    **dict.fromkeys(("mb", "megabyte", "megabytes"), (1, "megabytes")),
    **dict.fromkeys(("gb", "gigabyte", "gigabytes"), (1_000, "megabytes")),
    **dict.fromkeys(("tb", "terabyte", "terabytes"), (1_000_000, "megabytes")),
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometer", "kilometers"), (1_000, "metres")),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), (1, "metres")),
    **dict.fromkeys(("kg", "kilo", "kilos", "kilogram", "kilograms"), (1_000, "grams")),
    **dict.fromkeys(("g", "gram", "grams"), (1, "grams")),
}
_WITH_UNIT: Final = re.compile(
    rf"(?<![\w.$€£])(?P<digits>\d[\d,]*(?:\.\d+)?)[\s-]?(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_PERCENT: Final = re.compile(r"\s?(?:per\s?cent|pct)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measures:
    """`values`: by what they are of, as `ragpp.text.amounts` has it. `calendar`: years, months, days of the week and
    quarters; `periods`: how often, or of how long a time; `currencies`: the signs of sums."""

    values: dict[Kind, frozenset[str]]
    calendar: dict[str, frozenset[str]]
    periods: frozenset[str]
    currencies: frozenset[str]

    @property
    def special(self) -> dict[Kind, frozenset[str]]:
        """Those that are not of a noun: dates, times of day, shares and sums."""
        return {kind: values for kind, values in self.values.items() if kind in SPECIAL}

    @property
    def plain(self) -> frozenset[str]:
        """The numbers of everything else."""
        return frozenset().union(*(values for kind, values in self.values.items() if kind not in SPECIAL))


@lru_cache(maxsize=4_096)
def measures(text: str) -> Measures:
    """The measures in `text`."""
    calendar = dict[str, set[str]]()
    rest = _ISO.sub(lambda day: f"{MONTHS[int(day['m']) - 1]} {int(day['d'])}, {day['y']}", text)
    rest = re.sub(r"\bnoon\b", "12:00", re.sub(r"\bmidnight\b", "0:00", rest))
    for match in _YEAR.finditer(rest):
        calendar.setdefault("year", set()).add(match.group())
    rest = _YEAR.sub(" ", rest)
    for match in _BARE_MONTH.finditer(rest):
        if match.group() not in {"may", "mar", "march"}:
            calendar.setdefault("month", set()).add(str(month_number(match["month"])))
    for match in _ANY_WEEKDAY.finditer(rest):
        if match.group()[0].isupper():
            calendar.setdefault("weekday", set()).add(match.group()[:3].lower())
    for match in _QUARTER.finditer(rest):
        ordinals = ("first", "second", "third", "fourth")
        calendar.setdefault("quarter", set()).add(match[1] or str(ordinals.index(match[2].lower()) + 1))
    rest = _QUARTER.sub(" ", rest)
    periods = {_period(match) for match in _PERIOD.finditer(rest)}
    rest = _in_digits(_PERIOD.sub(" ", rest))
    values = {kind: frozenset(_canonical(value, kind) for value in found) for kind, found in amounts(rest).items()}
    return Measures(
        values,
        {name: frozenset(found) for name, found in calendar.items()},
        frozenset(periods),
        frozenset(sign for sign, _ in _CURRENCIES if sign in rest),
    )


def _in_digits(text: str) -> str:
    """Numbers in digits, sums behind their sign, lengths of time and sizes in one unit each."""
    steps: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str], ...] = (
        (_DOZEN, "12"),
        (_TIMES, lambda match: "1 times" if match[1].lower() == "once" else "2 times"),
        (_SPELT, _spelt),
        (_MAGNITUDE, _magnified),
        (_PERCENT, "%"),
        (_WITH_UNIT, _in_one_unit),
    )
    for pattern, replacement in steps:
        text = pattern.sub(replacement, text)
    for sign, pattern in _MONEY:
        text = pattern.sub(lambda match, sign=sign: f"{sign}{match['a'] or match['b']}", text)  # type: ignore[misc]
    return text


def _spelt(match: re.Match[str]) -> str:
    word = (match["small"] or match["many"]).lower()
    if word == "one" and match["large"] is None:
        return match.group()
    number = 1 if word == "a" else sum(_BELOW_A_HUNDRED[part] for part in re.split(r"[-\s]", word))
    return str(number * _LARGE[match["large"].lower()] if match["large"] else number)


def _magnified(match: re.Match[str]) -> str:
    factor = _LARGE[match["word"].lower()] if match["word"] else 1_000 if match["k"] else 10**6 if match["m"] else 10**9
    return f"{match['sign']}{_shortest(float(match['digits'].replace(',', '')) * factor)}"


def _in_one_unit(match: re.Match[str]) -> str:
    factor, unit = _UNITS[match["unit"].lower()]
    return f"{_shortest(float(match['digits'].replace(',', '')) * factor)} {unit}"


def _shortest(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")


def _period(match: re.Match[str]) -> str:
    if match["adverb"]:
        return _ADVERBS_OF_PERIOD[match["adverb"].lower()]
    unit = match["unit"].lower()
    return _PERIODS.get(unit, unit)


def _canonical(value: str, kind: Kind) -> str:
    try:
        return value if kind in {"date", "clock"} else _shortest(float(value.replace(",", "")))
    except ValueError:
        return value
