"""Times that a sentence names, resolved against the moment it was said; and what names no time."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.extraction.times.temporal import find_dates
from tests.support.extractor import trained

THURSDAY = datetime(2023, 5, 25, 9, 30, tzinfo=UTC)


def days(text: str, said_at: datetime | None = THURSDAY) -> list[tuple[str, str, str]]:
    """First day, day after the last, precision."""
    return [
        (
            str(found.span.start.date()),
            str((found.span.end - timedelta(microseconds=1)).date() + timedelta(days=1)),
            found.span.precision,
        )
        for found in find_dates(text, said_at)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I saw her last Friday.", ("2023-05-19", "2023-05-20", "day")),
        ("We met yesterday.", ("2023-05-24", "2023-05-25", "day")),
        ("It was the day before yesterday.", ("2023-05-23", "2023-05-24", "day")),
        ("I'll go the day after tomorrow.", ("2023-05-27", "2023-05-28", "day")),
        ("He called last night.", ("2023-05-24", "2023-05-25", "hour")),
        ("I'll be there next month.", ("2023-06-01", "2023-07-01", "month")),
        ("That was two weeks ago.", ("2023-05-08", "2023-05-15", "week")),
        ("That was three days ago.", ("2023-05-22", "2023-05-23", "day")),
        ("We moved here a few years ago.", ("2018-01-01", "2022-01-01", "year")),
        ("We're hiking this weekend.", ("2023-05-27", "2023-05-29", "day")),
        ("It was the weekend before last.", ("2023-05-13", "2023-05-15", "day")),
        ("I moved in March.", ("2023-03-01", "2023-04-01", "month")),
        ("I'll move in March.", ("2024-03-01", "2024-04-01", "month")),
        ("I signed up for the race in March.", ("2024-03-01", "2024-04-01", "month")),
        ("They are getting married in March.", ("2024-03-01", "2024-04-01", "month")),
        ("We left in late March.", ("2023-03-21", "2023-04-01", "week")),
        ("The party is on 5 June.", ("2023-06-05", "2023-06-06", "day")),
        ("She arrived on Monday.", ("2023-05-22", "2023-05-23", "day")),
        ("I'm leaving on Monday.", ("2023-05-29", "2023-05-30", "day")),
        ("The garage moved me to Monday.", ("2023-05-29", "2023-05-30", "day")),
        ("They rescheduled the inspection for Tuesday at 8:00.", ("2023-05-30", "2023-05-31", "minute")),
        ("The bike is at the shop til monday.", ("2023-05-29", "2023-05-30", "day")),
        ("Choir is on Friday instead of Wednesday.", ("2023-05-26", "2023-05-27", "day")),
        ("He moved to Bergen on Monday.", ("2023-05-22", "2023-05-23", "day")),
        ("We meet next Friday.", ("2023-06-02", "2023-06-03", "day")),
        ("We meet this Friday.", ("2023-05-26", "2023-05-27", "day")),
        ("See you on the 5th.", ("2023-06-05", "2023-06-06", "day")),
        ("The exam is in three days.", ("2023-05-28", "2023-05-29", "day")),
        ("We went there last summer.", ("2022-06-01", "2022-09-01", "season")),
        ("I've been here since 2019.", ("2019-01-01", "2020-01-01", "year")),
        ("Back in the 1990s it was a mill.", ("1990-01-01", "2000-01-01", "decade")),
        ("Over the past three months I read a lot.", ("2023-02-01", "2023-05-26", "month")),
        ("We stayed home on Christmas Eve.", ("2022-12-24", "2022-12-25", "day")),
        ("The dentist is tomorrow at 3pm.", ("2023-05-26", "2023-05-27", "hour")),
        ("The call is tomorrow at 15:30.", ("2023-05-26", "2023-05-27", "minute")),
    ],
)
def test_a_time_is_an_interval_with_its_precision(text: str, expected: tuple[str, str, str]) -> None:
    assert days(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Every Friday we eat fish. On Mondays I swim.",
        "I learned it in two weeks.",
        "We waited for two hours.",
        "I may march with them.",
        "It was on 31 June.",
        "The spring in the mattress broke.",
        "Nothing is ever easy.",
        "",
    ],
)
def test_what_is_repeated_or_only_long_names_no_time(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("checkup fri 16 jun, bring the card", ("2023-06-16", "2023-06-17", "day")),
        ("its due 6 nov", ("2023-11-06", "2023-11-07", "day")),
        ("choir thurs 8 jun 19:30", ("2023-06-08", "2023-06-09", "minute")),
        ("concert on sat 8pm", ("2023-05-27", "2023-05-28", "hour")),
        ("essay is due fri 9th", ("2023-06-09", "2023-06-10", "day")),
        ("last shift was sat the 29th", ("2023-04-29", "2023-04-30", "day")),
        ("vet next wed the 31st, 10:10", ("2023-05-31", "2023-06-01", "minute")),
        ("it allowed dogs, mon 24 to fri 28 july", ("2023-07-24", "2023-07-29", "day")),
        ("we rang her, her 80th is sun 8 oct", ("2023-10-08", "2023-10-09", "day")),
        ("vet next weds", ("2023-05-31", "2023-06-01", "day")),
        ("see u tmrw", ("2023-05-26", "2023-05-27", "day")),
        ("fly on 3 march", ("2024-03-03", "2024-03-04", "day")),
        ("the lease ends end of october", ("2023-10-21", "2023-11-01", "week")),
        ("13–20 Feb we are away", ("2024-02-13", "2024-02-21", "day")),
        ("porto, 24 to 31 oct", ("2023-10-24", "2023-11-01", "day")),
        ("course from mon 28 aug to fri 1 sept", ("2023-08-28", "2023-09-02", "day")),
        ("concert Oct 12 - 2 tickets left", ("2023-10-12", "2023-10-13", "day")),
        ("she turns 30 on June 3 - 2 days after me", ("2023-06-03", "2023-06-04", "day")),
        ("the party is on June 2 to 3 pm", ("2023-06-02", "2023-06-03", "day")),
        ("the wedding is sun 8 july", ("2023-07-08", "2023-07-09", "day")),
        ("vegan since 5 dec", ("2022-12-05", "2022-12-06", "day")),
        ("my shifts changed, i'm on days from november", ("2023-11-01", "2023-12-01", "month")),
        ("sorry i said the wedding is 12 april, not may", ("2024-04-12", "2024-04-13", "day")),
        ("I met Tom, who is my boss, in June", ("2022-06-01", "2022-07-01", "month")),
        ("I sold the bike that is too small on Friday", ("2023-05-19", "2023-05-20", "day")),
        ("away 26 to 29 feb", ("2024-02-26", "2024-03-01", "day")),
        ("skiing dec 27 - jan 3", ("2023-12-27", "2024-01-04", "day")),
        ("Away between 5 and 9 June 2025", ("2025-06-05", "2025-06-10", "day")),
    ],
)
def test_a_time_is_read_as_people_type_it(text: str, expected: tuple[str, str, str]) -> None:
    assert days(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "work mon wed fri",
        "me tue + thurs, her mon-fri",
        "swimming on mon and wed",
        "on-call handover is wed 14:00",
        "choir thurs 19:30",
        "the cat sat on the sun lounger",
        "i may 5 times a day",
        "may 5 people come?",
        "this may be wrong",
        "about 10 - 15 may attend",
        "wear a hat for sun protection, no sun before noon",
        "before sun exposure",
        "I sat 2nd in the row, she wed 2nd husband",
        "we march 3 abreast",
    ],
)
def test_a_rota_and_other_words_name_no_time(text: str) -> None:
    assert days(text) == []


def test_an_hour_is_exact() -> None:
    (found,) = find_dates("See you tomorrow at 3pm.", THURSDAY)
    assert (found.span.start, found.span.end) == (
        datetime(2023, 5, 26, 15, tzinfo=UTC),
        datetime(2023, 5, 26, 16, tzinfo=UTC),
    )


def test_days_begin_where_the_speaker_is() -> None:
    tokyo = timezone(timedelta(hours=9))
    (found,) = find_dates("It was yesterday.", datetime(2023, 5, 26, 1, tzinfo=tokyo))  # in UTC still the 25th
    assert found.span.start == datetime(2023, 5, 25, tzinfo=tokyo)


def test_without_the_moment_only_what_names_its_year_is_resolved() -> None:
    assert days("I was born on June 5th, 1990, and saw her last Friday.", None) == [("1990-06-05", "1990-06-06", "day")]


def test_times_are_found_in_order_where_they_stand() -> None:
    text = "We met in 2019, moved last month and fly tomorrow."
    found = list(find_dates(text, THURSDAY))
    assert [text[mention.start : mention.end] for mention in found] == ["in 2019", "last month", "tomorrow"]
    assert [mention.span.text for mention in found] == ["in 2019", "last month", "tomorrow"]


WORDS = [
    *("last", "next", "this", "in", "on", "the", "a few", "two", "31", "2019", "5th", "Friday", "March", "May", "week"),
    *("weeks", "ago", "summer", "night", "past", "at 3pm", "15:30", "every", "christmas eve", "before", "yesterday"),
    *("sun", "mar", "to", "-", "between", "and", "end of", "8pm", "fri"),
    *("tomorrow", "30", "February", "weekend", "of", "years", "1990s", "day", "after", "century", "months", "from now"),
]


@given(
    st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join),
    st.dates(date(2, 1, 1), date(9998, 1, 1)).map(lambda day: datetime(day.year, day.month, day.day, 12, tzinfo=UTC)),
)
def test_any_words_at_any_time_give_ordered_spans_without_overlap(text: str, said_at: datetime) -> None:
    end = 0
    for found in find_dates(text, said_at):
        assert end <= found.start < found.end <= len(text)
        assert found.span.start < found.span.end
        end = found.end


def test_a_message_has_the_dates_of_what_it_asserts() -> None:
    extractor = trained()
    text = "Shall we meet on Friday? If it rains tomorrow I stay. I was in Rome last week."
    found = extractor.extract(text, speaker="Noor", said_at=THURSDAY).dates
    assert [text[mention.start : mention.end] for mention in found] == ["last week"]


@pytest.mark.parametrize("month", range(1, 13))
@pytest.mark.parametrize("day", ["29th", "30th", "31st"])
def test_a_day_that_the_month_before_has_not_is_found(month: int, day: str) -> None:
    said_at = datetime(2023, month, 25, 12, tzinfo=UTC)
    [date] = find_dates(f"I moved to Rome on the {day}.", said_at)
    assert date.span.start < said_at
