"""Train what moves a question to its answers: `python -m benchmarks.train_adapter [--write]`.

The linear adapter of `episodic/ranking/second.py`, on the questions of the labelled chats (`benchmarks/data/labelled`)
alone, so that lives and conversations measure what it is worth. What is learned is what must be added to the ranking
without a second encoder for what answers to come first: the loss is the cross-entropy of the messages that answer among
the best of that ranking, as it weighs the second encoder. The rows show the chats by what was learned of others; with
`--write` the weights are made of all, and the last line says how far they are from the file's.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from benchmarks.ranking_data import load_chats, load_metrics
from benchmarks.ranking_lab import CACHE, EVAL_DIR, Scorer, Tables, evaluate, heading, line, prepare, second_cosines
from benchmarks.weights import compare_and_keep
from ragpp_services.episodic.ranking import DEFAULT, QuerySignals, rank, second
from ragpp_services.episodic.ranking.second import STEEPER, Adapter

WEIGHTS: Final = Path(second.__file__).parent / second.WEIGHTS
FOLDS: Final = 4
CANDIDATES: Final = 100
SHARPNESS: Final = 6.0
"""The logits of one candidate against another for each unit of cosine between them."""
L2_BIAS: Final = 1.0
L2_MATRIX: Final = 0.03
STEPS: Final = 60
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A question of `chat`: its vector, (d,); of its candidates, best first, the `passages`, (n, d), the `scores`
    without a second encoder, and which are `answers`, (n,)."""

    chat: str
    question: Floats
    passages: Floats
    scores: Floats
    answers: npt.NDArray[np.bool_]


def examples(tables: Tables) -> list[Example]:
    """Those questions that some, and not all, of the candidates answer."""
    found = []
    for indexed, of_questions in tables:
        assert indexed.second is not None
        passages, questions = (part.astype(np.float64) for part in indexed.second)
        ids = [turn.id for turn in indexed.conversation.interactions]
        for asked, vector, table in zip(indexed.conversation.questions, questions, of_questions, strict=True):
            best = rank(replace(table, second=None), QuerySignals(asked.text), limit=CANDIDATES)
            rows = [one.row for one in best]
            share = DEFAULT.second_share * np.nan_to_num(table.cosines[rows])
            answers = np.array([ids[table.ordinals[row]] in asked.gold for row in rows])
            if answers.any() and not answers.all():
                scores = np.array([one.raw for one in best]) - share
                found.append(Example(indexed.conversation.name, vector, passages[rows], scores, answers))
    return found


def learned(of: Sequence[Example]) -> Adapter:
    """The adapter that puts the answers of all of them first."""
    question = np.mean([one.question for one in of], axis=0)
    passage = np.mean([one.passages.mean(axis=0) for one in of], axis=0)
    asked = np.stack([one.question for one in of])
    moved = asked - question
    size, counts = len(question), STEEPER * (DEFAULT.second + DEFAULT.second_share)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        bias, matrix = parameters[:size], parameters[size:].reshape(size, size)
        adapted = asked + bias + moved @ matrix.T
        pulled, total = np.zeros_like(asked), 0.0
        for row, one in enumerate(of):
            logits = SHARPNESS * (one.scores + counts * (one.passages @ adapted[row]))
            odds = np.exp(logits - logits.max())
            odds /= odds.sum()
            right = float(odds[one.answers].sum()) + 1e-12
            total -= float(np.log(right))
            pull = odds - np.where(one.answers, odds / right, 0.0)
            pulled[row] = SHARPNESS * counts * (pull @ one.passages)
        held = L2_BIAS * float(bias @ bias) + L2_MATRIX * float((matrix**2).sum())
        slope = (pulled.mean(axis=0) + L2_BIAS * bias, pulled.T @ moved / len(of) + L2_MATRIX * matrix)
        return total / len(of) + held / 2, np.concatenate([slope[0], slope[1].ravel()])

    found = minimize(loss, np.zeros(size * (size + 1)), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    parts = (question, passage, found[:size], found[size:].reshape(size, size))
    return Adapter(*(part.astype(np.float16).astype(np.float32) for part in parts))


def left_out(tables: Tables, of: Sequence[Example]) -> Tables:
    """The tables of each chat with the second encoder as it is by what was learned of chats of other folds."""
    fold = {name: number % FOLDS for number, name in enumerate(sorted({one.chat for one in of}))}
    adapters = [learned([one for one in of if fold[one.chat] != number]) for number in range(FOLDS)]
    return [
        (
            indexed,
            [
                replace(table, second=second_cosines(indexed, number, adapters[fold[indexed.conversation.name]]))
                for number, table in enumerate(of_questions)
            ],
        )
        for indexed, of_questions in tables
        if indexed.conversation.name in fold
    ]


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--write", action="store_true", help="the weights, beside the module that reads them")
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    tables = asyncio.run(prepare(load_chats(), given.cache))
    of = examples(tables)
    without = replace(DEFAULT, second=0.0, second_named=0.0, second_share=0.0)
    if EVAL_DIR.exists():
        score: Scorer = load_metrics(EVAL_DIR).evidence_metrics
        print(heading())
        for title, data, weights in (
            ("without a second encoder", tables, without),
            ("by what was learned of other chats", left_out(tables, of), DEFAULT),
        ):
            print(line(title, (metrics for *_, metrics in evaluate(data, weights, score))))
    else:
        print(f"{EVAL_DIR} has the metrics: without it nothing is told of chats that were left out")
    made = {name: part.astype(np.float16) for name, part in asdict(learned(of)).items()}
    compare_and_keep(WEIGHTS, made, write=given.write)


if __name__ == "__main__":
    main()
