"""A backlog for workers: stored while they wait, released all at once, and what the ledger says of its digestion."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Final

import asyncpg
import psutil

from benchmarks.proof import Workers, conversation
from benchmarks.prove_scale import cpu_seconds, processes
from ragpp.api import StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.keys import run_keys
from ragpp_infra.embedded.stack import Stack

BATCH: Final = 200
WRITERS: Final = 4
WARM_UP, WARM_USERS = 4_000, 40
WARM_EACH, WARM_USERS_EACH = 200, 10
"""For each worker process before it is measured: what is loaded when first needed is there then."""
POLL_S: Final = 0.25
PATIENCE_S: Final = 120.0
"""A backlog of which nothing was done for so long is given up."""
SETTLE_S: Final = 2.0
"""Between a worker's word that it is ready and its pause: it still has to listen to the broker."""
WORKER_SETTINGS: Final = {"WORKER_SCHEDULE": "false", "LOG_LEVEL": "INFO"}


@dataclass(frozen=True)
class Digestion:
    """When the works of a backlog were done, in order: of one stage, one for each interaction. Not empty."""

    moments: Sequence[datetime]

    @property
    def seconds(self) -> float:
        """From the first to the last."""
        return (self.moments[-1] - self.moments[0]).total_seconds()

    @cached_property
    def rate(self) -> float:
        """Works a second after the first batch."""
        return sum(moment > self.moments[0] for moment in self.moments) / max(self.seconds, 0.001)

    def rate_within(self, seconds: float) -> float:
        """The same for the first so many seconds alone."""
        end = self.moments[0] + timedelta(seconds=seconds)
        return Digestion([moment for moment in self.moments if moment <= end]).rate

    @property
    def standstill(self) -> float:
        """The longest time in seconds in which nothing was done."""
        pairs = zip(self.moments, self.moments[1:], strict=False)
        return max(((later - earlier).total_seconds() for earlier, later in pairs), default=0.0)

    def standstill_from(self, moment: datetime) -> float:
        """The longest such time of those that end after `moment`."""
        before = [one for one in self.moments if one <= moment][-1:]
        return Digestion([*before, *(one for one in self.moments if one > moment)]).standstill


class Table:
    """The ledger's figures, read as its relay."""

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._connection = connection

    async def waiting(self, users: Sequence[str] | None = None) -> int:
        """How many works are neither done nor failed, of everybody or of these users."""
        found: int = await self._connection.fetchval(
            "SELECT count(*) FROM ledger.work WHERE state IN ('pending', 'leased') "
            "AND ($1::text[] IS NULL OR user_id = ANY ($1))",
            users,
        )
        return found

    async def undone(self, users: Sequence[str]) -> int:
        """How many works of these users are not done, whatever became of them."""
        found: int = await self._connection.fetchval(
            "SELECT count(*) FROM ledger.work WHERE state <> 'done' AND user_id = ANY ($1)", users
        )
        return found

    async def digestion(self, users: Sequence[str], stages: Sequence[str] = ("observe",)) -> Digestion:
        """How the interactions of these users were digested, as far as they were. Raises RuntimeError for none."""
        rows = await self._connection.fetch(
            "SELECT updated_at FROM ledger.work "
            "WHERE stage = ANY ($2) AND state = 'done' AND user_id = ANY ($1) ORDER BY 1",
            users,
            stages,
        )
        if not rows:
            raise RuntimeError("nothing was done")
        return Digestion([row["updated_at"] for row in rows])

    async def delays(self, users: Sequence[str], until: datetime) -> list[float]:
        """Seconds from the storing of each interaction of these users to its observation; of those stored by then."""
        rows = await self._connection.fetch(
            "SELECT extract(epoch FROM work.updated_at - events.created_at)::float8 AS delay "
            "FROM ledger.work JOIN ledger.events USING (event_id) WHERE work.stage = 'observe' "
            "AND work.state = 'done' AND work.user_id = ANY ($1) AND events.created_at <= $2",
            users,
            until,
        )
        return [row["delay"] for row in rows]

    async def until_done(self, users: Sequence[str] | None = None, *, down_to: int = 0) -> bool:
        """Wait until no more than `down_to` works wait; False when nothing moves for PATIENCE_S."""
        least, moved = await self.waiting(users), time.monotonic()
        while least > down_to:
            await asyncio.sleep(POLL_S)
            now = await self.waiting(users)
            if now < least:
                least, moved = now, time.monotonic()
            elif time.monotonic() - moved > PATIENCE_S:
                return False
        return True


@asynccontextmanager
async def ledger_of(home: Path) -> AsyncIterator[Table]:
    """The ledger of a stack."""
    connection = await asyncpg.connect(Stack(home).endpoints().postgres_relay_dsn.get_secret_value())
    try:
        yield Table(connection)
    finally:
        await connection.close()


