"""Work beside the event loop: what takes more than milliseconds, so that nobody waits for it.

Python runs one thread at a time. Of many that compute, each goes on for as long as the interpreter lets it before the
event loop has its turn, at every of the loop's steps; so there is one such thread a process, and its turns are short.
"""

import asyncio
import contextvars
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

TURN_S: Final = 0.000_5
"""How long another thread goes on when the event loop wants to. Python's own 5 ms make a recall of ten steps take 50 ms
more while anything is computed beside it."""
PORTION: Final = 20_000
"""Characters that are redacted, cut or indexed before those of other requests have their turn: some 20 ms."""
_THREAD: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="aside")


async def aside(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `function` returns or raises, from the thread for such work. What many ask for is done in the order in which
    they ask: who has much to do asks for a part of it at a time, and others come between."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_THREAD, partial(context.run, function, *args, **kwargs))


def portions(sizes: Sequence[int]) -> Iterator[slice]:
    """Slices of as many things as there are `sizes`, in order: each of one, or of as many as are no more than PORTION
    together, for one turn in the thread."""
    start, filled = 0, 0
    for index, size in enumerate(sizes):
        if filled and filled + size > PORTION:
            yield slice(start, index)
            start, filled = index, 0
        filled += size
    if start < len(sizes):
        yield slice(start, len(sizes))


def answer_promptly() -> None:
    """Keep the turns of other threads short. Call once, where a process that answers requests starts."""
    sys.setswitchinterval(TURN_S)
