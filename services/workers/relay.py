"""The relay: hands due work from the ledger to Celery in batches of one stage.

The ledger is the truth: a batch that the broker loses is handed out again when its lease ends.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import count
from typing import Final

import structlog

from ragpp.errors import MemorySystemError
from ragpp.ledger import Work, WorkLedger
from services.workers.digest import LEASE_S, STAGES

IDLE_S: Final = 0.1
DOWN_S: Final = 1.0
_log = structlog.stdlib.get_logger(__name__)

Send = Callable[[Sequence[Work], str], Awaitable[None]]


class Relay:
    """Leases from `ledger` and calls `send` with (batch, owner); `send` may raise OSError for a broker that is down.

    What could not be sent is given back at once, its attempt not counted: a broker's outage is not the event's fault.
    """

    def __init__(self, ledger: WorkLedger, send: Send, name: str) -> None:
        self._ledger, self._send, self._name = ledger, send, name
        self._numbers: Iterator[int] = count(1)
        self._in_flight: dict[str, dict[str, float]] = {stage: {} for stage in STAGES}
        self._empty_at = dict.fromkeys(STAGES, -math.inf)
        self._stopping = asyncio.Event()

    def began(self, stage: str, owner: str) -> None:
        """A batch has begun in this process, which will tell when it ends, however long it takes."""
        if owner in self._in_flight[stage]:
            self._in_flight[stage][owner] = math.inf

    def ended(self, stage: str, owner: str) -> None:
        """A batch ended, well or not: there is room for another."""
        self._in_flight[stage].pop(owner, None)

    def stop(self) -> None:
        """End `run` after the round it is in."""
        self._stopping.set()

    async def run(self) -> None:
        """Hand out work until stopped; a store or broker that is down only delays."""
        while not self._stopping.is_set():
            try:
                sent = [await self._round(stage) for stage in STAGES]
                pause = 0.0 if any(sent) else IDLE_S
            except (MemorySystemError, OSError) as error:
                _log.warning("relay.waiting", error=repr(error))
                pause = DOWN_S
            except Exception:  # noqa: BLE001 - a relay that ends would stop all learning while everything looks well
                _log.exception("relay.crashed")
                pause = DOWN_S
            try:
                await asyncio.wait_for(self._stopping.wait(), max(pause, 0.001))
            except TimeoutError:
                continue

    async def _round(self, stage: str) -> bool:
        """Lease once for `stage`; whether there was anything."""
        flying, now = self._in_flight[stage], time.monotonic()
        for owner in [owner for owner, since in flying.items() if now - since > LEASE_S]:
            del flying[owner]  # it went to another process, which cannot tell us that it ended
        if len(flying) >= STAGES[stage].at_once:  # beyond it leases would run out queueing
            return False
        if now - self._empty_at[stage] < STAGES[stage].look_s:
            return False
        owner = f"{self._name}:{next(self._numbers)}"
        works = await self._ledger.lease(stage, limit=STAGES[stage].batch, owner=owner, lease_s=LEASE_S)
        if works:
            flying[owner] = now
            self._empty_at[stage] = -math.inf
            try:
                await self._send(works, owner)
            except Exception as error:
                flying.pop(owner, None)
                await self._ledger.postpone([work.key for work in works], owner, repr(error))
                raise
        else:
            self._empty_at[stage] = now
        return bool(works)
