"""From a scan of items to what answers a question, best first. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from pydantic import JsonValue

from ragpp.catalog import PRIORITIES, SIMILARITY_THRESHOLD
from ragpp.ranking.arrays import BoolArray, FloatArray, IntArray
from ragpp.ranking.choosing import Chosen
from ragpp.ranking.coverage import coverage, document_frequencies, inverse_document_frequencies
from ragpp.ranking.texts import borrowed, rank_texts
from ragpp.stores.packed_columns import cosines, flags, term_weights, whole_numbers

_PRIORITIES: Final = np.asarray([PRIORITIES["low"], PRIORITIES["normal"], PRIORITIES["high"]], np.float64)
"""By the numbers that the statement `scan_items` has for importances."""


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """The packed columns of the statement `scan_items`, one entry a row; None for one that was not asked for."""

    items: int
    ordinals: bytes | None = None
    groups: bytes | None = None
    resources: bytes | None = None
    moments: bytes | None = None
    importances: bytes | None = None
    distances: bytes | None = None
    lexical: bytes | None = None
    eligible: bytes | None = None


@dataclass(frozen=True, slots=True)
class AroundColumns:
    """The packed columns of the statement `scan_around_items`, one entry a chunk; None where there is none."""

    resources: bytes | None = None
    ordinals: bytes | None = None
    parts: bytes | None = None
    distances: bytes | None = None
    lexical: bytes | None = None
    eligible: bytes | None = None


@dataclass(frozen=True, slots=True)
class Documents:
    """How many there are, and (t,) how many of them hold each of the question's terms."""

    count: int
    holding: FloatArray


@dataclass(frozen=True, slots=True)
class Ranked:
    """An item that answers a question. `ordinal`: of the row that stands for it. `score`: (0, 1). `similarity`: its
    cosine with the question, None where there is none. `coverage`: the share of the question's information that it
    tells itself. `explain`: what the score is made of, where it was asked for."""

    ordinal: int
    score: float
    similarity: float | None
    coverage: float | None = None
    explain: dict[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Items found, best first, and how many are similar to the question; `documents`: of which they were found."""

    ranked: list[Ranked]
    total_found: int
    documents: Documents


@dataclass(frozen=True, slots=True)
class Table:
    """The scanned statements, as arrays with one row for each. `cosine`: NaN where there is no vector to compare with.
    `weights`: (rows, terms). `around`: (rows, terms), of the chunk of each one's resource that holds most of the
    question."""

    ordinal: IntArray
    group: IntArray
    moment: IntArray
    priority: FloatArray
    cosine: FloatArray
    weights: FloatArray
    around: FloatArray
    eligible: BoolArray

    @classmethod
    def of(cls, columns: ItemColumns, terms: Sequence[int], around: AroundColumns | None = None) -> "Table":
        """Unpacked; `terms`: those that were asked for."""
        count = columns.items
        resources = whole_numbers(columns.resources, "bigint")
        return cls(
            ordinal=whole_numbers(columns.ordinals, "bigint"),
            group=whole_numbers(columns.groups, "bigint"),
            moment=whole_numbers(columns.moments, "timestamptz"),
            priority=_PRIORITIES[whole_numbers(columns.importances, "smallint")],
            cosine=np.full(count, np.nan) if columns.distances is None else cosines(columns.distances),
            weights=np.zeros((count, len(terms))) if columns.lexical is None else term_weights(columns.lexical, terms),
            around=_lent(resources, around or AroundColumns(), terms),
            eligible=flags(columns.eligible or b""),
        )

    def firsts(self, among: BoolArray) -> IntArray:
        """The first row of each group among those."""
        rows = np.flatnonzero(among)
        rows = rows[np.argsort(self.ordinal[rows], kind="stable")]
        _, places = np.unique(self.group[rows], return_index=True)
        result: IntArray = rows[places].astype(np.int64)
        return result

    def is_none_of(self, chosen: Chosen) -> BoolArray:
        """(n,): which rows were not chosen, but are in no segment."""
        return ~np.isin(self.ordinal, chosen.ordinals)


def rank(
    table: Table,
    *,
    limit: int,
    least: float | None = None,
    by_words_alone: bool = False,
    explain: bool = False,
    chosen: Chosen | None = None,
) -> Answer:
    """The `limit` best of what is eligible, one row for each item: the first eligible of its group.

    `least`: what is less similar is left out. `by_words_alone`: so is what has no word of the question, and meaning
    does not count. Of equals the later one is first. Rarity is counted over all items that were scanned; where these
    were `chosen`, over those that they were chosen of, and the others of the table.
    """
    if not len(table.ordinal):
        return Answer([], 0, Documents(0, np.zeros(table.weights.shape[1])))
    whole = table.firsts(np.ones(len(table.ordinal), np.bool_) if chosen is None else table.is_none_of(chosen))
    documents, holding = len(whole), document_frequencies(table.weights[whole] > 0)
    if chosen is not None:
        documents, holding = documents + chosen.documents, holding + chosen.holding
    rarity = inverse_document_frequencies(documents, holding)
    rows = table.firsts(table.eligible)
    total = int((table.cosine[rows] >= SIMILARITY_THRESHOLD).sum())
    if least is not None:
        rows = rows[table.cosine[rows] >= least]
    if by_words_alone:
        rows = rows[(table.weights[rows] > 0).any(axis=1)]
    cosine = np.full(len(rows), np.nan) if by_words_alone else table.cosine[rows]
    around = table.around[rows]
    scores = rank_texts(cosine, table.weights[rows], priorities=table.priority[rows], rarity=rarity, around=around)
    best = np.lexsort((-table.ordinal[rows], -table.moment[rows], -scores))[:limit]
    told = coverage(table.weights[rows], rarity)
    ranked = []
    for place in best.tolist():
        row = rows[place]
        similarity = float(table.cosine[row])
        signals: dict[str, JsonValue] | None = None
        if explain:
            own, near = table.weights[row : row + 1], cosine[place : place + 1]
            covered = float(told[place])
            lent = float(coverage(borrowed(near, own, table.around[row : row + 1]), rarity)[0]) - covered
            signals = {"words": round(covered, 4), "lent": round(lent, 4), "priority": float(table.priority[row])}
            if not np.isnan(cosine[place]):
                signals["meaning"] = round(similarity, 4)
        known = None if np.isnan(similarity) else similarity
        ranked.append(Ranked(int(table.ordinal[row]), float(scores[place]), known, float(told[place]), signals))
    return Answer(ranked, total, Documents(documents, holding))


def _lent(resources: IntArray, around: AroundColumns, terms: Sequence[int]) -> FloatArray:
    """(rows, terms): of each row's resource, the weights in the chunk that holds most terms of the question, of equals
    the first; zeros without any."""
    lent = np.zeros((len(resources), len(terms)))
    if around.lexical is None or not len(resources):
        return lent
    weights = term_weights(around.lexical, terms)
    lenders = whole_numbers(around.resources, "bigint")
    order = np.lexsort((-weights.sum(axis=1), lenders))
    known, firsts = np.unique(lenders[order], return_index=True)
    places = np.searchsorted(known, resources).clip(max=len(known) - 1)
    lends = known[places] == resources
    lent[lends] = weights[order[firsts[places[lends]]]]
    return lent
