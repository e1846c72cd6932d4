"""The ONNX graph of all-MiniLM-L6-v2, assembled from the published checkpoint with ONNX Runtime's fused operators.

The network is BERT with 6 layers, 12 heads, width 384 and a 1,536 wide feed-forward part (the checkpoint's
`config.json`), followed by mean pooling over the text's tokens and L2 normalisation (its `modules.json`).
Since the vector is normalised, the sum over the tokens serves as their mean.
The operators of the domain `com.microsoft` are specified in ONNX Runtime's `docs/ContribOperators.md`.
"""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from ragpp.embedding.checkpoint import LAYERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragpp.embedding.port import FloatMatrix

HEADS: Final = 12
DIMENSION: Final = 384
EPSILON: Final = 1e-12
OPSET: Final = 17
FUSED: Final = "com.microsoft"


def assemble(weights: Path, changes: Mapping[str, FloatMatrix] | None = None) -> bytes:
    """The serialised model for the checkpoint file `weights`.

    Inputs: `input_ids` and `attention_mask`, int32 (texts, tokens); a mask is 1 for a token and 0 for padding on
    the right. Output: `embedding`, float32 (texts, 384), rows of length 1. With `changes`, which are added to the
    tensors that they are named for, it is `states`, float32 (texts, tokens, 384): the last layer's, not pooled, and the
    weights are integers of 7 bits, each column with a scale of its own: a quarter of the size, two thirds of the time.
    8 bits overflow on processors without VNNI.
    Raises KeyError when a tensor is missing, and what safetensors raises for a file that is not its own.
    """
    tensors = load_file(weights)
    for name, change in (changes or {}).items():
        tensors[name] = tensors[name] + change
    builder = _Builder(tensors)
    hidden = builder.embeddings()
    for layer in range(LAYERS):
        hidden = builder.encoder_layer(layer, hidden)
    if changes is None:
        builder.pooling(hidden)
        return builder.serialise()
    builder.states(hidden)
    return _quantised(builder.serialise())


def _quantised(model: bytes) -> bytes:
    from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415 - 0.3 s that the embedder needs not

    logger = logging.getLogger()
    logger.addFilter(_without_advice)
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "int8.onnx"
            options = {"DefaultTensorType": TensorProto.FLOAT}  # what the fused operators give has no type of its own
            quantize_dynamic(
                onnx.load_from_string(model),
                path,
                per_channel=True,
                weight_type=QuantType.QInt8,
                reduce_range=True,
                extra_options=options,
            )
            return path.read_bytes()
    finally:
        logger.removeFilter(_without_advice)


def _without_advice(record: logging.LogRecord) -> bool:
    """False for what the quantiser advises its caller to do, which is done or of no use here."""
    return not str(record.msg).startswith("Please consider to run pre-processing")


class _Builder:
    """Collects nodes and initializers; each method returns the name of the tensor it ends in."""

    def __init__(self, tensors: Mapping[str, FloatMatrix]) -> None:
        self._tensors = tensors
        self._nodes: list[onnx.NodeProto] = []
        self._initializers: list[onnx.TensorProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []

    def embeddings(self) -> str:
        tables = [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")]
        norm = ["embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias"]
        # A missing segment input would drop the token type from the sum, and every token here is of type 0.
        position = self._tensors[tables[1]] + self._tensors[tables[2]][0]
        inputs = ["input_ids", "", self._tensor(tables[0]), self._constant("position_and_type", position), ""]
        outputs = ["embedded", "token_counts"]
        inputs += [*map(self._tensor, norm), "attention_mask"]
        self._nodes.append(helper.make_node("EmbedLayerNormalization", inputs, outputs, domain=FUSED, epsilon=EPSILON))
        return "embedded"

    def encoder_layer(self, layer: int, hidden: str) -> str:
        prefix = f"encoder.layer.{layer}"
        projections = [f"{prefix}.attention.self.{kind}" for kind in ("query", "key", "value")]
        weight = np.concatenate([self._tensors[f"{name}.weight"].T for name in projections], axis=1)
        bias = np.concatenate([self._tensors[f"{name}.bias"] for name in projections])
        attention = [
            hidden,
            self._constant(f"{prefix}.qkv.weight", weight),
            self._constant(f"{prefix}.qkv.bias", bias),
            "token_counts",
        ]
        context = self._fused("Attention", attention, f"{prefix}.context", num_heads=HEADS)
        attended = self._skip_norm(f"{prefix}.attention.output", context, hidden)
        wide = self._matmul(f"{prefix}.intermediate", attended)
        bias_name = self._tensor(f"{prefix}.intermediate.dense.bias")
        activated = self._fused("BiasGelu", [wide, bias_name], f"{prefix}.activated")
        return self._skip_norm(f"{prefix}.output", activated, attended)

    def pooling(self, hidden: str) -> None:
        axis = self._constant("token_axis", np.array([1], dtype=np.int64))
        steps = [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", axis], ["mask_row"]),
            helper.make_node("MatMul", ["mask_row", hidden], ["token_sum"]),
            helper.make_node("Squeeze", ["token_sum", axis], ["pooled"]),
            helper.make_node("LpNormalization", ["pooled"], ["embedding"], axis=-1, p=2),
        ]
        self._nodes.extend(steps)
        self._output("embedding", "texts", DIMENSION)

    def states(self, hidden: str) -> None:
        self._nodes.append(helper.make_node("Identity", [hidden], ["states"]))
        self._output("states", "texts", "tokens", DIMENSION)

    def serialise(self) -> bytes:
        tokens = ["texts", "tokens"]
        names = ("input_ids", "attention_mask")
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, tokens) for name in names]
        graph = helper.make_graph(
            self._nodes,
            "all-MiniLM-L6-v2",
            inputs,
            self._outputs,
            self._initializers,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="ragpp")
        serialised: bytes = model.SerializeToString()
        return serialised

    def _output(self, name: str, *shape: str | int) -> None:
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))

    def _matmul(self, prefix: str, operand: str) -> str:
        weight = self._constant(f"{prefix}.dense.weight", self._tensors[f"{prefix}.dense.weight"].T)
        output = f"{prefix}.product"
        self._nodes.append(helper.make_node("MatMul", [operand, weight], [output]))
        return output

    def _skip_norm(self, prefix: str, operand: str, skip: str) -> str:
        """Project `operand` with the dense layer of `prefix`, add `skip`, normalise."""
        names = [f"{prefix}.LayerNorm.weight", f"{prefix}.LayerNorm.bias", f"{prefix}.dense.bias"]
        inputs = [self._matmul(prefix, operand), skip, *map(self._tensor, names)]
        return self._fused("SkipLayerNormalization", inputs, f"{prefix}.normalised", epsilon=EPSILON)

    def _fused(self, operator: str, inputs: list[str], output: str, **attributes: float) -> str:
        node = helper.make_node(operator, inputs, [output], domain=FUSED)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self._nodes.append(node)
        return output

    def _tensor(self, name: str) -> str:
        return self._constant(name, self._tensors[name])

    def _constant(self, name: str, values: FloatMatrix | np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> str:
        self._initializers.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name
