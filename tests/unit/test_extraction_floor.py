"""The least that is extracted of the labelled sentences, and of nothing that they do not say.

The floor is a little under what is measured: a change that falls below it took something away. `make eval-extraction`
shows the figures, with --show-misses what they are made of.
"""

from pathlib import Path

import pytest

from benchmarks.eval_extraction import Count, Row, read, score
from tests.support.extractor import trained

SENTENCES = Path(__file__).parent.parent / "data" / "extraction.jsonl"
FLOOR: dict[Row, tuple[float, float]] = {
    "entities": (0.97, 0.95),
    "relationships": (0.95, 0.82),
    "ended": (0.92, 0.74),
    "preferences": (0.93, 0.8),
    "decisions": (0.9, 0.85),
    "plans": (0.9, 0.85),
    "errors": (0.9, 0.8),
    "insights": (0.9, 0.85),
    "patterns": (0.9, 0.85),
    "dates": (0.95, 0.95),
}


@pytest.fixture(scope="module")
def counts() -> dict[Row, Count]:
    return score(trained(), read(SENTENCES))


@pytest.mark.parametrize("row", FLOOR)
def test_precision_and_recall_stay_above_the_floor(counts: dict[Row, Count], row: Row) -> None:
    precision, recall = FLOOR[row]
    assert counts[row].precision >= precision, "\n".join(counts[row].misses)
    assert counts[row].recall >= recall, "\n".join(counts[row].misses)


def test_the_labelled_sentences_are_many_and_distinct() -> None:
    sentences = read(SENTENCES)
    assert len(sentences) >= 210
    assert len({sentence.text for sentence in sentences}) == len(sentences)
    tags = {tag for sentence in sentences for tag in sentence.tags}
    assert {"negation", "hypothetical", "question", "quote", "third_person", "sarcasm"} <= tags
