"""Mutants of the tiers, the gateway, the workers and the ledger, and how many the tests kill.

    python -m benchmarks.prove_mutants TREE [--old OTHER] [--count 200] [--seed 38] [--rooms 2] [--out FILE]

TREE and OTHER are clones of this project without changes, each with an environment of its own (`make install`) and
pytest-cov in it; their tests run once with coverage, which says which test meets which line. Each mutant is run by
these tests, one suite after the other, up to the first that fails; it is killed if that one passes without it. What
survives in TREE is tried in OTHER by OTHER's own tests, where the line is the same there: a test that was lost is one
that kills it. Each of the `--rooms` copies of a tree, below its `.ragpp`, runs one mutant at a time, on stores that
are kept. FILE keeps what is known of these commits, a line of JSON a mutant: a run that was interrupted goes
on from it.
Exit code 1 where OTHER kills what survives in TREE.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final, Literal, Self

import psutil
from coverage import CoverageData
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.mutants import ROOMS, Mutant, draw_mutants, mutant_of_old
from benchmarks.prove_pauses import processes_below

Outcome = Literal["killed", "survived", "not met", "not there", "undecided"]
_SUITES: Final = {"tests/unit": 24, "tests/contract": 24, "tests/integration": 12, "tests/e2e": 8}
"""In this order, those that need no server first; at most so many tests of each are named for one mutant, evenly of all
that meet its line. What survives meets all of them: with 24 of each the old tests took three minutes a mutant."""
_AT_MOST_S: Final = 600
"""For the tests of one mutant; beyond, it is undecided. One test that hangs fails after `--timeout`."""
_ALL_PASSED, _TOO_LATE = 0, -1
"""Ends of a run: pytest's exit code, and what stands for one where it was stopped."""


@dataclass(frozen=True, slots=True)
class Room:
    """A copy of a tree with an environment of its own, so that whatever starts there loads the mutant; `temporary` is
    for its tests and its stores."""

    folder: Path
    temporary: Path

    def pytest(self, arguments: list[str]) -> int:
        """The exit code of pytest, which is ended with all that it started after `_AT_MOST_S`: then _TOO_LATE."""
        self._failed.unlink(missing_ok=True)
        own = {"TMPDIR": str(self.temporary), "RAGPP_TEST_HOME": str(self.temporary / "stores")}
        command = [str(self.folder / ".venv/bin/pytest"), "-x", "-q", "--timeout=120", *arguments]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env={**os.environ, **own},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as running:
            try:
                return running.wait(_AT_MOST_S)
            except subprocess.TimeoutExpired:
                self._end(running)
                return _TOO_LATE

    def failed(self) -> list[str]:
        """The tests that failed in the latest run; none where it could not even load them."""
        found: dict[str, bool] = json.loads(self._failed.read_text()) if self._failed.exists() else {}
        return sorted(found)

    @property
    def _failed(self) -> Path:
        return self.folder / ".pytest_cache/v/cache/lastfailed"

    def _end(self, running: "subprocess.Popen[bytes] | None" = None) -> None:
        for process in list(processes_below(self.temporary, running)):
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.Error:  # it has ended, or is the system's
                continue

    def clear(self) -> None:
        """End its stores and empty them; new ones are made for the next test."""
        self._end()
        for path in self.temporary.iterdir():
            shutil.rmtree(path, ignore_errors=True)


