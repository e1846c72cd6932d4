"""From the distances of one scan to a ranking: which interactions answer a question, and in which order.

An interaction is seldom complete in itself: "Yes, last week!" answers the one before it. So an interaction
borrows what it lacks from its neighbours, word by word and in meaning, and from its session as a whole. The score is

    words · coverage + meaning + session · (best of its session - mean)
        + speaker · said by the one named - asks · is a question - assistant · said by an assistant

where coverage is the share of the question's information (sum of inverse document frequencies) that the interaction and
its neighbours hold, and meaning is the cosine with what its neighbours add. Both are absolute, so no statistics of the
user's rows are needed, and a question that only hints at its answer has little coverage and is left to its meaning.
What is borrowed only ever adds: an interaction that says all by itself loses nothing.

The constants were chosen on two development sets, conversations between people and chats with an assistant. Half or
one and a half times any of them costs at most 2.2 points of recall at ten on the first and at most 4 on the second
(`benchmarks/ranking_lab.py` prints what each signal is worth). None is fitted to names. The word lists, the weight for
assistants and what counts as asking them were chosen on the same sets, without one held out.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_STEP: Final = 0.6
_AHEAD: Final = 0.7


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal counts, in units of cosine."""

    words: float = 1.75
    """Coverage. Within about a point from 1.5 to 2."""
    lending: Mapping[int, float] = field(
        default_factory=lambda: {
            sign * distance: _STEP**distance * (_AHEAD if sign > 0 else 1.0)
            for distance in (1, 2, 3)
            for sign in (-1, 1)
        }
    )
    """Share of a term's weight that an interaction takes from the one at that distance, where it is more than its own:
    0.6 for each step back, and 0.7 of that ahead, since answers follow questions."""
    session_lending: float = 0.1
    """Share of a term's weight that an interaction takes from any other of its session."""
    meaning_before: float = 0.5
    meaning_after: float = 0.3
    """Share of what the cosines of the previous and the next are above its own that an interaction takes."""
    speaker: float = 0.2
    session: float = 0.25
    asks: float = 0.04
    assistant: float = 0.35
    """Long answers touch on everything; what users said is what they ask for, unless they ask the assistant."""


DEFAULT: Final = Weights()

MIDDLE: Final = 0.9
SPREAD: Final = 0.3
"""The logistic that makes a relevance of a score: a good answer scores 1.0 to 1.6, what is beside the point 0.2."""


