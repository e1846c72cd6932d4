"""How a window of tokens is shared out."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.short_term.window import LEAST_SHARE, allot, due

sizes = st.lists(st.integers(1, 400), max_size=40)


def test_nothing_is_due_before_the_window_is_full() -> None:
    assert due(100, 2_000, max_tokens=2_000, keep=5) == 0


def test_over_the_window_all_but_the_last_five_are_due() -> None:
    assert due(100, 2_001, max_tokens=2_000, keep=5) == 95
    assert due(4, 9_000, max_tokens=2_000, keep=5) == 0


def test_what_fits_is_shown_whole() -> None:
    assert allot([10, 20, 30], 60, keep=2) == [10, 20, 30]


def test_older_messages_follow_whole_up_to_the_first_that_does_not_fit() -> None:
    assert allot([10, 10, 50, 1], 30, keep=2) == [10, 10]


def test_long_messages_are_cut_to_the_same_length_and_short_ones_are_not() -> None:
    assert allot([1_000, 10, 1_000], 210, keep=3) == [100, 10, 100]


def test_where_shares_would_say_nothing_fewer_messages_are_shown() -> None:
    assert allot([500] * 5, 100, keep=5) == [33, 33, 33]
    assert allot([500] * 5, 10, keep=5) == [10]


def test_without_budget_nothing_is_shown() -> None:
    assert allot([1, 2], 0, keep=5) == []
    assert allot([], 10, keep=5) == []


@given(sizes, st.integers(0, 3_000), st.integers(1, 8))
def test_shares_stay_within_the_budget_and_within_the_messages(lengths: list[int], budget: int, keep: int) -> None:
    shares = allot(lengths, budget, keep=keep)
    assert sum(shares) <= budget
    assert all(0 < share <= size for share, size in zip(shares, lengths, strict=False))
    assert bool(shares) == bool(lengths and budget)
    cut = [share for share, size in zip(shares, lengths, strict=False) if share < size]
    assert len(shares) == 1 or all(share >= LEAST_SHARE for share in cut)
    if sum(lengths) <= budget:
        assert shares == lengths
