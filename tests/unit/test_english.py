"""The calendar's words and the patterns for them agree, in whatever locale the process runs."""

import re
from datetime import UTC, datetime

import pytest

from ragpp.text.english import (
    ANY_MONTH,
    ANY_WEEKDAY,
    CALENDAR,
    MONTH_ABBREVIATIONS,
    MONTHS,
    WEEKDAYS,
    day_in_words,
    month_number,
)
from tests.support.each import each_case


@each_case("number", range(1, 13))
def test_a_month_is_known_by_its_name_and_its_abbreviation(number: int) -> None:
    name, short = MONTHS[number - 1], MONTH_ABBREVIATIONS[number - 1]
    for form in (name, short, name.lower(), short.upper()):
        assert month_number(form) == number
        assert re.fullmatch(ANY_MONTH, form, re.IGNORECASE)
        assert form.lower() in CALENDAR


def test_a_month_is_the_one_that_the_date_has() -> None:
    assert [day_in_words(datetime(2023, number, 8, tzinfo=UTC)) for number in (1, 5, 12)] == [
        "8 January 2023",
        "8 May 2023",
        "8 December 2023",
    ]
    with pytest.raises(ValueError, match="not in tuple"):
        month_number("yesterday")


def test_a_day_of_the_week_is_known_by_its_name_and_its_abbreviations() -> None:
    assert WEEKDAYS[datetime(2026, 3, 9, tzinfo=UTC).weekday()] == "Monday"
    for form in (*WEEKDAYS, *(name[:3] for name in WEEKDAYS), "tues", "thur", "thurs"):
        assert re.fullmatch(ANY_WEEKDAY, form, re.IGNORECASE)
        assert form.lower() in CALENDAR
    assert not re.fullmatch(f"{ANY_WEEKDAY}|{ANY_MONTH}", "sunny", re.IGNORECASE)
