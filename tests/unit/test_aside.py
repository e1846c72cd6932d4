"""Work beside the event loop: one thing at a time, in the order in which it is asked for, while the loop goes on."""

import asyncio
import contextvars
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.aside import PORTION, aside, portions

MOMENT: contextvars.ContextVar[str] = contextvars.ContextVar("moment")


async def test_the_event_loop_goes_on_while_something_is_computed() -> None:
    going = threading.Event()
    computed = asyncio.create_task(aside(going.wait, 30))
    await asyncio.sleep(0)
    going.set()  # which is never done where the loop waits for the work
    assert await computed


async def test_what_many_ask_for_is_done_in_their_order_by_one_thread() -> None:
    done: list[tuple[int, int]] = []

    def work(number: int) -> None:
        done.append((number, threading.get_ident()))

    await asyncio.gather(*(aside(work, number) for number in range(20)))
    assert [number for number, _ in done] == list(range(20))
    assert {thread for _, thread in done} != {threading.get_ident()}
    assert len({thread for _, thread in done}) == 1


@given(st.lists(st.integers(min_value=0, max_value=50_000)))
def test_portions_are_all_of_it_in_order_and_none_is_large_that_could_be_less(sizes: list[int]) -> None:
    cut = [sizes[some] for some in portions(sizes)]
    assert [size for portion in cut for size in portion] == sizes
    assert all(portion for portion in cut)
    assert all(sum(portion) <= PORTION or sum(1 for size in portion if size) == 1 for portion in cut)


async def test_work_is_of_whoever_asks_for_it_and_its_errors_come_back() -> None:
    MOMENT.set("now")
    assert await aside(MOMENT.get) == "now"
    nothing: dict[str, int] = {}
    with pytest.raises(KeyError):
        await aside(nothing.__getitem__, "absent")
