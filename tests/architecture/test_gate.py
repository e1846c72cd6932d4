"""Rules of the extraction look for nothing by themselves: the engine does, and asks the gate."""

import ast
from typing import Final

import pytest

from tests.support.source import modules, tree_of

MODULES: Final = {name: path for name, path in modules() if name.startswith("ragpp.extraction.")}
ENGINE: Final = frozenset({"engine", "spacy_extractor"})
# what cuts texts, finds names and times in them, or reads queries, states nothing
CUTS: Final = frozenset({"gate", "sentences", "masking", "tenses", "temporal", "query"})
USERS: Final = {name: path for name, path in modules() if not name.startswith("ragpp.extraction.")}


def _calls(tree: ast.Module, methods: frozenset[str]) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods
    ]


@pytest.mark.parametrize("name", [*MODULES, *USERS])
def test_the_engine_alone_asks_the_gate(name: str) -> None:
    if name.rpartition(".")[2] in ENGINE and name in MODULES:
        return
    assert _calls(tree_of({**MODULES, **USERS}[name]), frozenset({"lets"})) == []


@pytest.mark.parametrize("name", MODULES)
def test_a_module_of_rules_leaves_looking_for_its_patterns_to_the_engine(name: str) -> None:
    if name.rpartition(".")[2] in ENGINE | CUTS:
        return
    assert _calls(tree_of(MODULES[name]), frozenset({"finditer", "findall"})) == []


@pytest.mark.parametrize("name", MODULES)
def test_no_rule_decides_by_itself_whether_a_sentence_asks(name: str) -> None:
    if name.rpartition(".")[2] in {"engine", "gate", "ties"}:
        return
    asked = [
        node.lineno
        for node in ast.walk(tree_of(MODULES[name]))
        if isinstance(node, ast.Attribute) and node.attr == "asks"
    ]
    assert asked == []
