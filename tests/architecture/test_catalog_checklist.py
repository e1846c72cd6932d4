"""The checklists in `docs/contributing` name tests that exist. That of the catalog names one, or an issue, for each
line of document 002, and has a line for each thing that the catalog's Python face has; that of agents does so for
documents 000 and 001, that of identification for document 003, that of the four tiers for document 004."""

import ast
import re
from collections.abc import Iterable
from typing import Final, get_args

from ragpp.catalog import (
    RESOURCE_TYPES,
    CatalogEventType,
    MemoryCategory,
    MemoryItem,
    MemoryStats,
    Resource,
    RetrievalMode,
    RetrievalResult,
)
from ragpp.errors import MemorySystemError
from ragpp.memory import MemoryConfig, MemoryManager, MemoryRetryConfig
from ragpp.memory.layers import CategoryLayer, ItemLayer, ResourceLayer
from ragpp.models import Value
from tests.support.each import each_case
from tests.support.source import ROOT

TEXT: Final = (ROOT / "docs" / "contributing" / "catalog-checklist.md").read_text(encoding="utf-8")
AGENTS: Final = (ROOT / "docs" / "contributing" / "agents-checklist.md").read_text(encoding="utf-8")
IDENTIFICATION: Final = (ROOT / "docs" / "contributing" / "identification-checklist.md").read_text(encoding="utf-8")
TIERS: Final = (ROOT / "docs" / "contributing" / "four-tier-checklist.md").read_text(encoding="utf-8")
NAMED: Final = re.compile(r"`((?:\w+/)+test_\w+\.py)::(test_\w+)`")
ISSUE: Final = re.compile(r"\bissue 1[45]\b")
CELLS: Final = re.compile(r"(?<!\\)\|")
HEAD: Final = "held by"


def rows(text: str) -> list[str]:
    """The lines of the tables, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [line for line in lines if CELLS.split(line)[-2].strip() != HEAD]


def unheld(text: str) -> list[str]:
    """Lines whose last cell names neither a test nor an issue, or something else besides."""
    left = {line: ISSUE.sub("", NAMED.sub("", CELLS.split(line)[-2])).strip(" ,") for line in rows(text)}
    return [line for line, rest in left.items() if rest or not (NAMED.search(line) or ISSUE.search(line))]


def missing(named: Iterable[tuple[str, str]]) -> list[str]:
    """Those of the tests, each its file below `tests/` and its name, that do not exist."""
    known: dict[str, set[str]] = {}
    for file in {file for file, _ in named}:
        path = ROOT / "tests" / file
        body = ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else []
        known[file] = {one.name for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    return [f"{file}::{test}" for file, test in named if test not in known[file]]


def test_every_line_names_a_test_or_the_issue_that_brings_it() -> None:
    assert len(rows(TEXT)) > 100
    assert unheld(TEXT) == []
    for text in (AGENTS, IDENTIFICATION, TIERS):
        assert rows(text)
        assert unheld(text) == []


def test_every_test_that_is_named_exists() -> None:
    assert missing(NAMED.findall(TEXT)) == []
    assert missing(NAMED.findall(AGENTS)) == []
    assert missing(NAMED.findall(IDENTIFICATION)) == []
    assert missing(NAMED.findall(TIERS)) == []


@each_case("kind", [MemoryManager, ResourceLayer, ItemLayer, CategoryLayer])
def test_every_method_has_a_line(kind: type) -> None:
    methods = [name for name, value in vars(kind).items() if not name.startswith("_") and callable(value)]
    assert methods
    told = set(re.findall(r"(\w+)\(", TEXT))
    assert [name for name in methods if name not in told] == []


@each_case(
    "kind", [Resource, MemoryItem, MemoryCategory, RetrievalResult, MemoryStats, MemoryConfig, MemoryRetryConfig]
)
def test_every_field_has_a_line(kind: type[Value]) -> None:
    told = set(re.findall(r"`(\w+)`", TEXT))
    assert sorted(set(kind.model_fields) - told) == []


def test_every_event_type_mode_and_error_has_a_line() -> None:
    told = set(re.findall(r"`([\w.]+)`", TEXT))
    known = MemorySystemError.by_code
    errors: list[type[MemorySystemError]] = [MemorySystemError, *(known[f"MEM-00{number}"] for number in range(1, 10))]
    wanted = {*get_args(CatalogEventType), *RESOURCE_TYPES, *RetrievalMode, *(one.__name__ for one in errors)}
    assert wanted - told == set()
    assert {error.code for error in errors} <= set(re.findall(r"MEM-\d{3}", TEXT))


def test_what_is_not_held_is_found() -> None:
    head = f"| document 002 | here | {HEAD} |\n|---|---|---|\n"
    this = "`architecture/test_catalog_checklist.py::test_what_is_not_held_is_found`"
    for cell, held in ((this, True), ("issue 14", True), (f"{this}, issue 15", True), ("later", False), ("", False)):
        assert (unheld(f"{head}| `recall` \\| more | – | {cell} |") == []) is held
    file = "architecture/test_catalog_checklist.py"
    there, gone = (file, "test_what_is_not_held_is_found"), (file, "test_of_yesterday")
    assert missing([there, gone, ("unit/test_nothing.py", "test_x")]) == [
        "architecture/test_catalog_checklist.py::test_of_yesterday",
        "unit/test_nothing.py::test_x",
    ]
