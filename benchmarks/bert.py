"""BERT with matrices of a low rank beside the weights of its upper layers (LoRA, Hu et al. 2021), which are learned, in
JAX: the network that MiniLM and e5-small-v2 are. Their own weights stay. One processor makes the same of the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from ragpp.embedding.low_rank import PARTS, SCALE
from ragpp.embedding.minilm_graph import DIMENSION, EPSILON, HEADS

RANK: Final = 16
WARMING: Final = 0.06
"""The share of the steps in which the rate rises; then it falls, to 0."""
DECAY: Final = 0.01
DROPPED: Final = 0.1
MOMENTS: Final = (0.9, 0.98)
Array: TypeAlias = jax.Array
Floats = npt.NDArray[np.float32]
Pair: TypeAlias = tuple[Array, Array]
Low: TypeAlias = dict[str, Pair]
"""By part the two matrices of each of the upper layers, (layers, in, RANK) and (layers, RANK, out)."""
TrainedT = TypeVar("TrainedT")


@partial(jax.tree_util.register_dataclass, data_fields=["word", "place", "norm", "linear", "norms"], meta_fields=[])
@dataclass(frozen=True)
class Network:
    """The published weights. `linear`: by part the weights, (layers, in, out), and biases; `norms`: behind the
    attention, and behind the feed-forward part."""

    word: Array
    place: Array
    norm: Pair
    linear: dict[str, Pair]
    norms: tuple[Pair, Pair]


def network_of(tensors: Mapping[str, npt.NDArray[np.float32]]) -> Network:
    """The network that the tensors of a checkpoint are, by the names of these."""
    layers = sum(name.endswith("attention.self.query.weight") for name in tensors)

    def pair(name: str) -> Pair:
        weights = [tensors[f"encoder.layer.{layer}.{name}.weight"] for layer in range(layers)]
        biases = [tensors[f"encoder.layer.{layer}.{name}.bias"] for layer in range(layers)]
        return jnp.stack([jnp.asarray(one.T) for one in weights]), jnp.stack([jnp.asarray(one) for one in biases])

    place = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
    norm = (tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"])
    return Network(
        word=jnp.asarray(tensors["embeddings.word_embeddings.weight"]),
        place=jnp.asarray(place),
        norm=(jnp.asarray(norm[0]), jnp.asarray(norm[1])),
        linear={part: pair(name) for part, name in PARTS.items()},
        norms=(pair("attention.output.LayerNorm"), pair("output.LayerNorm")),
    )


def untrained_low(upper: int, seed: int) -> Low:
    """Products of nothing, for so many `upper` layers."""
    chance, low = np.random.default_rng(seed), Low()
    for part in PARTS:
        narrow, wide = DIMENSION, 4 * DIMENSION
        size, out = (narrow, wide) if part == "wide" else (wide, narrow) if part == "narrow" else (narrow, narrow)
        down = chance.normal(size=(upper, size, RANK)) / size**0.5
        low[part] = (jnp.asarray(down, jnp.float32), jnp.zeros((upper, RANK, out), jnp.float32))
    return low


def named_arrays(low: Low) -> dict[str, npt.NDArray[np.float16]]:
    """The matrices as a file has them (`ragpp.embedding.low_rank.read_low`)."""
    return {
        f"{part}_{name}": np.asarray(matrix).astype(np.float16)
        for part, pair in low.items()
        for name, matrix in zip(("down", "up"), pair, strict=True)
    }


def rate_at(rate: float, done: float) -> float:
    """The rate of a step, of `rate` at most, when the share `done` of all steps is."""
    return rate * min(1.0, done / WARMING) * (1 - done)


def descend(loss: Callable[..., Array]) -> Callable[..., tuple[TrainedT, tuple[TrainedT, TrainedT]]]:
    """One step of Adam with decoupled decay (Loshchilov and Hutter 2019), on a slope of length 1 at most. It takes what
    is trained, both moments, the number of the step, from 1, its rate, and what `loss` takes behind what is trained."""

    def step(
        trained: TrainedT, moments: tuple[TrainedT, TrainedT], number: Array, rate: float, *given: object
    ) -> tuple[TrainedT, tuple[TrainedT, TrainedT]]:
        slope = jax.grad(loss)(trained, *given)
        length = jnp.sqrt(sum(jnp.square(one).sum() for one in jax.tree.leaves(slope)))
        slope = jax.tree.map(lambda one: one * jnp.minimum(1.0, 1 / length), slope)
        fast, slow = MOMENTS
        first = jax.tree.map(lambda kept, one: fast * kept + (1 - fast) * one, moments[0], slope)
        second = jax.tree.map(lambda kept, one: slow * kept + (1 - slow) * jnp.square(one), moments[1], slope)

        def moved(weight: Array, mean: Array, square: Array) -> Array:
            pace = mean / (1 - fast**number) / (jnp.sqrt(square / (1 - slow**number)) + 1e-8)
            return weight - rate * (pace + DECAY * weight)

        return jax.tree.map(moved, trained, first, second), (first, second)

    compiled: Callable[..., tuple[TrainedT, tuple[TrainedT, TrainedT]]] = jax.jit(step)
    return compiled


def states(network: Network, low: Low, ids: Array, mask: Array, key: Array) -> Array:
    """(texts, tokens, DIMENSION): those of the last layer. `mask`: 1 for a token, 0 for padding; `key`: of what is
    dropped while it is trained."""
    upper, layers = len(low["query"][0]), len(network.linear["query"][0])
    hidden = _normed(network.word[ids] + network.place[: ids.shape[1]], network.norm)
    absent = (1 - mask)[:, None, None, :] * -1e9
    below, above = (
        jax.tree.map(lambda one, part=part: one[part], (network.linear, network.norms))
        for part in (slice(layers - upper), slice(layers - upper, None))
    )
    hidden, _ = jax.lax.scan(lambda x, layer: (_layer(x, absent, layer[0], layer[1]), None), hidden, below)
    keys = jax.random.split(key, upper)
    hidden, _ = jax.lax.scan(
        lambda x, layer: (_layer(x, absent, layer[0][0], layer[0][1], layer[1], layer[2]), None),
        jax.lax.stop_gradient(hidden),
        (above, low, keys),
    )
    return hidden


def _layer(
    x: Array,
    absent: Array,
    linear: Mapping[str, Pair],
    norms: tuple[Pair, Pair],
    low: Mapping[str, Pair] | None = None,
    key: Array | None = None,
) -> Array:
    """One layer of BERT; `absent`: what is added where no token is; `low`, `key`: while it is trained on."""
    texts, tokens, _ = x.shape

    def through(one: Array, part: str) -> Array:
        weight, bias = linear[part]
        out = one @ weight + bias
        return out if low is None else out + SCALE * (one @ low[part][0]) @ low[part][1]

    def by_heads(part: str) -> Array:
        return through(x, part).reshape(texts, tokens, HEADS, -1).transpose(0, 2, 1, 3)

    scores = by_heads("query") @ by_heads("key").transpose(0, 1, 3, 2) / (DIMENSION // HEADS) ** 0.5
    context = (jax.nn.softmax(scores + absent, axis=-1) @ by_heads("value")).transpose(0, 2, 1, 3)
    attended = through(context.reshape(texts, tokens, DIMENSION), "attended")
    x = _normed(x + (attended if key is None else dropped(attended, jax.random.fold_in(key, 0))), norms[0])
    fed = through(jax.nn.gelu(through(x, "wide"), approximate=False), "narrow")
    return _normed(x + (fed if key is None else dropped(fed, jax.random.fold_in(key, 1))), norms[1])


def _normed(x: Array, norm: Pair) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = jnp.square(centred).mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(spread + EPSILON) * norm[0] + norm[1]


def dropped(x: Array, key: Array) -> Array:
    return x * jax.random.bernoulli(key, 1 - DROPPED, x.shape) / (1 - DROPPED)
