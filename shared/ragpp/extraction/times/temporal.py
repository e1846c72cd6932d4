"""Resolves the times that a sentence names against the moment it was said: "last Friday", "in March", "two weeks ago".

Pure, and without a dependency. What is not decided by the words is decided so:
- "last Friday" is the latest Friday before today, "this Friday" today or the next one, "next Friday" that of next week;
- "on Friday", "in March" and "on 5 June" lie behind in a sentence about the past and ahead in any other;
- what is said in weeks, months or years is known to the week, month or year: "two weeks ago" is a week, not a day;
- "a few" is two to five.
What is repeated ("every Friday", "on Fridays") names no time, nor does a length ("for two hours"), nor what something
else took the place of ("instead of Friday").
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final

from ragpp.extraction.port import DateMention
from ragpp.extraction.times import intervals
from ragpp.extraction.times import temporal_rules as rules
from ragpp.extraction.times.dates import read_day, read_days, read_holiday, read_ordinal, timed, weekday_number
from ragpp.extraction.times.intervals import PARTS, SEASONS, Interval
from ragpp.extraction.times.tenses import Tense, tense_at
from ragpp.models import DateSpan
from ragpp.text.english import month_number

_NO_MOMENT: Final = datetime(2000, 1, 1, tzinfo=UTC)

Resolver = Callable[[re.Match[str], datetime, Tense], Interval | None]


def find_dates(text: str, said_at: datetime | None) -> Iterator[DateMention]:
    """The times that one sentence names, in order, without overlap; offsets are those of `text`. In linear time.

    `said_at` carries the time zone in which days begin. Without it only what names its year is resolved, in UTC.
    """
    if not rules.ANCHOR.search(text):
        return
    taken: list[tuple[int, int, Interval]] = []
    numbered = rules.NUMBERED.search(text) is not None
    for pattern, resolver, absolute in _PATTERNS:
        if (said_at is None and not absolute) or (resolver in _OF_NUMBERS and not numbered):
            continue
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < stop and begin < end for begin, stop, _ in taken) or _is_no_time(match):
                continue
            interval = _resolve(resolver, match, said_at or _NO_MOMENT)
            if interval is not None:
                taken.append((start, end, interval))
    for start, end, found in sorted(taken, key=lambda mention: mention[0]):
        span = DateSpan(start=found.start, end=found.end, precision=found.precision, text=text[start:end][:200])
        yield DateMention(span, start, end)


def _is_no_time(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 24) : match.start()]
    return rules.REPEATED.search(before) is not None or rules.GIVEN_UP.search(before) is not None


def _resolve(resolver: Resolver, match: re.Match[str], said_at: datetime) -> Interval | None:
    try:
        return resolver(match, said_at, tense_at(match.string, *match.span()))
    except (ValueError, OverflowError):  # 31 June, or a year that no calendar has
        return None


def _iso(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    begin = said_at.replace(year=int(match["y"]), month=int(match["mm"]), day=int(match["d"]))
    return intervals.day(begin)


def _month_of_year(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    return _third(intervals.month_of(said_at, int(match["y"]), month_number(match["mon"])), match)


def _season_of_year(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    return intervals.season(said_at, match["season"].lower(), int(match["y"]))


def _year(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    return _third(intervals.years(said_at, int(match["y"]), int(match["y"])), match)


def _decade(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    digits = match["tens"] or str(rules.DECADES[match["word"].lower()])
    short = int(digits[-2:])
    century = int(match["century"]) * 100 if match["century"] else 1900
    return intervals.years(said_at, century + short, century + short + 9, "decade")


def _relative_day(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    word = match["word"].lower()
    if "yesterday" in word:
        return timed(intervals.day(said_at, -2 if "before" in word else -1), match)
    if word.startswith("tm") or "tomorrow" in word:
        return timed(intervals.day(said_at, 2 if "after" in word else 1), match)
    return timed(intervals.day(said_at), match)


def _part_of_day(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    """ "this morning", "tonight", "last night"."""
    last = match["w"] is not None and match["w"].lower() == "last"
    part = (match["p"] or "night").lower()
    return intervals.hours(intervals.day(said_at, -1 if last else 0), *PARTS[part])


def _which_weekday(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval:
    which, wanted = match["w"].lower(), weekday_number(match["wd"])
    ahead = (wanted - said_at.weekday()) % 7
    if which in {"last", "past", "previous", "this past"} or (which == "this" and tense == "past" and ahead):
        return timed(intervals.day(said_at, ahead - 7), match)
    if which == "next":
        return timed(intervals.day(intervals.week(said_at, 1).start, wanted), match)
    return timed(intervals.day(said_at, ahead), match)


def _weekday_alone(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval | None:
    """None for a short one that nothing governs, or beside another: "gym Tue + Thurs" is every week."""
    is_short = not match["wd"].lower().endswith("day")
    if (is_short and not (match["prep"] and rules.is_a_day(match, "wd"))) or rules.is_listed(match):
        return None
    ahead = (weekday_number(match["wd"]) - said_at.weekday()) % 7
    if (match["prep"] or "").lower() == "since" or tense == "past":
        return timed(intervals.day(said_at, ahead - 7), match)
    return timed(intervals.day(said_at, ahead or 7), match)


def _which_span(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval | None:
    """ "last week", "this weekend", "next month", "last summer", "next March"."""
    which, unit = match["w"].lower(), match["u"].lower().rstrip(".")
    offset = {"last": -1, "past": -1, "previous": -1, "this past": -1, "next": 1}.get(which, 0)
    if which == "this coming":
        offset = 0 if unit == "weekend" else 1
    if unit == "weekend":
        return intervals.weekend(said_at, offset)
    if unit in {"week", "month", "year"}:
        return intervals.shifted(said_at, unit, offset)
    if unit in SEASONS:
        return intervals.which_season(unit, offset, said_at, tense)
    if rules.is_another_word(match["u"]) and which == "this":
        return None
    found = [intervals.month_of(said_at, said_at.year + more, month_number(unit)) for more in (-1, 0, 1)]
    if offset < 0:
        return [month for month in found if month.end <= said_at][-1]
    return next(month for month in found if month.start > said_at) if offset else found[1]


def _second_span(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    """ "the week before last"."""
    offset, unit = (-2 if "before" in match["w"].lower() else 2), match["u"].lower()
    return intervals.weekend(said_at, offset) if unit == "weekend" else intervals.shifted(said_at, unit, offset)


def _from_now(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval | None:
    """ "two weeks ago", "in three days"."""
    back = match["ago"] is not None
    if not back and tense == "past" and not match["now"]:
        return None  # "I learned it in two weeks"
    low, high = _number(match["n"])
    near, far = (-low, -high) if back else (low, high)
    unit = match["u"].lower()
    first, last = sorted((near, far))
    begin, end = intervals.shifted(said_at, unit, first), intervals.shifted(said_at, unit, last)
    return Interval(begin.start, end.end, begin.precision)


def _until_now(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    """ "over the past three weeks"."""
    unit = match["u"].lower()
    begin = intervals.shifted(said_at, unit, -_number(match["n"])[1])
    return Interval(begin.start, intervals.day(said_at).end, begin.precision)


def _month_alone(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval:
    found = [intervals.month_of(said_at, said_at.year + more, month_number(match["mon"])) for more in (-1, 0, 1)]
    return _third(
        intervals.nearest(found, said_at, "past" if (match["prep"] or "").lower() == "since" else tense), match
    )


def _third(whole: Interval, match: re.Match[str]) -> Interval:
    return intervals.third(whole, rules.THIRDS[match["third"].lower()]) if match["third"] else whole


def _number(words: str) -> tuple[int, int]:
    """How many, at least and at most."""
    if words.isdigit():
        return int(words), int(words)
    for word in words.lower().split():
        if word in rules.RANGES:
            return rules.RANGES[word]
    number = rules.NUMBERS[words.lower()]
    return number, number


_OF_NUMBERS: Final = frozenset(
    {_iso, read_days, read_day, _month_of_year, _season_of_year, _year, _decade, read_ordinal}
)
"""The resolvers that need a number."""
_PATTERNS: Final[tuple[tuple[re.Pattern[str], Resolver, bool], ...]] = (
    (rules.ISO, _iso, True),
    (rules.DAYS, read_days, False),
    (rules.DAYS_2, read_days, False),
    (rules.DAY_OF_MONTH, read_day, True),
    (rules.DAY_OF_MONTH_2, read_day, True),
    (rules.DAY_OF_MONTH_3, read_day, False),
    (rules.DAY_OF_MONTH_4, read_day, False),
    (rules.MONTH_OF_YEAR, _month_of_year, True),
    (rules.SEASON_OF_YEAR, _season_of_year, True),
    (rules.YEAR, _year, True),
    (rules.DECADE, _decade, True),
    (rules.ORDINAL_OF_WEEKDAY, read_ordinal, False),
    (rules.RELATIVE_DAY, _relative_day, False),
    (rules.PART_OF_DAY, _part_of_day, False),
    (rules.WHICH_WEEKDAY, _which_weekday, False),
    (rules.SECOND_SPAN, _second_span, False),
    (rules.WHICH_SPAN, _which_span, False),
    (rules.UNTIL_NOW, _until_now, False),
    (rules.FROM_NOW, _from_now, False),
    (rules.FROM_NOW_2, _from_now, False),
    (rules.FROM_NOW_3, _from_now, False),
    (rules.WEEKDAY_ALONE, _weekday_alone, False),
    (rules.MONTH_ALONE, _month_alone, False),
    (rules.PART_OF_MONTH, _month_alone, False),
    (rules.ORDINAL, read_ordinal, False),
    (rules.HOLIDAY, read_holiday, False),
)
"""Pattern, resolver, and whether that needs not know when it was said; the first to match a place wins."""
