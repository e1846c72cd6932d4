"""The published int8 graph of e5-small-v2 with something added to its weights.

A product there is a `MatMulInteger` of a column-wise quantised weight, scaled, and a bias behind it, by whose name the
weight is known. Changed weights are quantised anew, to 7 bits: products of 8 and 8 bits overflow on processors
without VNNI, so that a text would have another vector there (ONNX Runtime's page on quantisation, "reduce_range").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import onnx
from onnx import numpy_helper

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ragpp.embedding.port import FloatMatrix

LARGEST: Final = 63
"""The largest number that a weight is quantised to."""
_FAR: Final = 4
"""Nodes between a product and its bias at most: a cast, a scale."""


def change(model: bytes, changes: Mapping[str, FloatMatrix]) -> bytes:
    """The serialised `model` with `changes`, (out, in), added to the weights that they are named for. KeyError where it
    has no such weight."""
    read = onnx.load_from_string(model)
    tensors = {tensor.name: tensor for tensor in read.graph.initializer}
    weights = dict(_weights(read))
    for name, added in changes.items():
        stem = weights[name]
        numbers, scale = (tensors[f"{stem}_{what}"] for what in ("quantized", "scale"))
        weight = _dequantised(tensors, stem) + added.T
        scales = np.maximum(np.abs(weight).max(axis=0), 1e-12) / LARGEST
        quantised = np.rint(weight / scales).astype(np.int8)
        numbers.CopyFrom(numpy_helper.from_array(quantised, numbers.name))
        scale.CopyFrom(numpy_helper.from_array(scales.astype(np.float32), scale.name))
        zero = tensors[f"{stem}_zero_point"]
        zero.CopyFrom(numpy_helper.from_array(np.zeros(len(scales), np.int8), zero.name))
    serialised: bytes = read.SerializeToString()
    return serialised


def read_tensors(model: bytes) -> dict[str, FloatMatrix]:
    """The tensors of the network in 32 bits, as a checkpoint of BERT names and turns them: weights are (out, in)."""
    read = onnx.load_from_string(model)
    tensors = {tensor.name: tensor for tensor in read.graph.initializer}
    plain = [name for name, one in tensors.items() if one.data_type == onnx.TensorProto.FLOAT]
    quantised = [name.removesuffix("_quantized") for name in tensors if name.endswith("_quantized")]
    tables = [name for name in quantised if name.startswith("embeddings.")]
    return {
        **{name: numpy_helper.to_array(tensors[name]) for name in plain if not name.endswith("_scale")},
        **{name: _dequantised(tensors, name) for name in tables},
        **{name: np.ascontiguousarray(_dequantised(tensors, stem).T) for name, stem in _weights(read)},
    }


def _dequantised(tensors: Mapping[str, onnx.TensorProto], stem: str) -> FloatMatrix:
    """(in, out): a quantised tensor in 32 bits."""
    numbers, scale, zero = (
        numpy_helper.to_array(tensors[f"{stem}_{what}"]).astype(np.float32)
        for what in ("quantized", "scale", "zero_point")
    )
    return np.asarray((numbers - zero) * scale, np.float32)


def _weights(model: onnx.ModelProto) -> Iterator[tuple[str, str]]:
    """Each weight by the name that a checkpoint has for it, and what its tensors here are named after."""
    behind = {name: node for node in model.graph.node for name in node.input}
    for node in model.graph.node:
        if node.op_type == "MatMulInteger":
            later = node
            for _ in range(_FAR):
                later = behind[later.output[0]]
                bias = next((name for name in later.input if name.endswith(".bias")), None)
                if bias is not None:
                    yield f"{bias.removesuffix('.bias')}.weight", node.input[1].removesuffix("_quantized")
                    break
