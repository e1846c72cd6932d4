"""The input of ranking and its output."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

import numpy as np

from ragpp.ranking.arrays import BoolArray, FloatArray, IntArray
from ragpp_services.episodic.reading.traits import Trait


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """The user's chunks as one scan found them, n in number and in any order; all arrays have the length n.

    The chunks of one interaction agree in everything but `cosines`, `sentences`, `second`, `terms`, `asked`, `traits`
    and `eligible`; an interaction may as well come as a single row. Normally all rows that exist at the moment of the
    question. Where there are too many, the best by each key with their neighbours in the session, and then `positions`,
    the interactions' places within their sessions, tell neighbours from interactions with a gap between them.
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
    asked: FloatArray | None = None
    """(n, t): the same weights of the terms that the row only asks for; those are 0 in `terms`. None for none."""
    traits: IntArray | None = None
    """Bits of `Trait`; None for none."""
    eligible: BoolArray | None = None
    """True where the row may be returned; an interaction may when any of its chunks may. The others still lend to their
    neighbours and count for rarity."""
    positions: IntArray | None = None
    of_sessions: FloatArray | None = None
    """(n, t): the greatest weight of each term in the row's session, where the table has not all of it; None where it
    has."""
    sentences: FloatArray | None = None
    """The greatest cosine of a sentence of each row with the question; NaN where it has none. None for none."""
    second: FloatArray | None = None
    """The cosine of each row with the question by the second encoder, on the scale of the first one's
    (`on_first_scale`); NaN where it has none. None for none."""

    def __len__(self) -> int:
        return len(self.ordinals)

    def has(self, trait: Trait) -> BoolArray:
        """(n,): which rows have it."""
        if self.traits is None:
            return np.zeros(len(self), np.bool_)
        return (self.traits & trait) > 0


@dataclass(frozen=True, slots=True)
class QuerySignals:
    """The facts about the question that ranking needs beside the distances. `asker`: the name of who asks.

    `documents` and `frequencies` (one for each term): how many interactions the user has and how many hold the
    term, and what they score in the mean by words and meaning, where the table is not all of them; counted from the
    table otherwise. `explain`: each answer's signals are wanted.
    """

    text: str
    asker: str | None = None
    documents: int | None = None
    frequencies: tuple[int, ...] | None = None
    mean: float | None = None
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """One interaction's place: `row` is the index of its best chunk in the table, `score` its relevance in (0, 1),
    made of `raw` in units of cosine, `similarity` the greatest cosine of its chunks and `second` the greatest by the
    second encoder, on the first one's scale (None where there is none), `coverage` the best chunk's own share of the
    question's words, 0 to 1. `signals`: what `raw` is the sum of, where that was asked for."""

    row: int
    score: float
    raw: float
    similarity: float | None
    second: float | None
    coverage: float
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """A ranking as columns, best first, one entry for each interaction: as `Ranked` has them, with NaN for none. An
    interaction becomes a `Ranked` when it is asked for, since a search shows a part of them."""

    rows: IntArray
    scores: FloatArray
    raw: FloatArray
    similarities: FloatArray
    seconds: FloatArray
    coverages: FloatArray
    signals: Mapping[str, FloatArray] = field(default_factory=dict)

    @classmethod
    def of_nothing(cls) -> "Ranking":
        """That of an empty table."""
        none = np.zeros(0)
        return cls(np.zeros(0, np.int64), none, none, none, none, none)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Ranked:
        """Raises IndexError behind the last."""
        similarity, second = float(self.similarities[place]), float(self.seconds[place])
        return Ranked(
            row=int(self.rows[place]),
            score=float(self.scores[place]),
            raw=float(self.raw[place]),
            similarity=None if isnan(similarity) else similarity,
            second=None if isnan(second) else second,
            coverage=float(self.coverages[place]),
            signals={name: float(values[place]) for name, values in self.signals.items()} if self.signals else {},
        )

    def __iter__(self) -> Iterator[Ranked]:
        return map(self.__getitem__, range(len(self)))

    def taken(self, places: Sequence[int] | IntArray) -> "Ranking":
        """Those at `places`, in their order."""
        return Ranking(
            rows=self.rows[places],
            scores=self.scores[places],
            raw=self.raw[places],
            similarities=self.similarities[places],
            seconds=self.seconds[places],
            coverages=self.coverages[places],
            signals={name: values[places] for name, values in self.signals.items()},
        )
