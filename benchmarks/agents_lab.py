"""Memories that fit a message, and that an answer used, without servers: `python -m benchmarks.agents_lab [--folds]`.

Judges `ragpp.entries.fitting` and `ragpp.entries.usefulness` on the development half of `data/agents`, with the
production embedding, and learns the constants of both anew. A memory's candidates are all of its world. `--folds`: each
world is judged with constants that were chosen on the others (of the pairs of a memory and an answer: each fifth of the
memories), which is what to expect of a world that nobody has seen.

Of the rules that are tried, that one is chosen which puts most fitting memories before messages and is right AIM of the
time. The regression of use is by Newton's method, without a penalty but RIDGE, which only keeps it finite.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt
from rich.table import Table

from benchmarks.agents import Asked, Chosen, Half, Judged, Use, half, shares_of, uses_of
from benchmarks.evaluation import wide_console
from ragpp.embedding import Embedder, FloatMatrix
from ragpp.embedding.factory import make_embedder
from ragpp.entries.fitting import FittingRule, fitting_of
from ragpp.entries.usefulness import MOST_SHARED, closest_of, shared_terms, usefulness
from ragpp.entries.values import CatalogEntry, FoundEntry
from ragpp.retrieval import Calibration
from ragpp.settings import EmbeddingSettings
from ragpp.text.sentences import clean, split

AIM: Final = 0.85
RULES: Final = [
    FittingRule(words, least / 100, near)
    for words, least, near in product((0.0, 0.3, 0.6, 0.9), range(34, 52, 2), (0.05, 0.1, 0.2, 1.0))
]
FOLDS: Final = 5
RIDGE: Final = 0.01
STEPS: Final = 50
Row = Sequence[tuple[str, float]]
Coefficients = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A message with the memories of its world, as a search finds them."""

    asked: Asked
    found: list[FoundEntry]

    def chosen(self, rule: FittingRule) -> Chosen:
        """The memories that fit, by `rule`."""
        return Chosen(self.asked, frozenset(fitting_of(self.found, self.asked.message, rule)))


@dataclass(frozen=True)
class Pair:
    """A memory and an answer: `closest`, `shared` as `usefulness` takes them; `fold`: of its memory."""

    use: Use
    closest: float
    shared: int
    fold: int


async def cases_of(labels: Half, embedder: Embedder) -> list[Case]:
    """Every message of a half. Raises EmbeddingError."""
    scale = Calibration.of_model(embedder.model)
    if scale is None:
        raise ValueError(f"{embedder.model} is not measured")
    memories = [memory for world in labels.worlds.values() for memory in world]
    told = await embedder.embed([memory.content for memory in memories])
    vectors = dict(zip((memory.id for memory in memories), told, strict=True))
    asked = await embedder.embed([one.message for one in labels.messages])
    return [
        Case(
            one,
            [
                FoundEntry(
                    entry=CatalogEntry(
                        memory_id=memory.id,
                        timestamp=memory.occurred_at,
                        summary="",
                        abstract="",
                        content=memory.content,
                    ),
                    similarity=scale.of(float(vectors[memory.id] @ vector)),
                )
                for memory in labels.worlds[one.world]
            ],
        )
        for one, vector in zip(labels.messages, asked, strict=True)
    ]


async def pairs_of(labels: Half, embedder: Embedder) -> list[Pair]:
    """Every memory with an answer of a half. Raises EmbeddingError."""
    contents = list(dict.fromkeys(use.memory for use in labels.uses))
    vectors = dict(zip(contents, await embedder.embed(contents), strict=True))
    pairs = []
    for use in labels.uses:
        sentences = [use.response[one.start : one.end] for one in split(clean(use.response))]
        told: FloatMatrix = await embedder.embed(sentences) if sentences else np.zeros((0, 1), np.float32)
        closest, fold = closest_of(told, vectors[use.memory]), contents.index(use.memory) % FOLDS
        pairs.append(Pair(use, closest, shared_terms(use.response, use.memory), fold))
    return pairs


def best_rule(cases: Sequence[Case], rules: Sequence[FittingRule] = RULES) -> FittingRule:
    """The best of `rules`; see the module."""

    def worth(rule: FittingRule) -> tuple[bool, float]:
        shares = shares_of([case.chosen(rule) for case in cases])
        sure = shares["precision"] >= AIM
        return sure, shares["recall"] if sure else shares["precision"]

    return max(rules, key=worth)