_SAID_BY_YOU: Final = re.compile(
    r"\b(?:did|have|had|were|was) you\b|\byou(?:'ve|'d| have| had)? (?!need)(?:\w+ed|said|told|gave|wrote|made)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """The user's chunks as one scan found them, n in number and in any order; all arrays have the length n.

    The chunks of one interaction agree in everything but `cosines`, `terms` and `eligible`; an interaction may as
    well come as a single row. Normally all rows that exist at the moment of the question. Where there are too many,
    the best by each key with their neighbours in the session, and then `positions`, the interactions' places within
    their sessions, tell neighbours from interactions with a gap between them.
    """

    ordinals: IntArray
    """One for each interaction; later ones have greater ones."""
    sessions: IntArray
    """Equal exactly for rows of the same session."""
    occurred_at: FloatArray
    """Seconds since the epoch."""
    cosines: FloatArray
    """With the question, -1 to 1; NaN where there is none."""
    terms: FloatArray
    """(n, t): the row's weight for each term of the question, 0 to 1 (`ragpp.text.lexical.document_weights`);
    t may be 0."""
    speakers: IntArray
    """Index into `names`; -1 for a row without a name."""
    names: tuple[str, ...] = ()
    asks: BoolArray | None = None
    """Whether the row's text ends with a question mark."""
    assistant: BoolArray | None = None
    """Whether an assistant said it."""
    eligible: BoolArray | None = None
    """Whether the row may be returned; an interaction may when any of its chunks may. The others still lend to their
    neighbours and count for rarity."""
    positions: IntArray | None = None

    def __len__(self) -> int:
        return len(self.ordinals)


@dataclass(frozen=True, slots=True)
class QuerySignals:
    """What ranking needs to know of the question beside the distances.

    `documents` and `frequencies` (one for each term): how many interactions the user has and how many hold the
    term, where the table is not all of them; counted from the table otherwise.
    """

    text: str
    documents: int | None = None
    frequencies: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """One interaction's place: `row` is the index of its best chunk in the table, `score` its relevance in (0, 1),
    made of `raw` in units of cosine, `similarity` the greatest cosine of its chunks (None where there is none),
    `coverage` the best chunk's own share of the question's words, 0 to 1."""

    row: int
    score: float
    raw: float
    similarity: float | None
    coverage: float


def rank(
    table: CandidateTable, query: QuerySignals, *, limit: int | None = None, weights: Weights = DEFAULT
) -> list[Ranked]:
    """The eligible interactions, best first, at most `limit`. Of equal scores the later one comes first.

    The order of the rows in the table does not matter.
    """
    if not len(table):
        return []
    chunks, firsts = _by_interaction(table)
    rarity = _rarity(table.terms[chunks], firsts, query)
    order = _best_chunks(table, chunks, firsts, rarity, weights)
    layout = _Layout.of(table, order, weights)
    terms, cosines = table.terms[order], table.cosines[order]
    raw = weights.words * _coverage(layout.borrowed_terms(terms), rarity) + layout.lifted_meaning(cosines)
    raw += weights.session * (layout.best_of_session(raw) - raw.mean())
    speaker = named_speaker(query.text, table.names)
    if speaker is not None:
        raw += weights.speaker * (table.speakers[order] == speaker)
    if table.asks is not None:
        raw -= weights.asks * table.asks[order]
    if table.assistant is not None and not asks_the_assistant(query.text):
        raw -= weights.assistant * table.assistant[order]
    ranking = np.lexsort((-table.ordinals[order], -raw))
    if table.eligible is not None:
        ranking = ranking[np.logical_or.reduceat(table.eligible[chunks], firsts)[ranking]]
    scores, own, similarity = relevance(raw), _coverage(terms, rarity), np.fmax.reduceat(table.cosines[chunks], firsts)
    best = ((int(i), float(similarity[i])) for i in ranking[:limit])
    return [
        Ranked(int(order[i]), float(scores[i]), float(raw[i]), None if np.isnan(cosine) else cosine, float(own[i]))
        for i, cosine in best
    ]


def information(table: CandidateTable, query: QuerySignals) -> FloatArray:
    """(t,): what each term of the question tells, its inverse document frequency. `table` is not empty."""
    chunks, firsts = _by_interaction(table)
    return _rarity(table.terms[chunks], firsts, query)


def inverse_document_frequencies(documents: int, holding: FloatArray) -> FloatArray:
    """ln(1 + (N - n + ½) / (n + ½)) for terms that n (`holding`) of N `documents` hold; positive.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, with the 1 + that keeps common terms
    above zero.
    """
    result: FloatArray = np.log1p((documents - holding + 0.5) / (holding + 0.5))
    return result


def named_speaker(text: str, names: tuple[str, ...]) -> int | None:
    """Index of the only one of `names` that `text` mentions, whole or by its first word; None for none or several.

    A text that has capitals must give the name its own: "may" is not May there.
    """
    flat = text == text.lower()
    found = [
        index
        for index, name in enumerate(names)
        if any(_mentions(text, part.lower() if flat else part) for part in {name, *name.split()[:1]} if part)
    ]
    return found[0] if len(found) == 1 else None


def asks_the_assistant(text: str) -> bool:
    """Whether a question is after what the assistant said: "what did you suggest", "the tool you recommended"."""
    return _SAID_BY_YOU.search(text) is not None


def relevance(raw: FloatArray) -> FloatArray:
    """Scores in (0, 1), in the order of `raw`."""
    return np.asarray(1 / (1 + np.exp(np.clip((MIDDLE - raw) / SPREAD, -30, 30))), np.float64)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Rows sorted by session and time. `session_starts`: index of each session's first row; `session_of`: which
    session each row is in; `run_of`: equal for rows with no gap between them, never across sessions."""

    session_starts: IntArray
    session_of: IntArray
    run_of: IntArray
    weights: Weights

    @classmethod
    def of(cls, table: CandidateTable, order: IntArray, weights: Weights) -> "_Layout":
        sessions = table.sessions[order]
        fresh = np.concatenate(([True], sessions[1:] != sessions[:-1]))
        gap = fresh.copy()
        if table.positions is not None:
            gap[1:] |= np.diff(table.positions[order]) != 1
        return cls(np.flatnonzero(fresh), np.cumsum(fresh) - 1, np.cumsum(gap) - 1, weights)

    def borrowed_terms(self, terms: FloatArray) -> FloatArray:
        """(n, t): each term's weight, or what a neighbour or the session lends of theirs where that is more."""
        best = np.maximum(terms, self.weights.session_lending * self.best_of_session(terms))
        for step, share in self.weights.lending.items():
            to, source = self._pairs(step)
            best[to] = np.maximum(best[to], share * terms[source])
        return best

    def lifted_meaning(self, cosines: FloatArray) -> FloatArray:
        """(n,): each cosine, lifted towards a neighbour's that is greater; never lowered, so that an interaction which
        says all by itself does not pay for the small talk around it. A row without a cosine counts as 0."""
        known = np.nan_to_num(cosines, nan=0.0)
        lifted = known.copy()
        for step, share in ((-1, self.weights.meaning_before), (1, self.weights.meaning_after)):
            to, source = self._pairs(step)
            lifted[to] += share * np.maximum(0.0, known[source] - known[to])
        return lifted

    def best_of_session(self, values: FloatArray) -> FloatArray:
        """The greatest of `values` (n, ...) in each row's session, in the same shape."""
        best: FloatArray = np.maximum.reduceat(values, self.session_starts, axis=0)[self.session_of]
        return best

    def _pairs(self, step: int) -> tuple[IntArray, IntArray]:
        """Indexes of the rows that have a row `step` places on in their run, and of those rows."""
        distance = abs(step)
        near = np.flatnonzero(self.run_of[distance:] == self.run_of[:-distance])
        return (near, near + distance) if step > 0 else (near + distance, near)


def _by_interaction(table: CandidateTable) -> tuple[IntArray, IntArray]:
    """The rows by session, time and interaction, and where among them each interaction begins."""
    chunks = np.lexsort((table.ordinals, table.occurred_at, table.sessions))
    return chunks, np.flatnonzero(np.diff(table.ordinals[chunks], prepend=table.ordinals[chunks[0]] - 1))


def _rarity(terms: FloatArray, firsts: IntArray, query: QuerySignals) -> FloatArray:
    """(t,): inverse document frequency of each term; an interaction holds what any of its chunks holds."""
    documents = max(query.documents or 0, len(firsts))
    if query.frequencies is None:
        holding = np.maximum.reduceat(terms > 0, firsts, axis=0).sum(axis=0).astype(np.float64)
    else:
        holding = np.minimum(np.asarray(query.frequencies, dtype=np.float64), documents)
    return inverse_document_frequencies(documents, holding)


def _best_chunks(
    table: CandidateTable, chunks: IntArray, firsts: IntArray, rarity: FloatArray, weights: Weights
) -> IntArray:
    """The row of each interaction's best chunk, by words and meaning of that chunk alone: a long message does not
    gather a question's words from all over its length. `chunks`: rows by interaction, which begin at `firsts`."""
    if len(firsts) == len(chunks):
        return chunks
    alone = weights.words * _coverage(table.terms, rarity) + np.nan_to_num(table.cosines, nan=0.0)
    interaction = np.repeat(np.arange(len(firsts)), np.diff(firsts, append=len(chunks)))
    best_last = np.lexsort((-chunks, alone[chunks], interaction))
    best: IntArray = chunks[best_last[np.append(firsts[1:], len(chunks)) - 1]]
    return best


def _coverage(terms: FloatArray, rarity: FloatArray) -> FloatArray:
    """(n,): share of the question's information that rows hold, 0 to 1; 0 for a question without terms."""
    mass = float(rarity.sum())
    result: FloatArray = terms @ rarity / mass if mass else np.zeros(len(terms))
    return result


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
