"""The parts `queue` and `flush` of prove_workers: what a backlog does to the broker, and losing the broker in it."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

from redis.asyncio import Redis

from benchmarks.backlog import Digestion, Table, ledger_of, names_of, now, paused_workers, store
from benchmarks.proof import Proving
from ragpp.client import AsyncMemoryClient
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack

WORKERS: Final = 2
AT_ONCE: Final = 2
"""Batches of one stage that a worker has under way; so many messages of a stage may wait for each worker."""
USERS: Final = 1_000
FEWER_USERS: Final = 50
WATCHED_S: Final = 30.0
SAMPLE_S: Final = 0.2
SAME: Final = 0.8
"""The speed in a long backlog, as a share of that in a short one."""
LOST: Final = 3_000
LOST_USERS: Final = 20
CELERY_KEYS: Final = "ragpp:celery:*"
TAKEN: Final = "unacked"
"""Where messages are that a worker took from a queue and has not acknowledged, which it does when it begins."""


async def queue(stack: Proving, *, short: int, backlog: int) -> None:
    """Digest a short backlog, and the beginning of a long one while the queues are watched."""
    async with (
        ledger_of(stack.home) as table,
        Home(stack.home).client() as client,
        Redis.from_url(Stack(stack.home).endpoints().redis_url.get_secret_value()) as broker,
    ):
        before, _ = await _watched(stack, table, client, broker, "short", FEWER_USERS, short)
        found, longest = await _watched(stack, table, client, broker, "long", USERS, backlog)
    taken = longest.pop(TAKEN, 0)
    print(f"at most {taken} messages were taken by a worker and not begun")
    longest_queue = max(longest.values(), default=0)
    stack.check(
        longest_queue <= WORKERS * AT_ONCE,
        f"no queue has more than {WORKERS} workers x {AT_ONCE} messages (longest: {dict(longest) or 'all empty'})",
    )
    short_rate, long_rate = before.rate_within(WATCHED_S), found.rate_within(WATCHED_S)
    stack.check(
        long_rate >= SAME * short_rate,
        f"{long_rate:.0f}/s with {backlog} waiting is {long_rate / short_rate:.2f} of the {short_rate:.0f}/s with "
        f"{short}, {SAME} at least",
    )


async def _watched(
    stack: Proving, table: Table, client: AsyncMemoryClient, broker: Redis, run: str, users: int, total: int
) -> tuple[Digestion, Counter[str]]:
    """Digest for WATCHED_S, or until all is done; what was observed by then, and the longest each queue was."""
    names = names_of(run, users)
    longest: Counter[str] = Counter()
    with paused_workers(stack.home, WORKERS, run) as (workers, _):
        took = await store(client, names, total)
        print(f"{run}: {total} interactions of {users} users stored at {total / took:.0f}/s", flush=True)
        workers.signal(signal.SIGCONT)
        end = time.monotonic() + WATCHED_S
        while time.monotonic() < end and (run == "long" or await table.waiting()):
            for key, length in (await _queues(broker)).items():
                longest[key] = max(longest[key], length)
            await asyncio.sleep(SAMPLE_S)
        if run != "long" and not await table.until_done():
            raise RuntimeError("the short backlog is not digested, and nothing moves")
    return await table.digestion(names), longest


async def _queues(broker: Redis) -> dict[str, int]:
    """The length of each list of the broker, and how many messages are TAKEN."""
    found = {TAKEN: await broker.hlen(f"{CELERY_KEYS[:-1]}{TAKEN}")}
    async for key in broker.scan_iter(match=CELERY_KEYS, count=1_000, _type="list"):
        found[key.decode().removeprefix(CELERY_KEYS[:-1])] = await broker.llen(key)
    return found


async def flush(stack: Proving) -> None:
    """Lose what the broker holds in the middle of a backlog, then the broker itself in another."""
    url = Stack(stack.home).endpoints().redis_url.get_secret_value()

    async def flushed() -> str:
        async with Redis.from_url(url) as broker:
            keys = [key async for key in broker.scan_iter(match=CELERY_KEYS, count=1_000)]
            deleted = await broker.delete(*keys) if keys else 0
        return f"{deleted} keys of the broker deleted"

    async def killed() -> str:
        began = time.monotonic()
        await asyncio.to_thread(Stack(stack.home).kill, "valkey")
        await asyncio.to_thread(Stack(stack.home).up, ["valkey"])
        return f"the broker killed, and back after {time.monotonic() - began:.1f} s"

    async with ledger_of(stack.home) as table, Home(stack.home).client() as client:
        await _lose(stack, table, client, "flushed", flushed)
        await _lose(stack, table, client, "killed", killed)


async def _lose(
    stack: Proving, table: Table, client: AsyncMemoryClient, run: str, lose: Callable[[], Awaitable[str]]
) -> None:
    names = names_of(run, LOST_USERS)
    with paused_workers(stack.home, WORKERS, run) as (workers, _):
        await store(client, names, LOST)
        workers.signal(signal.SIGCONT)
        everything = await table.waiting(names)
        await table.until_done(names, down_to=everything // 2)
        moment = now()
        what = await lose()
        await table.until_done(names)
    found, left = await table.digestion(names), await table.undone(names)
    print(
        f"{what} in the middle of {LOST} interactions: digested at {found.rate:.0f}/s, longest standstill "
        f"{found.standstill_from(moment):.1f} s after it, {found.standstill:.1f} s in all",
        flush=True,
    )
    stack.check(left == 0, f"everything is digested ({left} works are not)")
