"""The least that is right of what is put before messages unasked, and of what use is told by, on both halves.

A floor is a little under what is measured: a change that falls below it took something away. Of the half that was
written without sight of the code the figures alone are looked at, never a message. `make eval-agents` shows them
through the API, and `python -m benchmarks.agents_lab --folds` what holds on worlds that nobody chose for.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

import pytest

from benchmarks.agents import Half, Judged, halves, shares_of, uses_of
from benchmarks.agents_lab import Case, Pair, embedded
from ragpp.entries.fitting import FittingRule
from ragpp.entries.usefulness import usefulness
from tests.support.each import each_case

HALVES: Final = {one.name: one for one in halves()}
FITTING: Final[Mapping[str, Mapping[str, float]]] = {
    "development": {"precision": 0.83, "recall": 0.37, "hit": 0.55, "quiet": 0.9},
    "blind": {"precision": 0.75, "recall": 0.37, "hit": 0.53, "quiet": 0.85},
}
USED: Final[Mapping[str, Mapping[str, float]]] = {
    "development": {"AUC": 0.82, "accuracy": 0.77},
    "blind": {"AUC": 0.66, "accuracy": 0.56},
}


@pytest.fixture(scope="module")
def labelled() -> dict[str, tuple[list[Case], list[Pair]]]:
    return {name: asyncio.run(embedded(one)) for name, one in HALVES.items()}


@each_case("name", list(HALVES))
def test_what_is_put_before_a_message_fits_it(labelled: dict[str, tuple[list[Case], list[Pair]]], name: str) -> None:
    shares = shares_of([case.chosen(FittingRule()) for case in labelled[name][0]])
    assert {of: share for of, share in shares.items() if share < FITTING[name].get(of, 0)} == {}


@each_case("name", list(HALVES))
def test_a_memory_that_was_used_is_told_from_one_that_was_not(
    labelled: dict[str, tuple[list[Case], list[Pair]]], name: str
) -> None:
    shares = uses_of([Judged(pair.use, usefulness(pair.closest, pair.shared)) for pair in labelled[name][1]])
    assert {of: share for of, share in shares.items() if share < USED[name].get(of, 0)} == {}


@each_case("half", HALVES.values())
def test_what_fits_is_of_the_messages_own_world(half: Half) -> None:
    worlds = {memory.id: memory.world for world in half.worlds.values() for memory in world}
    assert all(worlds[one] == asked.world for asked in half.messages for one in asked.fitting)
    assert {use.used for use in half.uses} == {True, False}
