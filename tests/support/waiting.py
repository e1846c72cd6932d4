"""Waiting for something to come true."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from ragpp.models import Health
from ragpp.tiers import MemoryTier

_POLL_S: Final = 0.05
T = TypeVar("T")
_PATIENCE_S: Final = 60


async def eventually(ask: Callable[[], Awaitable[T | None]], *, within_s: float, what: str) -> T:
    """The first answer of `ask` that is true; AssertionError with the last one when there is none in time."""
    deadline = time.monotonic() + within_s
    while True:
        answer = await ask()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {within_s:.0f} s: {what}; the last answer was {answer!r}"
        await asyncio.sleep(_POLL_S)


def waited_for(ask: Callable[[], T | None], *, within_s: float, what: str, every_s: float = 0.3) -> T:
    """`eventually`, where no event loop runs. `every_s`: what is asked may cost more than the answer is worth."""
    deadline = time.monotonic() + within_s
    while not (answer := ask()):
        assert time.monotonic() < deadline, f"not within {within_s:.0f} s: {what}; the last answer was {answer!r}"
        time.sleep(every_s)
    return answer


async def well(tier: MemoryTier) -> Health:
    """The tier's good health: a machine that stands still does so for longer than a ping waits."""

    async def good() -> Health | None:
        health = await tier.health_check()
        return health if health.ok else None

    return await eventually(good, within_s=_PATIENCE_S, what=f"{tier.name} is well")
