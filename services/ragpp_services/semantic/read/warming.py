"""Whether the server is warm: a recall is kept from one that is not, so that it can become so.

A server that has just started takes seconds to plan its first recall. Callers that give up at their deadline and
come again would each have it begin anew, and it would never be done: with eight callers it still was not after 15 s,
where one patient query takes two to four.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from ragpp.errors import MemorySystemError, TierUnavailable

_MISSES: Final = 3
_PATIENCE_S: Final = 0.25
"""Who gives up sooner says nothing of the server: otherwise three hasty callers would shut the graph to all others."""
_RETRY_S: Final = 0.25


class Warming:
    """Lets recalls through while the server answers; after it did not, warms it first, in the background.

    `warm` runs what a recall runs, patiently, and raises TierUnavailable while the server is away. `monotonic` answers
    seconds.
    """

    def __init__(self, warm: Callable[[], Awaitable[None]], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._warm, self._monotonic = warm, monotonic
        self._task: asyncio.Task[None] | None = None
        self._misses = 0

    @property
    def is_cold(self) -> bool:
        """The server went away, or three recalls in a row waited for it in vain, and it has not been warmed since."""
        return self._task is not None and not self._task.done()

    @asynccontextmanager
    async def recall(self) -> AsyncIterator[None]:
        """Around a recall. Raises TierUnavailable at once while the server is cold."""
        if self.is_cold:
            raise TierUnavailable("Neo4j is down or warming up")
        started = self._monotonic()
        try:
            yield
        except TierUnavailable:
            self.start()
            raise
        except asyncio.CancelledError:
            self._misses += self._monotonic() - started >= _PATIENCE_S
            if self._misses >= _MISSES:
                self.start()
            raise
        self._misses = 0

    def start(self) -> None:
        """Warm the server as soon as it is there; harmless while that is under way."""
        if not self.is_cold:
            self._task = asyncio.create_task(self._until_warm(), name="semantic.warm")

    async def _until_warm(self) -> None:
        while True:
            with suppress(TierUnavailable):
                await self._warm()
                self._misses = 0
                return
            await asyncio.sleep(_RETRY_S)

    async def close(self) -> None:
        """Stop what runs in the background."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError, MemorySystemError):
                await self._task
