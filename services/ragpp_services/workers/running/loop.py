"""One event loop in a thread of its own: Celery runs no coroutines, and drivers belong to one loop."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TypeVar

ResultT = TypeVar("ResultT")


class Ending(RuntimeError):
    """The process ends: what was asked for is left to another."""


class LoopThread:
    """An event loop that other threads hand coroutines to. Made after a fork, never before."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ragpp-loop", daemon=True)
        self._thread.start()
        self._closing = threading.Lock()
        self._closed = False

    def submit(self, coroutine: Coroutine[object, object, ResultT]) -> "Future[ResultT]":
        """Start `coroutine` on the loop. Raises Ending once it is closed: nothing would ever come of it."""
        with self._closing:
            if self._closed:
                coroutine.close()
                raise Ending("the loop is closed")
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def run(self, coroutine: Coroutine[object, object, ResultT], timeout_s: float | None = None) -> ResultT:
        """Run `coroutine` on the loop and wait for it; raises what it raises, or TimeoutError."""
        return self.submit(coroutine).result(timeout_s)

    def close(self) -> None:
        """Stop the loop; what still runs on it is cancelled, and nothing more is taken."""

        async def cancel_all() -> None:
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        with self._closing:
            self._closed = True
            cancelling = asyncio.run_coroutine_threadsafe(cancel_all(), self._loop)
        cancelling.result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()
