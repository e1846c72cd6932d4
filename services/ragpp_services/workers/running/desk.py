"""Where a worker process does its work: so many threads for each stage, each of which leases what it does."""

import asyncio
from collections.abc import Iterator
from itertools import count

import structlog

from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.running.digest import LEASE_S, STAGES, digest

_log = structlog.stdlib.get_logger(__name__)


class Desk:
    """`name`: of this process, in the owners of its leases."""

    def __init__(self, parts: WorkerParts, name: str) -> None:
        self._parts, self._name = parts, name
        self._numbers: Iterator[int] = count(1)
        self._working: dict[str, set[asyncio.Task[None]]] = {stage: set() for stage in STAGES}
        self._stopping = False

    def free(self) -> list[str]:
        """The stages that a thread is free for."""
        return [stage for stage in STAGES if self._is_free(stage)]

    def _is_free(self, stage: str) -> bool:
        return not self._stopping and len(self._working[stage]) < STAGES[stage].at_once

    async def stop(self, patience_s: float) -> None:
        """Begin nothing more, wait until what was begun has ended, and cancel what takes longer than `patience_s`."""
        self._stopping = True
        working = set().union(*self._working.values())
        if working:
            _, late = await asyncio.wait(working, timeout=patience_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def work(self, stage: str) -> None:
        """Lease and digest work of `stage` until there is none; nothing at all when no thread is free for it. A store
        that is down ends it, to be looked at again later."""
        if working := self.begin(stage):
            await working

    def begin(self, stage: str) -> asyncio.Task[None] | None:
        """`work`, and do not wait for its end."""
        if not self._is_free(stage):
            return None
        working = asyncio.create_task(self._work(stage))
        self._working[stage].add(working)
        working.add_done_callback(self._working[stage].discard)
        return working

    async def _work(self, stage: str) -> None:
        try:
            while not self._stopping and await self._lease_and_digest(stage):
                pass
        except MemorySystemError as error:
            _log.warning("work.waiting", stage=stage, error=safe_summary(error))

    async def _lease_and_digest(self, stage: str) -> bool:
        """True where there was anything to lease."""
        owner = f"{self._name}:{next(self._numbers)}"
        works = await self._parts.ledger.lease(stage, limit=STAGES[stage].batch, owner=owner, lease_s=LEASE_S)
        if works:
            await digest(self._parts, works, owner)
        return bool(works)
