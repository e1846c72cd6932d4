"""Several workers are faster than one, and nobody waits behind somebody else's backlog.

    python -m benchmarks.prove_workers [PART ...] [--interactions 5000] [--users 50 1] [--workers 1 2 4] [--rounds 3]
                                       [--backlog 100000] [--home FOLDER]

Parts, all of them where none is named; each has a stack of its own, whose worker is replaced by as many as it
needs:

speed   A backlog is stored while all workers are paused, and digested by one, two, four workers that are released
        together; for many users, and for one. Seconds from the first work done to the last and from the start of
        the processes, interactions a second, the longest time in which nothing was observed, and how many cores each
        process used. Rounds in rotating order; medians, and ratios to one worker in the same round.
fair    While a tenant's backlog is digested by one worker, by two, each of which has digested a little before: every
        half second a message of a new user of another tenant, and one of a new user of the same. Seconds from storing
        each to its observation.
queue   A hundred thousand interactions of a thousand users, stored through the API with the hashing embedder, and two
        workers: how long the broker's queues get in 30 seconds, and how fast it goes beside a backlog of the first
        part's size in the same stack. The rest of the backlog is left.
flush   In the middle of a backlog of 3,000 the broker's keys are deleted; in the middle of another the broker is killed
        and brought back. Everything is digested; the longest standstill after it.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmarks.backlog import warm_up
from benchmarks.proof import Proving, proving
from benchmarks.workers_broker import flush, queue
from benchmarks.workers_fair import fair
from benchmarks.workers_speed import speed

PARTS: Final = ("speed", "fair", "queue", "flush")
CHEAP: Final = {"EMBEDDING_PROVIDER": "hashing"}
Part = Callable[[Proving], Awaitable[None]]


@contextmanager
def environment(**settings: str) -> Iterator[None]:
    """Settings of the stack's processes while inside; no schedule, so that nothing is done but what is measured."""
    before = dict(os.environ)
    os.environ.update(settings, WORKER_SCHEDULE="false")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def named_part(name: str) -> str:
    """One of PARTS, for argparse, whose own choices refuse to have none named."""
    if name not in PARTS:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(PARTS)}")
    return name


def parts_of(given: argparse.Namespace) -> dict[str, Part]:
    """Each part with what the command line says about it."""
    return {
        "speed": lambda stack: speed(
            stack, interactions=given.interactions, users=given.users, workers=given.workers, rounds=given.rounds
        ),
        "fair": lambda stack: fair(stack, interactions=given.interactions, users=given.users),
        "queue": lambda stack: queue(stack, short=given.interactions, backlog=given.backlog),
        "flush": flush,
    }


async def prove(stack: Proving, part: Part) -> None:
    """Do one part in a stack that is warm and has no workers of its own."""
    stack.stop_workers()
    try:
        await warm_up(stack.home)
        await part(stack)
    except RuntimeError as error:
        stack.check(holds=False, claim=str(error))


def run(home: Path, given: argparse.Namespace) -> None:
    """Do the parts one after the other, each in a folder of its own."""
    failures = []
    for name, part in parts_of(given).items():
        if given.parts and name not in given.parts:
            continue
        print(f"{name}:", flush=True)
        with environment(**CHEAP if name == "queue" else {}), proving(home / name) as stack:
            asyncio.run(prove(stack, part))
        failures += stack.failures
    if failures:
        sys.exit(f"{len(failures)} claims do not hold")
    print("every claim holds")


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "parts", nargs="*", type=named_part, help=f"of {', '.join(PARTS)}; all, if absent", metavar="PART"
    )
    parser.add_argument("--interactions", type=int, default=5_000, help="of a backlog; speed, fair, queue")
    parser.add_argument("--users", type=int, nargs="+", default=[50, 1], help="of a backlog; speed and fair")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="how many are compared; speed")
    parser.add_argument("--rounds", type=int, default=3, help="of each number of workers; speed")
    parser.add_argument("--backlog", type=int, default=100_000, help="of the long backlog; queue")
    parser.add_argument("--home", type=Path, help="where the stacks' folders are; a temporary one, if absent")
    given = parser.parse_args()
    if given.home:
        run(given.home.resolve(), given)
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        Path(folder).chmod(0o711)  # PostgreSQL runs as another user below it where this is root
        run(Path(folder), given)


if __name__ == "__main__":
    main()
