"""How work grows with its size, on a machine that may be busy."""

import gc
from collections.abc import Callable
from time import process_time
from typing import Final

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


def grows_linearly(work: Callable[[int], object], length: int) -> bool:
    """Whether `length` takes less than ten times as long as a quarter of it: four times where it is linear, sixteen
    where it is quadratic. One measurement may be off; a quadratic step is slow in each."""
    return any(cpu_s(lambda: work(length)) < 10 * cpu_s(lambda: work(length // 4)) for _ in range(ATTEMPTS))
