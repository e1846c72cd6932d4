"""The code samples of the five documents, as they write them, and how one is run: its imports renamed, nothing else."""

import __future__

import ast
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any, Final

from tests.support.source import ROOT

FOLDER: Final = ROOT / "tests" / "data" / "documents"
_SAMPLE: Final = re.compile(r"^## (\d\d) · ([^\n]+)\n\n```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RENAMED: Final = (
    ("from sigil.memory import", "from ragpp import"),
    ("from sigil.tools.builtin.memory_tools import", "from ragpp.tools.builtin import"),
)
_SIGNATURE: Final = re.compile(r"\)( -> [^\n]+)?:\n\Z")
_LATE: Final = __future__.annotations.compiler_flag
"""Annotations name what a document has, and are compared as text."""


@dataclass(frozen=True)
class Sample:
    """One fenced block. `number`: of its document and its place there, such as 002.06."""

    number: str
    section: str
    language: str
    text: str

    @property
    def code(self) -> str:
        """Its text with its imports renamed; a signature without a body has an empty one."""
        text = self.text
        for theirs, ours in _RENAMED:
            text = text.replace(theirs, ours)
        return f"{text}    ...\n" if _SIGNATURE.search(text) else text

    def tree(self) -> ast.Module:
        """Its syntax."""
        return ast.parse(self.code, self.number)


@cache
def listed() -> Mapping[str, Mapping[str, Any]]:
    """The index of the documents: how many samples each has, and which are no code."""
    index: Mapping[str, Mapping[str, Any]] = tomllib.loads((FOLDER / "listed.toml").read_text(encoding="utf-8"))
    return index


@cache
def samples(document: str) -> tuple[Sample, ...]:
    """The samples of a document, in their order."""
    text = (FOLDER / f"{document}.txt").read_text(encoding="utf-8")
    return tuple(Sample(f"{document}.{found[0]}", *found[1:]) for found in _SAMPLE.findall(text))


def sample(number: str) -> Sample:
    """The sample of that number. KeyError where there is none."""
    return {one.number: one for one in samples(number[:3])}[number]


def ran(number: str, /, **names: object) -> dict[str, Any]:
    """Names that a sample leaves which awaits nothing, given `names`."""
    left: dict[str, Any] = dict(names)
    exec(_compiled(sample(number).code, number), left)  # noqa: S102 - our own file
    return left


async def awaited(number: str, /, **names: object) -> dict[str, Any]:
    """The same of one that awaits."""
    left: dict[str, Any] = dict(names)
    running = eval(_compiled(sample(number).code, number), left)  # noqa: S307 - our own file
    if running is not None:
        await running
    return left


def worth(number: str, /, **names: object) -> Any:
    """The value of a sample that is one expression. Where a list goes on, `...` is left out of it."""
    tree = ast.parse(sample(number).code.strip(), number, mode="eval")
    return eval(compile(_GoesOn().visit(tree), number, "eval"), dict(names))  # noqa: S307 - our own file


def worth_as_written(number: str, /, **names: object) -> Any:
    """The same with each `...` as it stands."""
    return eval(sample(number).code.strip(), dict(names))  # noqa: S307 - our own file


class _GoesOn(ast.NodeTransformer):
    def visit_List(self, node: ast.List) -> ast.List:
        self.generic_visit(node)
        node.elts = [one for one in node.elts if not (isinstance(one, ast.Constant) and one.value is ...)]
        return node


def _compiled(code: str, number: str) -> CodeType:
    compiled: CodeType = compile(code, number, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | _LATE)
    return compiled
