"""Users written over HTTP, and waiting until the workers have done with them all that they do by themselves."""

import asyncio
import os
import time
from collections.abc import Mapping
from typing import Final

import asyncpg

from benchmarks.proof import conversation
from ragpp.api import StoreRequest
from ragpp.client import AsyncMemoryClient

BATCH: Final = 50
WRITERS: Final = 4
SESSION: Final = "s"
ONCE: Final = {"WORKER_EXTRACT_INTERACTIONS": "1000000", "WORKER_EXTRACT_QUIET_S": "20"}
"""Settings by which a conversation is looked at as a whole, once it is quiet: how often it was looked at before depends
on how fast it came in."""
STAGES: Final = ("extract", "maintain", "observe", "reflect", "short_term")
PATIENCE_S: Final = 3_600.0
_UNSETTLED: Final = """
SELECT wanted FROM unnest($1::text[]) AS wanted
 WHERE (SELECT count(*) FROM ledger.progress WHERE (tenant_id, user_id) = ($2, wanted) AND stage = ANY ($3)) < $4
    OR EXISTS (SELECT FROM ledger.work WHERE (tenant_id, user_id) = ($2, wanted) AND state <> 'done')
    OR EXISTS (SELECT FROM ledger.debounce WHERE (tenant_id, user_id) = ($2, wanted))"""


def looked_at_once() -> None:
    """Have the workers that are started from now on look at a conversation once."""
    os.environ.update(ONCE)


async def write(client: AsyncMemoryClient, seeds: Mapping[str, int], messages: int) -> float:
    """Give each user the conversation of a seed; returns acknowledged messages a second."""
    began = time.perf_counter()
    waiting = iter(seeds.items())

    async def writer() -> None:
        for user, seed in waiting:
            said = conversation(seed, messages, "m")
            for start in range(0, messages, BATCH):
                part = tuple(said[start : start + BATCH])
                await client.remember(StoreRequest(user_id=user, session_id=SESSION, messages=part))

    await asyncio.gather(*(writer() for _ in range(WRITERS)))
    return len(seeds) * messages / (time.perf_counter() - began)


async def settle(connection: asyncpg.Connection, tenant: str, users: list[str]) -> float:
    """Wait until all is learned of these users and nothing waits; returns the seconds. `connection`: of a superuser.
    Raises TimeoutError after an hour."""
    began = time.perf_counter()
    async with asyncio.timeout(PATIENCE_S):
        while await connection.fetchval(_UNSETTLED, users, tenant, list(STAGES), len(STAGES)) is not None:
            await asyncio.sleep(1.0)
    return time.perf_counter() - began
