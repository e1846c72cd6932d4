"""What one worker of all looks after, beside its work."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ragpp.errors.telling import told
from ragpp_services.workers.parts import WorkerParts

_log = structlog.stdlib.get_logger(__name__)


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
            _log.warning("watch.failed", what=what, error=told(error))
        await asyncio.sleep(every_s)
