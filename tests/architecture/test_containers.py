"""The suites with the stores in containers: those of docker-compose.yml, and what is left out is named and little."""

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

from tests.support.compose import service
from tests.support.left_out import LeftOut, left_out
from tests.support.source import ROOT

SUITES: Final = ("tests/contract", "tests/integration", "tests/e2e")
NO_ENGINE: Final = {**os.environ, "DOCKER_HOST": "unix:///nowhere"}


@pytest.mark.parametrize("name", ["postgres", "redis", "neo4j"])
def test_all_that_compose_is_told_of_a_store_is_known_to_the_tests(name: str) -> None:
    told = service(name, defaultdict(lambda: "given"))
    assert told.volumes
    assert told.options["read_only"] is True
    assert "$" not in str(told.environment)


def run_of_pytest(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """A run of its own, where no engine answers."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=NO_ENGINE)


@pytest.fixture(scope="module")
def collected() -> list[str]:
    """Every test of the three suites, by its id."""
    done = run_of_pytest("--collect-only", "--quiet", *SUITES)
    assert done.returncode == 0, done.stdout[-2_000:]
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.parametrize("entry", left_out(), ids=lambda entry: Path(entry.tests).name)
def test_what_is_left_out_exists_and_the_reason_is_told(entry: LeftOut, collected: list[str]) -> None:
    assert any(entry.covers(test) for test in collected)
    assert len(entry.why.split()) > 5


def test_nine_of_ten_tests_run_both_ways(collected: list[str]) -> None:
    entries = left_out()
    missing = [test for test in collected if any(entry.covers(test) for entry in entries)]
    assert len(missing) <= len(collected) / 10


@pytest.mark.parametrize("processes", ["0", "1"])
def test_a_run_that_leaves_everything_out_fails(processes: str) -> None:
    done = run_of_pytest("--stores=containers", "-n", processes, left_out()[0].tests.partition("::")[0])
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout[-2_000:]
    assert "skipped" in done.stdout


def test_a_run_that_collects_nothing_fails() -> None:
    done = run_of_pytest("--stores=containers", "tests/unit/test_clock.py", "-k", "no_test_has_this_name")
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout[-2_000:]


def test_a_run_without_an_engine_fails() -> None:
    done = run_of_pytest("--stores=containers", "tests/contract/test_semantic_verbs.py", "--maxfail=1")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout[-2_000:]
    assert "1 error in" in done.stdout
