"""Training on of MiniLM with matrices of a low rank (LoRA, Hu et al. 2021), for what is true of stretches of texts.

The network is the one that `ragpp.embedding.minilm_graph` assembles. Its own weights stay; beside those of the upper
layers two matrices are learned, whose product is added, and a layer of heads behind the mean of a stretch's tokens.
The loss is the cross-entropy of all heads. One processor makes the same of the same.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from rich.progress import track
from safetensors.numpy import load_file

from ragpp.embedding.checkpoint import LAYERS, installed_checkpoint
from ragpp.embedding.minilm_graph import DIMENSION, EPSILON, HEADS
from ragpp_services.workers.language.classifier import PARTS, SCALE

UPPER: Final = 4
"""Layers that are trained on; those below would cost as much again and bring nothing that was seen."""
RANK: Final = 16
EPOCHS: Final = 3
RATE: Final = 1e-3
WARMING: Final = 0.06
"""The share of the steps in which the rate rises; then it falls, to 0."""
DECAY: Final = 0.01
DROPPED: Final = 0.1
MOMENTS: Final = (0.9, 0.98)
TOKENS: Final = 1_024
"""Of a step, padding included."""
LENGTHS: Final = (16, 24, 32, 48, 64, 96, 128, 192, 256)
"""Tokens that texts of a step are padded to: each length is compiled once."""
STRETCHES: Final = 384
"""The number of a step's stretches is padded to a multiple of this."""
Array: TypeAlias = jax.Array
Floats = npt.NDArray[np.float32]
Pair: TypeAlias = tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class Text:
    """`tokens`: its ids, the two special ones included; `stretches`: from which token up to before which each goes;
    `truths`: (stretches, heads), 1 where a head is true of it."""

    tokens: Sequence[int]
    stretches: Sequence[tuple[int, int]]
    truths: Floats


@dataclass(frozen=True)
class Learned:
    """`low`: by part (layers, in, rank) and (layers, rank, out); `heads`: (DIMENSION, heads); `bias`: (heads,)."""

    low: Mapping[str, tuple[Floats, Floats]]
    heads: Floats
    bias: Floats


@partial(jax.tree_util.register_dataclass, data_fields=["word", "place", "norm", "linear", "norms"], meta_fields=[])
@dataclass(frozen=True)
class _Fixed:
    """The checkpoint. `linear`: by part the weights, (layers, in, out), and biases; `norms`: behind the attention, and
    behind the feed-forward part."""

    word: Array
    place: Array
    norm: Pair
    linear: dict[str, Pair]
    norms: tuple[Pair, Pair]


@partial(jax.tree_util.register_dataclass, data_fields=["low", "heads", "bias"], meta_fields=[])
@dataclass(frozen=True)
class _Trained:
    low: dict[str, Pair]
    heads: Array
    bias: Array


@partial(jax.tree_util.register_dataclass, data_fields=["ids", "mask", "rows", "truths", "counts"], meta_fields=[])
@dataclass(frozen=True)
class _Batch:
    """`ids`, `mask`: (texts, tokens); `rows`: (stretches, 2), in texts one behind the other; `counts`: (stretches,),
    0 for those that only fill up."""

    ids: Array
    mask: Array
    rows: Array
    truths: Array
    counts: Array


def learn(of: Sequence[Text], *, seed: int, title: str) -> Learned:
    """The matrices and heads that all of `of` teach."""
    fixed, trained = _fixed(), _untrained(of, seed)
    first = second = jax.tree.map(jnp.zeros_like, trained)
    chance, key = random.Random(seed), jax.random.PRNGKey(seed)
    batches = [batch for _ in range(EPOCHS) for batch in _shuffled(of, chance)]
    for number, batch in enumerate(track(batches, title), 1):
        done = number / len(batches)
        rate = RATE * min(1.0, done / WARMING) * (1 - done)
        key, dropping = jax.random.split(key)
        packed = _pack(batch, of[0].truths.shape[1])
        trained, first, second = _step(trained, (first, second), jnp.float32(number), rate, fixed, packed, dropping)
    low = {part: (np.asarray(down), np.asarray(up)) for part, (down, up) in trained.low.items()}
    return Learned(low, np.asarray(trained.heads), np.asarray(trained.bias))


