"""Where a worker process does its work: so many threads for each stage, each of which leases what it does."""

import asyncio
from collections.abc import Iterator
from itertools import count

import structlog

from ragpp.errors import MemorySystemError
from services.workers.digest import LEASE_S, STAGES, digest
from services.workers.parts import WorkerParts
from services.workers.telling import told

_log = structlog.stdlib.get_logger(__name__)


class Desk:
    """`name`: of this process, in the owners of its leases."""

    def __init__(self, parts: WorkerParts, name: str) -> None:
        self._parts, self._name = parts, name
        self._numbers: Iterator[int] = count(1)
        self._threads = {stage: asyncio.Semaphore(of_stage.at_once) for stage, of_stage in STAGES.items()}
        self._stopping = False

    def free(self) -> list[str]:
        """The stages that a thread is free for."""
        return [stage for stage, threads in self._threads.items() if not threads.locked()]

    async def stop(self) -> None:
        """Begin nothing more, and wait until what was begun has ended."""
        self._stopping = True
        for threads, of_stage in zip(self._threads.values(), STAGES.values(), strict=True):
            for _ in range(of_stage.at_once):
                await threads.acquire()

    async def work(self, stage: str) -> None:
        """Lease and digest work of `stage` until there is none; nothing at all when no thread is free for it. A store
        that is down ends it, to be looked at again later."""
        threads = self._threads[stage]
        if threads.locked():
            return
        async with threads:
            try:
                while not self._stopping and await self._lease_and_digest(stage):
                    pass
            except MemorySystemError as error:
                _log.warning("work.waiting", stage=stage, error=told(error))

    async def _lease_and_digest(self, stage: str) -> bool:
        """Whether there was anything to lease."""
        owner = f"{self._name}:{next(self._numbers)}"
        works = await self._parts.ledger.lease(stage, limit=STAGES[stage].batch, owner=owner, lease_s=LEASE_S)
        if works:
            await digest(self._parts, works, owner)
        return bool(works)
