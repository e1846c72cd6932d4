"""Days are the user's own, also where the clocks change; themes name what a day was about; merges are cautious."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from ragpp.errors import InvalidInput
from ragpp.models import Preference
from ragpp_services.workers.learning.consolidation import duplicates, key_line
from ragpp_services.workers.learning.days import day_of, day_span, window_of, zone_of
from ragpp_services.workers.learning.themes import Said, stems_in, themes_of
from tests.support import values
from tests.support.each import each_case
from tests.support.said import MONTH


@each_case(
    ("day", "zone", "hours"),
    [
        (date(2024, 3, 30), "Europe/Lisbon", 24),
        (date(2024, 3, 31), "Europe/Lisbon", 23),
        (date(2024, 10, 27), "Europe/Lisbon", 25),
        (date(2024, 1, 1), "Asia/Kathmandu", 24),
    ],
)
def test_a_local_day_has_the_hours_it_has(day: date, zone: str, hours: int) -> None:
    span = day_span(day, ZoneInfo(zone))
    assert span.start is not None
    assert span.end is not None
    assert span.end - span.start == timedelta(hours=hours)
    assert span.start.astimezone(ZoneInfo(zone)).date() == day
    following = day_span(day + timedelta(days=1), ZoneInfo(zone))
    assert following.start == span.end


def test_a_time_zone_that_is_none_is_refused() -> None:
    for name in ("Mars/Base", "../etc/passwd", ""):
        with pytest.raises(InvalidInput):
            zone_of(name)


def test_a_window_is_an_hour_unless_it_is_named() -> None:
    span = window_of({}, MONTH)
    assert span.start is not None
    assert span.end is not None
    assert span.end > MONTH
    assert span.end - span.start == timedelta(hours=1)
    named = window_of({"start": "2024-03-01T00:00:00Z", "end": "2024-03-02T00:00:00+00:00"}, MONTH)
    assert (named.start, named.end) == (MONTH, MONTH + timedelta(days=1))
    for bad in ({"start": "soon"}, {"start": "2024-03-03T00:00:00Z", "end": "2024-03-02T00:00:00Z"}):
        with pytest.raises(InvalidInput):
            window_of(dict(bad), MONTH)


def test_a_day_is_the_local_one_unless_it_is_named() -> None:
    assert day_of({}, MONTH, ZoneInfo("America/New_York")) == date(2024, 2, 29)
    assert day_of({"date": "2024-05-06"}, MONTH, ZoneInfo("UTC")) == date(2024, 5, 6)
    with pytest.raises(InvalidInput):
        day_of({"date": "06/05/2024"}, MONTH, ZoneInfo("UTC"))


def day(*texts: str) -> list[Said]:
    return [Said(f"m{n}", text) for n, text in enumerate(texts)]


def test_themes_are_named_by_what_several_messages_share() -> None:
    themes = themes_of(
        day(
            "The harbour festival was loud this year.",
            "I saw the boats at the harbour festival.",
            "Really, the harbour festival again?",
            "My tomatoes have blight.",
            "Copper spray saves tomatoes from blight.",
            "Good night!",
        ),
        {},
        0,
    )
    assert [theme.text for theme in themes] == ["harbour festival", "blight, tomatoes"]
    assert themes[0].interactions == 3
    assert themes[0].share == 0.5
    assert themes[0].sources == ("m0", "m1", "m2")


def test_what_is_said_every_day_is_no_theme_of_one_day() -> None:
    texts = ("The shop and the harbour.", "The shop, then the harbour.", "The shop.", "Shop!", "Nothing else.")
    (first, *_) = themes_of(day(*texts), {}, 0)
    assert first.text.startswith("shop")
    background = stems_in(["the shop is open"] * 500)
    (first, *_) = themes_of(day(*texts), background, 500)
    assert first.text.startswith("harbour")


def test_vectors_bring_messages_to_their_theme() -> None:
    near, far = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    messages = [
        Said("a", "Our harbour festival!", near),
        Said("b", "That harbour festival.", near),
        Said("c", "What a crowd.", near),
        Said("d", "Good night.", far),
        Said("e", "Sleep well.", far),
    ]
    (theme,) = themes_of(messages, {}, 0)
    assert theme.sources == ("a", "b", "c")


def test_an_empty_day_has_no_themes() -> None:
    assert themes_of([], {}, 0) == ()


def preference(identifier: str, key: str, *, category: str = "food", day: int = 0) -> Preference:
    return values.preference(MONTH + timedelta(days=day), id=identifier, category=category, key=key, value="yes")


def test_one_question_in_two_forms_is_merged_into_the_older() -> None:
    held = [preference("a", "morning drink", day=2), preference("b", "drinks in the morning"), preference("c", "seat")]
    (same,) = duplicates(held)
    assert (same.keep.id, same.absorb.id) == ("b", "a")


def test_other_people_categories_and_questions_stay_apart() -> None:
    held = [
        preference("a", "Ann's drink"),
        preference("b", "Bob's drink"),
        preference("c", "drink", category="travel"),
        preference("d", "evening drink"),
        preference("e", "drink"),
    ]
    assert duplicates(held) == []


def test_meaning_merges_only_what_is_all_but_the_same_and_never_names_or_numbers() -> None:
    held = [
        preference("a", "beverage"),
        preference("b", "drink"),
        preference("c", "room 12"),
        preference("d", "room 14"),
    ]
    one = np.array([1, 0], np.float32)
    almost, apart = np.array([0.95, 0.3122], np.float32), np.array([0.9, 0.4359], np.float32)
    vectors = {key_line(held[0]): one, key_line(held[1]): almost, key_line(held[2]): one, key_line(held[3]): one}
    assert [(same.keep.id, same.absorb.id) for same in duplicates(held, vectors)] == [("a", "b")]
    vectors[key_line(held[1])] = apart
    assert duplicates(held, vectors) == []