class Suites:
    """A tree, its tests, and which of them meets which line. RuntimeError for one with changes."""

    def __init__(self, tree: Path, rooms: int) -> None:
        self.tree = tree.resolve()
        if _git(self.tree, "status", "--porcelain", "--untracked-files=no"):
            raise RuntimeError(f"{self.tree} has changes: commit them, or name a clone")
        self._own = self.tree / ".ragpp/mutants" / revision_of(self.tree)
        self._data = CoverageData(basename=str(self._own / "coverage"))
        self._rooms = rooms
        self._free: SimpleQueue[Room] = SimpleQueue()
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        for number in range(self._rooms):
            room = Room(self._copy(number), Path(tempfile.mkdtemp(prefix="ragpp-mutants-")).resolve())
            room.temporary.chmod(0o755)  # started by root, PostgreSQL is another user's process
            self._opened.callback(room.temporary.rmdir)
            self._opened.callback(room.clear)
            self._free.put(room)
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def measure(self) -> None:
        """Run all tests with coverage, a suite at a time, unless that was done for this commit."""
        kept = self._own / "coverage"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            passing = {**os.environ, "COVERAGE_FILE": str(kept)}
            measured = [*(f"--cov={room}" for room in ROOMS), "--cov-context=test", "--cov-report=", "--cov-append"]
            for suite in _SUITES:
                command = [str(self.tree / ".venv/bin/pytest"), "-n", "2", "--dist", "loadfile", *measured, suite]
                subprocess.run(command, cwd=self.tree, env=passing, check=False)
        self._data.read()

    def lines(self) -> dict[str, set[int]]:
        """The lines that a test meets, by file."""
        return {path: set(self._met(path)) for room in ROOMS for path in self._files(room) if self._met(path)}

    def outcome(self, mutant: Mutant) -> Outcome:
        """The outcome of the tests that meet the mutant's line. One that fails without it, too, has not killed it."""
        tests = self._tests(mutant)
        if not tests:
            return "not met"
        room = self._free.get()
        try:
            with _mutated(room.folder / mutant.path, mutant):
                code = room.pytest(tests)
            if code == _ALL_PASSED:
                return "survived"
            if code == _TOO_LATE:
                return "undecided"
            without = room.failed() or ["--collect-only", *tests]
            if room.pytest(without) == _ALL_PASSED:
                return "killed"
            room.clear()  # what the mutant did to the stores would fail all that comes
            return "undecided"
        finally:
            self._free.put(room)

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
        for suite, most in _SUITES.items():
            of_suite = sorted({re.sub(r"\[.*", "", name) for name in met if name.startswith(f"{suite}/")})
            chosen += of_suite[:: -(-len(of_suite) // most) or 1]
        return chosen

    def _copy(self, number: int) -> Path:
        copy = self._own / str(number)
        if not copy.exists():
            subprocess.run(["git", "clone", "--quiet", str(self.tree), str(copy)], check=True)
        subprocess.run(["make", "install"], cwd=copy, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["git", "checkout", "--quiet", "."], cwd=copy, check=True)
        return copy


def revision_of(tree: Path) -> str:
    """The commit that is checked out."""
    return _git(tree, "rev-parse", "--short", "HEAD")


def _git(tree: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=tree, check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def _mutated(path: Path, mutant: Mutant) -> Iterator[None]:
    code = path.read_text()
    try:
        _write(path, mutant.changed(code))
        yield
    finally:
        _write(path, code)


def _write(path: Path, code: str) -> None:
    """The file and none of its compiled forms: one of the same second and size would be taken for current."""
    path.write_text(code)
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()


def _decide(mutant: Mutant, known: Outcome | None, new: Suites, old: Suites | None) -> tuple[Outcome, Outcome | None]:
    outcome = known or new.outcome(mutant)
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
    trees = [given.tree, *([given.old] if given.old else [])]
    revisions = [revision_of(tree) for tree in trees]
    known: dict[Mutant, tuple[Outcome, Outcome | None]] = {}
    if given.out.exists():
        for line in given.out.read_text().splitlines():
            kept = json.loads(line)
            if kept["of"] == revisions:
                known[Mutant(**kept["mutant"])] = (kept["outcome"], kept["old"])
    with ExitStack() as opened, given.out.open("a") as out, ThreadPoolExecutor(given.rooms) as pool:
        new, *others = [opened.enter_context(Suites(tree, given.rooms)) for tree in trees]
        for one in (new, *others):
            one.measure()
        old = others[0] if others else None
        drawn = draw_mutants(new.tree, new.lines(), count=given.count, seed=given.seed)
        decided_before = {mutant: outcome for mutant, (outcome, _) in known.items()}
        left = [
            one for one in drawn if one not in known or (old and known[one][1] is None and known[one][0] != "killed")
        ]
        decided = pool.map(lambda one: (one, *_decide(one, decided_before.get(one), new, old)), left)
        for mutant, outcome, before in track(decided, "mutants", total=len(left)):
            known[mutant] = (outcome, before)
            of_mutant = {name: getattr(mutant, name) for name in Mutant.__slots__}
            out.write(json.dumps({"of": revisions, "mutant": of_mutant, "outcome": outcome, "old": before}) + "\n")
            out.flush()
    Console().print(_shown(known))
    sys.exit(any(before == "killed" for _, before in known.values()))


if __name__ == "__main__":
    main()
