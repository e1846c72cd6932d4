"""Train what judges clauses: `python -m benchmarks.train_judge [--write]`.

A logistic regression for each kind and trait on the labelled chats (`benchmarks/data/labelled`), and on instructions
and small talk in plain sentences (`benchmarks.passed_on`), of which chats have few. Clauses are judged in their
messages, joined as people join them, mostly behind who speaks; two or three that follow each other are one example
more, since what is cut at work is a sentence. The table shows how well each hand is judged by what was learned of the
others. With `--write` the weights are made of all hands; the last line says how far they are from the file's.
"""

import argparse
import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks import labelled, passed_on
from benchmarks.weights import compare_and_keep
from ragpp.embedding.second import E5Encoder
from ragpp.text.spans import Span
from ragpp_infra.embedded.second_encoder import fetch_second
from ragpp_services.workers.language import judging
from ragpp_services.workers.language.features import SIZE, hashed
from ragpp_services.workers.language.judging import HEADS, LEAST_WORTH, Kind, Model, expected_worth

WEIGHTS: Final = Path(judging.__file__).parent / judging.WEIGHTS
FOLDS: Final = 4
MEANING: Final = 4.0
"""What a vector's numbers are multiplied with: they are small beside the hashed features, and so are held to 0 less."""
INVERSE_L2: Final = 0.5
SEED: Final = 7
TOGETHER: Final = 3
SPEAKERS: Final = (*[""] * 4, "Ada", "Bo", "Chidi", "Dana", "Emre", "Femke", "Goran", "Hana", "Ilse", "jon", "user")
"""Who speaks, or nobody with a name."""
NAMES: Final[Mapping[labelled.Kind, Kind]] = {"home": "residence", "thing": "possession", "rule": "instruction"}
"""Kinds whose labels have another name; the others have the same."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """Clauses that follow each other, in a message by `hand`. `heads`: those of HEADS that are true of it."""

    hand: int
    clauses: int
    text: str
    heads: frozenset[str]


async def examples() -> tuple[list[Example], Floats]:
    """The examples of all chats, and what each means in its message, (n, dimension)."""
    encoder = E5Encoder(fetch_second())
    chance, found, meaning = random.Random(SEED), list[Example](), []
    for chat in labelled.read_chats():
        for message in chat.messages:
            if message.role == "user":
                text, spans = labelled.joined(message.clauses, chance, speaker(chance))
                single = await encoder.encode_spans(text, spans)
                for first, last in _groups(len(spans)):
                    stretch = Span(spans[first].start, spans[last].end)
                    found.append(_example(int(chat.hand), text, stretch, message.clauses[first : last + 1]))
                    alone = first == last
                    meaning.append(single[first] if alone else (await encoder.encode_spans(text, [stretch]))[0])
    for fold, line, instructs in passed_on.plain_lines():
        before = speaker(chance)
        span = Span(len(before), len(before + line))
        found.append(Example(fold, 1, line, frozenset({"kept", "instruction"} if instructs else ())))
        meaning.append((await encoder.encode_spans(before + line, [span]))[0])
    await encoder.close()
    return found, np.stack(meaning).astype(np.float64)


def speaker(chance: random.Random) -> str:
    """The name before a message where it is judged (`lexical.index_line`), or nothing."""
    name = chance.choice(SPEAKERS)
    return f"{name}: " if name else ""


def _groups(clauses: int) -> Iterator[tuple[int, int]]:
    for count in range(1, TOGETHER + 1):
        for first in range(clauses - count + 1):
            yield first, first + count - 1


def _example(hand: int, text: str, span: Span, clauses: Sequence[labelled.Clause]) -> Example:
    heads = set[str]()
    for label in (clause.label for clause in clauses if clause.label is not None):
        if label.keep:
            heads |= {"kept", NAMES.get(label.kind, label.kind)}
        heads |= {"changes"} if label.flags & {"ends", "fixes"} else set()
        heads |= {"negated"} if "neg" in label.flags else set()
        heads |= {"past"} if label.time == "past" else set()
        heads |= {"planned"} if label.modality == "planned" else set()
        heads |= {"unsure"} if label.modality in {"wished", "supposed", "joked", "quoted"} else set()
    return Example(hand, len(clauses), text[span.start : span.end], frozenset(heads))


def matrix(of: Sequence[Example], meaning: Floats | None) -> csr_matrix:
    """(examples, features): what each means, where given, and its hashed features."""
    rows = [hashed(one.text) for one in of]
    ends = np.cumsum([0, *(len(indexes) for indexes, _ in rows)])
    parts = (np.concatenate([values for _, values in rows]), np.concatenate([indexes for indexes, _ in rows]), ends)
    features = csr_matrix(parts, shape=(len(of), SIZE))
    return features if meaning is None else hstack([csr_matrix(meaning * MEANING), features]).tocsr()


def _fitted(x: csr_matrix, y: npt.NDArray[np.bool_]) -> LogisticRegression:
    return LogisticRegression(C=INVERSE_L2, max_iter=100).fit(x, y)


def left_out(of: Sequence[Example], x: csr_matrix) -> dict[str, Floats]:
    """For each head the odds of each example, by what was learned of the other hands."""
    folds = np.array([one.hand % FOLDS for one in of])
    found = {}
    for head in HEADS:
        y, odds = np.array([head in one.heads for one in of]), np.zeros(len(of))
        for fold in range(FOLDS):
            odds[folds == fold] = _fitted(x[folds != fold], y[folds != fold]).predict_proba(x[folds == fold])[:, 1]
        found[head] = odds
    return found


def judge_without(fold: int, of: Sequence[Example], meaning: Floats) -> Model:
    """The judge that learned of the other hands alone."""
    mean = meaning.mean(axis=0)
    x = matrix(of, meaning - mean)
    others = np.array([one.hand % FOLDS != fold for one in of])
    models = [_fitted(x[others], np.array([head in one.heads for one in of])[others]) for head in HEADS]
    coefficients = np.stack([model.coef_[0] for model in models], axis=1).astype(np.float32)
    return Model(
        mean=mean.astype(np.float32),
        meaning=coefficients[:-SIZE] * np.float32(MEANING),
        hashed=coefficients[-SIZE:],
        bias=np.array([model.intercept_[0] for model in models], np.float32),
    )


def report(of: Sequence[Example], odds: Mapping[str, Floats], title: str, console: Console) -> None:
    """How well hands are judged by what was learned of the others, of single clauses."""
    single = np.array([one.clauses == 1 for one in of])
    table = Table("head", "clauses", "AUC", "average precision", title=title)
    for head in HEADS:
        y = np.array([head in one.heads for one in of])[single]
        given = odds[head][single]
        table.add_row(
            head, f"{y.sum():,}", f"{roc_auc_score(y, given):.3f}", f"{average_precision_score(y, given):.3f}"
        )
    console.print(table)
    y = np.array(["kept" in one.heads for one in of])[single]
    kept = expected_worth(np.stack([odds[head] for head in HEADS], axis=1))[single] >= LEAST_WORTH
    right = float((y & kept).sum())
    console.print(f"kept: {kept.mean():.0%} of the clauses, {right / kept.sum():.0%} of them rightly,", end=" ")
    console.print(f"{right / y.sum():.0%} of what is to be kept")


def weights(of: Sequence[Example], meaning: Floats, console: Console) -> dict[str, npt.NDArray[np.float16]]:
    """Everything that the file has."""
    mean = meaning.mean(axis=0)
    made: dict[str, npt.NDArray[np.float16]] = {"mean": mean.astype(np.float16)}
    for name, vectors in (("both", meaning - mean), ("alone", None)):
        x = matrix(of, vectors)
        odds = left_out(of, x)
        report(of, odds, "with the second encoder" if name == "both" else "without", console)
        models = [_fitted(x, np.array([head in one.heads for one in of])) for head in HEADS]
        coefficients = np.stack([model.coef_[0] for model in models], axis=1)
        made[f"hashed_{name}"] = coefficients[-SIZE:].astype(np.float16)
        made[f"bias_{name}"] = np.array([model.intercept_[0] for model in models], np.float16)
        if vectors is not None:
            made["meaning"] = (coefficients[:-SIZE] * MEANING).astype(np.float16)
    return made


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="the weights, beside the module that reads them")
    given = parser.parse_args()
    console = Console()
    of, meaning = asyncio.run(examples())
    made = weights(of, meaning, console)
    compare_and_keep(WEIGHTS, made, write=given.write)


if __name__ == "__main__":
    main()
