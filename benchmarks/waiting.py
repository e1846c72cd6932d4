"""Waiting for the workers, through the public API."""

import asyncio
import time
from typing import Final

from ragpp.client import AsyncMemoryClient
from ragpp.jobs import Job

PATIENCE_S: Final = 600.0


async def digested(
    client: AsyncMemoryClient, user: str, *, timeout_s: float = PATIENCE_S, pause_s: float = 0.1
) -> float:
    """Wait until the workers have nothing left of `user`, asked about each `pause_s`; returns the seconds waited."""
    started = time.perf_counter()
    while await client.pending(user):
        if time.perf_counter() - started > timeout_s:
            raise TimeoutError(f"{user} is not digested after {timeout_s:.0f} s")
        await asyncio.sleep(pause_s)
    return time.perf_counter() - started


async def done(client: AsyncMemoryClient, job_id: str, what: str) -> Job:
    """The job once it is done; `what` says in a message what it is about. Raises RuntimeError where it failed."""
    ended = await client.ended_job(job_id, timeout_s=PATIENCE_S)
    if ended.state != "done":
        raise RuntimeError(f"{what} is {ended.state}: {ended.error}")
    return ended
