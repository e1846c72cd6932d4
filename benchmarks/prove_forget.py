"""A proof that what was forgotten is as if it had never been said, also while workers are stopped and killed.

    python -m benchmarks.prove_forget [--cases 60] [--seed 1] [--minutes M] [--length 14] [--workers 2]
                                      [--without KIND ...] [--shown 3] [--home FOLDER]

Each case is a random conversation of several users and sessions, with a person's acts, jobs, what is kept in the
catalog, forgettings, and workers that are stopped and killed; a witness gets what remains of it, undisturbed. Both are
compared, from the stores. The first half has worker processes, the others workers in this process that are stopped at
any of their statements, a language model that is a function of its prompt, and conversations with summaries. At the end
each step of a forgetting is left out once, which must be seen. The exit code is 1 when two memories differ, with the
smallest script that does.
"""

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
import structlog

from ragpp_infra.embedded.stack import Stack
from tests.support.oracle import Oracle, open_oracle, smallest, told
from tests.support.oracle_author import script_of
from tests.support.oracle_comparing import Difference, places_of_differences
from tests.support.oracle_exclusions import table
from tests.support.oracle_mutations import SEEN_IN, WITHDRAWALS, Mutation, showing
from tests.support.oracle_processes import open_process_oracle
from tests.support.oracle_script import Script
from tests.support.oracle_vocabulary import KINDS, Kind
from tests.support.stopping import install_points


@dataclass
class Course:
    """The outcome of the cases so far. `tally`: what the subjects went through. `differing`: the smallest script of
    each case that differs. `unseen`: withdrawals whose absence nobody saw. `left`: words in a dump of every store."""

    cases: int = 0
    tally: Counter[str] = field(default_factory=Counter)
    unseen: list[str] = field(default_factory=list)
    left: list[Difference] = field(default_factory=list)
    places: Counter[str] = field(default_factory=Counter)
    differing: list[tuple[Script, list[Difference]]] = field(default_factory=list)


async def run(stack: Stack, folder: Path, given: argparse.Namespace) -> Course:
    """Judge the cases, half of them with worker processes; then look at everything, and leave each withdrawal out."""
    kinds = KINDS - cast("frozenset[Kind]", frozenset(given.without))
    course = Course()
    for name in ("processes", "local"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    async with open_process_oracle(stack, folder / "processes", workers=given.workers) as oracle:
        # they would observe a witness's reply before it is noted there what it repeats
        await some_cases(oracle, kinds - {"staying"}, given, course, given.cases // 2, "worker processes")
    small, model = "summaries" in kinds, "model" in kinds
    async with open_oracle(stack, folder / "local", small_windows=small, model=model) as local:
        await some_cases(local, kinds, given, course, given.cases - given.cases // 2, "workers stopped at statements")
        local.planted.update(oracle.planted)
        course.left = await local.dump()
        print(f"\n{course.cases} cases; into the subjects went")
        for what, number in sorted(course.tally.items()):
            print(f"  {number:6} {what}")
        print(f"a dump of every store holds {len(course.left) or 'none'} of the words of what was forgotten")
        for one in course.left:
            print(f"  {one}")
        print("\na withdrawal that is left out is")
        course.unseen = [what for name, what in WITHDRAWALS.items() if not await sees(local, name)]
    return course


async def some_cases(
    oracle: Oracle, kinds: frozenset[Kind], given: argparse.Namespace, course: Course, cases: int, what: str
) -> None:
    """Judge so many cases, as far as half of the time goes."""
    ends = time.monotonic() + 30 * given.minutes if given.minutes else float("inf")
    print(f"\n{what}:")
    for _ in range(cases):
        if time.monotonic() > ends:
            break
        await one_case(oracle, script_of(given.seed + course.cases, kinds, given.length), course)
    course.tally.update(oracle.stage.tally)


async def one_case(oracle: Oracle, script: Script, course: Course) -> None:
    """Judge a script, and make it small when the two differ."""
    began = time.monotonic()
    found = await oracle.judge(script)
    course.cases += 1
    print(f"case {course.cases}: {len(script.steps)} steps, {len(found)} differences, {time.monotonic() - began:.1f} s")
    if found:
        course.places.update({one.place for one in found})
        print("  ", ", ".join(places_of_differences(found)))
        course.differing.append(await smallest(oracle.judge, script, found))


async def sees(oracle: Oracle, mutation: Mutation) -> bool:
    """True where the oracle sees that a withdrawal is left out."""
    async with oracle.without(mutation) as careless:
        places = {one.place for one in await careless.judge(showing(mutation))}
    seen = places >= SEEN_IN[mutation]
    print(
        f"  {'seen  ' if seen else 'UNSEEN'}  {WITHDRAWALS[mutation]}: {', '.join(sorted(places)) or 'no difference'}"
    )
    return seen


async def prove(home: Path, given: argparse.Namespace) -> int:
    """Run everything on a stack in `home`; the exit code."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    stack = Stack(home)
    stack.up()
    try:
        with pytest.MonkeyPatch.context() as monkeypatch:
            install_points(monkeypatch)
            course = await run(stack, home / "oracle", given)
    finally:
        stack.down()
    print("\nnot compared:", *table(), sep="\n  ")
    print(f"\ndifferences: {f'in {len(course.differing)} cases' if course.differing else 'none'}")
    for place, cases in course.places.most_common():
        print(f"  {place}: in {cases} cases")
    for script, found in sorted(course.differing, key=lambda one: len(one[0].steps))[: given.shown]:
        print(told(script, found))
    return int(bool(course.differing or course.unseen or course.left))


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the next has the next")
    parser.add_argument("--minutes", type=float, help="begin no case after so long")
    parser.add_argument("--length", type=int, default=14, help="messages of a case, about")
    parser.add_argument("--workers", type=int, default=2, help="worker processes")
    parser.add_argument("--without", nargs="*", default=[], choices=sorted(KINDS), help="kinds that are left out")
    parser.add_argument("--shown", type=int, default=3, help="differing scripts that are told, the smallest first")
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    given = parser.parse_args()
    if given.home:
        sys.exit(asyncio.run(prove(given.home.resolve(), given)))
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        code = asyncio.run(prove(Path(folder), given))
    sys.exit(code)


if __name__ == "__main__":
    main()
