"""Work beside the event loop: one thing at a time, of callers in turn, while the loop goes on."""

import asyncio
import contextvars
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.aside import PORTION, aside, asked_by, portions

MOMENT: contextvars.ContextVar[str] = contextvars.ContextVar("moment")


async def test_the_event_loop_goes_on_while_something_is_computed() -> None:
    going = threading.Event()
    computed = asyncio.create_task(aside(going.wait, 30))
    await asyncio.sleep(0)
    going.set()  # which is never done where the loop waits for the work
    assert await computed


async def test_what_one_caller_asks_for_is_done_in_that_order_by_one_thread() -> None:
    done: list[tuple[int, int]] = []

    def work(number: int) -> None:
        done.append((number, threading.get_ident()))

    await asyncio.gather(*(aside(work, number) for number in range(20)))
    assert [number for number, _ in done] == list(range(20))
    assert {thread for _, thread in done} != {threading.get_ident()}
    assert len({thread for _, thread in done}) == 1


async def test_who_asks_for_much_does_not_keep_another_waiting_for_all_of_it() -> None:
    done: list[str] = []
    begun, going = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold() -> None:
        loop.call_soon_threadsafe(begun.set)
        going.wait(30)

    async def ask(caller: str, times: int) -> None:
        with asked_by(caller):
            await asyncio.gather(*(aside(done.append, f"{caller}{number}") for number in range(times)))

    held = asyncio.create_task(aside(hold))
    await begun.wait()
    asking = [asyncio.create_task(ask(caller, times)) for caller, times in (("much", 50), ("some", 2), ("little", 1))]
    await asyncio.sleep(0)
    await asyncio.sleep(0)  # until what each asks for is there
    going.set()
    await asyncio.gather(held, *asking)
    assert done[:6] == ["much0", "some0", "little0", "much1", "some1", "much2"]
    assert len(done) == 53


async def test_what_nobody_waits_for_any_more_is_not_done() -> None:
    done: list[str] = []
    begun, going = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold() -> None:
        loop.call_soon_threadsafe(begun.set)
        going.wait(30)

    held = asyncio.create_task(aside(hold))
    await begun.wait()
    left = asyncio.create_task(aside(done.append, "left"))
    await asyncio.sleep(0)
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    going.set()
    await held
    await aside(done.append, "wanted")
    assert done == ["wanted"]


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
