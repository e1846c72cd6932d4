"""Which of very many rows a ranking has to look at: found by one bit for each dimension of their vectors, and by terms.

Rows are cut into segments of some thousands. A segment never changes: where one of its rows goes or is written anew the
whole of it is dropped, and its rows are looked at one and all until it is made again. So what it says always holds, and
nothing of what was forgotten stays in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.ranking.arrays import BoolArray, FloatArray, IntArray
from ragpp.ranking.coverage import WORDS, inverse_document_frequencies, trust_in_words

Bits = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]

ENTRY: Final = np.dtype([("row", "<u2"), ("weight", "<f2")])
"""One row of a segment that holds a term, of 65,536 at most, and how much of it."""
CANDIDATES: Final = 400
"""By vectors, and as many by terms. `benchmarks/scan_lab.py`: 100 found .963 of the first ten that a scan of all found,
400 all of them."""
_FOR_EACH: Final = 8
_WORD: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The rows that a segment is made of, n of them, by rising `ordinals`, which are equal where rows belong together.

    `moments`: microseconds; `sessions`: equal where the session is; `seen_by`: who alone may see each, None for all.
    `vectors`: (v, dimension), at least one for each row; `vector_rows`: (v,) which row each one is of, rising.
    `entries`: (row, term, weight), three arrays, in any order.
    """

    ordinals: IntArray
    moments: IntArray
    sessions: IntArray
    seen_by: Sequence[str | None]
    vectors: Floats
    vector_rows: IntArray
    entries: tuple[IntArray, IntArray, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Rows by what finds them, as `Source` has them. `sessions`: (s,) distinct; `session_of`: (n,) index of each row's
    among them. `viewers`: index into `agents` of who alone may see each, -1 for all. `firsts`: (n,) where each row's
    vectors begin among the `bits`, (words, v). `postings`: by term the rows that hold it and their weights; of those
    terms alone that were asked for."""

    ordinals: IntArray
    moments: IntArray
    sessions: IntArray
    session_of: IntArray
    viewers: IntArray
    agents: Sequence[str]
    firsts: IntArray
    bits: Bits
    postings: Mapping[int, tuple[IntArray, FloatArray]]

    def __len__(self) -> int:
        return len(self.ordinals)

    def distances(self, asked: Bits) -> IntArray:
        """(n,): in how many dimensions the nearest vector of each row is of another sign than `asked`, (words,)."""
        differing: IntArray = np.bitwise_count(self.bits ^ asked[:, None]).sum(axis=0, dtype=np.int64)
        if len(differing) == len(self):
            return differing
        nearest: IntArray = np.minimum.reduceat(differing, self.firsts)
        return nearest

    def visible(self, view: str | None) -> BoolArray:
        """(n,): what is in the view, None being all that there is."""
        if view is None or not len(self.agents):
            return np.ones(len(self), np.bool_)
        known = self.agents.index(view) if view in self.agents else None
        seen: BoolArray = self.viewers == -1
        return seen if known is None else seen | (self.viewers == known)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What rows are chosen by: a question's `vector` (dimension,) and `terms`, of which one at least is there. Rows
    later than `as_of` (microseconds), or out of the `view`, are not there; of the others those are chosen that are not
    before `start` nor from `end` on, and of `session`. None does not narrow. `limit`: rows by each of the two."""

    vector: Floats | None
    terms: Sequence[int]
    view: str | None = None
    as_of: int | None = None
    start: int | None = None
    end: int | None = None
    session: int | None = None
    limit: int = CANDIDATES


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What there is for a question in some segments: (n,) each. `session_of`: index into `sessions`, (s,), which are
    distinct and rising."""

    ordinals: IntArray
    moments: IntArray
    session_of: IntArray
    sessions: IntArray

    @classmethod
    def of(cls, segments: Sequence[Segment]) -> "Rows":
        """All of the segments' rows."""
        sessions, places = np.unique(_joined([one.sessions for one in segments]), return_inverse=True)
        starts = np.cumsum([0, *(len(one.sessions) for one in segments)])
        return cls(
            _joined([one.ordinals for one in segments]),
            _joined([one.moments for one in segments]),
            _joined([places[start:][one.session_of] for one, start in zip(segments, starts[:-1], strict=True)]),
            sessions,
        )

    def at(self, places: BoolArray) -> "Rows":
        """Those of them."""
        if places.all():
            return self
        return Rows(self.ordinals[places], self.moments[places], self.session_of[places], self.sessions)

    def of_sessions(self, places: IntArray) -> BoolArray:
        """(n,): which rows are of the sessions at these places among `sessions`."""
        wanted = np.zeros(len(self.sessions), np.bool_)
        wanted[places] = True
        return wanted[self.session_of]

    def known(self, sessions: IntArray) -> tuple[IntArray, BoolArray]:
        """(m,) each: where these are among `sessions`, and whether they are."""
        if not len(self.sessions):
            return np.zeros(len(sessions), np.int64), np.zeros(len(sessions), np.bool_)
        places = np.searchsorted(self.sessions, sessions).clip(max=len(self.sessions) - 1)
        return places, self.sessions[places] == sessions


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """`ordinals`: of what is to be ranked, distinct and rising; `better`: of those among them that lenders are looked
    for, in any order. `documents`: how many ordinals there are in all;
    `holding`: (t,) how many of them hold each term asked for; `mean`: of the estimates of their rows, in units of
    cosine. `rows`: all that there is; `told`: for each term which of their sessions tells it, and how much."""

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


def bits_of(vectors: npt.NDArray[np.floating]) -> Bits:
    """(words, v): one bit for each dimension of (v, dimension), set where it is above 0; as pgvector's
    `binary_quantize` has it, filled up to whole words of 64."""
    packed = np.packbits(vectors > 0, axis=1)
    width = -(-packed.shape[1] * 8 // _WORD) * (_WORD // 8)
    filled = np.zeros((len(packed), width), np.uint8)
    filled[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(filled.view(np.uint64).T)


def postings_of(entries: tuple[IntArray, IntArray, FloatArray]) -> dict[int, bytes]:
    """The ENTRYs of each term, packed, by rising row."""
    rows, terms, weights = entries
    if not len(rows):
        return {}
    order = np.lexsort((rows, terms))
    packed = np.empty(len(order), ENTRY)
    packed["row"], packed["weight"] = rows[order], weights[order]
    known, firsts = np.unique(terms[order], return_index=True)
    ends = [*firsts[1:].tolist(), len(order)]
    return {
        term: packed[first:end].tobytes()
        for term, first, end in zip(known.tolist(), firsts.tolist(), ends, strict=True)
    }


def choose(segments: Sequence[Segment], asked: Asked, steps: int = 0) -> Chosen:
    """What of the segments' rows is to be ranked: the `limit` nearest by bits and the `limit` with most of the
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
        near = np.cos(_joined([one.distances(wanted) for one in segments]) * (np.pi / len(asked.vector)))
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


def _joined(parts: Sequence[IntArray]) -> IntArray:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
