"""The least that is right of what is put before messages unasked, and of what use is told by, on the development half.

The floor is a little under what is measured: a change that falls below it took something away. `make eval-agents` shows
the figures through the API, and `python -m benchmarks.agents_lab --folds` what holds on worlds that nobody chose for.
"""

import asyncio

import pytest

from benchmarks.agents import Judged, halves, shares_of, uses_of
from benchmarks.agents_lab import Case, Pair, development
from ragpp.entries.fitting import FittingRule
from ragpp.entries.usefulness import usefulness

FITTING = {"precision": 0.83, "recall": 0.37, "hit": 0.55, "quiet": 0.9}
USED = {"AUC": 0.82, "accuracy": 0.77}


@pytest.fixture(scope="module")
def labelled() -> tuple[list[Case], list[Pair]]:
    return asyncio.run(development())


def test_what_is_put_before_a_message_fits_it(labelled: tuple[list[Case], list[Pair]]) -> None:
    shares = shares_of([case.chosen(FittingRule()) for case in labelled[0]])
    assert {name: share for name, share in shares.items() if share < FITTING.get(name, 0)} == {}


def test_a_memory_that_was_used_is_told_from_one_that_was_not(labelled: tuple[list[Case], list[Pair]]) -> None:
    shares = uses_of([Judged(pair.use, usefulness(pair.closest, pair.shared)) for pair in labelled[1]])
    assert {name: share for name, share in shares.items() if share < USED.get(name, 0)} == {}


def test_what_fits_is_of_the_messages_own_world() -> None:
    for half in halves():
        worlds = {memory.id: memory.world for world in half.worlds.values() for memory in world}
        assert all(worlds[one] == asked.world for asked in half.messages for one in asked.fitting)
        assert {use.used for use in half.uses} == {True, False}