def _fixed() -> _Fixed:
    tensors = load_file(installed_checkpoint().weights)

    def pair(name: str) -> Pair:
        layers = [tensors[f"encoder.layer.{layer}.{name}.weight"] for layer in range(LAYERS)]
        biases = [tensors[f"encoder.layer.{layer}.{name}.bias"] for layer in range(LAYERS)]
        return jnp.stack([jnp.asarray(one.T) for one in layers]), jnp.stack([jnp.asarray(one) for one in biases])

    place = tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
    norm = (tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"])
    return _Fixed(
        word=jnp.asarray(tensors["embeddings.word_embeddings.weight"]),
        place=jnp.asarray(place),
        norm=(jnp.asarray(norm[0]), jnp.asarray(norm[1])),
        linear={part: pair(name) for part, name in PARTS.items()},
        norms=(pair("attention.output.LayerNorm"), pair("output.LayerNorm")),
    )


def _untrained(of: Sequence[Text], seed: int) -> _Trained:
    """Heads that say how often each is true, and products of nothing."""
    chance, low = np.random.default_rng(seed), dict[str, Pair]()
    for part in PARTS:
        narrow, wide = DIMENSION, 4 * DIMENSION
        size, out = (narrow, wide) if part == "wide" else (wide, narrow) if part == "narrow" else (narrow, narrow)
        down = chance.normal(size=(UPPER, size, RANK)) / size**0.5
        low[part] = (jnp.asarray(down, jnp.float32), jnp.zeros((UPPER, RANK, out), jnp.float32))
    often = np.concatenate([text.truths for text in of]).mean(axis=0)
    return _Trained(low, jnp.zeros((DIMENSION, len(often))), jnp.asarray(np.log(often / (1 - often)), jnp.float32))


def _shuffled(of: Sequence[Text], chance: random.Random) -> list[list[Text]]:
    """All texts, in batches of one length, in any order."""
    open_, batches = dict[int, list[Text]](), list[list[Text]]()
    for text in chance.sample(of, len(of)):
        length = _length(text)
        batch = open_.setdefault(length, [])
        batch.append(text)
        if len(batch) == TOKENS // length:
            batches.append(open_.pop(length))
    batches += open_.values()
    return chance.sample(batches, len(batches))


def _length(text: Text) -> int:
    return next(length for length in LENGTHS if len(text.tokens) <= length)


def _pack(batch: Sequence[Text], heads: int) -> _Batch:
    length = _length(batch[0])
    ids, mask = np.zeros((TOKENS // length, length), np.int32), np.zeros((TOKENS // length, length), np.float32)
    rows, truths = list[tuple[int, int]](), list[Floats]()
    for number, text in enumerate(batch):
        ids[number, : len(text.tokens)], mask[number, : len(text.tokens)] = text.tokens, 1
        rows += [(number * length + start, number * length + end) for start, end in text.stretches]
        truths.append(text.truths)
    missing = -len(rows) % STRETCHES
    return _Batch(
        ids=jnp.asarray(ids),
        mask=jnp.asarray(mask),
        rows=jnp.asarray([*rows, *[(0, 0)] * missing], jnp.int32),
        truths=jnp.asarray(np.concatenate([*truths, np.zeros((missing, heads), np.float32)])),
        counts=jnp.asarray([1.0] * len(rows) + [0.0] * missing),
    )


def _stepped(
    trained: _Trained,
    moments: tuple[_Trained, _Trained],
    number: Array,
    rate: float,
    fixed: _Fixed,
    batch: _Batch,
    key: Array,
) -> tuple[_Trained, _Trained, _Trained]:
    """One step of Adam with decoupled decay (Loshchilov and Hutter 2019), on a slope of length 1 at most."""
    slope = jax.grad(_loss)(trained, fixed, batch, key)
    length = jnp.sqrt(sum(jnp.square(one).sum() for one in jax.tree.leaves(slope)))
    slope = jax.tree.map(lambda one: one * jnp.minimum(1.0, 1 / length), slope)
    fast, slow = MOMENTS
    first = jax.tree.map(lambda kept, one: fast * kept + (1 - fast) * one, moments[0], slope)
    second = jax.tree.map(lambda kept, one: slow * kept + (1 - slow) * jnp.square(one), moments[1], slope)

    def moved(weight: Array, mean: Array, square: Array) -> Array:
        step = mean / (1 - fast**number) / (jnp.sqrt(square / (1 - slow**number)) + 1e-8)
        return weight - rate * (step + DECAY * weight)

    return jax.tree.map(moved, trained, first, second), first, second


_step = jax.jit(_stepped)


def _loss(trained: _Trained, fixed: _Fixed, batch: _Batch, key: Array) -> Array:
    states = _states(trained, fixed, batch, key).reshape(-1, DIMENSION)
    place, (start, end) = jnp.arange(len(states)), (batch.rows[:, :1], batch.rows[:, 1:])
    inside = ((place >= start) & (place < end)) / jnp.maximum(end - start, 1)
    means = _dropped(inside @ states, jax.random.fold_in(key, UPPER))
    odds = means @ trained.heads + trained.bias
    wrong = jnp.maximum(odds, 0) - odds * batch.truths + jnp.log1p(jnp.exp(-jnp.abs(odds)))
    return (wrong.sum(axis=1) * batch.counts).sum() / batch.counts.sum()


def _states(trained: _Trained, fixed: _Fixed, batch: _Batch, key: Array) -> Array:
    """(texts, tokens, DIMENSION): those of the last layer."""
    hidden = _normed(fixed.word[batch.ids] + fixed.place[: batch.ids.shape[1]], fixed.norm)
    absent = (1 - batch.mask)[:, None, None, :] * -1e9
    below, above = (
        jax.tree.map(lambda one, part=part: one[part], (fixed.linear, fixed.norms))
        for part in (slice(LAYERS - UPPER), slice(LAYERS - UPPER, None))
    )
    hidden, _ = jax.lax.scan(lambda x, layer: (_layer(x, absent, layer[0], layer[1]), None), hidden, below)
    keys = jax.random.split(key, UPPER)
    hidden, _ = jax.lax.scan(
        lambda x, layer: (_layer(x, absent, layer[0][0], layer[0][1], layer[1], layer[2]), None),
        jax.lax.stop_gradient(hidden),
        (above, trained.low, keys),
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
    x = _normed(x + (attended if key is None else _dropped(attended, jax.random.fold_in(key, 0))), norms[0])
    fed = through(jax.nn.gelu(through(x, "wide"), approximate=False), "narrow")
    return _normed(x + (fed if key is None else _dropped(fed, jax.random.fold_in(key, 1))), norms[1])


def _normed(x: Array, norm: Pair) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = jnp.square(centred).mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(spread + EPSILON) * norm[0] + norm[1]


def _dropped(x: Array, key: Array) -> Array:
    return x * jax.random.bernoulli(key, 1 - DROPPED, x.shape) / (1 - DROPPED)
