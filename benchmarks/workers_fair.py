"""The part `fair` of prove_workers: fresh messages beside a backlog."""

import asyncio
import signal
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final

from benchmarks.backlog import Table, ledger_of, names_of, paused_workers, store, tenant_client, warm_each
from benchmarks.proof import Proving, conversation, quantile
from ragpp.api import StoreRequest
from ragpp.client import AsyncMemoryClient

DELAY_S: Final = 2.0
PROBE_S: Final = 0.5
WORKERS: Final = (1, 2)


async def fair(stack: Proving, *, interactions: int, users: Sequence[int]) -> None:
    """Measure how long a fresh message waits beside a backlog."""
    async with (
        ledger_of(stack.home) as table,
        tenant_client(stack.home, "tenant-a") as busy,
        tenant_client(stack.home, "tenant-b") as other,
    ):
        for many in users:
            for workers in WORKERS:
                run = f"fair-{workers}of{many}"
                backlog = names_of(run, many)
                with paused_workers(stack.home, workers, run) as (processes, _):
                    await warm_each(processes, table, busy, run)
                    await store(busy, backlog, interactions)
                    processes.signal(signal.SIGCONT)
                    asked = await _probe(table, backlog, {f"{run}-a": busy, f"{run}-b": other})
                    if not await table.until_done():
                        raise RuntimeError("fresh messages wait, and nothing moves")
                found = await table.digestion(backlog)
                print(f"{many} users, {workers} workers: {interactions} interactions at {found.rate:.0f}/s", flush=True)
                for prefix, whose in ((f"{run}-b", "another tenant"), (f"{run}-a", "the same tenant")):
                    delays = await table.delays(asked[prefix], found.moments[-1])
                    p50, p95 = quantile(delays, 0.5), quantile(delays, 0.95)
                    stack.check(
                        p95 <= DELAY_S,
                        f"{len(delays)} messages of new users of {whose} meanwhile: p50 {p50:.2f} s, p95 {p95:.2f} s, "
                        f"max {max(delays):.2f} s; p95 at most {DELAY_S:.0f} s",
                    )


async def _probe(
    table: Table, backlog: Sequence[str], clients: Mapping[str, AsyncMemoryClient]
) -> dict[str, list[str]]:
    """Until the backlog is digested, store one message of a new user with each client every PROBE_S; the users by
    prefix."""
    asked: dict[str, list[str]] = {prefix: [] for prefix in clients}
    digesting = asyncio.create_task(table.until_done(backlog))
    sent = []
    for number in count():
        for prefix, client in clients.items():
            asked[prefix].append(f"{prefix}{number}")
            message = tuple(conversation(number, 1, "fresh"))
            request = StoreRequest(user_id=asked[prefix][-1], session_id="s", messages=message)
            sent.append(asyncio.create_task(client.remember(request)))
        done, _ = await asyncio.wait([digesting], timeout=PROBE_S)
        if done:
            break
    await asyncio.gather(*sent)
    if not digesting.result():
        raise RuntimeError("the backlog is not digested, and nothing moves")
    return asked
