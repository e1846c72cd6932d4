"""Latency of each tier and of the whole recall over HTTP, with many users, beside the budgets of the design.

    python -m benchmarks.prove_scale [--users 1000] [--messages 100] [--items 1000] [--recalls 1000] [--home FOLDER]

Every user gets a conversation of their own by POST /v1/interactions, and the first CURATED of them a catalog of so many
items as well, from resources that state ITEMS_EACH of them. Once all is digested, recalls of random users are timed
over HTTP: one at a time for each tier and for all of them, then four at a time for the rate; of the catalog alone those
of users who have one.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.proof import Proving, conversation, proving, quantile, statements
from ragpp.api import ItemIn, ItemsIn, RecallRequest, ResourceIn, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.models import TierName
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.services import Services
from ragpp_infra.embedded.stack import Stack

BUDGET_MS: dict[str, int] = {
    "short_term": 10,
    "episodic": 25,
    "semantic": 50,
    "procedural": 15,
    "catalog": 25,
    "all": 50,
    "write": 25,
}
TIERS: tuple[TierName, ...] = ("short_term", "episodic", "semantic", "procedural", "catalog")
WRITERS = 4
BATCH = 50
CURATED = 10
ITEMS_EACH = 50
QUERIES = (
    "Where does my sister live?",
    "Who works at Porto Hospital?",
    "What did we say about the winter market?",
    "What do I prefer to drink?",
    "Tell me about Elena and the garden.",
    "What number mattered?",
)


async def fill(client: AsyncMemoryClient, users: int, messages: int, console: Console) -> float:
    """Give every user a conversation; returns acknowledged messages a second."""
    began = time.perf_counter()
    waiting = iter(range(users))
    with Progress(console=console) as progress:
        task = progress.add_task("write", total=users * messages)

        async def writer() -> None:
            for user in waiting:
                said = conversation(user, messages, "m")
                for start in range(0, messages, BATCH):
                    part = tuple(said[start : start + BATCH])
                    await client.remember(StoreRequest(user_id=f"user-{user}", session_id="s", messages=part))
                    progress.advance(task, len(part))

        await asyncio.gather(*(writer() for _ in range(WRITERS)))
    return users * messages / (time.perf_counter() - began)


async def curate(client: AsyncMemoryClient, users: int, items: int, console: Console) -> None:
    """Give the first users a catalog each: resources, and items that rest on them."""
    with Progress(console=console) as progress:
        task = progress.add_task("curate", total=users * items)
        for user in range(users):
            texts = statements(user, items)
            for start in range(0, items, ITEMS_EACH):
                part = texts[start : start + ITEMS_EACH]
                resource_id = f"user-{user}-res-{start}"
                await client.store_resource(
                    ResourceIn(
                        user_id=f"user-{user}", id=resource_id, resource_type="document", content="\n".join(part)
                    )
                )
                stated = tuple(ItemIn(content=text, source_resource_id=resource_id) for text in part)
                await client.store_items(ItemsIn(user_id=f"user-{user}", items=stated))
                progress.advance(task, len(part))


async def digest(client: AsyncMemoryClient, users: int, console: Console) -> float:
    """Wait until the workers have caught up with everyone; returns the seconds."""
    began = time.perf_counter()
    with Progress(console=console) as progress:
        task = progress.add_task("digest", total=users)
        for user in range(users):
            while await client.pending(f"user-{user}"):
                await asyncio.sleep(0.2)
            progress.advance(task)
    return time.perf_counter() - began


async def recalls(
    client: AsyncMemoryClient, users: int, count: int, tiers: tuple[TierName, ...] | None, *, at_once: int = 1
) -> tuple[list[float], float, int]:
    """Milliseconds of each recall over HTTP, recalls a second, and how many were partial."""
    chance = random.Random(17)
    jobs = iter([(chance.randrange(users), chance.choice(QUERIES)) for _ in range(count)])
    taken: list[float] = []
    partial = 0

    async def asker() -> None:
        nonlocal partial
        for user, query in jobs:
            request = RecallRequest(user_id=f"user-{user}", session_id="s", query=query, tiers=tiers)
            began = time.perf_counter()
            answer = await client.recall(request)
            taken.append((time.perf_counter() - began) * 1_000)
            partial += answer.status != "complete"

    began = time.perf_counter()
    await asyncio.gather(*(asker() for _ in range(at_once)))
    return taken, count / (time.perf_counter() - began), partial


async def writes(client: AsyncMemoryClient, users: int, count: int) -> list[float]:
    """Milliseconds of each write of one message over HTTP."""
    chance = random.Random(23)
    taken = []
    for number in range(count):
        (message,) = conversation(number, 1, f"w{number}-")
        request = StoreRequest(user_id=f"user-{chance.randrange(users)}", session_id="s", messages=(message,))
        began = time.perf_counter()
        await client.remember(request)
        taken.append((time.perf_counter() - began) * 1_000)
    return taken


def processes(home: Path) -> dict[str, psutil.Process]:
    """The stack's processes by name."""
    found = {status.name: status.pid for status in Stack(home).status()}
    services = Services(Home(home))
    found |= {name: services.pid(name) or 0 for name in ("gateway", "workers")}  # type: ignore[misc]
    return {str(name): psutil.Process(pid) for name, pid in found.items() if pid}


