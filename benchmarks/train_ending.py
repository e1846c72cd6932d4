"""Train what says that a statement ends another: `python -m benchmarks.train_ending [--write]`.

A logistic regression on pairs of statements of the labelled chats (`benchmarks/data/labelled`), as the memory keeps
them when they are judged by what was learned of other hands. A pair is right where one has a clause that, by the hand
that read the chat for it, ended a clause of the other. The table shows how well the hands are told by what was learned
of the others, statement by statement: of those that are said to be ended, how many were, and of those that were, how
many are said to be. With `--write` the weights are made of all hands; the last line says how far they are from the
file's.
"""

import argparse
import asyncio
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.preprocessing import StandardScaler

from benchmarks import labelled
from benchmarks.judged import FOLDS, SEED
from benchmarks.ranking_lab import CACHE
from benchmarks.train_classifier import trained_without
from benchmarks.train_judge import examples, judge_without
from benchmarks.weights import compare_and_keep
from ragpp.embedding.onnx import OnnxEmbedder
from ragpp.embedding.second import E5Encoder
from ragpp.extraction.spacy_extractor import SpacyExtractor
from ragpp.learned import VERBATIM_DETAIL
from ragpp.models import FindingEntry, Interaction
from ragpp.text.spans import Span
from ragpp_infra.embedded.second_encoder import fetch_second
from ragpp_services.procedural.findings import ending
from ragpp_services.procedural.findings.ending import (
    BOTH,
    LEAST_CHANGE,
    NEAR,
    Model,
    Statement,
    features,
    log_odds,
    read_statement,
)
from ragpp_services.workers.authorship.own_words import own_text
from ragpp_services.workers.language.classifier import Classifier
from ragpp_services.workers.language.judging import Judge
from ragpp_services.workers.stages.stating import found_in
from tests.support.workers import parts_with

WEIGHTS: Final = Path(ending.__file__).parent / ending.WEIGHTS
INVERSE_L2: Final = 0.3
LEAST_CHATS: Final = 2
"""A stem that so many chats have is no rarity."""
THRESHOLDS: Final = (0.2, 0.3, 0.4, 0.5, 0.6)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Told:
    """A statement of a chat: its `clauses`, its vectors of length 1, and since when it is said."""

    entry: FindingEntry
    statement: Statement
    clauses: frozenset[labelled.Place]
    embedding: Floats
    meaning: Floats


@dataclass(frozen=True)
class Pairs:
    """`x`: (pairs, features); `y`: (pairs,), whether the newer ends the older. `of`: (pairs, 2), the older one's
    hand and its number among what that hand told. `ended`: those that any clause ends, also one that is not kept."""

    x: Floats
    y: npt.NDArray[np.bool_]
    of: npt.NDArray[np.int64]
    ended: frozenset[tuple[int, int]]


async def tell_chats() -> dict[int, list[Told]]:
    """The statements of each hand."""
    encoder, embedder, extractor = E5Encoder(fetch_second()), OnnxEmbedder(CACHE), SpacyExtractor()
    of, meaning = await examples()
    told: dict[int, list[Told]] = {}
    for fold in range(FOLDS):
        judge = Judge(encoder, judge_without(fold, of, meaning), Classifier(CACHE, trained_without(fold)))
        parts = parts_with(judge=judge, extractor=extractor)
        for chat in labelled.read_chats():
            if int(chat.hand) % FOLDS == fold:
                items, places = _typed(chat)
                found = await found_in(parts, [item for item in items if item.role == "user"])
                entries = list({one.id: one for of_item in found.values() for one in of_item}.values())
                vectors = await embedder.embed([one.text for one in entries])
                told[int(chat.hand)] = [
                    one for pair in zip(entries, vectors, strict=True) if (one := _told(*pair, items, places))
                ]
    await encoder.close()
    await embedder.close()
    return told


Places = dict[str, list[tuple[Span, labelled.Place]]]
"""Where each clause of a message stands."""


def _typed(chat: labelled.Chat) -> tuple[list[Interaction], Places]:
    """The chat's messages with the marks that people put between clauses."""
    chance, items, places = random.Random(SEED + int(chat.hand)), list[Interaction](), Places()
    for number, (said, message) in enumerate(zip(chat.life.messages, chat.messages, strict=True)):
        text, spans = labelled.joined(message.clauses, chance)
        items.append(
            Interaction(id=said.id, session_id=said.session, role=said.role, content=text, occurred_at=message.at)
        )
        places[said.id] = [(span, (number, clause)) for clause, span in enumerate(spans)]
    return items, places


def _told(entry: FindingEntry, vector: Floats, items: Sequence[Interaction], places: Places) -> Told | None:
    statement = read_statement(entry.finding, entry.details)
    if statement is None or entry.meaning is None:
        return None
    (source,), said = entry.sources, str(entry.details[VERBATIM_DETAIL])
    start = next(own_text(item) for item in items if item.id == source).index(said)
    own = Span(start, start + len(said))
    clauses = {place for span, place in places[source] if span.meets(own)}
    return Told(entry, statement, frozenset(clauses), vector / np.linalg.norm(vector), np.array(entry.meaning))


