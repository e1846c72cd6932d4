"""Mutants of the tiers, the gateway, the workers and the ledger, and how many the tests kill.

    python -m benchmarks.prove_mutants TREE [--old OTHER] [--count 200] [--seed 38] [--rooms 2] [--out FILE]

TREE and OTHER are clones of this project, each with an environment of its own (`make install`) and pytest-cov in it;
their tests run once with coverage, which says which test meets which line. Each mutant is run by these tests, one
suite after the other, up to the first that fails. What survives in TREE is tried in OTHER by OTHER's own tests, where
the line is the same there: a test that was lost is one that kills it. Each of the `--rooms` copies of a tree, below its
`.ragpp`, runs one mutant at a time. FILE keeps what is known, a line of JSON a mutant: a run that was interrupted goes
on from it.
Exit code 1 where OTHER kills what survives in TREE.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Final, Literal

from coverage import CoverageData
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.mutants import ROOMS, Mutant, draw_mutants, mutant_of_old

Outcome = Literal["killed", "survived", "not met", "not there", "undecided"]
_SUITES: Final = ("tests/unit", "tests/contract", "tests/integration", "tests/e2e")
"""In this order: those that need no server first."""
_AT_MOST_S: Final = 600
"""For the tests of one mutant; beyond, it is undecided. One test that hangs fails after `--timeout`."""
_TESTS: Final = 400
"""At most so many tests of a suite are named for one mutant: evenly of all that meet its line."""


class Suites:
    """A tree, its tests, and which of them meets which line."""

    def __init__(self, tree: Path, rooms: int) -> None:
        self.tree = tree.resolve()
        self._data = CoverageData(basename=str(self.tree / ".coverage"))
        self._free: SimpleQueue[Path] = SimpleQueue()
        for number in range(rooms):
            self._free.put(self._room(number))

    def measure(self) -> None:
        """Run all tests with coverage, unless that was done."""
        if not (self.tree / ".coverage").exists():
            measured = [f"--cov={room}" for room in ROOMS]
            self._pytest(self.tree, [*measured, "--cov-context=test", "--cov-report=", "-n", "2", "--dist", "loadfile"])
        self._data.read()

    def lines(self) -> dict[str, set[int]]:
        """The lines that a test meets, by file."""
        return {path: set(self._met(path)) for room in ROOMS for path in self._files(room) if self._met(path)}

    def outcome(self, mutant: Mutant) -> Outcome:
        """What the tests that meet its line make of the mutant."""
        tests = self._tests(mutant)
        if not tests:
            return "not met"
        with self._mutated(mutant) as room:
            try:
                code = self._pytest(room, ["-x", "-q", "--timeout=120", *tests], at_most_s=_AT_MOST_S)
            except subprocess.TimeoutExpired:
                return "undecided"
        if code in {0, 1}:
            return "killed" if code else "survived"
        return "undecided"  # any other code tells of the room, and nothing of the mutant

    def code(self, mutant: Mutant) -> str | None:
        """The file of the mutant as it is in this tree."""
        path = self.tree / mutant.path
        return path.read_text() if path.exists() else None

    def _files(self, room: str) -> Iterator[str]:
        return (str(path.relative_to(self.tree)) for path in sorted((self.tree / room).rglob("*.py")))

    def _met(self, path: str) -> dict[int, list[str]]:
        by_line = self._data.contexts_by_lineno(str(self.tree / path))
        named = {line: [name.split("|")[0] for name in names if name] for line, names in by_line.items()}
        return {line: names for line, names in named.items() if names}

    def _tests(self, mutant: Mutant) -> list[str]:
        met = sorted(set(self._met(mutant.path).get(mutant.line, ())))
        chosen = []
        for suite in _SUITES:
            of_suite = sorted({re.sub(r"\[.*", "", name) for name in met if name.startswith(f"{suite}/")})
            chosen += of_suite[:: -(-len(of_suite) // _TESTS) or 1]
        return chosen

    @contextmanager
    def _mutated(self, mutant: Mutant) -> Iterator[Path]:
        room = self._free.get()
        path = room / mutant.path
        code = path.read_text()
        try:
            path.write_text(mutant.changed(code))
            yield room
        finally:
            path.write_text(code)
            self._free.put(room)

    def _room(self, number: int) -> Path:
        """A clone of the tree with an environment of its own: whatever process starts there loads the mutant."""
        room = self.tree / ".ragpp/mutants" / str(number)
        if not room.exists():
            subprocess.run(["git", "clone", "--quiet", str(self.tree), str(room)], check=True)
            subprocess.run(["make", "install"], cwd=room, check=True, stdout=subprocess.DEVNULL)
        for cache in room.rglob("__pycache__"):
            if ".venv" not in cache.parts:
                shutil.rmtree(cache)
        return room

    @staticmethod
    def _pytest(room: Path, arguments: list[str], *, at_most_s: float | None = None) -> int:
        with subprocess.Popen(
            [room / ".venv/bin/pytest", *arguments], cwd=room, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            try:
                return running.wait(at_most_s)
            except subprocess.TimeoutExpired:
                running.terminate()
                raise


def _decide(mutant: Mutant, new: Suites, old: Suites | None) -> tuple[Outcome, Outcome | None]:
    outcome = new.outcome(mutant)
    if old is None or outcome == "killed":
        return outcome, None
    there, here = old.code(mutant), new.code(mutant)
    same = mutant_of_old(mutant, here, there) if there and here else None
    return outcome, old.outcome(same) if same else "not there"


def _shown(known: dict[Mutant, tuple[Outcome, Outcome | None]]) -> Table:
    table = Table(title="mutants", title_justify="left")
    for column in ("where", "drawn", "killed", "survived", "undecided", "of these killed by the old tests"):
        table.add_column(column, justify="left" if column == "where" else "right")
    for room in (*ROOMS, ""):
        here = [outcomes for mutant, outcomes in known.items() if mutant.path.startswith(room)]
        counts = [sum(one == wanted for one, _ in here) for wanted in ("killed", "survived", "undecided")]
        lost = sum(old == "killed" for _, old in here)
        table.add_row(room.removeprefix("services/ragpp_services/") or "all", *map(str, (len(here), *counts, lost)))
    return table


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--old", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=38)
    parser.add_argument("--rooms", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("mutants.jsonl"))
    given = parser.parse_args()
    suites = [Suites(tree, given.rooms) for tree in (given.tree, given.old) if tree]
    for one in suites:
        one.measure()
    new, old = suites[0], suites[1] if given.old else None
    known: dict[Mutant, tuple[Outcome, Outcome | None]] = {}
    if given.out.exists():
        for line in given.out.read_text().splitlines():
            kept = json.loads(line)
            known[Mutant(**kept["mutant"])] = (kept["outcome"], kept["old"])
    drawn = draw_mutants(new.tree, new.lines(), count=given.count, seed=given.seed)
    left = [mutant for mutant in drawn if mutant not in known]
    with given.out.open("a") as out, ThreadPoolExecutor(given.rooms) as pool:
        decided = pool.map(lambda mutant: (mutant, *_decide(mutant, new, old)), left)
        for mutant, outcome, before in track(decided, "mutants", total=len(left)):
            known[mutant] = (outcome, before)
            of_mutant = {name: getattr(mutant, name) for name in Mutant.__slots__}
            out.write(json.dumps({"mutant": of_mutant, "outcome": outcome, "old": before}) + "\n")
            out.flush()
    Console().print(_shown(known))
    sys.exit(any(before == "killed" for _, before in known.values()))


if __name__ == "__main__":
    main()
