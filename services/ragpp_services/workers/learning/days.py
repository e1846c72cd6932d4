"""Days and windows in the time of conversations. Pure."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import JsonValue

from ragpp.errors import InvalidInput
from ragpp.fields import Moment
from ragpp.models import TimeRange

DEFAULT_WINDOW: Final = timedelta(hours=1)
LEAST_STEP: Final = timedelta(microseconds=1)


class Bounded(TimeRange):
    """A window that has both ends."""

    start: Moment
    end: Moment


def zone_of(name: str) -> tzinfo:
    """The time zone of that IANA name. Raises InvalidInput for one that there is none of."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            f"{name!r} is no time zone", suggestions=("Use an IANA name, such as Europe/Lisbon or UTC.",)
        ) from error


def known_zone(name: str) -> tzinfo:
    """The time zone of a name that was kept; UTC where this machine does not know it any more."""
    try:
        return zone_of(name)
    except InvalidInput:
        return zone_of("UTC")


def day_span(day: date, zone: tzinfo) -> Bounded:
    """The moments of a local day: 23 or 25 hours where the clocks change. Raises InvalidInput at the ends of time."""
    try:
        start = datetime.combine(day, time.min, zone).astimezone(UTC)
        end = datetime.combine(day + timedelta(days=1), time.min, zone).astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"{day} is not a day that has a beginning and an end") from error
    return Bounded(start=start, end=end)


def window_of(payload: Mapping[str, JsonValue], until: datetime) -> Bounded:
    """The window that a payload names by `start` and `end`, ISO 8601 with offset; each may be absent: the end is then
    just after `until`, the start an hour before the end. Raises InvalidInput for what is no window."""
    end = _moment(payload, "end") or until + LEAST_STEP
    start = _moment(payload, "start") or back(end, DEFAULT_WINDOW)
    if start > end:
        raise InvalidInput("the window's start is after its end")
    return Bounded(start=start, end=end)


def day_of(payload: Mapping[str, JsonValue], until: datetime, zone: tzinfo) -> date:
    """The local day that a payload names by `date`, or that of `until`. Raises InvalidInput for what is no date."""
    named = payload.get("date")
    if named is None:
        return until.astimezone(zone).date()
    try:
        return date.fromisoformat(str(named))
    except ValueError as error:
        raise InvalidInput(f"{named!r} is no date; write it as 2026-11-21") from error


def back(moment: datetime, by: timedelta) -> datetime:
    """`by` before `moment`, or the beginning of time."""
    first = datetime.min.replace(tzinfo=UTC)
    return moment - by if moment - first > by else first


def _moment(payload: Mapping[str, JsonValue], field: str) -> datetime | None:
    value = payload.get(field)
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise InvalidInput(f"the window's {field} is no moment: {value!r}") from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
