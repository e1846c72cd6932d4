"""Train how people ask: `python -m benchmarks.train_asking [--write]`.

The second encoder is trained on (`benchmarks.bert`) to put questions of the labelled chats (`benchmarks/data/labelled`)
where the messages that answer them are; those stay where they are. Only these chats are learned of, so that lives and
conversations measure what it is worth. What is learned is what must be added to the ranking without a second encoder
for what answers to come first: the loss is the cross-entropy of the messages that answer among the best of that
ranking, as it weighs the second encoder. The rows show the chats by what was learned of others; with `--write` the
weights are made of all, and the last line says how far they are from the file's.
"""

import argparse
import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from rich.progress import track
from tokenizers import Tokenizer

from benchmarks.bert import (
    Array,
    Floats,
    Low,
    Network,
    descend,
    named_arrays,
    network_of,
    rate_at,
    states,
    untrained_low,
)
from benchmarks.ranking_data import load_chats, load_metrics
from benchmarks.ranking_lab import CACHE, EVAL_DIR, Scorer, Tables, evaluate, heading, line, prepare, second_cosines
from benchmarks.weights import compare_and_keep
from ragpp.embedding import asking
from ragpp.embedding.e5_graph import read_tensors
from ragpp.embedding.low_rank import read_low
from ragpp.embedding.minilm_graph import DIMENSION
from ragpp.embedding.second import GRAPH, QUESTION, E5Encoder, read_published, read_tokenizer
from ragpp_infra.embedded.second_encoder import fetch_second
from ragpp_services.episodic.ranking import DEFAULT, QuerySignals, rank
from ragpp_services.episodic.ranking.second import STEEPER

WEIGHTS: Final = Path(asking.__file__).parent / asking.WEIGHTS
FOLDS: Final = 4
CANDIDATES: Final = 100
SHARPNESS: Final = 6.0
"""The logits of one candidate against another for each unit of cosine between them."""
UPPER: Final = 6
"""Layers that are trained on."""
EPOCHS: Final = 2
RATE: Final = 1e-3
QUESTIONS: Final = 32
"""Questions a step."""
LENGTHS: Final = (16, 24, 32, 48, 64)
"""Tokens that questions of a step are padded to; what is longer is cut."""
SEED: Final = 0
COUNTS: Final = STEEPER * (DEFAULT.second + DEFAULT.second_share)
"""The weight of a cosine by the second encoder in the ranking."""
Arrays = dict[str, npt.NDArray[np.float16]]


@dataclass(frozen=True, slots=True)
class Example:
    """A question of `chat`: its `tokens`; of its candidates, best first, the `passages`, (n, d), the `scores` without a
    second encoder, and which are `answers`, (n,)."""

    chat: str
    tokens: Sequence[int]
    passages: Floats
    scores: Floats
    answers: npt.NDArray[np.bool_]


def examples(tables: Tables, tokenizer: Tokenizer) -> list[Example]:
    """Those questions that some, and not all, of the candidates answer."""
    found = []
    for indexed, of_questions in tables:
        assert indexed.second is not None
        passages, ids = indexed.second[0], [turn.id for turn in indexed.conversation.interactions]
        for asked, table in zip(indexed.conversation.questions, of_questions, strict=True):
            best = rank(replace(table, second=None), QuerySignals(asked.text), limit=CANDIDATES)
            rows = [one.row for one in best]
            share = DEFAULT.second_share * np.nan_to_num(table.cosines[rows])
            answers = np.array([ids[table.ordinals[row]] in asked.gold for row in rows])
            if answers.any() and not answers.all():
                scores = (np.array([one.raw for one in best]) - share).astype(np.float32)
                tokens = tokenizer.encode(QUESTION + asked.text).ids[: LENGTHS[-1]]
                found.append(Example(indexed.conversation.name, tokens, passages[rows], scores, answers))
    return found


def learned(of: Sequence[Example], network: Network, title: str) -> Arrays:
    """The matrices that put the answers of all of them first."""
    low, step = untrained_low(UPPER, SEED), descend(_loss)
    still = jax.tree.map(jnp.zeros_like, low)
    moments, key, chance = (still, still), jax.random.PRNGKey(SEED), random.Random(SEED)
    batches = [batch for _ in range(EPOCHS) for batch in _shuffled(of, chance)]
    for number, batch in enumerate(track(batches, title), 1):
        key, dropping = jax.random.split(key)
        rate = rate_at(RATE, number / len(batches))
        low, moments = step(low, moments, jnp.float32(number), rate, network, _pack(batch), dropping)
    return named_arrays(low)


