"""Resolves the times that a sentence names against the moment it was said: "last Friday", "in March", "two weeks ago".

Pure, and without a dependency. What is not decided by the words is decided so:
- "last Friday" is the latest Friday before today, "this Friday" today or the next one, "next Friday" that of next week;
- "on Friday", "in March" and "on 5 June" lie behind in a sentence about the past and ahead in any other;
- what is said in weeks, months or years is known to the week, month or year: "two weeks ago" is a week, not a day;
- "a few" is two to five.
What is repeated ("every Friday", "on Fridays") names no time, nor does a length ("for two hours").
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final

from ragpp.extraction.port import DateMention
from ragpp.extraction.times import intervals
from ragpp.extraction.times import temporal_rules as rules
from ragpp.extraction.times.intervals import PARTS, SEASONS, Interval
from ragpp.extraction.times.tenses import Tense, tense_at
from ragpp.models import DateSpan
from ragpp.text.english import WEEKDAYS, month_number

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
            if any(start < stop and begin < end for begin, stop, _ in taken) or _is_repeated(match):
                continue
            interval = _resolve(resolver, match, said_at or _NO_MOMENT)
            if interval is not None:
                taken.append((start, end, interval))
    for start, end, found in sorted(taken, key=lambda mention: mention[0]):
        span = DateSpan(start=found.start, end=found.end, precision=found.precision, text=text[start:end][:200])
        yield DateMention(span, start, end)


def _is_repeated(match: re.Match[str]) -> bool:
    return rules.REPEATED.search(match.string[max(0, match.start() - 24) : match.start()]) is not None


def _resolve(resolver: Resolver, match: re.Match[str], said_at: datetime) -> Interval | None:
    try:
        return resolver(match, said_at, tense_at(match.string, *match.span()))
    except (ValueError, OverflowError):  # 31 June, or a year that no calendar has
        return None


def _iso(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    begin = said_at.replace(year=int(match["y"]), month=int(match["mm"]), day=int(match["d"]))
    return intervals.day(begin)


def _days(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval | None:
    """ "13–20 Feb", "from Mon 21 Sep to Fri 16 Oct": from the first day to the end of the last, which is the one that
    the tense means."""
    if match["join"].lower() == "and" and (match["prep"] or "").lower() != "between":
        return None
    last_name = match["mon"] or match["mon1"]
    if rules.is_another_word(last_name) and not (match["prep"] or match["mon"]):
        return None
    month, number = month_number(last_name), int(match["d"])
    first_month, first = month_number(match["mon1"] or last_name), int(match["d1"])
    years = [int(match["y"])] if match["y"] else [said_at.year + more for more in (-1, 0, 1)]
    found = list[Interval]()
    for year in years:
        begins = year - ((first_month, first) > (month, number))
        begin, end = (
            intervals.day(_at(said_at, *date)) for date in ((begins, first_month, first), (year, month, number))
        )
        found.append(Interval(begin.start, end.end, "day"))
    return found[0] if match["y"] else intervals.nearest(_on_weekday(found, match["day"]), said_at, tense)


def _day_of_month(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval | None:
    """ "5 June", with or without its year."""
    if rules.is_another_word(match["mon"]) and not any(match[name] for name in ("y", "th", "prep", "day")):
        return None
    month, number = month_number(match["mon"]), int(match["d"])
    if match["y"]:
        return _timed(intervals.day(_at(said_at, int(match["y"]), month, number)), match)
    found = [intervals.day(_at(said_at, said_at.year + more, month, number)) for more in (-1, 0, 1)]
    return _timed(intervals.nearest(_on_weekday(found, match["day"]), said_at, tense), match)


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
        return _timed(intervals.day(said_at, -2 if "before" in word else -1), match)
    if word.startswith("tm") or "tomorrow" in word:
        return _timed(intervals.day(said_at, 2 if "after" in word else 1), match)
    return _timed(intervals.day(said_at), match)


def _part_of_day(match: re.Match[str], said_at: datetime, _tense: Tense) -> Interval:
    """ "this morning", "tonight", "last night"."""
    last = match["w"] is not None and match["w"].lower() == "last"
    part = (match["p"] or "night").lower()
    return intervals.hours(intervals.day(said_at, -1 if last else 0), *PARTS[part])


def _which_weekday(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval:
    which, wanted = match["w"].lower(), _weekday(match["wd"])
    ahead = (wanted - said_at.weekday()) % 7
    if which in {"last", "past", "previous", "this past"} or (which == "this" and tense == "past" and ahead):
        return _timed(intervals.day(said_at, ahead - 7), match)
    if which == "next":
        return _timed(intervals.day(intervals.week(said_at, 1).start, wanted), match)
    return _timed(intervals.day(said_at, ahead), match)


def _weekday_alone(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval | None:
    """None for a short one that nothing governs, or beside another: "gym Tue + Thurs" is every week."""
    is_short = not match["wd"].lower().endswith("day")
    is_governed = match["prep"] and "the" not in match[0].lower().split()
    if (is_short and not is_governed) or rules.is_listed(match):
        return None
    ahead = (_weekday(match["wd"]) - said_at.weekday()) % 7
    if (match["prep"] or "").lower() == "since" or tense == "past":
        return _timed(intervals.day(said_at, ahead - 7), match)
    return _timed(intervals.day(said_at, ahead or 7), match)


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


def _ordinal(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval:
    """ "on the 5th", "Fri 13th": of this month or a near one; not every month has a 31st, nor a Friday then."""
    number, weekday = int(match["d"]), match.groupdict().get("day")
    months = (intervals.month(said_at, offset) for offset in ((-2, -1, 0, 1, 2) if weekday is None else range(-6, 7)))
    found = [intervals.day(month.start, number - 1) for month in months if number <= (month.end - month.start).days]
    return _timed(intervals.nearest(_on_weekday(found, weekday), said_at, tense), match)


def _holiday(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval:
    which = (match["w"] or "").lower()
    month, number = rules.HOLIDAYS[match["name"].lower()]
    found = [intervals.day(_at(said_at, said_at.year + more, month, number)) for more in (-1, 0, 1)]
    if which in {"last", "past", "this past"}:
        tense = "past"
    elif which == "next":
        tense = "future"
    return intervals.nearest(found, said_at, tense)


def _timed(of_day: Interval, match: re.Match[str]) -> Interval:
    """The hour or part of the day that the match names, or the day."""
    if match["noon"]:
        return intervals.at(of_day, 12, None)
    if match["h24"]:
        return intervals.at(of_day, int(match["h24"]), int(match["m24"]))
    if match["h"]:
        hour = int(match["h"]) % 12 + (12 if match["ap"].lower() == "p" else 0)
        return intervals.at(of_day, hour, int(match["m"]) if match["m"] else None)
    return intervals.hours(of_day, *PARTS[match["part"].lower()]) if match["part"] else of_day


def _third(whole: Interval, match: re.Match[str]) -> Interval:
    return intervals.third(whole, rules.THIRDS[match["third"].lower()]) if match["third"] else whole


def _at(moment: datetime, year: int, month: int, number: int) -> datetime:
    return moment.replace(year=year, month=month, day=number)


def _on_weekday(found: list[Interval], name: str | None) -> list[Interval]:
    """Those that begin on that day of the week; all where none do or none is named."""
    return [one for one in found if name and one.start.weekday() == _weekday(name)] or found


def _weekday(name: str) -> int:
    return next(index for index, known in enumerate(WEEKDAYS) if known.startswith(name[:3].capitalize()))


def _number(words: str) -> tuple[int, int]:
    """How many, at least and at most."""
    if words.isdigit():
        return int(words), int(words)
    for word in words.lower().split():
        if word in rules.RANGES:
            return rules.RANGES[word]
    number = rules.NUMBERS[words.lower()]
    return number, number


_OF_NUMBERS: Final = frozenset({_iso, _days, _day_of_month, _month_of_year, _season_of_year, _year, _decade, _ordinal})
"""What needs a number."""
_PATTERNS: Final[tuple[tuple[re.Pattern[str], Resolver, bool], ...]] = (
    (rules.ISO, _iso, True),
    (rules.DAYS, _days, False),
    (rules.DAYS_2, _days, False),
    (rules.DAY_OF_MONTH, _day_of_month, True),
    (rules.DAY_OF_MONTH_2, _day_of_month, True),
    (rules.DAY_OF_MONTH_3, _day_of_month, False),
    (rules.DAY_OF_MONTH_4, _day_of_month, False),
    (rules.MONTH_OF_YEAR, _month_of_year, True),
    (rules.SEASON_OF_YEAR, _season_of_year, True),
    (rules.YEAR, _year, True),
    (rules.DECADE, _decade, True),
    (rules.ORDINAL_OF_WEEKDAY, _ordinal, False),
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
    (rules.ORDINAL, _ordinal, False),
    (rules.HOLIDAY, _holiday, False),
)
"""Pattern, resolver, and whether that needs not know when it was said; the first to match a place wins."""
