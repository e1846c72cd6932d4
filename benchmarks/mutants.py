"""Mutants: small changes to code that tests should notice, drawn by a seed from lines that tests meet."""

import random
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

import parso
from cosmic_ray.ast import ast_nodes
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from parso.tree import NodeOrLeaf

ROOMS: Final = (
    *(f"services/ragpp_services/{tier}" for tier in ("short_term", "episodic", "semantic", "procedural", "catalog")),
    "services/ragpp_services/gateway",
    "services/ragpp_services/workers",
    "shared/ragpp/ledger",
)
"""Where is changed: the tiers, the gateway, the workers, the ledger."""
_OPERATORS: Final = tuple(
    name
    for name in sorted(operator_names())
    if name not in {"core/RemoveDecorator", "core/VariableReplacer", "core/VariableInserter"}
)
"""Cosmic Ray's, without those that break a module as it is loaded, or take their names from nowhere."""
_TYPES: Final = frozenset({"annassign", "tfpdef", "param", "import_from", "import_name"})
"""Where `|` joins types: a change of them changes nothing that runs."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change to one line of one file: `line` counts from 1, `text` is what it says, `operator` is Cosmic Ray's and
    `occurrence` its place among those that this operator would change in the file."""

    path: str
    line: int
    text: str
    operator: str
    occurrence: int

    def changed(self, code: str) -> str:
        """`code`, a whole file, with the change; ValueError where there is nothing to change."""
        changed: str | None = mutate_code(code, get_operator(self.operator)(), self.occurrence)
        if changed is None:
            raise ValueError(f"{self.path} has no {self.operator} number {self.occurrence}")
        return changed


def draw_mutants(tree: Path, lines: Mapping[str, Collection[int]], *, count: int, seed: int) -> list[Mutant]:
    """At most `count` mutants of `lines`, by file below `tree`: first a line, all alike, then one of its changes."""
    random_, found, drawn = random.Random(seed), dict[str, dict[int, list[Mutant]]](), list[Mutant]()
    places = [(path, line) for path in sorted(lines) for line in sorted(lines[path])]
    random_.shuffle(places)
    for path, line in places:
        if len(drawn) == count:
            break
        if path not in found:
            found[path] = _mutants_by_line(path, (tree / path).read_text())
        choices = found[path].get(line, [])
        random_.shuffle(choices)
        drawn += [one for one in choices if _is_python(one.changed((tree / path).read_text()))][:1]
    return drawn


def mutant_of_old(mutant: Mutant, new: str, old: str) -> Mutant | None:
    """The same change in an older version of its file; None where that does not have the line."""
    line = _lines_of_both(new, old).get(mutant.line)
    same = [one for one in _mutants_by_line(mutant.path, new)[mutant.line] if one.operator == mutant.operator]
    there = [] if line is None else _mutants_by_line(mutant.path, old).get(line, [])
    alike = [one for one in there if one.operator == mutant.operator]
    return alike[same.index(mutant)] if len(alike) == len(same) else None


def _is_python(code: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            compile(code, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _lines_of_both(new: str, old: str) -> dict[int, int]:
    blocks = SequenceMatcher(None, new.splitlines(), old.splitlines(), autojunk=False).get_matching_blocks()
    return {block.a + place + 1: block.b + place + 1 for block in blocks for place in range(block.size)}


def _mutants_by_line(path: str, code: str) -> dict[int, list[Mutant]]:
    nodes, text, found = list(ast_nodes(parso.parse(code))), code.splitlines(), dict[int, list[Mutant]]()
    for name in _OPERATORS:
        operator, occurrence = get_operator(name)(), 0
        for node in nodes:
            for (line, _), _ in operator.mutation_positions(node):
                if not _is_of_types(node):
                    found.setdefault(line, []).append(Mutant(path, line, text[line - 1].strip(), name, occurrence))
                occurrence += 1
    return found


def _is_of_types(node: NodeOrLeaf) -> bool:
    return any(one.type in _TYPES or _is_returned_type(one) for one in _with_parents(node))


def _is_returned_type(node: NodeOrLeaf) -> bool:
    before = node.get_previous_sibling()
    return before is not None and getattr(before, "value", "") == "->"


def _with_parents(node: NodeOrLeaf) -> Iterator[NodeOrLeaf]:
    one: NodeOrLeaf | None = node
    while one is not None:
        yield one
        one = one.parent
