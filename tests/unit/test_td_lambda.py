"""Values move towards what came of use, by the formula, and never out of their range."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.td_lambda import Access, TDParameters, moved, moves

SHARE = st.floats(0, 1)
ACCESSES = st.lists(
    st.builds(Access, key=st.sampled_from("abcd"), value=SHARE, step_reward=st.floats(-1, 1)), max_size=20
)
PARAMETERS = st.builds(TDParameters, alpha=st.floats(0.01, 1), gamma=SHARE, lambda_=SHARE)


def test_one_access_moves_by_alpha_towards_the_reward() -> None:
    assert moves([Access("a", 0.5)], 1.0, TDParameters(alpha=0.1)) == {"a": pytest.approx(0.05)}
    assert moves([Access("a", 0.5)], 0.0, TDParameters(alpha=0.1)) == {"a": pytest.approx(-0.05)}


def test_what_was_used_earlier_has_less_of_the_credit() -> None:
    found = moves([Access("a"), Access("b"), Access("c")], 1.0, TDParameters(alpha=0.1, gamma=0.9, lambda_=0.5))
    assert found["c"] == pytest.approx(0.05)
    assert found["b"] == pytest.approx(0.05 * 0.45)
    assert found["a"] == pytest.approx(0.05 * 0.45**2)


def test_what_was_used_again_gathers_credit_up_to_a_whole_step() -> None:
    often = moves([Access("a", 0.2)] * 100, 1.0, TDParameters(alpha=0.1, gamma=1, lambda_=1))
    assert often["a"] == pytest.approx(0.8)  # the trace stops at 1/α


def test_rewards_of_steps_count_from_the_last_access_on_and_what_they_sum_to_is_clipped() -> None:
    parameters = TDParameters(alpha=0.5, gamma=0.5, lambda_=1)
    steps = [Access("a", 0.0, 0.9), Access("a", 0.0, 0.2), Access("b", 0.0, 0.4)]
    found = moves(steps, 0.1, parameters)
    assert found["a"] == pytest.approx(0.5 * (0.1 + 0.2 + 0.5 * 0.4) * (1.5 * 0.5))
    assert moves([Access("a", 0.0, 1.0)], 1.0, parameters)["a"] == pytest.approx(0.5)


@given(ACCESSES, st.floats(-1, 1), PARAMETERS)
def test_a_value_stays_between_0_and_1_and_moves_towards_the_return(
    accesses: list[Access], final: float, parameters: TDParameters
) -> None:
    found = moves(accesses, final, parameters)
    assert found.keys() == {one.key for one in accesses}
    for key, move in found.items():
        value = [one.value for one in accesses if one.key == key][-1]
        assert -1 - 1e-9 <= move <= 1 + 1e-9
        assert 0 <= moved(value, move) <= 1


@given(ACCESSES, SHARE, SHARE)
def test_a_better_end_is_never_worth_less(accesses: list[Access], one: float, other: float) -> None:
    low, high = sorted((one, other))
    worse, better = moves(accesses, low), moves(accesses, high)
    assert all(better[key] >= worse[key] - 1e-12 for key in better)


def test_parameters_out_of_range_are_refused() -> None:
    for wrong in ({"alpha": 0.0}, {"alpha": 1.5}, {"gamma": -0.1}, {"lambda_": 2.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            TDParameters(**wrong)


def test_an_episode_without_accesses_moves_nothing() -> None:
    assert moves([], 1.0) == {}