def rarities(told: dict[int, list[Told]]) -> tuple[dict[int, float], float]:
    """The information of stems that LEAST_CHATS have, by the share of chats that have them, and that of all others."""
    having = Counter(stem for of in told.values() for stem in frozenset().union(*(one.statement.stems for one in of)))
    most = math.log(len(told) + 1)
    information = {stem: 1 - math.log(count + 1) / most for stem, count in having.items() if count >= LEAST_CHATS}
    return information, 1 - math.log(LEAST_CHATS) / most


def pair(told: dict[int, list[Told]], model: Model) -> Pairs:
    """All pairs that were not said at one moment."""
    chats = {int(chat.hand): chat for chat in labelled.read_chats()}
    x, y, of, gone = list[tuple[float, ...]](), list[bool](), list[tuple[int, int]](), set[tuple[int, int]]()
    for hand, statements in told.items():
        by = {(one.clause, one.by) for one in chats[hand].ended if one.by}
        ended = {clause for clause, _ in by}
        for number, older in enumerate(statements):
            if older.clauses & ended:
                gone.add((hand, number))
            for newer in statements:
                if newer.entry.occurred_at > older.entry.occurred_at:
                    cosines = (float(older.embedding @ newer.embedding), float(older.meaning @ newer.meaning))
                    x.append(features(older.statement, newer.statement, model, *cosines))
                    y.append(any((one, other) in by for one in older.clauses for other in newer.clauses))
                    of.append((hand, number))
    return Pairs(np.array(x), np.array(y), np.array(of), frozenset(gone))


def left_out(pairs: Pairs, count: int) -> Floats:
    """The odds of each pair by what was learned of other hands, by the first `count` features."""
    odds, folds = np.zeros(len(pairs.y)), pairs.of[:, 0] % FOLDS
    for fold in range(FOLDS):
        weights, bias = fitted(pairs.x[folds != fold, :count], pairs.y[folds != fold])
        odds[folds == fold] = 1 / (1 + np.exp(-(pairs.x[folds == fold, :count] @ weights + bias)))
    return odds


def fitted(x: Floats, y: npt.NDArray[np.bool_]) -> tuple[Floats, float]:
    """Weights and bias of features as they are."""
    scale = StandardScaler().fit(x)
    model = LogisticRegression(C=INVERSE_L2, max_iter=500).fit(scale.transform(x), y)
    weights = model.coef_[0] / scale.scale_
    return weights, float(model.intercept_[0] - weights @ scale.mean_)


def report(pairs: Pairs, odds: Floats, title: str, console: Console) -> None:
    """How well it is told which statements are ended."""
    surest: dict[tuple[int, int], tuple[float, bool]] = {}
    may = pairs.x[:, BOTH.index("changes")] >= log_odds(LEAST_CHANGE)
    for (hand, number), one, ends in zip(pairs.of.tolist(), (odds * may).tolist(), pairs.y.tolist(), strict=True):
        surest[hand, number] = max((one, ends), surest.get((hand, number), (0.0, False)))
    told = np.array([one for one, _ in surest.values()])
    by_that_one = np.array([ends for _, ends in surest.values()])
    right = np.array([one in pairs.ended for one in surest])
    table = Table("odds from", "said to be ended", "are", "by just that one", "of what is ended", title=title)
    for least in THRESHOLDS:
        said = told >= least
        share = (said & right).sum() / max(1, len(pairs.ended))
        table.add_row(
            f"{least}", f"{said.sum()}", f"{right[said].mean():.0%}", f"{by_that_one[said].mean():.0%}", f"{share:.0%}"
        )
    console.print(table)
    near = pairs.x[:, BOTH.index("embeddings")] + pairs.x[:, BOTH.index("meanings")] >= NEAR
    likely = odds >= ending.LEAST
    console.print(
        f"{len(told):,} statements, {len(pairs.ended):,} of them ended, {pairs.y.sum():,} of {len(pairs.y):,} pairs; "
        f"average precision {average_precision_score(pairs.y, odds):.3f} of pairs, "
        f"{average_precision_score(right, told):.3f} of statements; {near.mean():.1%} of the pairs are near, "
        f"{near[likely].mean():.1%} of the likely ones"
    )


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="the weights, beside the module that reads them")
    given = parser.parse_args()
    console = Console()
    told = asyncio.run(tell_chats())
    rarity, others = rarities(told)
    pairs = pair(told, Model(rarity, others, (), 0.0))
    stems = sorted(rarity)
    made: dict[str, npt.NDArray[np.float64] | npt.NDArray[np.int64]] = {
        "stems": np.array(stems, np.int64),
        "rarity": np.array([rarity[stem] for stem in stems]),
        "others": np.array(others),
    }
    for name, count in (("both", len(BOTH)), ("alone", len(BOTH) - 1)):
        title = "with the second encoder" if name == "both" else "without"
        report(pairs, left_out(pairs, count), title, console)
        weights, bias = fitted(pairs.x[:, :count], pairs.y)
        made[f"weights_{name}"], made[f"bias_{name}"] = weights, np.array(bias)
    compare_and_keep(WEIGHTS, made, write=given.write)


if __name__ == "__main__":
    main()
