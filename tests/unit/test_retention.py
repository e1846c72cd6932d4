"""Retention lets go of exactly what the operator's limits name, says why, and never of what is pinned."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.retention import Kept, RetentionPolicy, TierRetention, due

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def kept(identifier: str, *, age: float = 0, idle: float | None = None, size: int = 10) -> Kept:
    last_at = NOW - timedelta(days=age if idle is None else idle)
    return Kept(identifier, "interaction", NOW - timedelta(days=age), last_at, size)


def gone(items: list[Kept], limits: TierRetention, *pinned: str) -> dict[str, str]:
    return {found.item.id: found.reason for found in due(items, limits, NOW, frozenset(pinned))}


def test_without_limits_everything_stays() -> None:
    assert gone([kept("a", age=10_000)], RetentionPolicy().episodic) == {}


def test_what_is_older_than_its_age_goes_and_what_is_exactly_as_old_stays() -> None:
    items = [kept("older", age=30.001), kept("as old", age=30), kept("new")]
    assert gone(items, TierRetention(max_age_days=30)) == {"older": "age"}


def test_what_was_touched_lately_is_not_idle_however_old() -> None:
    items = [kept("kept up", age=400, idle=1), kept("left", age=400, idle=100)]
    assert gone(items, TierRetention(max_idle_days=90)) == {"left": "idle"}


def test_the_latest_are_kept_by_count() -> None:
    items = [kept("1", age=1), kept("3", age=3), kept("2", age=2)]
    assert gone(items, TierRetention(max_count=2)) == {"3": "count"}


def test_the_latest_are_kept_by_bytes_and_nothing_older_slips_in_behind() -> None:
    items = [kept("1", age=1, size=60), kept("2", age=2, size=60), kept("3", age=3, size=10)]
    assert gone(items, TierRetention(max_bytes=100)) == {"2": "bytes", "3": "bytes"}


def test_what_is_pinned_stays_and_takes_its_place() -> None:
    items = [kept("old and pinned", age=500), kept("1", age=1), kept("2", age=2)]
    assert gone(items, TierRetention(max_age_days=30, max_count=2), "old and pinned") == {"2": "count"}


def test_what_something_that_stays_needs_stays_as_well() -> None:
    ends = [kept("Maria", age=400), kept("Porto", age=400), kept("Leeds", age=400)]
    fresh = Kept("lives in", "relationship", NOW, NOW, 10, needs=("Maria", "Porto"))
    stale = Kept(
        "lived in", "relationship", NOW - timedelta(days=400), NOW - timedelta(days=400), 10, ("Maria", "Leeds")
    )
    assert gone([*ends, fresh, stale], TierRetention(max_age_days=30)) == {"Leeds": "age", "lived in": "age"}
    assert gone([*ends, stale], TierRetention(max_age_days=30), "lived in") == {"Porto": "age"}


def test_a_limit_of_none_kept_lets_everything_go() -> None:
    assert gone([kept("a"), kept("b")], TierRetention(max_count=0), "a") == {"b": "count"}


def test_impossible_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        TierRetention(max_age_days=0)


@given(
    st.lists(
        st.tuples(st.floats(0, 400), st.floats(0, 400), st.integers(0, 100)).map(
            lambda row: (max(row[0], row[1]), row[1], row[2])
        ),
        max_size=30,
    ),
    st.sets(st.integers(0, 29)),
    st.sampled_from(
        [
            TierRetention(max_age_days=100, max_count=5),
            TierRetention(max_bytes=300),
            TierRetention(max_idle_days=50, max_bytes=500, max_count=8),
        ]
    ),
)
def test_once_applied_it_finds_nothing_more_and_never_takes_what_is_pinned(
    rows: list[tuple[float, float, int]], pins: set[int], limits: TierRetention
) -> None:
    items = [kept(str(number), age=age, idle=idle, size=size) for number, (age, idle, size) in enumerate(rows)]
    pinned = frozenset(map(str, pins))
    going = {found.item.id for found in due(items, limits, NOW, pinned)}
    assert not going & pinned
    assert due([item for item in items if item.id not in going], limits, NOW, pinned) == []
