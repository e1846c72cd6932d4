"""The interval of a difference: it must not call chance a gain, nor miss a plain one."""

import numpy as np
import pytest

from benchmarks.compared import comparison, paired_bootstrap


def test_a_plain_gain_is_outside_of_chance() -> None:
    found = paired_bootstrap([0.0] * 50 + [1.0] * 50, [1.0] * 30 + [0.0] * 20 + [1.0] * 50)
    assert found.mean == pytest.approx(0.3)
    assert 0.2 < found.low < 0.3 < found.high < 0.4


def test_what_wins_and_loses_as_often_is_chance() -> None:
    before = np.random.default_rng(1).integers(0, 2, 200)
    found = paired_bootstrap(list(before), list(1 - before))
    assert found.low < 0 < found.high


def test_the_questions_are_compared_one_by_one() -> None:
    """Two rankings that agree on every question differ by nothing, however much questions differ."""
    values = [0.0, 1.0] * 30
    assert paired_bootstrap(values, values).high == 0


def test_only_the_same_questions_are_compared() -> None:
    assert comparison({"A": {"R@10": [1.0]}}, {"A": {"R@10": [1.0, 0.0]}, "B": {"R@10": [1.0]}}) == []
    with pytest.raises(ValueError, match="no question"):
        paired_bootstrap([], [])
