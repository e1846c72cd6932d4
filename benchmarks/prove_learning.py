"""A proof that a backlog teaches the same whether or not the worker is killed, and how fast it is digested.

    python -m benchmarks.prove_learning [--interactions 5000] [--users 5] [--kills 50] [--workers 1] [--home FOLDER]

Messages of some users are stored while no worker runs, with an extraction and a reflection asked for behind them. A
first backlog is digested undisturbed, which is timed by stage; a second, the same messages of other users, while the
worker, or a random one of several, is killed by SIGKILL at random moments. Afterwards every event is done, and what was
learned of each user equals what was learned undisturbed.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import asyncpg

from benchmarks.proof import Proving, conversation, proving, worker_names
from ragpp.api import ExtractIn, ReflectIn, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.paging import PAGE, pages
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack

BATCH = 200
LEAST_PER_S = 100.0
"""Some 120 on two cores that nothing else uses, extraction on a parse being 5 ms of each; what a busier machine still
shows."""
ENDS = datetime(2025, 1, 2, tzinfo=UTC)
"""The first day of the generated conversations ends here."""
SHORTEST_S, LONGEST_S = 0.2, 5.0
"""Between the start of a worker, which then needs some seconds until it digests, and its end."""
Learned = dict[str, object]


async def write(client: AsyncMemoryClient, user: str, number: int, total: int) -> None:
    """Store one user's messages and ask for an extraction and a reflection of their first day."""
    messages = conversation(number, total, "m")
    for start in range(0, total, BATCH):
        batch = tuple(messages[start : start + BATCH])
        await client.remember(StoreRequest(user_id=user, session_id=f"s{start // BATCH}", messages=batch))
    await client.extract(user, ExtractIn(start=messages[0].occurred_at, end=ENDS))
    await client.reflect(user, ReflectIn(date=(messages[0].occurred_at or ENDS).date()))


async def learned(client: AsyncMemoryClient, user: str) -> Learned:
    """All that was learned of a user, in what it says and how often it was said; not its ids, nor when."""

    entities = pages(lambda cursor: client.entities(user, cursor=cursor, limit=PAGE))
    relationships = pages(lambda cursor: client.relationships(user, cursor=cursor, limit=PAGE))
    preferences = pages(lambda cursor: client.preferences(user, cursor=cursor, limit=PAGE))
    rules = pages(lambda cursor: client.rules(user, cursor=cursor, limit=PAGE))
    findings = pages(lambda cursor: client.findings(user, cursor=cursor, limit=PAGE))
    return {
        "entities": {(item.label, item.name): item.mentions async for item in entities},
        "relationships": {
            (item.source, item.type, item.target): (item.weight, item.valid_to) async for item in relationships
        },
        "preferences": {(item.category, item.key): (item.value, item.sources) async for item in preferences},
        "rules": {item.text async for item in rules},
        "findings": {(item.finding, item.text, item.support) async for item in findings},
    }


class Ledger:
    """The ledger's account of the work of some users."""

    def __init__(self, home: Path) -> None:
        self._dsn = Stack(home).endpoints().postgres_relay_dsn.get_secret_value()

    async def states(self, users: list[str]) -> Counter[tuple[str, str]]:
        """How many works there are of each stage and state."""
        connection = await asyncpg.connect(self._dsn)
        try:
            rows = await connection.fetch(
                "SELECT stage, state, count(*) FROM ledger.work WHERE user_id = ANY ($1) GROUP BY 1, 2", users
            )
        finally:
            await connection.close()
        return Counter({(row["stage"], row["state"]): row["count"] for row in rows})

    async def observed(self, users: list[str]) -> list[datetime]:
        """When each interaction was observed, the first one first."""
        connection = await asyncpg.connect(self._dsn)
        try:
            rows = await connection.fetch(
                "SELECT updated_at FROM ledger.work WHERE user_id = ANY ($1) AND stage = 'observe' ORDER BY 1", users
            )
        finally:
            await connection.close()
        return [row["updated_at"] for row in rows]

    async def waiting(self, users: list[str]) -> int:
        """How many works of theirs are neither done nor failed."""
        return sum(n for (_, state), n in (await self.states(users)).items() if state in {"pending", "leased"})


async def until_done(ledger: Ledger, users: list[str]) -> None:
    """Wait until nothing of theirs waits."""
    while await ledger.waiting(users):
        await asyncio.sleep(0.2)


