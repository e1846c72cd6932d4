"""How a tier answers when it is asked whether it can work."""

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Final

from ragpp.errors import MemorySystemError
from ragpp.models import Health, TierName

HEALTH_S: Final = 1.9
"""A health check answers within two seconds (`MemoryTier.health_check`): these, and what it takes to say that they are
over."""


async def health_of(name: TierName, store: str, ask: Callable[[], Awaitable[str]]) -> Health:
    """The health of the tier `name` on a `store` such as PostgreSQL; it never raises an error of ours.

    `ask` returns the store's version once it has seen that the tier can work, and raises an error of ours that says why
    it cannot; it has HEALTH_S for it.
    """
    began = perf_counter()
    try:
        async with asyncio.timeout(HEALTH_S):
            detail, ok = f"{store} {await ask()}", True
    except (MemorySystemError, TimeoutError) as error:
        detail, ok = str(error) or f"{store} did not answer in time", False
    return Health(name=name, ok=ok, ms=1_000 * (perf_counter() - began), detail=detail)
