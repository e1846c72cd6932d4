"""Texts that were said again in the same words are one memory, and those that only look alike are not."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Interaction
from ragpp_services.episodic.alike import collapsed
from tests.support.each import each_case

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def said(content: str, day: int = 0, *, role: str = "user", name: str | None = None) -> Interaction:
    return Interaction(id=f"{day}", role=role, name=name, content=content, occurred_at=NOON + timedelta(days=day))


def test_the_latest_of_those_that_say_the_same_stands_where_the_best_did() -> None:
    first, other, again = (
        said("The car is on level 3.", 1),
        said("The bike is green", 2),
        said("ok, the car is on level 3!", 3),
    )
    assert collapsed([first, other, again]) == [[2, 0], [1]]


@each_case(
    ("one", "other"),
    [
        ("The car is on level 3", "The car is on level 4"),
        ("I like floral patterns", "I don't like floral patterns"),
        ("We moved from Lagos to Porto", "We moved from Porto to Lagos"),
        ("thanks!", "thank you"),
        ("Max is allergic to peanuts.", "Is Max allergic to peanuts?"),
        ("My flight is at 9:40.", "Is my flight at 9:40?"),
        ("I ran 5 km today", "I ran 5 km today"),
        ("blood type A+", "blood type A-"),
        ("I like C++", "I like C#"),
        ("it is 5 outside", "it is -5 outside"),
        ("👍", "👎"),
        ("coffee with sugar", "coffee without sugar"),
        ("I want a dog", "I lost my dog"),
        ("I start work at Google", "I stop work at Google"),
        ("The exam is today", "The exam is tomorrow"),
        ("the heating is on", "the heating is off"),
        ("I love Anna", "I used to love Anna"),
    ],
)
def test_what_only_looks_alike_stays_two(one: str, other: str) -> None:
    assert collapsed([said(one, 1), said(other, 2)]) == [[0], [1]]


def test_two_speakers_who_say_the_same_stay_two() -> None:
    assert collapsed([said("Level 3", 1), said("Level 3", 2, role="assistant")]) == [[0], [1]]
    assert collapsed([said("Level 3", 1, name="Ana"), said("Level 3", 2, name="Bo")]) == [[0], [1]]


@given(st.lists(st.sampled_from(["level 3", "Level 3.", "level 4", "thanks", ""]).map(lambda t: t or "?"), max_size=8))
def test_nobody_is_lost_and_nobody_comes_twice(texts: list[str]) -> None:
    groups = collapsed([said(text, day) for day, text in enumerate(texts)])
    assert sorted(index for group in groups for index in group) == list(range(len(texts)))
