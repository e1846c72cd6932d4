"""Servers that are away or cold: who recalls from one that is being warmed waits for that.

A server that has just started takes seconds to plan its first recall. Callers that give up at their deadline and
come again would each have it begin anew, and it would never be done: with eight callers it still was not after 15 s,
where one patient query takes two to four.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

from ragpp.errors import MemorySystemError, TierUnavailable
from ragpp.stores.neo4j import is_loss

T = TypeVar("T")
_RETRY_S: Final = 0.25


class Warming:
    """Lets recalls through while the server is there; after it was lost, warms it first, in the background.

    A loss alone shuts the server to recalls. Who waits for it in vain says only that it is slow, as it is while many
    ask. `reach` raises TierUnavailable while the server is away. `warm` runs what a recall runs, patiently, and raises
    the same.
    """

    def __init__(self, reach: Callable[[], Awaitable[object]], warm: Callable[[], Awaitable[None]]) -> None:
        self._reach, self._warm = reach, warm
        self._task: asyncio.Task[None] | None = None
        self._is_away = False
        self._known = asyncio.Event()
        """Set unless a recall has to wait: until it is known whether a lost server is back, and while it is warmed."""
        self._known.set()

    @property
    def is_cold(self) -> bool:
        """The server was lost, and has not been warmed since."""
        return self._task is not None and not self._task.done()

    async def recall(self, call: Callable[[], Awaitable[T]]) -> T:
        """The answer of `call`, once the server is warm; asked again, once, where the server was lost meanwhile and is
        back. Raises TierUnavailable, at once while the server is away."""
        await self._ready()
        try:
            return await call()
        except TierUnavailable as error:
            if not is_loss(error):
                raise
            self.start()
        await self._ready()
        return await call()

    async def _ready(self) -> None:
        await self._known.wait()
        if self._is_away:
            raise TierUnavailable("Neo4j is down")

    def start(self) -> None:
        """Warm the server as soon as it is there; harmless while that is under way."""
        if not self.is_cold:
            self._known.clear()
            self._task = asyncio.create_task(self._until_warm(), name="semantic.warm")

    async def _until_warm(self) -> None:
        try:
            while True:
                if await self._is_warm():
                    return
                await asyncio.sleep(_RETRY_S)
        finally:
            self._tell(away=False)

    async def _is_warm(self) -> bool:
        try:
            await self._reach()
        except TierUnavailable:
            self._tell(away=True)
            return False
        self._known.clear()
        try:
            await self._warm()
        except TierUnavailable as error:
            if is_loss(error):
                self._tell(away=True)
            return False
        return True

    def _tell(self, *, away: bool) -> None:
        self._is_away = away
        self._known.set()

    async def close(self) -> None:
        """Stop what runs in the background."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError, MemorySystemError):
                await self._task