@contextmanager
def paused_workers(home: Path, count: int, run: str) -> Iterator[tuple[Workers, float]]:
    """So many workers that have nothing to do and are stopped by SIGSTOP once they look for work: SIGCONT releases them
    all at once. With them the seconds of their start. They are ended afterwards."""
    workers = Workers(home, [f"proof-{number}" for number in range(1, count + 1)], run)
    began = time.perf_counter()
    try:
        workers.start(WORKER_SETTINGS)
        workers.wait_until_ready()
        took = time.perf_counter() - began
        time.sleep(SETTLE_S)
        workers.signal(signal.SIGSTOP)
        yield workers, took
    finally:
        workers.stop()


def names_of(run: str, users: int) -> list[str]:
    """The users of one run; every run has its own."""
    return [f"{run}-{number}" for number in range(users)]


async def store(client: AsyncMemoryClient, users: Sequence[str], total: int) -> float:
    """Store so many interactions, of each user as many; returns the seconds."""
    began = time.perf_counter()
    share, more = divmod(total, len(users))
    # batches in turns: the backlogs of all users begin and end together
    each = {user: conversation(seed, share + (seed < more), "m") for seed, user in enumerate(users)}
    waiting = iter([(user, start) for start in range(0, share + 1, BATCH) for user in users if start < len(each[user])])

    async def writer() -> None:
        for user, start in waiting:
            batch = tuple(each[user][start : start + BATCH])
            await client.remember(StoreRequest(user_id=user, session_id=f"s{start // BATCH}", messages=batch))

    await asyncio.gather(*(writer() for _ in range(WRITERS)))
    return time.perf_counter() - began


async def warm_up(home: Path) -> None:
    """Digest a backlog that is not measured, so that whatever is measured finds stores that are warm. Raises
    RuntimeError when it is not digested."""
    users = names_of("warm-up", WARM_USERS)
    async with ledger_of(home) as table, Home(home).client() as client:
        with paused_workers(home, 1, "warm-up") as (workers, _):
            await store(client, users, WARM_UP)
            workers.signal(signal.SIGCONT)
            if not await table.until_done():
                raise RuntimeError("the first backlog is not digested, and nothing moves")


async def warm_each(workers: Workers, table: "Table", client: AsyncMemoryClient, run: str) -> None:
    """Let paused workers digest a little each, and pause them again. Raises RuntimeError when it is not digested."""
    count = len(workers.pids())
    workers.signal(signal.SIGCONT)
    await store(client, names_of(f"{run}-warm", WARM_USERS_EACH * count), WARM_EACH * count)
    if not await table.until_done():
        raise RuntimeError("what warms the workers is not digested, and nothing moves")
    workers.signal(signal.SIGSTOP)


def tenant_client(home: Path, tenant: str) -> AsyncMemoryClient:
    """A client of the stack's gateway for a tenant, with a new key. Raises RuntimeError when none can be made."""
    folder = Home(home)
    made = run_keys(folder, Stack(home).endpoints(), ["create", "--tenant", tenant, "--json"])
    if made.returncode != 0:
        raise RuntimeError(f"no key could be made: {made.stderr.strip()}")
    return folder.client(key=str(json.loads(made.stdout)["key"]))


class Meter:
    """CPU time of the stack's processes and of some workers between its making and `cores`: by name, in cores."""

    def __init__(self, home: Path, workers: Mapping[str, int]) -> None:
        self._running = processes(home) | {name: psutil.Process(pid) for name, pid in workers.items()}
        self._running["this proof"] = psutil.Process(os.getpid())
        self._began = time.perf_counter()
        self._machine = _busy()
        self._before = {name: _cpu_seconds(process) for name, process in self._running.items()}

    def cores(self) -> dict[str, float]:
        """How many cores each has used since then. `elsewhere`: what else this machine did, which is noise."""
        seconds = time.perf_counter() - self._began
        used = {name: (_cpu_seconds(process) - self._before[name]) / seconds for name, process in self._running.items()}
        total = sum(used.values())
        return used | {"total": total, "elsewhere": max((_busy() - self._machine) / seconds - total, 0.0)}


def _cpu_seconds(process: psutil.Process) -> float:
    """CPU time of a process and its descendants, those included that have ended; of this one without them, since the
    workers are among them."""
    if process.pid == os.getpid():
        own = process.cpu_times()
        return float(own.user + own.system)
    return cpu_seconds(process)


def _busy() -> float:
    """CPU seconds of the whole machine, but for idling."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + getattr(times, "irq", 0) + getattr(times, "softirq", 0))


def now() -> datetime:
    """The wall clock, as the ledger has it."""
    return datetime.now(UTC)
