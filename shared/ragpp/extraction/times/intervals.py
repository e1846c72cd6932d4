"""Calendar arithmetic: days, weeks, months, seasons and years as half-open intervals. Pure.

Weeks begin on Monday, weekends are Saturday and Sunday, seasons those of the northern hemisphere by whole months
(spring is March to May), and a winter carries the year in which it begins. A part of a day is a stretch of hours:
morning 6 to 12, afternoon 12 to 18, evening and night 18 to 24.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ragpp.extraction.times.tenses import Tense
from ragpp.models import Precision

SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""A season → the month in which it begins."""
PARTS: Final = {"morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 24)}
"""A part of a day → its hours."""
_MONTHS_A_YEAR: Final = 12


@dataclass(frozen=True, slots=True)
class Interval:
    """`start` ≤ moment < `end`."""

    start: datetime
    end: datetime
    precision: Precision


def midnight(moment: datetime) -> datetime:
    """The beginning of the moment's day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day(moment: datetime, offset: int = 0, *, days: int = 1) -> Interval:
    """`days` days from `offset` days after the moment's."""
    begin = midnight(moment) + timedelta(days=offset)
    return Interval(begin, begin + timedelta(days=days), "day")


def week(moment: datetime, offset: int = 0) -> Interval:
    """The week `offset` weeks after the moment's."""
    begin = midnight(moment) + timedelta(days=7 * offset - moment.weekday())
    return Interval(begin, begin + timedelta(days=7), "week")


def weekend(moment: datetime, offset: int = 0) -> Interval:
    """The weekend of the week `offset` weeks after the moment's."""
    return day(week(moment, offset).start, 5, days=2)


def month(moment: datetime, offset: int = 0) -> Interval:
    """The month `offset` months after the moment's. Raises ValueError or OverflowError beyond years 1 to 9999."""
    return Interval(_first(moment, offset), _first(moment, offset + 1), "month")


def month_of(moment: datetime, year: int, number: int) -> Interval:
    """Month `number`, 1 to 12, of `year`, in the moment's time zone."""
    return month(midnight(moment).replace(year=year, month=number, day=1))


def season(moment: datetime, name: str, year: int) -> Interval:
    """The season `name` of SEASONS that begins in `year`."""
    first = month_of(moment, year, SEASONS[name])
    return Interval(first.start, _first(first.start, 3), "season")


def years(moment: datetime, first: int, last: int, precision: Precision = "year") -> Interval:
    """From the beginning of year `first` to the end of year `last`."""
    begin = midnight(moment).replace(month=1, day=1, year=first)
    return Interval(begin, begin.replace(year=last + 1), precision)


def hours(of_day: Interval, first: int, last: int) -> Interval:
    """Hours `first` to `last` of the first day of an interval."""
    return Interval(of_day.start + timedelta(hours=first), of_day.start + timedelta(hours=last), "hour")


def at(of_day: Interval, hour: int, minute: int | None) -> Interval:
    """The hour that begins at `hour`, or the very minute where one is given."""
    begin = of_day.start + timedelta(hours=hour, minutes=minute or 0)
    if minute is None:
        return Interval(begin, begin + timedelta(hours=1), "hour")
    return Interval(begin, begin + timedelta(minutes=1), "minute")


def third(of_month: Interval, which: str) -> Interval:
    """The "early", "mid" or "late" part of a month, to the week, or of a year, to the season."""
    length = (of_month.end - of_month.start) // 3
    index = {"early": 0, "mid": 1, "late": 2}[which]
    begin = midnight(of_month.start + index * length)
    end = of_month.end if index == 2 else midnight(of_month.start + (index + 1) * length)
    return Interval(begin, end, "season" if of_month.precision == "year" else "week")


def shifted(said_at: datetime, unit: str, offset: int) -> Interval:
    """The minute, hour, day, week, month, year or decade that is `offset` of them from the moment's."""
    if unit == "week":
        return week(said_at, offset)
    if unit == "month":
        return month(said_at, offset)
    if unit == "year":
        return years(said_at, said_at.year + offset, said_at.year + offset)
    if unit == "decade":
        begin = (said_at.year + 10 * offset) // 10 * 10
        return years(said_at, begin, begin + 9, "decade")
    if unit in {"day", "night"}:
        return day(said_at, offset)
    moment = said_at + (timedelta(hours=offset) if unit == "hour" else timedelta(minutes=offset))
    return at(day(moment), moment.hour, None if unit == "hour" else moment.minute)


def which_season(name: str, offset: int, said_at: datetime, tense: Tense) -> Interval:
    """The last (`offset` -1), this (0) or the next (1) season of that name; this one by the tense."""
    found = [season(said_at, name, said_at.year + more) for more in (-2, -1, 0, 1)]
    if offset < 0:
        return [one for one in found if one.end <= said_at][-1]
    if offset > 0:
        return found[2] if name == "winter" and said_at.month <= 2 else found[3]
    if tense == "past":
        return [one for one in found if one.start <= said_at][-1]
    return next(one for one in found if one.end > said_at)


def nearest(found: list[Interval], said_at: datetime, tense: Tense) -> Interval:
    """The one that the tense means of yearly or monthly returns, in order: the last that has begun, or the first
    that has not ended; the nearest one on the other side where there is none on its own."""
    begun = [one for one in reversed(found) if one.start <= said_at]
    ahead = [one for one in found if one.end > said_at]
    return [*begun, *ahead][0] if tense == "past" else [*ahead, *begun][0]


def _first(moment: datetime, offset: int) -> datetime:
    """The first day of the month `offset` months after the moment's."""
    count = moment.year * _MONTHS_A_YEAR + moment.month - 1 + offset
    return midnight(moment).replace(year=count // _MONTHS_A_YEAR, month=count % _MONTHS_A_YEAR + 1, day=1)
