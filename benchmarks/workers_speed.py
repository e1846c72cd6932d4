"""The part `speed` of prove_workers: the same backlog digested by several numbers of workers."""

import signal
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.backlog import Meter, Table, ledger_of, names_of, paused_workers, store, warm_each
from benchmarks.proof import Proving
from ragpp.client import AsyncMemoryClient
from ragpp_infra.embedded.home import Home

SAME: Final = 0.95
"""More workers are no slower than one, but for noise."""
TWO_OF_ONE: Final = 1.25
"""Two workers beside one, where there are many users."""
MANY_USERS: Final = 50
STAGES: Final = ("observe", "short_term")
STANDSTILL_S: Final = 5.0
CORES: Final = ("postgres", "valkey", "neo4j", "gateway", "workers", "this proof", "total", "elsewhere")


@dataclass(frozen=True)
class Run:
    """One backlog digested. `start_s`: until the worker processes were ready. `whole_s`: that, and from their release
    to the last work. `seconds`: from the first work done to the last. `standstill`: in observing."""

    users: int
    workers: int
    round: int
    start_s: float
    whole_s: float
    seconds: float
    rate: float
    standstill: float
    cores: dict[str, float]


async def speed(
    stack: Proving, *, interactions: int, users: Sequence[int], workers: Sequence[int], rounds: int
) -> None:
    """Measure every number of workers on every number of users, and check the claims."""
    turns = [(*workers[turn:], *workers[:turn]) for turn in range(len(workers))]
    wanted = [
        (many, several, number) for many in users for number in range(rounds) for several in turns[number % len(turns)]
    ]
    async with ledger_of(stack.home) as table, Home(stack.home).client() as client:
        runs = [await _run(stack, table, client, *one, interactions) for one in wanted]
    _show(runs)
    _judge(stack, runs)


async def _run(
    stack: Proving, table: Table, client: AsyncMemoryClient, users: int, workers: int, number: int, interactions: int
) -> Run:
    run = f"r{number}-{workers}of{users}"
    names = names_of(run, users)
    if await table.waiting():
        raise RuntimeError("work of an earlier run waits")
    with paused_workers(stack.home, workers, run) as (processes, start_s):
        await warm_each(processes, table, client, run)
        stored_s = await store(client, names, interactions)
        meter, released = Meter(stack.home, processes.pids()), time.time()
        processes.signal(signal.SIGCONT)
        if not await table.until_done():
            raise RuntimeError(f"{await table.waiting()} works wait, and nothing moves")
        cores = meter.cores()
    done, observed = await table.digestion(names, STAGES), await table.digestion(names)
    rate, whole = interactions / max(done.seconds, 0.001), start_s + done.moments[-1].timestamp() - released
    print(
        f"  round {number + 1}, {users:3} users, {workers} workers: {done.seconds:6.1f} s ({whole:.1f} s with their "
        f"start), {rate:5.0f}/s, standstill {observed.standstill:.2f} s, {cores['total']:.2f} cores, "
        f"{cores['elsewhere']:.2f} elsewhere; stored at {interactions / stored_s:.0f}/s",
        flush=True,
    )
    return Run(users, workers, number, start_s, whole, done.seconds, rate, observed.standstill, cores)


def _ratios(runs: Iterable[Run], users: int, workers: int) -> list[float]:
    """Seconds of one worker over seconds of so many, by round."""
    seconds = {(run.workers, run.round): run.seconds for run in runs if run.users == users}
    return [
        seconds[1, number] / taken
        for (several, number), taken in seconds.items()
        if several == workers and (1, number) in seconds
    ]


def _show(runs: Sequence[Run]) -> None:
    """The medians of every kind of run: speed, and cores used."""
    times = Grid(title="medians", title_justify="left")
    for column in ("users", "workers", "seconds", "with start", "start", "a second", "of one", "standstill, worst"):
        times.add_column(column, justify="right")
    cores = Grid(title="cores used, medians; workers: all of them together, then each", title_justify="left")
    for column in ("users", "workers", *CORES, "each worker"):
        cores.add_column(column, justify="right")
    for users, workers in dict.fromkeys((run.users, run.workers) for run in runs):
        same = [run for run in runs if (run.users, run.workers) == (users, workers)]
        ratios = _ratios(runs, users, workers)
        times.add_row(
            str(users),
            str(workers),
            f"{statistics.median(run.seconds for run in same):.1f}",
            f"{statistics.median(run.whole_s for run in same):.1f}",
            f"{statistics.median(run.start_s for run in same):.1f}",
            f"{statistics.median(run.rate for run in same):.0f}",
            f"{statistics.median(ratios):.2f}" if ratios else "",
            f"{max(run.standstill for run in same):.2f}",
        )
        each = [f"{value:.2f}" for name, value in _median_cores(same).items() if name.startswith("proof-")]
        together = _median_cores(same)
        cores.add_row(str(users), str(workers), *(f"{together[name]:.2f}" for name in CORES), " ".join(each))
    console = Console(width=120)
    console.print(times)
    console.print(cores)


def _median_cores(runs: Sequence[Run]) -> dict[str, float]:
    """By process, the median of the runs; `workers` is the sum of all of them."""
    summed = [
        run.cores | {"workers": sum(used for name, used in run.cores.items() if name.startswith("proof-"))}
        for run in runs
    ]
    return {name: statistics.median(one[name] for one in summed) for name in summed[0]}


def _judge(stack: Proving, runs: Sequence[Run]) -> None:
    """Check what is claimed of the medians, and of the worst standstill."""
    for users, workers in sorted({(run.users, run.workers) for run in runs}):
        ratios = _ratios(runs, users, workers)
        if workers == 1 or not ratios:
            continue
        ratio = statistics.median(ratios)
        least = TWO_OF_ONE if workers == 2 and users >= MANY_USERS else SAME
        stack.check(
            ratio >= least, f"{users} users: {workers} workers are {ratio:.2f} times as fast as one, {least} at least"
        )
    worst = max(runs, key=lambda run: run.standstill)
    stack.check(
        worst.standstill <= STANDSTILL_S,
        f"nothing stands still for more than {STANDSTILL_S:.0f} s (longest: {worst.standstill:.1f} s with "
        f"{worst.workers} workers and {worst.users} users)",
    )
