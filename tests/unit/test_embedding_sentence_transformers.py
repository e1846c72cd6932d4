"""The optional embedder keeps the port's promises, and says what is missing when it cannot."""

import sys
import types
from collections.abc import Sequence

import numpy as np
import pytest

from ragpp.embedding.port import FloatMatrix
from ragpp.embedding.sentence_transformers import SentenceTransformersEmbedder
from ragpp.errors import ConfigurationError, EmbeddingError, InvalidInput


class FakeSentenceTransformer:
    """Knows one model of three dimensions, from files that are already on the machine."""

    loaded = 0

    def __init__(self, name: str, *, device: str, local_files_only: bool) -> None:
        if name != "tiny" or device != "cpu" or not local_files_only:
            raise OSError(f"{name} is not on this machine")
        type(self).loaded += 1

    def encode(self, sentences: Sequence[str], *, normalize_embeddings: bool, show_progress_bar: bool) -> FloatMatrix:
        assert normalize_embeddings
        assert not show_progress_bar
        rows = np.array([[len(text), 1.0, 2.0] for text in sentences], dtype=np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("sentence_transformers")
    vars(module)["SentenceTransformer"] = FakeSentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    FakeSentenceTransformer.loaded = 0


@pytest.mark.usefixtures("library")
async def test_rows_are_in_order_and_the_model_is_loaded_once_when_first_needed() -> None:
    embedder = SentenceTransformersEmbedder("tiny", 3)
    assert FakeSentenceTransformer.loaded == 0
    await embedder.warm()
    rows = await embedder.embed(["a", "bbbb"])
    await embedder.close()
    assert rows.shape == (2, 3)
    assert rows[1, 0] > rows[0, 0]
    assert FakeSentenceTransformer.loaded == 1
    assert (embedder.model, embedder.dimension) == ("tiny", 3)


@pytest.mark.usefixtures("library")
async def test_no_texts_give_no_rows() -> None:
    assert (await SentenceTransformersEmbedder("tiny", 3).embed([])).shape == (0, 3)


@pytest.mark.usefixtures("library")
async def test_another_dimension_than_configured_is_refused() -> None:
    embedder = SentenceTransformersEmbedder("tiny", 4)
    with pytest.raises(EmbeddingError, match="3 dimensions, and 4 are configured"):
        await embedder.health_check()
    await embedder.close()


@pytest.mark.usefixtures("library")
async def test_a_model_that_cannot_be_loaded_is_named() -> None:
    embedder = SentenceTransformersEmbedder("huge", 3)
    with pytest.raises(EmbeddingError, match=r"huge failed \(OSError\)") as caught:
        await embedder.embed(["text"])
    await embedder.close()
    assert caught.value.suggestions


@pytest.mark.usefixtures("library")
async def test_bad_texts_and_a_closed_embedder_are_refused() -> None:
    embedder = SentenceTransformersEmbedder("tiny", 3)
    with pytest.raises(InvalidInput, match="lone surrogate"):
        await embedder.embed(["\ud800"])
    with pytest.raises(TypeError, match="sequence"):
        await embedder.embed("text")
    await embedder.close()
    with pytest.raises(EmbeddingError, match="closed"):
        await embedder.embed(["text"])


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigurationError) as caught:
        SentenceTransformersEmbedder("tiny", 3)
    assert any("ragpp[sentence-transformers]" in suggestion for suggestion in caught.value.suggestions)
