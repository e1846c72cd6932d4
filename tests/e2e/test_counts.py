"""Fixed requests cost no more than what is recorded: statements, bytes, calls and objects."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from benchmarks.counting.__main__ import count_all
from benchmarks.counting.counts import MEASURES, RUNS, Counts, grown, least, read
from tests.support.stacks import StoreStack

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]
SIZES = (100,)


def test_no_request_costs_more_than_what_is_recorded(stack: StoreStack, tmp_path: Path) -> None:
    """`make count` prints the table, `make count WRITE=1` records it: for a commit that says why.

    A process may pay for something in each of its runs that another does not, such as a connection that was opened
    beside other work. What has grown is counted once more in a process of its own; a request that costs more does so
    in both."""
    runs = count_alone(stack, tmp_path / "first")
    if grown({name: least(of) for name, of in runs.items()}, read()):
        again = count_alone(stack, tmp_path / "again")
        runs = {name: [*of, *again[name]] for name, of in runs.items()}
    assert set(runs) == {name for name in read() if "1,000 messages" not in name}
    assert "\n".join(grown({name: least(of) for name, of in runs.items()}, read())) == ""


def count_alone(stack: StoreStack, folder: Path) -> dict[str, list[Counts]]:
    """The counts of each request, run by run, of a process that does nothing else."""
    folder.mkdir()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        return alone.submit(count_all, stack.endpoints(), folder, SIZES, RUNS, read()).result()


def test_what_has_grown_is_told_with_the_functions_that_did() -> None:
    before = {"recall": Counts({**dict.fromkeys(MEASURES, 1_000), "calls": 4}, {"a:f": 3, "a:g": 1})}
    now = {"recall": Counts({**before["recall"].totals, "calls": 7, "bytes": 1_010}, {"a:f": 4, "a:g": 1, "a:h": 2})}
    assert grown(before, before) == []
    assert grown(now, before) == ["recall: calls 4 → 7", "    a:h 0 → 2", "    a:f 3 → 4"]
    assert grown({"write": now["recall"]}, before) == ["write: not recorded"]


def test_functions_that_were_called_within_what_is_allowed_are_no_growth() -> None:
    before = Counts(dict.fromkeys(MEASURES, 100), {"a:f": 3})
    now = Counts({**before.totals, "calls": 110}, {"a:f": 13})
    assert grown({"digestion": now}, {"digestion": before}) == []
    assert grown({"recall": now}, {"recall": before}) == ["recall: calls 100 → 110", "    a:f 3 → 13"]
