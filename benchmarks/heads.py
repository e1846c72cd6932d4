"""Heads of stretches of texts: MiniLM trained on (`benchmarks.bert`) for what is true of the mean of their tokens. The
loss is the cross-entropy of all heads.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from rich.progress import track
from safetensors.numpy import load_file

from benchmarks.bert import (
    Array,
    Floats,
    Low,
    Network,
    descend,
    dropped,
    named_arrays,
    network_of,
    rate_at,
    states,
    untrained_low,
)
from ragpp.embedding.checkpoint import installed_checkpoint
from ragpp.embedding.minilm_graph import DIMENSION

UPPER: Final = 4
"""Layers that are trained on; those below would cost as much again and bring nothing that was seen."""
EPOCHS: Final = 3
RATE: Final = 1e-3
TOKENS: Final = 1_024
"""Tokens a step, padding included."""
LENGTHS: Final = (16, 24, 32, 48, 64, 96, 128, 192, 256)
"""Tokens that texts of a step are padded to: each length is compiled once."""
STRETCHES: Final = 384
"""The number of a step's stretches is padded to a multiple of this."""


@dataclass(frozen=True, slots=True)
class Text:
    """`tokens`: its ids, the two special ones included; `stretches`: from which token up to before which each goes;
    `truths`: (stretches, heads), 1 where a head is true of it."""

    tokens: Sequence[int]
    stretches: Sequence[tuple[int, int]]
    truths: Floats


@partial(jax.tree_util.register_dataclass, data_fields=["low", "heads", "bias"], meta_fields=[])
@dataclass(frozen=True)
class _Trained:
    low: Low
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


def learn(of: Sequence[Text], *, seed: int, title: str) -> dict[str, npt.NDArray[np.float16]]:
    """The arrays of the file that all of `of` teach: matrices, `heads`, (DIMENSION, heads), and `bias`, (heads,)."""
    network, trained = network_of(load_file(installed_checkpoint().weights)), _untrained(of, seed)
    still = jax.tree.map(jnp.zeros_like, trained)
    moments, step = (still, still), descend(_loss)
    chance, key = random.Random(seed), jax.random.PRNGKey(seed)
    batches = [batch for _ in range(EPOCHS) for batch in _shuffled(of, chance)]
    for number, batch in enumerate(track(batches, title), 1):
        key, dropping = jax.random.split(key)
        packed, rate = _pack(batch, of[0].truths.shape[1]), rate_at(RATE, number / len(batches))
        trained, moments = step(trained, moments, jnp.float32(number), rate, network, packed, dropping)
    heads, bias = (np.asarray(one).astype(np.float16) for one in (trained.heads, trained.bias))
    return {"heads": heads, "bias": bias, **named_arrays(trained.low)}


def _untrained(of: Sequence[Text], seed: int) -> _Trained:
    """Heads that say how often each is true, and products of nothing."""
    often = np.concatenate([text.truths for text in of]).mean(axis=0)
    bias = jnp.asarray(np.log(often / (1 - often)), jnp.float32)
    return _Trained(untrained_low(UPPER, seed), jnp.zeros((DIMENSION, len(often))), bias)


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


def _loss(trained: _Trained, network: Network, batch: _Batch, key: Array) -> Array:
    read = states(network, trained.low, batch.ids, batch.mask, key).reshape(-1, DIMENSION)
    place, (start, end) = jnp.arange(len(read)), (batch.rows[:, :1], batch.rows[:, 1:])
    inside = ((place >= start) & (place < end)) / jnp.maximum(end - start, 1)
    means = dropped(inside @ read, jax.random.fold_in(key, UPPER))
    odds = means @ trained.heads + trained.bias
    wrong = jnp.maximum(odds, 0) - odds * batch.truths + jnp.log1p(jnp.exp(-jnp.abs(odds)))
    return (wrong.sum(axis=1) * batch.counts).sum() / batch.counts.sum()
