"""Which of very many rows an exact ranking has to look at: some hundreds that segments point to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.ranking.arrays import BoolArray, FloatArray, IntArray
from ragpp.ranking.coverage import WORDS, inverse_document_frequencies, trust_in_words
from ragpp.ranking.segments import Floats, Rows, Segment, bits_of, joined

CANDIDATES: Final = 400
"""By vectors, and as many by terms. `benchmarks/scan_lab.py`: 100 found .963 of the first ten that a scan of all found,
400 all of them."""
_FOR_EACH: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The criteria for rows: a question's `vector` (dimension,) and `terms`, of which one at least is there. Rows later
    than `as_of` (microseconds), or out of the `view`, are not there; of the others those are chosen that are not before
    `start` nor from `end` on, and of `session`. None does not narrow. `limit`: rows by each of the two."""

    vector: Floats | None
    terms: Sequence[int]
    view: str | None = None
    as_of: int | None = None
    start: int | None = None
    end: int | None = None
    session: int | None = None
    limit: int = CANDIDATES


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """`ordinals`: of what is to be ranked, distinct and rising; `better`: of those among them for which lenders are
    looked for, in any order. `documents`: how many ordinals there are in all; `holding`: (t,) how many of them hold
    each term asked for; `mean`: of the estimates of their rows, in units of cosine. `rows`: all that there is; `told`:
    for each term which of their sessions tells it, and how much."""

    ordinals: IntArray
    better: IntArray
    documents: int
    holding: FloatArray
    mean: float
    rows: Rows
    told: Sequence[tuple[IntArray, FloatArray]]

    def of_sessions(self, sessions: IntArray) -> FloatArray:
        """(m, t): the greatest weight of each term that any row of these `sessions` tells, 0 where none does."""
        places, known = self.rows.known(sessions)
        result = np.zeros((len(sessions), len(self.told)))
        for term, (session_of, weights) in enumerate(self.told):
            greatest = np.zeros(len(self.rows.sessions))
            np.maximum.at(greatest, session_of, weights)
            result[known, term] = greatest[places[known]]
        return result


def candidates_for(limit: int, excluded: int = 0) -> int:
    """How many to choose by each of the two, where so many are wanted and so many that may be chosen are not."""
    return max(CANDIDATES, _FOR_EACH * limit) + excluded