def cpu_seconds(process: psutil.Process) -> float:
    """CPU time of a process and its descendants, those included that have ended."""
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def memory_mb(process: psutil.Process) -> float:
    """Proportional resident memory of a process and its children: shared pages are counted once."""
    return sum(float(one.memory_full_info().pss) for one in (process, *process.children(recursive=True))) / 2**20


def row(table: Table, stack: Proving, name: str, taken: Sequence[float], rate: str = "") -> None:
    """One row of the table, with its verdict."""
    p95 = quantile(taken, 0.95)
    budget = BUDGET_MS.get(name)
    verdict = "" if budget is None else ("ok" if p95 <= budget else "over")
    if verdict == "over":
        stack.failures.append(f"{name}: p95 {p95:.1f} ms is over {budget} ms")
    cells = [f"{quantile(taken, share):.1f}" for share in (0.5, 0.95, 0.99)]
    table.add_row(name, str(len(taken)), *cells, str(budget or ""), verdict, rate)


async def run(home: Path, users: int, messages: int, items: int, count: int) -> None:
    """Fill, wait, measure."""
    console = Console(width=110)
    with proving(home) as stack:
        async with Home(home).client(timeout_s=60) as client:
            rate = await fill(client, users, messages, console)
            console.print(f"{users} users × {messages} messages: {rate:.0f} messages/s acknowledged while digesting")
            curated = min(users, CURATED)
            began = time.perf_counter()
            await curate(client, curated, items, console)
            console.print(f"{curated} of them have {items} items, stored in {time.perf_counter() - began:.0f} s")
            console.print(f"digested {await digest(client, users, console):.0f} s after the last write")
            await recalls(client, users, 200, None)
            table = Table(title=f"over HTTP, {users} users × {messages} messages (ms)", title_justify="left")
            for column in ("what", "n", "p50", "p95", "p99", "budget p95", "", "rate"):
                table.add_column(column, justify="left" if column == "what" else "right")
            for tier in TIERS:
                taken, _, _ = await recalls(client, curated if tier == "catalog" else users, count, (tier,))
                row(table, stack, tier, taken)
            taken, _, partial = await recalls(client, users, count, None)
            row(table, stack, "all", taken)
            running = processes(home)
            before = {name: cpu_seconds(process) for name, process in running.items()}
            taken, rate, more = await recalls(client, users, count, None, at_once=4)
            spent = {name: cpu_seconds(process) - before[name] for name, process in running.items()}
            row(table, stack, "all, 4 at once", taken, f"{rate:.0f}/s")
            row(table, stack, "write", await writes(client, users, count // 2))
            console.print(table)
            console.print(f"{partial + more} of {2 * count} recalls were partial")
            cpu = Table(title="core-milliseconds a recall, and memory", title_justify="left")
            for column in ("process", "CPU ms", "MB"):
                cpu.add_column(column, justify="right")
            memory = {name: memory_mb(process) for name, process in running.items()}
            for name in running:
                cpu.add_row(name, f"{spent[name] * 1_000 / count:.1f}", f"{memory[name]:.0f}")
            cpu.add_row("sum", f"{sum(spent.values()) * 1_000 / count:.1f}", f"{sum(memory.values()):.0f}")
            console.print(cpu)
        stack.verdict()


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--items", type=int, default=1_000)
    parser.add_argument("--recalls", type=int, default=1_000)
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    arguments = parser.parse_args()
    if arguments.home:
        asyncio.run(
            run(arguments.home.resolve(), arguments.users, arguments.messages, arguments.items, arguments.recalls)
        )
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), arguments.users, arguments.messages, arguments.items, arguments.recalls))


if __name__ == "__main__":
    main()
