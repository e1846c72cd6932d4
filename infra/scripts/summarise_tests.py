"""Sums up test runs by their JUnit reports: suites, cases, minutes, the slowest, and what was left out and why.

    python infra/scripts/summarise_tests.py FOLDER

Each `NAME.xml` of the folder is a run. Minutes of a suite are those of its cases together, of a run those by the clock;
several processes do several cases at once.
"""

import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

SLOWEST = 10
REASON_CHARS = 140


@dataclass(frozen=True)
class Case:
    """A test of a run. `seconds`: with its fixtures; `outcome`: passed, failed or skipped, with the reason."""

    suite: str
    name: str
    seconds: float
    outcome: str
    reason: str = ""


@dataclass(frozen=True)
class Run:
    """A run of pytest and how long it took by the clock, in seconds."""

    name: str
    seconds: float
    cases: tuple[Case, ...]


def read_run(path: Path) -> Run:
    """The run whose report `path` is. Raises ParseError for what is none."""
    root = ET.parse(path).getroot()  # noqa: S314 - our own report
    suites = list(root.iter("testsuite"))
    cases = tuple(_case(one) for suite in suites for one in suite.iter("testcase"))
    return Run(path.stem, sum(float(suite.get("time", 0)) for suite in suites), cases)


def _case(one: ET.Element) -> Case:
    place = one.get("classname", "").split(".")
    suite = place[1] if len(place) > 1 else ".".join(place)
    named = f"{'.'.join(place[1:])}::{one.get('name', '')}"
    seconds = float(one.get("time", 0))
    for failed in (*one.findall("failure"), *one.findall("error")):
        return Case(suite, named, seconds, "failed", failed.get("message", ""))
    for skipped in one.findall("skipped"):
        return Case(suite, named, seconds, "skipped", skipped.get("message", ""))
    return Case(suite, named, seconds, "passed")


def summary(runs: list[Run]) -> list[str]:
    """The lines that are printed."""
    lines = [f"{'run':12} {'suite':14} {'cases':>6} {'failed':>7} {'skipped':>8} {'minutes':>8}"]
    for run in runs:
        suites = defaultdict[str, list[Case]](list)
        for case in run.cases:
            suites[case.suite].append(case)
        lines += [_row(run.name, suite, cases, sum(case.seconds for case in cases)) for suite, cases in suites.items()]
        lines.append(_row(run.name, "by the clock", run.cases, run.seconds))
    every = [(run.name, case) for run in runs for case in run.cases]
    slowest = sorted(every, key=lambda one: -one[1].seconds)[:SLOWEST]
    lines += ["", "slowest:", *(f"  {case.seconds:6.1f} s  {run}  {case.name}" for run, case in slowest)]
    left_out = Counter((run, case.reason) for run, case in every if case.outcome == "skipped")
    lines += ["", "left out:" if left_out else "left out: nothing"]
    lines += [f"  {count:4}  {run}  {reason[:REASON_CHARS]}" for (run, reason), count in left_out.most_common()]
    failed = [f"  {run}  {case.name}" for run, case in every if case.outcome == "failed"]
    return [*lines, "", f"failed: {len(failed) or 'none'}", *failed]


def _row(run: str, suite: str, cases: "tuple[Case, ...] | list[Case]", seconds: float) -> str:
    outcomes = Counter(case.outcome for case in cases)
    counts = f"{len(cases):6} {outcomes['failed']:7} {outcomes['skipped']:8}"
    return f"{run:12} {suite:14} {counts} {seconds / 60:8.1f}"


def main() -> None:
    """Read the folder and print."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    reports = sorted(Path(sys.argv[1]).glob("*.xml"), key=lambda path: path.stat().st_mtime)
    print("\n".join(summary([read_run(path) for path in reports])) if reports else "no test has run")


if __name__ == "__main__":
    main()
