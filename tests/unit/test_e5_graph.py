"""The second encoder's graph for questions: the published one, with exactly what was learned added to its weights."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from ragpp.embedding.asking import load_asking, load_passage
from ragpp.embedding.checkpoint import installed_checkpoint
from ragpp.embedding.e5_graph import LARGEST, change, read_tensors
from ragpp.embedding.graph_cache import load_graph
from ragpp.embedding.low_rank import PARTS, SCALE, LowRank
from ragpp.embedding.port import SECOND_DIMENSION
from ragpp.embedding.second import GRAPH, LAYERS, E5Encoder, read_published
from ragpp_services.workers.language.classifier import load_trained
from tests.support.second import second_jar

NAME = "encoder.layer.11.output.dense.weight"
ASKED = ["where does my sister live?", "on hold, whats the boilers serial no"]


@pytest.fixture(scope="module")
def jar() -> Path:
    return second_jar()


@pytest.fixture(scope="module")
def published(jar: Path) -> bytes:
    return read_published(jar, GRAPH)


def nothing() -> LowRank:
    """Matrices whose product is 0, for all layers."""
    shipped = load_asking().low
    return LowRank("nothing", {part: (down, np.zeros_like(up)) for part, (down, up) in shipped.items()})


def test_every_weight_of_every_layer_is_found_by_its_published_name(published: bytes) -> None:
    shapes = {name: tensor.shape for name, tensor in read_tensors(published).items()}
    for layer in range(LAYERS):
        for part, name in PARTS.items():
            size, out = {"wide": (384, 1536), "narrow": (1536, 384)}.get(part, (384, 384))
            assert shapes[f"encoder.layer.{layer}.{name}.weight"] == (out, size)
    assert shapes["embeddings.word_embeddings.weight"] == (30_522, SECOND_DIMENSION)


def test_what_is_added_stands_in_the_weight_it_is_named_for_and_in_no_other(published: bytes) -> None:
    before = read_tensors(published)
    added = np.random.default_rng(1).normal(scale=0.02, size=before[NAME].shape).astype(np.float32)
    after = read_tensors(change(published, {NAME: added}))
    step = np.abs(before[NAME] + added).max(axis=1, keepdims=True) / LARGEST
    assert (np.abs(after[NAME] - before[NAME] - added) <= step * 0.51).all()
    others = before.keys() - {NAME}
    assert all((after[name] == before[name]).all() for name in others)
    with pytest.raises(KeyError):
        change(published, {"encoder.layer.12.output.dense.weight": added})


def test_no_weight_is_large_enough_for_the_sums_of_a_processor_without_vnni(published: bytes, tmp_path: Path) -> None:
    """There two products of 8 bits and a weight are added in 16: from 65 on a text may have another vector."""
    changed = change(published, load_asking().changes(LAYERS))
    tuned = load_graph(installed_checkpoint(), tmp_path, load_trained().tuning)
    assert isinstance(tuned, Path)
    for graph in (published, changed, tuned.read_bytes()):
        weights = [
            numpy_helper.to_array(tensor).astype(int)
            for tensor in onnx.load_from_string(graph).graph.initializer
            if tensor.data_type == onnx.TensorProto.INT8 and len(tensor.dims) == 2
        ]
        assert len(weights) >= 24
        assert max(np.abs(weight).max() for weight in weights) <= 64


def test_the_upper_layers_change_by_the_scaled_products_of_their_matrices() -> None:
    shipped = load_asking()
    changes, (down, up) = shipped.changes(LAYERS), shipped.low["wide"]
    assert np.allclose(changes["encoder.layer.11.intermediate.dense.weight"], SCALE * (down[-1] @ up[-1]).T)
    assert f"encoder.layer.{LAYERS - len(down) - 1}.intermediate.dense.weight" not in changes
    assert len(changes) == len(PARTS) * len(down)


async def test_a_question_is_encoded_as_published_but_for_what_was_learned(jar: Path) -> None:
    bare, asking = E5Encoder(jar, asking=nothing()), E5Encoder(jar)
    plain, learned = await bare.encode_questions(ASKED), await asking.encode_questions(ASKED)
    tokens = await asking.encode_passages(ASKED)
    assert ((plain * learned).sum(axis=1) < 0.99).all()
    assert np.allclose(np.linalg.norm(learned, axis=1), 1.0, atol=1e-5)
    assert (await bare.encode_passages(ASKED) == tokens).all()
    assert load_passage().shape == (SECOND_DIMENSION,)
    for encoder in (bare, asking):
        await encoder.close()
