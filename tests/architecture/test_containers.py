"""The suites with the stores in containers: those of docker-compose.yml, and what is left out is named and little."""

import ast
from collections import defaultdict
from typing import Final

import pytest

from tests.support.compose import service
from tests.support.each import each_case
from tests.support.left_out import left_out
from tests.support.source import ROOT

SUITES: Final = ("tests/contract", "tests/integration", "tests/e2e")


@each_case("name", ["postgres", "redis", "neo4j"])
def test_all_that_compose_is_told_of_a_store_is_known_to_the_tests(name: str) -> None:
    told = service(name, defaultdict(lambda: "given"))
    assert told.volumes
    assert told.options["read_only"] is True
    assert "$" not in str(told.environment)


@pytest.fixture(scope="module")
def written() -> list[str]:
    """Every test function of the three suites, by its id."""
    return [
        f"{path.relative_to(ROOT)}::{node.name}"
        for suite in SUITES
        for path in (ROOT / suite).rglob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]


def test_what_is_left_out_exists_and_the_reason_is_told(written: list[str]) -> None:
    entries = left_out()
    assert [entry.tests for entry in entries if not any(map(entry.covers, written))] == []
    assert [entry.tests for entry in entries if len(entry.why.split()) <= 5] == []


def test_nine_of_ten_tests_run_both_ways(written: list[str]) -> None:
    entries = left_out()
    missing = [test for test in written if any(entry.covers(test) for entry in entries)]
    assert len(missing) <= len(written) / 10
