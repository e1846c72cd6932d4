"""A process's use of a store, for its metrics: how its connections are used, and how much is held."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import structlog

from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary, trace_of
from ragpp.observability import metrics

LOOK_EVERY_S: Final = 60.0
"""Growth is a matter of hours: looking costs some milliseconds of the store."""
ENDING_S: Final = 2.0
_log = structlog.stdlib.get_logger(__name__)

Look = Callable[[], Awaitable[metrics.Held]]


@asynccontextmanager
async def measured(
    looks: "dict[str, Look]",
    part: str,
    connections: Callable[[], metrics.PoolState] | None,
    *,
    every_s: float = LOOK_EVERY_S,
) -> AsyncIterator[None]:
    """While inside, the metrics tell of these `connections` as those of `part`, None where the driver does not tell,
    and every `every_s` seconds what each of `looks` finds held, by part. A store that is down is looked at again.
    Nothing is done where nothing is counted."""
    if not metrics.is_counting():
        yield
        return
    end = metrics.watch_pool(part, connections) if connections is not None else None
    looking = asyncio.create_task(_look(looks, every_s))
    try:
        yield
    finally:
        if end is not None:
            end()
        looking.cancel()
        # a driver waits for a server that hangs until that has heard that a question is withdrawn
        await asyncio.wait({looking}, timeout=ENDING_S)


async def _look(looks: "dict[str, Look]", every_s: float) -> None:
    while True:
        for part, look in looks.items():
            try:
                metrics.held_seen(part, await look())
            except MemorySystemError as error:
                _log.info("metrics.held_unseen", part=part, error=safe_summary(error))
            except Exception as error:  # noqa: BLE001 - nobody waits for this task, which would end unnoticed
                _log.error("metrics.held_crashed", part=part, error=safe_summary(error), where=trace_of(error))
        await asyncio.sleep(every_s)
