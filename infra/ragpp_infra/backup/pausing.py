"""Learning waits while the graph is copied: what workers learn comes into the copy of every store, or of none.

Writes, recalls and forgettings go on. Works are not handed out while this session holds the lock; it goes with the
session, so a backup that is killed leaves nothing paused.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final

from ragpp.ledger.leasing import FORGETTING, LEARNING_LOCK
from ragpp_infra.backup.errors import BackupFailed
from ragpp_infra.backup.places import Connection, Place

POLL_S: Final = 0.1
_BUSY: Final = """
SELECT count(*) FROM ledger.work
 WHERE state = 'leased' AND lease_until > statement_timestamp() AND stage <> ALL ($1::text[])"""


_SINCE: Final = """
SELECT LEAST(clock_timestamp(), min(event.created_at)) FROM ledger.work JOIN ledger.events AS event USING (event_id)
 WHERE work.stage = 'erase' AND work.state IN ('pending', 'leased')"""


@asynccontextmanager
async def learning_paused(place: Place, patience_s: float) -> AsyncIterator[tuple[Connection, datetime]]:
    """Inside, no worker learns anything: yields the connection that keeps it so, and the moment since when something
    may be forgotten that is copied before: now, or when the first erasure was asked for that is not done. What was
    begun is waited for. Raises BackupFailed where that takes longer than `patience_s`."""
    async with place.postgres() as connection:
        began = time.monotonic()
        await connection.execute("SELECT pg_advisory_lock($1)", LEARNING_LOCK)
        while busy := await connection.fetchval(_BUSY, list(FORGETTING)):
            if time.monotonic() - began > patience_s:
                raise BackupFailed(
                    f"workers were still at {busy} works after {patience_s:.0f} s",
                    suggestions=("Repeat it, or give them longer with --patience.",),
                )
            await asyncio.sleep(POLL_S)
        yield connection, await connection.fetchval(_SINCE)
