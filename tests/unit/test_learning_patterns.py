"""Acts done repeatedly are a pattern, and its time and order are told only where chance would hardly show them."""

from datetime import UTC
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Interaction
from ragpp_services.workers.learning import chance
from ragpp_services.workers.learning.behaviour import rules_seen
from ragpp_services.workers.learning.doings import active_days, activities_in, doings_of, request_in
from ragpp_services.workers.learning.patterns import Pattern, find_patterns
from tests.support.each import each_case
from tests.support.said import said


def patterns(items: list[Interaction], zone: str = "UTC") -> list[Pattern]:
    return find_patterns(doings_of(items, ZoneInfo(zone)), {}, active_days(items, ZoneInfo(zone)))


WEATHER = [
    said(f"w{day}", text, day=day, hour=8, minute=day)
    for day, text in (
        (4, "What's the weather like today?"),
        (5, "How's the weather?"),
        (6, "Weather in town, please?"),
        (8, "Show me the weather."),
        (11, "What will the weather be?"),
    )
]


def test_what_is_asked_for_every_morning_is_a_pattern_with_its_time() -> None:
    (found,) = patterns(WEATHER)
    assert found.text == "usually asks about weather in the morning, 08:00–09:00 (on 5 of 5 days)"
    assert found.sources == tuple(item.id for item in WEATHER)
    assert found.details["times"] == 5
    assert found.strong


def test_the_hour_is_that_of_the_users_own_clock() -> None:
    (found,) = patterns(WEATHER, "Asia/Tokyo")
    assert "in the evening, 17:00–18:00" in found.text or "in the afternoon, 17:00–18:00" in found.text


def test_twice_or_on_one_day_only_is_no_pattern() -> None:
    assert patterns(WEATHER[:2]) == []
    assert patterns([said(f"w{n}", "What's the weather?", day=4, hour=8 + n) for n in range(5)]) == []


def test_no_time_is_told_where_chance_would_show_it() -> None:
    items = [said(f"w{n}", "What's the weather?", day=4 + n, hour=hour) for n, hour in enumerate((7, 12, 18, 22))]
    (found,) = patterns(items)
    assert found.text == "often asks about weather (on 4 of 4 days)"
    assert not found.strong


def test_a_weekday_is_told() -> None:
    items = [said(f"g{day}", "Order the groceries.", day=day, hour=hour) for day, hour in ((1, 9), (8, 19), (15, 13))]
    (found,) = patterns(items)
    assert "on Fridays" in found.text


@each_case(("hour", "first", "second"), [(8, "weather", "traffic"), (7, "traffic", "weather")])
def test_an_order_is_told_whichever_comes_first(hour: int, first: str, second: str) -> None:
    others = [
        said(f"o{day}", text, day=day, hour=15)
        for day, text in ((14, "Translate this letter."), (15, "Fix the function."), (16, "Draft a poem about bees."))
    ]
    traffic = [
        said(f"t{item.id}", "How is the traffic?", day=item.occurred_at.day, hour=hour, minute=30) for item in WEATHER
    ]
    alone = [said(f"m{day}", "Recommend some music.", day=day, hour=6) for day in (1, 2, 3)]
    texts = [found.text for found in patterns([*alone, *WEATHER, *traffic, *others])]
    assert f"asks about {second} after {first} (in 5 of 5 conversations)" in texts
    assert f"asks about {first} after {second}" not in " ".join(texts)


def test_people_who_talk_to_each_other_ask_no_assistant() -> None:
    items = [
        said(f"{name}{day}", "How was the weather?", day=day, name=name) for day in (4, 5, 6) for name in ("Ann", "Bob")
    ]
    assert patterns(items) == []


def test_what_is_told_of_on_several_days_is_done_often() -> None:
    items = [
        said("a", "We went camping in the hills.", day=2, name="Ann"),
        said("b", "I'm going camping again!", day=9, name="Ann"),
        said("c", "If it were warm, I would go camping.", day=10, name="Ann"),
        said("d", "I have gone camping with my brother.", day=16, name="Ann"),
        said("e", "I went running.", day=16, name="Bob"),
    ]
    (found,) = patterns(items)
    assert found.text == "Ann often goes camping (on 3 of 4 days)"
    assert [source for _, source in found.day_sources] == ["a", "b", "d"]


def test_finding_again_with_more_keeps_the_name_of_the_pattern() -> None:
    (before,), (after,) = patterns(WEATHER[:4]), patterns(WEATHER)
    assert before.key == after.key
    assert before.text != after.text


def test_regular_requests_make_rules_with_their_evidence() -> None:
    (rule,) = rules_seen(patterns(WEATHER))
    assert rule.text == "Have weather ready in the morning: it is asked for then."
    assert rule.triggers == ("weather",)
    assert rule.sources == tuple(item.id for item in WEATHER)


@each_case(
    ("text", "found"),
    [
        ("I went for a run before work.", ["running"]),
        ("We've gone out hiking again.", ["hiking"]),
        ("I've been working on the car.", []),
        ("Did you go swimming?", []),
        ("I'm going to be late.", []),
        ("It is going well.", []),
    ],
)
def test_activities_are_read_from_what_is_asserted(text: str, found: list[str]) -> None:
    assert activities_in(text) == found


@each_case(
    ("text", "asks"),
    [
        ("Hi there! Can you check my calendar?", True),
        ("Good morning, show me the news.", True),
        ("I need to see the sales report.", True),
        ("I had soup for lunch.", False),
        ("x" * 400 + "?", False),
    ],
)
def test_requests_are_told_from_statements(text: str, asks: bool) -> None:
    assert (request_in(text) is not None) == asks


@given(st.integers(1, 30), st.floats(0, 1))
def test_a_tail_is_a_probability_that_falls_with_the_hits(n: int, p: float) -> None:
    tails = [chance.tail(n, k, p) for k in range(n + 2)]
    assert tails[0] == pytest.approx(1)
    assert tails[-1] == 0
    assert all(one >= other for one, other in pairwise(tails))


def test_a_tail_is_the_binomial_one() -> None:
    assert chance.tail(3, 3, 0.5) == pytest.approx(0.125)
    assert chance.tail(4, 3, 0.5) == pytest.approx(5 / 16)


@given(st.lists(st.sets(st.integers(0, 23), min_size=1, max_size=4), max_size=8))
def test_a_regular_hour_holds_what_it_counts(hours: list[set[int]]) -> None:
    found = chance.regular_hour(hours)
    if found is not None:
        window = {(found.start + offset) % 24 for offset in range(found.width)}
        assert found.hits == sum(bool(window & of_day) for of_day in hours)
        assert found.chance < chance.SIGNIFICANCE


def test_moments_are_kept_in_utc_until_they_are_counted() -> None:
    (doing,) = doings_of(WEATHER[:1], UTC)
    assert doing.at == WEATHER[0].occurred_at
