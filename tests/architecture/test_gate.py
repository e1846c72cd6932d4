"""Rules of the extraction look for nothing by themselves: the engine does, and asks the gate."""

import ast
from typing import Final

from tests.support.source import modules, tree_of

TREES: Final = {name: tree_of(path) for name, path in modules()}
EXTRACTION: Final = "ragpp.extraction."
ENGINE: Final = frozenset({"engine", "spacy_extractor"})
# what cuts texts, finds names and times in them, or reads queries, states nothing
CUTS: Final = frozenset({"gate", "naming.masking", "times.tenses", "times.temporal", "query"}) | {
    f"facts.{name}"
    for name in (
        "comparing", "configurations", "conversations", "documents", "doubts", "evidence", "measures", "reviews",
        "splitting", "standalone", "topics", "verbs",
    )
}  # fmt: skip


def _rules(but: frozenset[str]) -> dict[str, ast.Module]:
    """The extraction's modules, but those."""
    return {
        name: tree
        for name, tree in TREES.items()
        if name.startswith(EXTRACTION) and name.removeprefix(EXTRACTION) not in but
    }


def _calls(trees: dict[str, ast.Module], methods: frozenset[str]) -> list[str]:
    return [
        f"{name}:{node.lineno}"
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods
    ]


def test_the_engine_alone_asks_the_gate() -> None:
    assert _calls(_rules(ENGINE), frozenset({"lets"})) == []
    assert (
        _calls({name: tree for name, tree in TREES.items() if not name.startswith(EXTRACTION)}, frozenset({"lets"}))
        == []
    )
    assert _calls({name: TREES[name] for name in TREES if name == f"{EXTRACTION}engine"}, frozenset({"lets"}))


def test_a_module_of_rules_leaves_looking_for_its_patterns_to_the_engine() -> None:
    assert _calls(_rules(ENGINE | CUTS), frozenset({"finditer", "findall"})) == []


def test_no_rule_decides_by_itself_whether_a_sentence_asks() -> None:
    rules = _rules(frozenset({"engine", "gate", "relationships.ties", "spacy_extractor"}))
    asked = [(name, node) for name, tree in rules.items() for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    assert [f"{name}:{node.lineno}" for name, node in asked if node.attr == "asks"] == []
