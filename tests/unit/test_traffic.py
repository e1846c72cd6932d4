"""A key asks as often as it may, whatever others do; what it may still ask is told."""

from contextlib import ExitStack, nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.errors import RateLimited, TooManyAtOnce
from ragpp_services.gateway import traffic as module
from ragpp_services.gateway.traffic import Traffic
from tests.support.each import each_case


class Seconds:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def asked(traffic: Traffic, key_id: str = "k") -> bool:
    """True where a request is admitted, which is answered at once."""
    try:
        with traffic.admitted(key_id):
            return True
    except RateLimited:
        return False


def test_so_many_may_come_at_a_time_and_then_as_many_as_time_allows() -> None:
    clock = Seconds()
    traffic = Traffic(clock, per_s=2, burst=3)
    assert [asked(traffic) for _ in range(5)] == [True, True, True, False, False]
    clock.now = 0.5
    assert [asked(traffic) for _ in range(2)] == [True, False]
    clock.now = 100
    assert [asked(traffic) for _ in range(4)] == [True, True, True, False]


def test_one_key_takes_nothing_from_another() -> None:
    traffic = Traffic(Seconds(), per_s=1, burst=1)
    assert [asked(traffic, "a"), asked(traffic, "a"), asked(traffic, "b")] == [True, False, True]


@each_case(("per_s", "wait"), [(10, 1), (1, 1), (0.25, 4)])
def test_a_refusal_says_in_how_many_seconds_one_is_admitted_again(per_s: float, wait: int) -> None:
    clock = Seconds()
    traffic = Traffic(clock, per_s=per_s, burst=1)
    assert asked(traffic)
    with pytest.raises(RateLimited) as caught, traffic.admitted("k"):
        pass
    assert caught.value.details == {"retry_after_s": wait}
    clock.now = wait
    assert asked(traffic)


def test_requests_under_way_are_counted_until_they_are_answered_or_fail() -> None:
    traffic = Traffic(Seconds(), at_once=2)
    with traffic.admitted("k"):
        with pytest.raises(KeyError), traffic.admitted("k"):
            raise KeyError
        with traffic.admitted("k"), pytest.raises(TooManyAtOnce, match="2 requests of this key"), traffic.admitted("k"):
            pass
        with traffic.admitted("k"):
            pass


def test_what_is_refused_for_being_too_much_at_once_takes_nothing_of_the_rate() -> None:
    traffic = Traffic(Seconds(), per_s=1, burst=2, at_once=1)
    with traffic.admitted("k"), pytest.raises(TooManyAtOnce), traffic.admitted("k"):
        pass
    assert [asked(traffic), asked(traffic)] == [True, False]


def test_the_bodies_of_a_key_are_counted_until_they_are_answered() -> None:
    traffic = Traffic(Seconds(), key_bytes=100)
    with traffic.admitted("k") as first:
        first.holds(60)
        with traffic.admitted("k") as second, pytest.raises(TooManyAtOnce, match="60 bytes of this key's") as caught:
            second.holds(41)
        assert caught.value.details == {"retry_after_s": 1}
        with traffic.admitted("k") as second, traffic.admitted("other") as others:
            second.holds(30)
            second.holds(40)
            others.holds(100)
            with pytest.raises(TooManyAtOnce):
                second.holds(41)
    with traffic.admitted("k") as again:
        again.holds(100)


def test_the_bodies_of_all_keys_together_are_counted_too() -> None:
    traffic = Traffic(Seconds(), key_bytes=100, all_bytes=150)
    with traffic.admitted("a") as first, traffic.admitted("b") as second:
        first.holds(100)
        with pytest.raises(TooManyAtOnce, match="100 bytes of all requests are under way, and 150 are taken"):
            second.holds(51)
        second.holds(50)


def test_one_body_is_taken_however_large_it_is_where_nothing_else_is_under_way() -> None:
    traffic = Traffic(Seconds(), key_bytes=10, all_bytes=10)
    with traffic.admitted("k") as alone:
        alone.holds(20)
        alone.holds(30)
    with traffic.admitted("k") as alone:
        alone.holds(30)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(min_value=1, max_value=60)), max_size=30))
def test_no_more_bytes_are_under_way_than_may_be_and_all_are_given_back(bodies: list[tuple[str, int]]) -> None:
    traffic = Traffic(Seconds(), key_bytes=100, all_bytes=150)
    held: dict[str, int] = {"a": 0, "b": 0}
    with ExitStack() as stack:
        for key, size in bodies:
            underway = stack.enter_context(traffic.admitted(key))
            fits = held[key] + size <= 100 and sum(held.values()) + size <= 150
            with nullcontext() if fits else pytest.raises(TooManyAtOnce):
                underway.holds(size)
                held[key] += size
    with traffic.admitted("a") as first, traffic.admitted("b") as second:
        first.holds(100)
        second.holds(50)


def test_what_is_left_is_told_and_when_it_is_all_again() -> None:
    clock = Seconds()
    traffic = Traffic(clock, per_s=5, burst=10)
    assert traffic.headers("k") == {"RateLimit-Policy": '"key";q=10;w=2', "RateLimit": '"key";r=10;t=0'}
    assert [asked(traffic) for _ in range(7)] == [True] * 7
    assert traffic.headers("k")["RateLimit"] == '"key";r=3;t=2'
    clock.now = 1.0
    assert traffic.headers("k")["RateLimit"] == '"key";r=8;t=1'


def test_without_a_rate_nothing_is_refused_and_nothing_told() -> None:
    traffic = Traffic(Seconds())
    assert all(asked(traffic) for _ in range(5_000))
    assert traffic.headers("k") == {}


def test_keys_that_ask_no_more_are_forgotten_and_those_that_do_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KEYS", 10)
    clock = Seconds()
    traffic = Traffic(clock, per_s=1, burst=2)
    for number in range(10):
        assert asked(traffic, f"old {number}")
    clock.now = 9.5
    assert asked(traffic, "old 0")
    assert asked(traffic, "old 0")
    clock.now = 10.0
    assert asked(traffic, "new")
    assert traffic.known == 2
    assert not asked(traffic, "old 0")


@given(
    st.lists(st.floats(min_value=0, max_value=3), max_size=60),
    st.floats(min_value=0.1, max_value=50),
    st.integers(min_value=1, max_value=20),
)
def test_in_any_time_no_more_are_admitted_than_the_burst_and_what_that_time_fills(
    pauses: list[float], per_s: float, burst: int
) -> None:
    clock = Seconds()
    traffic = Traffic(clock, per_s=per_s, burst=burst)
    admitted = []
    for pause in pauses:
        clock.now += pause
        if asked(traffic):
            admitted.append(clock.now)
    for first, since in enumerate(admitted):
        for last in range(first, len(admitted)):
            assert last - first + 1 <= burst + (admitted[last] - since) * per_s + 1e-6