def learned(pairs: Sequence[Pair]) -> Coefficients:
    """The coefficients of use: of a cosine of 1, of a shared word, and without either; from pairs that share any."""
    known = [pair for pair in pairs if pair.shared]
    told = np.asarray([[pair.closest, min(pair.shared, MOST_SHARED), 1.0] for pair in known])
    used = np.asarray([pair.use.used for pair in known], np.float64)
    result: Coefficients = np.zeros(3)
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-told @ result))
        curvature = told.T @ (told * (likely * (1 - likely))[:, None]) + RIDGE * np.eye(3)
        result = result + np.linalg.solve(curvature, told.T @ (used - likely) - RIDGE * result)
    return result


def likely_of(pair: Pair, coefficients: Coefficients) -> float:
    """As `usefulness`, by these coefficients."""
    told = np.asarray([pair.closest, min(pair.shared, MOST_SHARED), 1.0])
    return float(1 / (1 + np.exp(-told @ coefficients))) if pair.shared else 0.0


def table_of(title: str, rows: Mapping[str, Mapping[str, float]]) -> Table:
    """Figures by row."""
    columns = list(dict.fromkeys(name for numbers in rows.values() for name in numbers))
    table = Table("", *columns, title=title, title_justify="left")
    for name, numbers in rows.items():
        table.add_row(name, *(f"{numbers[column]:.{0 if column in {'n', 'chosen'} else 2}f}" for column in columns))
    return table


def fitted(cases: Sequence[Case], *, folds: bool) -> dict[str, dict[str, float]]:
    """Figures of what fits: by the rule as it is, and with `folds` by rules that did not see the world."""

    def by(rule: FittingRule, of: Sequence[Case] = cases) -> list[Chosen]:
        return [case.chosen(rule) for case in of]

    rows = {"as it is": shares_of(by(FittingRule()))}
    for name, rules in {"all": RULES, "meaning alone": [rule for rule in RULES if not rule.words]}.items():
        unseen = list[Chosen]()
        for world in sorted({case.asked.world for case in cases}) if folds else ():
            rule = best_rule([case for case in cases if case.asked.world != world], rules)
            own = by(rule, [case for case in cases if case.asked.world == world])
            rows[f"{world}: {rule.words} {rule.least} {rule.near}"] = shares_of(own)
            unseen += own
        if unseen:
            rows[f"left out, of {name}"] = shares_of(unseen)
    return rows


def used(pairs: Sequence[Pair], *, folds: bool) -> dict[str, dict[str, float]]:
    """Figures of what was used: as it is, by what all teach, and with `folds` by what did not see the memory."""

    def by(coefficients: Coefficients, of: Sequence[Pair]) -> list[Judged]:
        return [Judged(pair.use, likely_of(pair, coefficients)) for pair in of]

    anew = learned(pairs)
    rows = {
        "as it is": uses_of([Judged(pair.use, usefulness(pair.closest, pair.shared)) for pair in pairs]),
        " ".join(f"{one:+.2f}" for one in anew): uses_of(by(anew, pairs)),
    }
    if folds:
        unseen = list[Judged]()
        for fold in range(FOLDS):
            coefficients = learned([pair for pair in pairs if pair.fold != fold])
            unseen += by(coefficients, [pair for pair in pairs if pair.fold == fold])
        rows["left out"] = uses_of(unseen)
    return rows


async def embedded(labels: Half) -> tuple[list[Case], list[Pair]]:
    """A half, embedded."""
    embedder = make_embedder(EmbeddingSettings(provider="onnx"))
    try:
        return await cases_of(labels, embedder), await pairs_of(labels, embedder)
    finally:
        await embedder.close()


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", action="store_true", help="judge each world by what was chosen on the others")
    given = parser.parse_args()
    cases, pairs = asyncio.run(embedded(half("development")))
    console = wide_console()
    console.print(table_of("what fits a message", fitted(cases, folds=given.folds)))
    console.print(table_of("what an answer used", used(pairs, folds=given.folds)))


if __name__ == "__main__":
    main()
