"""A fact without a hint comes to the category it belongs to, or to none."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from ragpp.embedding.onnx import OnnxEmbedder
from ragpp_services.catalog.pages import DEFAULT_CATEGORIES, classify, prototype

LABELLED = Path(__file__).parents[1] / "data" / "categories.jsonl"
"""Twenty facts of each default category and twenty of none. Every other one was not looked at when the constants were
chosen; the rest was."""
EAST, NORTH = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)


@pytest.fixture(scope="module")
async def embedder(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OnnxEmbedder]:
    embedder = OnnxEmbedder(tmp_path_factory.mktemp("graph"))
    yield embedder
    await embedder.close()


def at(degrees: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)


def test_a_fact_belongs_to_the_closest_category_to_none_that_is_far_and_to_none_of_two_as_close() -> None:
    categories = [("east", EAST), ("north", NORTH)]
    assert [classify(at(degrees), categories) for degrees in (0, 30, 60, 90)] == ["east", "east", "north", "north"]
    assert classify(at(45), categories) is None
    assert classify(at(200), categories) is None
    assert classify(EAST, []) is None


def test_examples_draw_a_category_to_where_its_facts_are() -> None:
    assert prototype(EAST, []) is EAST
    drawn = prototype(EAST, [NORTH, NORTH])
    assert drawn @ NORTH > drawn @ EAST > 0
    assert np.linalg.norm(drawn) == pytest.approx(1)


async def test_of_sentences_not_looked_at_most_come_to_their_category_and_hardly_any_of_none_to_one(
    embedder: OnnxEmbedder,
) -> None:
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()][1::2]
    categories = []
    for name, description, examples in DEFAULT_CATEGORIES:
        described, *shown = await embedder.embed([description, *examples])
        categories.append((name, prototype(described, shown)))
    vectors = await embedder.embed([row["text"] for row in rows])
    told = [(row["category"], classify(vector, categories)) for row, vector in zip(rows, vectors, strict=True)]
    given = [(wanted, got) for wanted, got in told if got is not None]
    assert sum(wanted == got for wanted, got in told) >= 36  # 40 of 60
    assert sum(wanted == got for wanted, got in given) >= 0.65 * len(given)  # 31 of 43
    assert sum(got is not None for wanted, got in told if wanted is None) <= 2  # 1 of 10
