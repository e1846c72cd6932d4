"""The runtime of a worker process: the loop, the parts, the desk, and what looks for work beside it."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from secrets import token_hex
from typing import Final

import structlog

from ragpp.errors.summaries import safe_summary
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running.desk import Desk
from ragpp_services.workers.running.heartbeat import Heartbeat
from ragpp_services.workers.running.loop import LoopThread
from ragpp_services.workers.running.measuring import watch_ledger
from ragpp_services.workers.running.relay import Relay
from ragpp_services.workers.running.schedule import keep_schedule
from ragpp_services.workers.stages.clean import clean
from ragpp_services.workers.stages.repair import rebuild_short_term

OpenParts = Callable[[], AbstractAsyncContextManager[WorkerParts]]
Publish = Callable[[str], bool]
"""Leaves a hint for a stage on the broker: False where one lies. Blocking, so it is called in a thread; raises OSError
when the broker is down."""
ENDING_S: Final = 8.0
"""Longest that an orderly end waits for what is under way; whoever stops a worker waits 15 s."""
_log = structlog.stdlib.get_logger(__name__)


class Runtime:
    """One in each worker process, started before Celery takes work."""

    def __init__(
        self, open_parts: OpenParts, publish: Publish, heartbeat: Heartbeat | None = None, *, measures: bool = False
    ) -> None:
        """`measures`: what is in the ledger is looked at now and then, for somebody reads the metrics."""
        self._open_parts, self._publish, self._measures = open_parts, publish, measures
        self._heartbeat = heartbeat or Heartbeat(None)
        self._thread = LoopThread()
        self._stack = AsyncExitStack()
        self._desk: Desk | None = None
        self._relay: Relay | None = None
        self._beside: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Open the parts and begin to look for work. Raises what opening raises; nothing is left running then."""
        try:
            self._thread.run(self._start())
        except BaseException:
            self._thread.close()
            raise

    def stop(self) -> None:
        """Stop looking for work, close the parts and the loop; what is being done ends, or is done again by another."""
        self._thread.run(self._stop(), timeout_s=30)
        self._thread.close()

    def work(self, stage: str) -> None:
        """Do what there is to do of `stage`; blocks the calling thread, not the loop."""
        if self._desk is None:
            raise RuntimeError("the runtime was not started")
        self._thread.run(self._desk.work(stage))

    async def _start(self) -> None:
        parts = await self._stack.enter_async_context(self._open_parts())
        name = f"{socket.gethostname()}:{os.getpid()}:{token_hex(4)}"  # two containers may share the first two
        self._desk = Desk(parts, name)
        self._relay = Relay(parts.ledger, self._hint, self._desk.free, self._desk.begin, self._heartbeat.beat)
        beside: list[Coroutine[object, object, None]] = [
            watch(parts, "short_term", name, rebuild_short_term, every_s=5.0, held_s=15.0),
            watch(parts, "cleaning", name, clean, every_s=15.0, held_s=60.0),
        ]
        if self._measures:
            beside.append(watch_ledger(parts))
        if parts.schedule is not None:
            beside.append(keep_schedule(parts, parts.schedule, name))
        self._beside = [asyncio.create_task(one) for one in (self._relay.run(), *beside)]
        _log.info("relay.started", owner=name)

    async def _stop(self) -> None:
        if self._relay is not None and self._desk is not None:
            self._relay.stop()
            await self._desk.stop(ENDING_S)
            relaying, *watching = self._beside
            await relaying
            for task in watching:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        await self._stack.aclose()

    async def _hint(self, stage: str) -> bool:
        return await asyncio.to_thread(self._publish, stage)


async def watch(
    parts: WorkerParts,
    what: str,
    owner: str,
    look: Callable[[WorkerParts], Awaitable[object]],
    *,
    every_s: float,
    held_s: float,
) -> None:
    """`look` every `every_s` seconds while `owner` is the one that does, and ask for it while it is not; ends by being
    cancelled. `held_s`: how long the others leave it to one that no longer says so; looking twice must do no harm."""
    while True:
        try:
            if await parts.ledger.hold(what, owner, held_s):
                await look(parts)
        except Exception as error:  # noqa: BLE001 - a watch that ends would leave the next time unnoticed
            _log.warning("watch.failed", what=what, error=safe_summary(error))
        await asyncio.sleep(every_s)