def by_stage(logs: Sequence[Path]) -> dict[str, tuple[int, int, float]]:
    """From the workers' logs: batches, works and seconds of each stage."""
    found: dict[str, tuple[int, int, float]] = {}
    for line in (line for log in logs for line in log.read_text(encoding="utf-8", errors="replace").splitlines()):
        if '"work.done"' not in line:
            continue
        entry = json.loads(line)
        batches, works, seconds = found.get(entry["stage"], (0, 0, 0.0))
        found[entry["stage"]] = (batches + 1, works + entry["works"], seconds + entry["elapsed_ms"] / 1_000)
    return found


async def calm(stack: Proving, ledger: Ledger, users: list[str], total: int, workers: int) -> None:
    """Digest a backlog undisturbed, and say how fast."""
    started = datetime.now(UTC)
    began = time.perf_counter()
    await asyncio.to_thread(stack.up, workers)
    await until_done(ledger, users)
    moments = await ledger.observed(users)
    first, last = moments[0], moments[-1]
    whole = (last - started).total_seconds()
    rate = sum(moment > first for moment in moments) / max((last - first).total_seconds(), 0.001)
    print(
        f"undisturbed: {total} interactions observed in {whole:.1f} s from the worker's start, {rate:.0f}/s from the "
        f"first batch to the last; everything done after {time.perf_counter() - began:.1f} s"
    )
    logs = [Home(stack.home).logs / f"{name}.log" for name in worker_names(workers)]
    for stage, (batches, works, seconds) in by_stage(logs).items():
        print(f"  {stage:10} {works:6} works in {batches:4} batches, {1_000 * seconds / works:8.2f} ms each")
    stack.check(rate >= LEAST_PER_S, f"{rate:.0f} interactions are observed per second, {LEAST_PER_S:.0f} at least")


async def stormy(stack: Proving, ledger: Ledger, users: list[str], kills: int, workers: int) -> None:
    """Digest a backlog while a worker is killed so many times, or until nothing is left to be killed at."""
    chance = random.Random()
    killed = while_waiting = 0
    while killed < kills:
        await asyncio.to_thread(stack.up, workers)
        await asyncio.sleep(chance.uniform(SHORTEST_S, LONGEST_S))
        while_waiting += bool(await ledger.waiting(users))
        await asyncio.to_thread(stack.kill, chance.choice(worker_names(workers)))
        killed += 1
    await asyncio.to_thread(stack.up, workers)
    print(f"killed {killed} times, {while_waiting} of them while work waited")
    await until_done(ledger, users)


async def run(home: Path, total: int, users: int, kills: int, workers: int) -> None:
    """Digest twice, once in peace, and compare."""
    os.environ |= {"WORKER_SCHEDULE": "false", "LOG_LEVEL": "DEBUG"}  # nothing is extracted but what is asked for
    with proving(home) as stack:
        ledger = Ledger(home)
        quiet, disturbed = ([f"{kind}-{number}" for number in range(users)] for kind in ("calm", "storm"))
        each = total // users
        async with Home(home).client(timeout_s=60) as client:
            for names in (quiet, disturbed):
                stack.stop_workers()
                await asyncio.gather(*(write(client, user, seed, each) for seed, user in enumerate(names)))
                if names is quiet:
                    await calm(stack, ledger, names, each * users, workers)
                else:
                    await stormy(stack, ledger, names, kills, workers)
            states = await ledger.states([*quiet, *disturbed])
            undone = {f"{stage} {state}": n for (stage, state), n in states.items() if state != "done"}
            stack.check(not undone, f"every event ends done ({states.total()} works; others: {undone or 'none'})")
            await judge(stack, client, quiet, disturbed)
        stack.verdict()


async def judge(stack: Proving, client: AsyncMemoryClient, quiet: list[str], disturbed: list[str]) -> None:
    """Compare what was learned of each pair of users."""
    different: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for user, other in zip(quiet, disturbed, strict=True):
        expected, found = await learned(client, user), await learned(client, other)
        different.update(kind for kind, value in expected.items() if found[kind] != value)
        sizes.update({kind: len(value) for kind, value in expected.items() if isinstance(value, dict | set)})
    stack.check(
        not different,
        f"what was learned equals what was learned undisturbed ({dict(sizes)}; users with a difference: "
        f"{dict(different) or 'none'})",
    )


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interactions", type=int, default=5_000)
    parser.add_argument("--users", type=int, default=5)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--workers", type=int, default=1, help="worker processes, of which a random one is killed")
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    given = parser.parse_args()
    if given.home:
        asyncio.run(run(given.home.resolve(), given.interactions, given.users, given.kills, given.workers))
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), given.interactions, given.users, given.kills, given.workers))


if __name__ == "__main__":
    main()
