"""The tools for code that does not await: they run in a thread of their own."""

import asyncio
import threading
from concurrent.futures import Future
from types import TracebackType
from typing import Final, Self

from ragpp.errors import ConfigurationError
from ragpp.memory import MemoryManager
from ragpp.tools.resolver import MemoryTools, ToolAnswer

THREAD: Final = "ragpp-tools"


class SyncMemoryTools:
    """MemoryTools whose calls return when they are done, with or without an event loop in the calling thread; threads
    may share one. `memory` is its alone from then on, with its client, and closed with it.

    Raises ConfigurationError, from any method, when it is closed.
    """

    def __init__(self, memory: MemoryManager) -> None:
        self._memory, self._tools = memory, MemoryTools(memory)
        self._lock, self._closed = threading.Lock(), False
        self._running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name=THREAD, daemon=True)
        self._thread.start()
        self._loop, self._over = self._running.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, name: str, arguments: object = None) -> str:
        """See MemoryTools.call. In a coroutine it works, but nothing else of that loop goes on meanwhile."""
        return self.answer(name, arguments).text

    def answer(self, name: str, arguments: object = None) -> ToolAnswer:
        """The same, with whether it went well."""
        return self.submit(name, arguments).result()

    def submit(self, name: str, arguments: object = None) -> "Future[ToolAnswer]":
        """The answer that is to come; `asyncio.wrap_future` awaits it in any loop."""
        with self._lock:
            if self._closed or not self._thread.is_alive():
                raise ConfigurationError("these tools are closed", suggestions=("Make others of a manager of theirs.",))
            return asyncio.run_coroutine_threadsafe(self._tools.answer(name, arguments), self._loop)

    def close(self) -> None:
        """End the thread, and the connections; what is still to be answered is cancelled."""
        with self._lock:  # nothing is submitted behind it, where nobody would do it
            if not self._closed and self._thread.is_alive():
                self._loop.call_soon_threadsafe(self._over.set)
            self._closed = True
        self._thread.join()

    async def _run(self) -> None:
        over = asyncio.Event()
        self._running.set_result((asyncio.get_running_loop(), over))
        await over.wait()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._memory.aclose(given=True)  # they are of this loop
