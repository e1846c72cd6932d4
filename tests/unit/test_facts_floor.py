"""The least that is read as facts in the labelled resources, and of nothing that they do not state.

The floor is a little under what is measured: a change that falls below it took something away. `make eval-facts` shows
the figures, and `python -m benchmarks.eval_facts --show-misses` what they are made of. Of the blind half, which was
written without sight of the code, totals alone are told.
"""

from collections.abc import Mapping

import pytest

from benchmarks.eval_extraction import Count
from benchmarks.eval_facts import DATA, ROWS, Row, read, score, seal_of
from tests.support.each import each_case
from tests.support.extractor import untrained

FLOOR: dict[Row, tuple[float, float]] = {
    "conversation": (0.86, 0.83),
    "document": (0.94, 0.93),
    "config": (0.95, 0.95),
    "feedback": (0.88, 0.88),
    "total": (0.93, 0.91),
}
BLIND = {"facts_blind.jsonl": (0.77, 0.57), "facts_blind_second.jsonl": (0.89, 0.66)}


@pytest.fixture(scope="module")
def scores() -> Mapping[Row, Count]:
    return score(untrained(), read(DATA / "facts.jsonl"))


@each_case("row", ROWS)
def test_precision_and_recall_stay_above_the_floor(scores: Mapping[Row, Count], row: Row) -> None:
    count = scores[row]
    precision, recall = FLOOR[row]
    assert count.precision >= precision, "\n".join(count.misses)
    assert count.recall >= recall, "\n".join(count.misses)


@each_case("name", list(BLIND))
def test_precision_and_recall_stay_above_the_floor_on_what_nobody_tuned_for(name: str) -> None:
    blind, (precision, recall) = DATA / name, BLIND[name]
    assert seal_of(blind).exists()
    total = score(untrained(), read(blind))["total"]
    assert total.precision >= precision
    assert total.recall >= recall


def test_the_labelled_sentences_are_of_every_type_and_many() -> None:
    resources = read(DATA / "facts.jsonl")
    assert {resource.resource_type for resource in resources} == set(ROWS) - {"total"}
    assert sum(len(resource.sentences) for resource in resources) >= 100
