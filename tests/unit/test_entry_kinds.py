"""The kind of a statement: patterns propose, and likeness to examples decides."""

import numpy as np
import pytest

from ragpp.catalog import ItemKind
from ragpp.embedding import FloatMatrix
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.entries.kinds import Kinds, decided


def test_a_pattern_proposes_and_likeness_decides() -> None:
    kinds = Kinds(HashingEmbedder())
    assert kinds.proposed("We decided that the team will use Kafka.") == ("decision", "plan")
    assert kinds.proposed("A ladybug sat on the window.") == ()
    towards, away = np.eye(3, dtype=np.float32)[:1], np.eye(3, dtype=np.float32)[1:2]
    examples: dict[ItemKind, tuple[FloatMatrix, FloatMatrix]] = {"decision": (towards, away), "plan": (away, towards)}
    vector = np.array([0.8, 0.6, 0.0], np.float32)
    assert decided(vector, ("decision", "plan"), examples) == "decision"
    assert decided(vector, ("plan",), examples) == "fact"
    assert decided(vector, ("plan", "solution"), examples) == "solution"


async def test_what_no_pattern_proposes_is_a_fact_and_nothing_is_embedded_for_it() -> None:
    embedder = HashingEmbedder()
    assert await Kinds(embedder).of(["The shop opens at nine.", "Lunch is at noon."]) == ["fact", "fact"]


async def test_the_kind_is_the_same_by_vectors_that_are_known_and_nothing_is_embedded_again() -> None:
    texts = ["The shop opens at nine.", "We decided to keep the letters in Porto.", "The floor plan will hang there."]
    embedder = HashingEmbedder()
    kinds = Kinds(embedder)
    assert await kinds.of(texts, await embedder.embed(texts)) == await kinds.of(texts)
    assert await kinds.of([], await embedder.embed([])) == []


def test_a_pattern_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="extraction pattern"):
        Kinds(HashingEmbedder(), {"plan": "(open"})
