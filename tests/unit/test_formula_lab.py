"""The figures that tell why a mean relevance of .7 cannot be had of memories that are a week old at most."""

from datetime import timedelta

import pytest

from benchmarks.agents import Half, Memory
from benchmarks.formula_lab import ASKED, KEPT, NOW, Terms, moments, with_all_tags
from ragpp.entries.relevance import RelevanceWeights, Scorable, relevance_terms

WEIGHTS = RelevanceWeights()


def world(count: int) -> Half:
    memories = [
        Memory(id=f"m{n}", world="w", type="fact", occurred_at=NOW - timedelta(days=90 - n), content="A fact.")
        for n in range(count)
    ]
    return Half("made", {"w": memories}, [], [])


def recency_of(age: timedelta) -> float:
    entry = Scorable(tags=[], occurred_at=NOW - age, priority=5)
    return relevance_terms(entry, now=NOW, message_tags=[], agent=None, weights=WEIGHTS)["recency"]


def test_memories_are_spread_over_as_long_as_they_are_kept_in_their_order() -> None:
    at = moments(world(14))
    ages = [NOW - at[f"m{n}"] for n in range(14)]
    assert ages == sorted(ages, reverse=True)
    assert ages[0] - ages[1] == timedelta(hours=12)
    assert timedelta(0) < ages[-1] < ages[0] < KEPT == timedelta(days=7)


def test_what_a_week_leaves_of_recency_is_what_the_page_says() -> None:
    at = moments(world(700))
    mean = sum(recency_of(NOW - moment) for moment in at.values()) / len(at)
    assert mean == pytest.approx(0.19, abs=0.005)
    without_tags = mean + WEIGHTS.same_agent + WEIGHTS.priority * 0.5
    assert without_tags == pytest.approx(0.44, abs=0.005)
    assert (ASKED - without_tags) / WEIGHTS.tags == pytest.approx(0.65, abs=0.02)


def test_all_tags_count_their_whole_weight() -> None:
    terms: Terms = {"recency": 0.1, "tags": 0.02, "same_agent": 0.2, "priority": 0.05}
    assert with_all_tags(terms) == {**terms, "tags": WEIGHTS.tags}
