"""How work grows with its size, on a machine that may be busy."""

import gc
from collections.abc import Callable, Iterable
from time import process_time
from typing import Final

from tests.support.examples import some_of

ATTEMPTS: Final = 8


def cpu_s(work: Callable[[], object]) -> float:
    """Seconds of this process's own time, without what collecting everybody's garbage takes."""
    gc.disable()
    try:
        began = process_time()
        work()
        return process_time() - began
    finally:
        gc.enable()


def first_of(pieces: Iterable[str]) -> list[object]:
    """`pieces` to parametrize a test of time by: the first is tried in every run, the others by `make prove-linear`."""
    every = list(pieces)
    return some_of(every, every[:1])


def grows_linearly(work: Callable[[int], object], length: int) -> bool:
    """True where `length` takes less than 25 times as long as an eighth of it: eight times where it is linear, and half
    as long again where caches are left on the way; 64 where it is quadratic. One measurement may be off; a quadratic
    step is slow in each."""
    return any(cpu_s(lambda: work(length)) < 25 * cpu_s(lambda: work(length // 8)) for _ in range(ATTEMPTS))
