"""The relay: leaves a hint on the broker where a stage has work and a thread of this process is free for it.

The ledger is the truth: a hint says nothing but which stage to look at, so one that is lost is left again, and one too
many finds nothing to lease. Where the broker is down, or nobody takes what lies there (a client that lost it comes back
only half a minute later), the work is begun without it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary
from ragpp.ledger import WorkLedger

IDLE_S: Final = 0.1
HINTED_S: Final = 0.02
"""The time that a hint takes to be picked up."""
DOWN_S: Final = 1.0
_log = structlog.stdlib.get_logger(__name__)

Hint = Callable[[str], Awaitable[bool]]


class Relay:
    """Asks `ledger` for the stages of `free()` that have work, and calls `hint` with each: whether it left one, False
    where one lies already; it may raise OSError for a broker that is down. What is not hinted at is begun by `begin`.
    `looked` is told of each round in which the ledger answered, or need not be asked since no stage was free.
    """

    def __init__(
        self,
        ledger: WorkLedger,
        hint: Hint,
        free: Callable[[], Sequence[str]],
        begin: Callable[[str], object],
        looked: Callable[[], None] = lambda: None,
    ) -> None:
        self._ledger, self._hint, self._free, self._begin = ledger, hint, free, begin
        self._looked = looked
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End `run` after the round it is in."""
        self._stopping.set()

    async def run(self) -> None:
        """Leave hints until stopped; a store or broker that is down only delays."""
        while not self._stopping.is_set():
            try:
                pause = HINTED_S if await self._round() else IDLE_S
            except (MemorySystemError, OSError) as error:
                _log.warning("relay.waiting", error=safe_summary(error))
                pause = DOWN_S
            except Exception as error:  # noqa: BLE001 - a relay that ends would stop all learning while all looks well
                _log.error("relay.crashed", error=safe_summary(error))
                pause = DOWN_S
            try:
                await asyncio.wait_for(self._stopping.wait(), pause)
            except TimeoutError:
                continue

    async def _round(self) -> bool:
        """True where any of the stages has work."""
        free = self._free()
        due = await self._ledger.due(free) if free else []
        self._looked()
        try:
            for stage in due:
                if not await self._hint(stage):
                    self._begin(stage)
        except OSError:
            for stage in due:
                self._begin(stage)
            raise
        return bool(due)
