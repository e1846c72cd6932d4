"""Work beside the event loop: what takes more than milliseconds, so that nobody waits for it.

Python runs one thread at a time. Of many that compute, each goes on for as long as the interpreter lets it before the
event loop has its turn, at every of the loop's steps; so all that is done to take in what is sent shares one such
thread a process, and its turns are short. What a recall or a search computes has threads of its own
(`asyncio.to_thread`): it has a deadline, and would wait here for what others send.
"""

import asyncio
import contextvars
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

TURN_S: Final = 0.000_5
"""How long another thread goes on when the event loop wants to. Python's own 5 ms make a recall of ten steps take 50 ms
more while anything is computed beside it."""
PORTION: Final = 20_000
"""Characters that are redacted, cut or indexed before those of other requests have their turn: some 20 ms."""
_THREAD: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="aside")
_CALLER: Final = contextvars.ContextVar("caller", default="")


class _Turns:
    """Work that waits, of each caller in its order, of the callers in turn: who asks for much waits for that, others
    for one piece of it."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Callable[[], None]]] = {}
        self._lock = threading.Lock()

    def add(self, caller: str, work: Callable[[], None]) -> None:
        with self._lock:
            self._waiting.setdefault(caller, deque()).append(work)

    def do_next(self) -> None:
        """Do the work whose turn it is; called as often as some was added."""
        with self._lock:
            caller = next(iter(self._waiting))
            of_caller = self._waiting.pop(caller)
            work = of_caller.popleft()
            if of_caller:
                self._waiting[caller] = of_caller  # behind all others
        work()


_TURNS: Final = _Turns()


@contextmanager
def asked_by(caller: str) -> Iterator[None]:
    """Take what is asked for inside as this caller's, such as an API key."""
    token = _CALLER.set(caller)
    try:
        yield
    finally:
        _CALLER.reset(token)


async def aside(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of `function`, or its error, from the thread for such work. What one caller asks for is done in that
    order, and callers have their turns (`asked_by`): who has much to do asks for a part of it at a time, and others
    come between."""
    context, done = contextvars.copy_context(), Future[T]()

    def work() -> None:
        if not done.set_running_or_notify_cancel():
            return
        try:
            done.set_result(context.run(function, *args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - of whoever asked for it
            done.set_exception(error)

    _TURNS.add(_CALLER.get(), work)
    _THREAD.submit(_TURNS.do_next)
    return await asyncio.wrap_future(done)


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