def _shuffled(of: Sequence[Example], chance: random.Random) -> list[list[Example]]:
    """All of them in batches in any order, those of a like length together."""
    order = sorted(of, key=lambda one: (len(one.tokens) // 8, chance.random()))
    batches = [list(order[first : first + QUESTIONS]) for first in range(0, len(order), QUESTIONS)]
    return chance.sample(batches, len(batches))


def _pack(batch: Sequence[Example]) -> tuple[Array, ...]:
    """Ids and mask, (QUESTIONS, tokens); passages, (QUESTIONS, CANDIDATES, d); their scores, which of them are there
    and which answer, (QUESTIONS, CANDIDATES)."""
    length = next(length for length in LENGTHS if length >= max(len(one.tokens) for one in batch))
    ids, mask = np.zeros((QUESTIONS, length), np.int32), np.zeros((QUESTIONS, length), np.float32)
    passages = np.zeros((QUESTIONS, CANDIDATES, DIMENSION), np.float32)
    scores, there, answers = np.zeros((3, QUESTIONS, CANDIDATES), np.float32)
    mask[:, 0] = 1
    for row, one in enumerate(batch):
        ids[row, : len(one.tokens)], mask[row, : len(one.tokens)] = one.tokens, 1
        passages[row, : len(one.scores)], scores[row, : len(one.scores)] = one.passages, one.scores
        there[row, : len(one.scores)], answers[row, : len(one.scores)] = 1, one.answers
    return tuple(map(jnp.asarray, (ids, mask, passages, scores, there, answers)))


def _loss(low: Low, network: Network, batch: tuple[Array, ...], key: Array) -> Array:
    ids, mask, passages, scores, there, answers = batch
    read = states(network, low, ids, mask, key)
    means = (read * mask[..., None]).sum(axis=1)
    asked = means / jnp.linalg.norm(means, axis=1, keepdims=True)
    logits = SHARPNESS * (scores + COUNTS * jnp.einsum("qd,qcd->qc", asked, passages))
    odds = jax.nn.log_softmax(jnp.where(there > 0, logits, -1e9), axis=1)
    right = jax.scipy.special.logsumexp(jnp.where(answers > 0, odds, -1e9), axis=1)
    counts = there.max(axis=1)
    return -(right * counts).sum() / counts.sum()


async def left_out(tables: Tables, of: Sequence[Example], network: Network) -> Tables:
    """The tables of each chat with questions as they are encoded by what was learned of chats of other folds."""
    fold, found = {name: row % FOLDS for row, name in enumerate(sorted({one.chat for one in of}))}, []
    for number in range(FOLDS):
        others = [one for one in of if fold[one.chat] != number]
        encoder = E5Encoder(fetch_second(), asking=read_low(learned(others, network, f"without fold {number}")))
        for indexed, of_questions in tables:
            if fold.get(indexed.conversation.name) == number:
                asked = await encoder.encode_questions([one.text for one in indexed.conversation.questions])
                rows = enumerate(of_questions)
                seconds = [replace(table, second=second_cosines(indexed, row, asked)) for row, table in rows]
                found.append((indexed, seconds))
        await encoder.close()
    return found


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--write", action="store_true", help="the weights, beside the modules that read them")
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    jar, tables = fetch_second(), asyncio.run(prepare(load_chats(), given.cache))
    of, network = examples(tables, read_tokenizer(jar)), network_of(read_tensors(read_published(jar, GRAPH)))
    without = replace(DEFAULT, second=0.0, second_named=0.0, second_share=0.0)
    if EVAL_DIR.exists():
        score: Scorer = load_metrics(EVAL_DIR).evidence_metrics
        print(heading())
        for title, data, weights in (
            ("without a second encoder", tables, without),
            ("by what was learned of other chats", asyncio.run(left_out(tables, of, network)), DEFAULT),
        ):
            print(line(title, (metrics for *_, metrics in evaluate(data, weights, score))))
    else:
        print(f"{EVAL_DIR} has the metrics: without it nothing is told of chats that were left out")
    passage = np.mean([one.passages.mean(axis=0) for one in of], axis=0).astype(np.float16)
    compare_and_keep(WEIGHTS, {**learned(of, network, "with all"), "passage": passage}, write=given.write)


if __name__ == "__main__":
    main()
