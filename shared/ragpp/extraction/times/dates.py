"""Dates of the calendar, with or without their year: "5 June", "13–20 Feb", "Fri 13th", "Christmas Eve"."""

import re
from datetime import datetime
from typing import Final

from ragpp.extraction.times import intervals
from ragpp.extraction.times import temporal_rules as rules
from ragpp.extraction.times.intervals import PARTS, Interval
from ragpp.extraction.times.tenses import Tense
from ragpp.text.english import WEEKDAYS, month_number

RANGE_DAYS: Final = 60
"""No longer is a span of days without a year: what seems to be is two numbers."""
NEAR_DAYS: Final = 270
"""How far a date may be whose day of the week tells its year; farther off the day was mistyped."""


def read_days(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval | None:
    """ "13–20 Feb", "from Mon 21 Sep to Fri 16 Oct": from the first day to the end of the last, which is the one that
    the tense means."""
    joint, prep = (match["join"] or "-").lower(), (match["prep"] or "").lower()
    last_name = match["mon"] or match["mon1"]
    sure = bool(match["y"] or match["th"] or match["day"] or prep not in {"", "between"})
    if (joint == "and" and prep != "between") or (rules.is_another_word(last_name) and not sure):
        return None
    begin = month_number(match["mon1"] or last_name), int(match["d1"])
    end = month_number(last_name), int(match["d"])
    years = [int(match["y"])] if match["y"] else [said_at.year + more for more in (-1, 0, 1)]
    found = [one for year in years if (one := _between(said_at, year, begin, end)) is not None]
    return _of_years(found, match, said_at, tense)


def _between(said_at: datetime, year: int, begin: tuple[int, int], end: tuple[int, int]) -> Interval | None:
    """From one (month, day) to another of `year`; None where there is no such day, or more than RANGE_DAYS between."""
    try:
        first = intervals.day(_at(said_at, year - (begin > end), *begin))
        last = intervals.day(_at(said_at, year, *end))
    except ValueError:
        return None
    return Interval(first.start, last.end, "day") if (last.end - first.start).days <= RANGE_DAYS else None


def read_day(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval | None:
    """ "5 June", with or without its year."""
    if rules.is_another_word(match["mon"]) and not any(match[name] for name in ("y", "th", "prep", "day")):
        return None
    month, number = month_number(match["mon"]), int(match["d"])
    if match["y"]:
        return timed(intervals.day(_at(said_at, int(match["y"]), month, number)), match)
    found = [intervals.day(_at(said_at, said_at.year + more, month, number)) for more in (-1, 0, 1)]
    return timed(_of_years(found, match, said_at, tense), match)


def _of_years(found: list[Interval], match: re.Match[str], said_at: datetime, tense: Tense) -> Interval:
    """The one that the tense means of a date without its year, of those on the day of the week that is named, where one
    of these is near. ValueError for none."""
    if not found:
        raise ValueError("no such day")
    if (match["prep"] or "").lower() == "since":
        tense = "past"
    named = [one for one in found if match["day"] and one.start.weekday() == weekday_number(match["day"])]
    near = [one for one in named if abs((one.start - said_at).days) <= NEAR_DAYS]
    return intervals.nearest(near or found, said_at, tense)


def read_ordinal(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval | None:
    """ "on the 5th", "Fri 13th": of this month or a near one; not every month has a 31st, nor a Friday then."""
    number, weekday = int(match["d"]), match.groupdict().get("day")
    if weekday is not None and not rules.is_a_day(match, "day") and " the " not in match[0].lower():
        return None
    months = (intervals.month(said_at, offset) for offset in (-2, -1, 0, 1, 2))
    found = [intervals.day(month.start, number - 1) for month in months if number <= (month.end - month.start).days]
    if weekday is not None:
        found = [one for one in found if one.start.weekday() == weekday_number(weekday)]
    return timed(intervals.nearest(found, said_at, tense), match) if found else None


def read_holiday(match: re.Match[str], said_at: datetime, tense: Tense) -> Interval:
    """ "at Christmas", "last Halloween"."""
    which = (match["w"] or "").lower()
    month, number = rules.HOLIDAYS[match["name"].lower()]
    found = [intervals.day(_at(said_at, said_at.year + more, month, number)) for more in (-1, 0, 1)]
    if which in {"last", "past", "this past"}:
        tense = "past"
    elif which == "next":
        tense = "future"
    return intervals.nearest(found, said_at, tense)


def timed(of_day: Interval, match: re.Match[str]) -> Interval:
    """The hour or part of the day that the match names, or the day."""
    if match["noon"]:
        return intervals.at(of_day, 12, None)
    if match["h24"]:
        return intervals.at(of_day, int(match["h24"]), int(match["m24"]))
    if match["h"]:
        hour = int(match["h"]) % 12 + (12 if match["ap"].lower() == "p" else 0)
        return intervals.at(of_day, hour, int(match["m"]) if match["m"] else None)
    return intervals.hours(of_day, *PARTS[match["part"].lower()]) if match["part"] else of_day


def _at(moment: datetime, year: int, month: int, number: int) -> datetime:
    return moment.replace(year=year, month=month, day=number)


def weekday_number(name: str) -> int:
    """0 for Monday to 6, of a day of the week in any form. StopIteration for another word."""
    return next(index for index, known in enumerate(WEEKDAYS) if known.startswith(name[:3].capitalize()))
