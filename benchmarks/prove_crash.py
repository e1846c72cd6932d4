"""Nothing acknowledged is lost or doubled while every process is killed in turn.

    python -m benchmarks.prove_crash [--messages 10000] [--writers 8] [--workers 1] [--home FOLDER]

Writers send batches and repeat what was not acknowledged; meanwhile the gateway, each worker and each store are
killed by SIGKILL, one after the other, and brought back by `ragpp up`. Afterwards every message is there once, and what
was learned from it equals what a user learned to whom nothing happened.
"""

import argparse
import asyncio
import itertools
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.proof import Proving, conversation, proving, worker_names
from ragpp.api import StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.errors import MemorySystemError
from ragpp.paging import PAGE, pages
from ragpp.preference_values import canonical
from ragpp_infra.embedded.home import Home

BATCH = 10


class Count:
    """How far the writers are."""

    def __init__(self) -> None:
        self.acknowledged = 0
        self.refused = 0


async def write(client: AsyncMemoryClient, user: str, total: int, count: Count) -> None:
    """Send all messages of one user; what is not acknowledged is sent again, with the same ids."""
    messages = conversation(7, total, "m")
    for start in range(0, total, BATCH):
        batch = tuple(messages[start : start + BATCH])
        while True:
            try:
                answer = await client.remember(
                    StoreRequest(user_id=user, session_id=f"s{start // 200}", messages=batch)
                )
            except MemorySystemError:
                count.refused += 1
                await asyncio.sleep(0.2)
            else:
                count.acknowledged += len(answer.stored)
                break


async def kill_in_turn(stack: Proving, stopping: asyncio.Event, kills: Counter[str], workers: int) -> None:
    """Kill one process after the other and bring it back, until told to stop; every one at least once."""
    victims = ("gateway", "postgres", *worker_names(workers), "valkey", "neo4j")
    for name in itertools.cycle(victims):
        if stopping.is_set() and len(kills) == len(victims):
            return
        await asyncio.to_thread(stack.kill, name)
        kills[name] += 1
        await asyncio.sleep(0.5)
        await asyncio.to_thread(stack.up, workers)
        await asyncio.sleep(1.5)


Learned = tuple[dict[tuple[str, str], int], dict[tuple[str, str, str], float], dict[tuple[str, str], str]]


async def learned(client: AsyncMemoryClient, user: str) -> Learned:
    """The content of the user's graph and preferences: mentions, weights, values."""

    entities = pages(lambda cursor: client.entities(user, cursor=cursor, limit=PAGE))
    relationships = pages(lambda cursor: client.relationships(user, cursor=cursor, limit=PAGE))
    preferences = pages(lambda cursor: client.preferences(user, cursor=cursor, limit=PAGE))
    return (
        {(item.label, item.name): item.mentions async for item in entities},
        {(item.source, item.type, item.target): item.weight async for item in relationships},
        {(item.category, item.key): canonical(item.value) async for item in preferences},
    )


async def digested(client: AsyncMemoryClient, users: list[str]) -> float:
    """Wait until nothing is left to digest; returns the seconds."""
    began = time.perf_counter()
    for user in users:
        while await client.pending(user):
            await asyncio.sleep(0.2)
    return time.perf_counter() - began


async def run(home: Path, total: int, writers: int, workers: int) -> None:
    """Write under fire, then count."""
    with proving(home, workers) as stack:
        each = total // writers
        users = [f"writer-{number}" for number in range(writers)]
        async with Home(home).client(timeout_s=20) as client:
            calm = Count()
            await write(client, "control", each, calm)
            count, kills, stopping = Count(), Counter[str](), asyncio.Event()
            began = time.perf_counter()
            killer = asyncio.create_task(kill_in_turn(stack, stopping, kills, workers))
            await asyncio.gather(*(write(client, user, each, count) for user in users))
            wrote = time.perf_counter() - began
            stopping.set()
            await killer
            print(
                f"{count.acknowledged} messages acknowledged to {writers} writers in {wrote:.0f} s, "
                f"{count.refused} batches repeated; killed: {dict(kills)}"
            )
            caught_up = await digested(client, ["control", *users])
            print(f"digested {caught_up:.1f} s after the last kill")
            await judge(stack, client, users, each)
        stack.verdict()


async def judge(stack: Proving, client: AsyncMemoryClient, users: list[str], each: int) -> None:
    """Compare what is there with what was acknowledged, and with the undisturbed user."""
    expected = Counter(f"m{number}" for number in range(each))
    calm = await learned(client, "control")
    missing = doubled = different = 0
    for user in users:
        found = Counter(
            [item.id async for item in pages(lambda cursor, u=user: client.interactions(u, cursor=cursor, limit=PAGE))]  # type: ignore[misc]
        )
        missing += (expected - found).total()
        doubled += (found - expected).total()
        same = await learned(client, user) == calm
        different += not same
    stack.check(missing == 0, f"{missing} of {each * len(users)} acknowledged messages are missing")
    stack.check(doubled == 0, f"{doubled} messages are there twice or were never sent")
    stack.check(
        different == 0,
        f"{different} of {len(users)} users learned something else than the undisturbed one "
        f"({len(calm[0])} entities, {len(calm[1])} relationships, {len(calm[2])} preferences)",
    )


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--workers", type=int, default=1, help="worker processes, each of which is killed in its turn")
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    arguments = parser.parse_args()
    if arguments.home:
        asyncio.run(run(arguments.home.resolve(), arguments.messages, arguments.writers, arguments.workers))
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), arguments.messages, arguments.writers, arguments.workers))


if __name__ == "__main__":
    main()