def choose(segments: Sequence[Segment], asked: Asked, steps: int = 0) -> Chosen:
    """The rows of the segments that are to be ranked: the `limit` nearest by bits and the `limit` with most of the
    question's information; with `steps`, of the best `limit` // 2 of them also what stands up to so many ordinals
    before and behind in their sessions, and the best of these sessions.

    Information is the sum of inverse document frequencies, as coverage counts it; a term that is only asked for, with a
    weight below 0, counts as much. Which are the best an estimate says, of what an exact ranking adds up: the
    angle between two vectors is π times the share of their dimensions that are of different signs (Charikar, Similarity
    estimation techniques from rounding algorithms, 2002).
    """
    rows = Rows.of(segments)
    there = np.concatenate([one.visible(asked.view) for one in segments] or [np.zeros(0, np.bool_)])
    if asked.as_of is not None:
        there &= rows.moments <= asked.as_of
    eligible = there.copy()
    for keeps in (
        None if asked.start is None else rows.moments >= asked.start,
        None if asked.end is None else rows.moments < asked.end,
        None if asked.session is None else rows.of_sessions(np.flatnonzero(rows.sessions == asked.session)),
    ):
        if keeps is not None:
            eligible &= keeps
    documents = _distinct(rows.ordinals[there])
    held = [_held(segments, term, there) for term in asked.terms]
    holding = np.asarray([_distinct(rows.ordinals[places]) for places, _ in held], np.float64)
    rarity = inverse_document_frequencies(documents, holding)
    information = np.zeros(len(there))
    for (places, weights), rare in zip(held, rarity.tolist(), strict=True):
        information[places] += np.abs(weights) * rare
    covered = information / max(float(rarity.sum()), np.finfo(np.float64).tiny)
    estimate = WORDS * trust_in_words(float(covered.max(initial=0.0))) * covered
    picked = [_best(information, eligible & (information > 0), asked.limit)]
    if asked.vector is not None:
        wanted = bits_of(asked.vector[None])[:, 0]
        near = np.cos(joined([one.distances(wanted) for one in segments]) * (np.pi / len(asked.vector)))
        picked.append(_best(near, eligible, asked.limit))
        estimate += near
    places = np.unique(np.concatenate(picked))
    found = np.unique(rows.ordinals[places])
    better = places[np.argsort(-estimate[places], kind="stable")[: asked.limit // 2]]
    if steps and len(better):
        around = _around(rows, there, better, np.where(there, estimate, -np.inf), steps)
        found = np.unique(np.concatenate((found, around)))
    mean = float(estimate[there].mean()) if there.any() else 0.0
    told = [(rows.session_of[at[weights > 0]], weights[weights > 0]) for at, weights in held]
    return Chosen(found, rows.ordinals[better], documents, holding, mean, rows.at(there), told)


def positions(rows: Rows, ordinals: IntArray, moments: IntArray, sessions: IntArray) -> IntArray:
    """(m,): a place for each of the rows with these `ordinals`, by time within its session: of two that differ by 1
    nothing lies between. `rows`: others of the same sessions, of which these may be some."""
    places, are_known = rows.known(sessions)
    wanted = np.flatnonzero(rows.of_sessions(places[are_known]))
    all_ordinals = np.concatenate((rows.ordinals[wanted], ordinals))
    known, firsts = np.unique(all_ordinals, return_index=True)
    all_moments = np.concatenate((rows.moments[wanted], moments))[firsts]
    all_sessions = np.concatenate((rows.sessions[rows.session_of[wanted]], sessions))[firsts]
    order = np.empty(len(known), np.int64)
    order[np.lexsort((known, all_moments, all_sessions))] = np.arange(len(known))
    result: IntArray = order[np.searchsorted(known, ordinals)]
    return result


def _around(rows: Rows, there: BoolArray, places: IntArray, estimate: FloatArray, steps: int) -> IntArray:
    """The ordinals up to `steps` before and behind those at `places` in their sessions, and the best of these
    sessions, by `estimate`."""
    inside = np.flatnonzero(there & rows.of_sessions(rows.session_of[places]))
    order = inside[np.lexsort((rows.ordinals[inside], rows.moments[inside], rows.session_of[inside]))]
    session_of, ordinals = rows.session_of[order], rows.ordinals[order]
    starts = np.flatnonzero(np.diff(ordinals, prepend=ordinals[0] - 1))  # chunks of one interaction stand together
    in_session, of_ordinal = session_of[starts], ordinals[starts]
    is_better = np.zeros(len(rows.ordinals), np.bool_)
    is_better[places] = True
    at = np.unique(np.searchsorted(starts, np.flatnonzero(is_better[order]), side="right") - 1)
    near = (at[:, None] + np.arange(-steps, steps + 1)).clip(0, len(starts) - 1)
    beside = of_ordinal[near[in_session[near] == in_session[at][:, None]]]
    firsts = np.flatnonzero(np.diff(session_of, prepend=-1))
    greatest = np.maximum.reduceat(estimate[order], firsts)
    best = np.flatnonzero(estimate[order] == np.repeat(greatest, np.diff(firsts, append=len(order))))
    _, each = np.unique(session_of[best], return_index=True)
    result: IntArray = np.concatenate((beside, ordinals[best[each]]))
    return result


def _held(segments: Sequence[Segment], term: int, there: BoolArray) -> tuple[IntArray, FloatArray]:
    """The places of the rows that are there and hold the term, and its weights."""
    starts = np.cumsum([0, *(len(one) for one in segments)])
    held = [
        (one.postings[term], start) for one, start in zip(segments, starts[:-1], strict=True) if term in one.postings
    ]
    if not held:
        return np.zeros(0, np.int64), np.zeros(0)
    places = np.concatenate([rows + start for (rows, _), start in held])
    weights = np.concatenate([weights for (_, weights), _ in held])
    return places[there[places]], weights[there[places]]


def _best(scores: npt.NDArray[np.number], among: BoolArray, limit: int) -> IntArray:
    """The places of the `limit` greatest scores."""
    places = np.flatnonzero(among)
    if len(places) > limit:
        places = places[np.argpartition(-scores[places], limit)[:limit]]
    return places.astype(np.int64)


def _distinct(rising: IntArray) -> int:
    """How many different values there are among some that never fall but from one segment to the next."""
    return int((np.diff(rising) != 0).sum()) + 1 if len(rising) else 0
