"""The wait until the workers have nothing left to do for a user, with how far they are."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from ragpp.client import AsyncMemoryClient
from ragpp.errors import TierUnavailable
from ragpp_infra.cli.progress import progress

PATIENCE_S: Final = 120.0
_POLL_S: Final = 0.2


async def wait_until_digested(
    client: AsyncMemoryClient,
    user_id: str,
    *,
    patience_s: float = PATIENCE_S,
    quiet: bool = False,
    monotonic: Callable[[], float] = time.monotonic,
) -> None:
    """Return when the workers have nothing left to do for this user. Raises TierUnavailable when they do not get on for
    `patience_s` seconds, however long all of it takes."""
    left = await client.pending(user_id)
    with progress("learning", left, quiet=quiet) as advance:
        deadline = monotonic() + patience_s
        while left > 0:
            await asyncio.sleep(_POLL_S)
            count = await client.pending(user_id)
            if count < left:
                advance(left - count)
                deadline = monotonic() + patience_s
            elif monotonic() > deadline:
                raise TierUnavailable(
                    f"{count} messages are not digested, and none was in {patience_s:.0f} s",
                    suggestions=("See `ragpp logs workers`; of containers, `docker compose logs worker`.",),
                )
            left = count
