"""Train what judges clauses beside the classifier: `python -m benchmarks.train_judge [--write]`.

A logistic regression for each kind and trait on clauses in their messages (`benchmarks.judged`). The tables show how
well each hand is judged by what was learned of the others, without the classifier and with it. With `--write` the
weights are made of all hands; the last line says how far they are from the file's.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.judged import FOLDS, Example, read_documents
from benchmarks.train_classifier import scores_left_out
from benchmarks.weights import compare_and_keep
from ragpp.embedding.second import E5Encoder
from ragpp_infra.embedded.second_encoder import fetch_second
from ragpp_services.workers.language import judging
from ragpp_services.workers.language.features import SIZE, hashed
from ragpp_services.workers.language.judging import (
    HEADS,
    KINDS,
    LEAST_WORTH,
    LEAST_WORTH_OF,
    Model,
    expected_worth,
    odds_of,
)

WEIGHTS: Final = Path(judging.__file__).parent / judging.WEIGHTS
MEANING: Final = 4.0
"""The factor of a vector's numbers: they are small beside the hashed features, and so are held to 0 less."""
INVERSE_L2: Final = 0.5
Floats = npt.NDArray[np.float64]


async def examples() -> tuple[list[Example], Floats]:
    """The examples of all documents, and what each means in its message, (n, dimension)."""
    encoder = E5Encoder(fetch_second())
    found, meaning = list[Example](), []
    for document in read_documents():
        single = [span for span, one in document.examples.items() if one.clauses == 1]
        known = dict(zip(single, await encoder.encode_spans(document.text, single), strict=True))
        for span, one in document.examples.items():
            found.append(one)
            meaning.append(known[span] if span in known else (await encoder.encode_spans(document.text, [span]))[0])
    await encoder.close()
    return found, np.stack(meaning).astype(np.float64)


def matrix(of: Sequence[Example], meaning: Floats | None) -> csr_matrix:
    """(examples, features): what each means, where given, and its hashed features."""
    rows = [hashed(one.text) for one in of]
    ends = np.cumsum([0, *(len(indexes) for indexes, _ in rows)])
    parts = (np.concatenate([values for _, values in rows]), np.concatenate([indexes for indexes, _ in rows]), ends)
    features = csr_matrix(parts, shape=(len(of), SIZE))
    return features if meaning is None else hstack([csr_matrix(meaning * MEANING), features]).tocsr()


def _fitted(x: csr_matrix, y: npt.NDArray[np.bool_]) -> LogisticRegression:
    return LogisticRegression(C=INVERSE_L2, max_iter=100).fit(x, y)


def left_out(of: Sequence[Example], x: csr_matrix) -> Floats:
    """(examples, heads): the log-odds of each example, by what was learned of the other hands."""
    folds, found = np.array([one.hand % FOLDS for one in of]), np.zeros((len(of), len(HEADS)))
    for column, head in enumerate(HEADS):
        y = np.array([head in one.heads for one in of])
        for fold in range(FOLDS):
            out = folds == fold
            found[out, column] = _fitted(x[~out], y[~out]).decision_function(x[out])
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


def report(of: Sequence[Example], scores: Floats, title: str, console: Console) -> None:
    """How well single clauses are judged by the log-odds that were learned of other hands."""
    single = np.array([one.clauses == 1 for one in of])
    truths = np.array([[head in one.heads for head in HEADS] for one in of])[single]
    odds = odds_of(scores[single].astype(np.float32))
    table = Table("head", "clauses", "AUC", "average precision", title=title)
    for head, y, given in zip(HEADS, truths.T, odds.T, strict=True):
        auc, precision = roc_auc_score(y, given), average_precision_score(y, given)
        table.add_row(head, f"{y.sum():,}", f"{auc:.3f}", f"{precision:.3f}")
    console.print(table)
    y, worth = truths[:, HEADS.index("kept")], expected_worth(odds)
    least = np.array([LEAST_WORTH_OF.get(kind, LEAST_WORTH) for kind in KINDS])
    kept = worth >= least[odds[:, : len(KINDS)].argmax(axis=1)]
    right = float((y & kept).sum())
    console.print(f"worth: AUC {roc_auc_score(y, worth):.3f}; kept: {kept.mean():.0%} of the clauses,", end=" ")
    console.print(f"{right / kept.sum():.0%} of them rightly, {right / y.sum():.0%} of what is to be kept")


def weights(
    of: Sequence[Example], meaning: Floats, classified: Floats, console: Console
) -> dict[str, npt.NDArray[np.float16]]:
    """Everything that the file has. `classified`: the classifier's log-odds."""
    mean = meaning.mean(axis=0)
    made: dict[str, npt.NDArray[np.float16]] = {"mean": mean.astype(np.float16)}
    for name, vectors in (("both", meaning - mean), ("alone", None)):
        x = matrix(of, vectors)
        scores, encoders = left_out(of, x), "with the second encoder" if name == "both" else "without"
        report(of, scores, encoders, console)
        report(of, (scores + classified) / 2, f"{encoders}, and with the classifier", console)
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
    made = weights(of, meaning, asyncio.run(scores_left_out(read_documents())).astype(np.float64), console)
    compare_and_keep(WEIGHTS, made, write=given.write)


if __name__ == "__main__":
    main()
