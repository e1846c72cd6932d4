"""Train on what classifies clauses: `python -m benchmarks.train_classifier [--write]`.

MiniLM is trained on (`benchmarks.heads`) with what is true of clauses (`benchmarks.judged`). The table shows how
well each hand is classified by what was learned of the others. With `--write` the weights are made of all hands; the
last line says how far they are from the file's. What was learned without a fold is kept in a cache, by what it was
learned of: `train_judge` and `train_ending` judge by it.
"""

import argparse
import asyncio
import hashlib
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.judged import FOLDS, SEED, Document, read_documents
from benchmarks.ranking_lab import CACHE
from benchmarks.weights import compare_and_keep
from ragpp.embedding.stretches import MAX_TOKENS
from ragpp.text.tokens import load_tokenizer
from ragpp_services.workers.language import classifier
from ragpp_services.workers.language.classifier import Classifier, Trained, read_trained
from ragpp_services.workers.language.judging import HEADS

WEIGHTS: Final = Path(classifier.__file__).parent / classifier.WEIGHTS
KEPT: Final = CACHE / "classifier"
REVISION: Final = 1
"""The revision of how it is learned: raise it when `benchmarks.heads` learns otherwise."""
Arrays = dict[str, npt.NDArray[np.float16]]
Floats = npt.NDArray[np.float32]


def learned(of: Sequence[Document], title: str) -> Arrays:
    """The arrays of the file that `of` teach: from the cache where they were learned before."""
    digest = hashlib.sha256(str(REVISION).encode())
    for document in of:
        truths = [(span, sorted(one.heads)) for span, one in document.examples.items()]
        digest.update(repr((document.text, truths)).encode())
    path = KEPT / f"{digest.hexdigest()[:32]}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_suffix(".part").open("wb") as file:
            np.savez_compressed(file, **_trained_on(of, title))  # type: ignore[arg-type]  # no name is an option's
        path.with_suffix(".part").replace(path)
    with np.load(path) as kept:
        return {name: kept[name] for name in kept.files}


def _trained_on(of: Sequence[Document], title: str) -> Arrays:
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(KEPT / "compiled"))
    from benchmarks.heads import Text, learn  # noqa: PLC0415 - JAX, which `make train` installs

    tokenizer, texts = load_tokenizer(), list[Text]()
    for document in of:
        read = tokenizer.encode(document.text)
        offsets = np.array(read.offsets[:MAX_TOKENS])
        stretches, truths = list[tuple[int, int]](), list[list[bool]]()
        for span, example in document.examples.items():
            inside = np.flatnonzero((offsets[:, 0] < span.end) & (offsets[:, 1] > span.start))
            if len(inside):
                stretches.append((int(inside[0]), int(inside[-1]) + 1))
                truths.append([head in example.heads for head in HEADS])
        texts.append(Text(read.ids[:MAX_TOKENS], stretches, np.array(truths, np.float32)))
    return learn(texts, seed=SEED, title=title)


@cache
def trained_without(fold: int) -> Trained:
    """The classifier that learned of the other folds' hands alone."""
    arrays = learned([one for one in read_documents() if one.fold != fold], f"without fold {fold}")
    return read_trained(arrays)


async def scores_left_out(of: Sequence[Document]) -> Floats:
    """(examples, heads): the log-odds of single clauses by what was learned of other hands; NaN for more."""
    by, found = [Classifier(CACHE, trained_without(fold)) for fold in range(FOLDS)], list[Floats]()
    for document in of:
        single = [span for span, one in document.examples.items() if one.clauses == 1]
        scores = dict(zip(single, await by[document.fold].scores(document.text, single), strict=True))
        unknown = np.full(len(HEADS), np.nan, np.float32)
        found += [scores.get(span, unknown) for span in document.examples]
    return np.stack(found)


def report(of: Sequence[Document], scores: Floats, console: Console) -> None:
    """How well single clauses are classified by what was learned of other hands."""
    examples = [one for document in of for one in document.examples.values()]
    single = np.array([one.clauses == 1 for one in examples])
    table = Table("head", "clauses", "AUC", "average precision", title="by the classifier alone")
    for number, head in enumerate(HEADS):
        y, given = np.array([head in one.heads for one in examples])[single], scores[single, number]
        auc, precision = roc_auc_score(y, given), average_precision_score(y, given)
        table.add_row(head, f"{y.sum():,}", f"{auc:.3f}", f"{precision:.3f}")
    console.print(table)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="the weights, beside the module that reads them")
    given = parser.parse_args()
    of = read_documents()
    compare_and_keep(WEIGHTS, learned(of, "with all"), write=given.write)
    report(of, asyncio.run(scores_left_out(of)), Console())


if __name__ == "__main__":
    main()
