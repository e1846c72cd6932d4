"""What a worker process has: the loop, the parts, and the relay that feeds the broker."""

import asyncio
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from functools import partial
from typing import Final, Protocol

import structlog
from pydantic import JsonValue

from ragpp.errors import MemorySystemError
from ragpp.ledger import Work
from services.workers.digest import digest
from services.workers.loop import LoopThread
from services.workers.parts import WorkerParts
from services.workers.relay import Relay
from services.workers.repair import rebuild_short_term
from services.workers.schedule import Scheduler, Tick
from services.workers.wire import from_wire, to_wire

OpenParts = Callable[[], AbstractAsyncContextManager[WorkerParts]]
WATCH_S: Final = 5.0
_log = structlog.stdlib.get_logger(__name__)


class Publish(Protocol):
    """Sends a task to the broker; blocking, so it is called in a thread."""

    def __call__(self, stage: str, batch: list[dict[str, JsonValue]], owner: str) -> None:
        """Raises OSError when the broker is down."""
        ...


class Runtime:
    """One in each worker process, started before Celery takes work."""

    def __init__(self, open_parts: OpenParts, publish: Publish) -> None:
        self._open_parts, self._publish = open_parts, publish
        self._thread = LoopThread()
        self._stack = AsyncExitStack()
        self._parts: WorkerParts | None = None
        self._relay: Relay | None = None
        self._running: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Open the parts and begin to relay. Raises what opening raises; nothing is left running then."""
        try:
            self._thread.run(self._start())
        except BaseException:
            self._thread.close()
            raise

    def stop(self) -> None:
        """Stop relaying, close the parts and the loop."""
        self._thread.run(self._stop(), timeout_s=30)
        self._thread.close()

    def do(self, stage: str, rows: Sequence[Mapping[str, JsonValue]], owner: str) -> None:
        """Digest a batch that came from the broker; blocks the calling thread, not the loop."""
        self._thread.run(self._do(stage, rows, owner))

    def tick(self, what: Tick) -> None:
        """Look for what is due; blocks the calling thread, not the loop."""
        self._thread.run(self._tick(what))

    async def _start(self) -> None:
        self._parts = await self._stack.enter_async_context(self._open_parts())
        name = f"{socket.gethostname()}:{os.getpid()}"
        self._relay = Relay(self._parts.ledger, self._send, name)
        self._running = [
            asyncio.create_task(self._relay.run()),
            asyncio.create_task(_watch_short_term(self._parts)),
        ]
        _log.info("relay.started", owner=name)

    async def _stop(self) -> None:
        if self._relay is not None:
            relaying, watching = self._running
            self._relay.stop()
            await relaying
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
        await self._stack.aclose()

    async def _send(self, batch: Sequence[Work], owner: str) -> None:
        await asyncio.to_thread(partial(self._publish, batch[0].key.stage, to_wire(batch), owner))

    async def _do(self, stage: str, rows: Sequence[Mapping[str, JsonValue]], owner: str) -> None:
        if self._parts is None or self._relay is None:
            raise RuntimeError("the runtime was not started")
        self._relay.began(stage, owner)
        try:
            await digest(self._parts, from_wire(rows), owner)
        finally:
            self._relay.ended(stage, owner)

    async def _tick(self, what: Tick) -> None:
        parts = self._parts
        if parts is None or parts.schedule is None:
            raise RuntimeError("this runtime has no schedule")
        try:
            await Scheduler(parts.schedule, parts.due, parts.learning, parts.clock).tick(what)
        except MemorySystemError as error:  # the next tick asks again
            _log.warning("schedule.waiting", what=what, error=error.message)


async def _watch_short_term(parts: WorkerParts) -> None:
    """Bring short-term memory back whenever it has lost everything; ends by being cancelled."""
    while True:
        try:
            rebuilt = await rebuild_short_term(parts)
            if rebuilt:
                _log.info("short_term.rebuilt", sessions=rebuilt)
        except Exception as error:  # noqa: BLE001 - a watch that ends would leave the next loss unnoticed
            _log.warning("short_term.not_rebuilt", error=repr(error))
        await asyncio.sleep(WATCH_S)
