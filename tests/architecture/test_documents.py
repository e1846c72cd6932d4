"""Every code sample of the five documents is run by a test, or is told to be no code."""

import ast
import hashlib
import re
from typing import Final

from tests.support.documents import listed, sample, samples
from tests.support.each import each_case
from tests.support.source import ROOT, tree_of

NUMBER: Final = re.compile(r"00\d\.\d\d")


def run() -> set[str]:
    """The numbers that the documents' tests name."""
    trees = [tree_of(path) for path in (ROOT / "tests").rglob("test_documents_*.py")]
    texts = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {text for text in texts if isinstance(text, str) and NUMBER.fullmatch(text)}


def not_code() -> set[str]:
    return {f"{document}.{number}" for document, told in listed().items() for number in told.get("not_code", {})}


@each_case("document", ["000", "001", "002", "003", "004"])
def test_a_document_has_all_of_its_samples_as_they_were_written(document: str) -> None:
    told, found = listed()[document], samples(document)
    assert [one.number for one in found] == [f"{document}.{place:02}" for place in range(1, told["samples"] + 1)]
    assert hashlib.sha256("\0".join(one.text for one in found).encode()).hexdigest() == told["sha256"]


def test_every_sample_is_run_or_told_to_be_no_code_and_none_is_both() -> None:
    every = {one.number for document in listed() for one in samples(document)}
    assert sum(told["samples"] for told in listed().values()) == len(every) == 104
    assert every - run() - not_code() == set()
    assert run() & not_code() == set()
    assert run() | not_code() <= every


def test_what_is_told_to_be_no_code_is_in_no_language() -> None:
    assert {sample(number).language for number in not_code()} == {""}
    assert all(reason for told in listed().values() for reason in told.get("not_code", {}).values())
