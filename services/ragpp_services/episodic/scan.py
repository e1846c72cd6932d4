"""The result of a scan of a user's chunks, unpacked into arrays: one row for each chunk."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ragpp.models import Filters, MemoryQuery
from ragpp.ranking import choosing
from ragpp.stores.packed_columns import cosines, flags, microseconds_of, moment_of, term_weights, whole_numbers
from ragpp_services.episodic.reading.traits import ASKED


@dataclass(frozen=True, slots=True)
class Columns:
    """The packed columns of the statement `scan`, one entry a chunk; None for a column that was not asked for. Those
    that begin with `told` have one for each chunk that has vectors beside its own, in an order of their own."""

    chunks: int
    ordinals: bytes | None = None
    parts: bytes | None = None
    moments: bytes | None = None
    sessions: bytes | None = None
    traits: bytes | None = None
    names: Sequence[str | None] | None = None
    distances: bytes | None = None
    lexical: bytes | None = None
    eligible: bytes | None = None
    told_ordinals: bytes | None = None
    told_parts: bytes | None = None
    told_distances: bytes | None = None
    told_seconds: bytes | None = None


@dataclass(frozen=True, slots=True)
class Chunks:
    """A user's chunks in the order of the scan; every array has one row for each, and `ordinal` names the interaction
    that it is part of.

    `part`: which chunk of its interaction, from 0. `moments`: microseconds since 2000-01-01 UTC. `session`: equal where
    the session is. `speaker`: index into `speakers`, -1 without a name. `cosine`: NaN where no embedding was given.
    `told`: that of the chunk's best sentence, `second`: that by the second encoder; NaN where it has none.
    `lexical`: (rows, terms), the chunk's weight of each term that it tells, 0 where it does not; `asked`: of each that
    it only asks for. `traits`: bits of `reading.traits.Trait`. `eligible`: passes the filters.
    """

    ordinal: npt.NDArray[np.int64]
    part: npt.NDArray[np.int64]
    moments: npt.NDArray[np.int64]
    session: npt.NDArray[np.int64]
    speaker: npt.NDArray[np.int64]
    speakers: tuple[str, ...]
    cosine: npt.NDArray[np.float64]
    told: npt.NDArray[np.float64]
    second: npt.NDArray[np.float64]
    lexical: npt.NDArray[np.float64]
    asked: npt.NDArray[np.float64]
    traits: npt.NDArray[np.int64]
    eligible: npt.NDArray[np.bool_]

    def key(self, row: int) -> tuple[datetime, int, int]:
        """(occurred_at, ordinal, part) of a row, by which the store finds it."""
        return moment_of(int(self.moments[row])), int(self.ordinal[row]), int(self.part[row])


@dataclass(frozen=True, slots=True)
class Scanned:
    """The columns of what is to be ranked. `chosen`: how it was, None where it is all that there is."""

    columns: Columns
    chosen: choosing.Chosen | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its vector and terms, where it has these, and its vector by the second encoder, at length
    1."""

    query: MemoryQuery
    embedding: npt.NDArray[np.float32] | None
    terms: Sequence[int]
    second: npt.NDArray[np.float32] | None = None

    @property
    def can_be_chosen(self) -> bool:
        """True where segments know all that it is narrowed to: time, session and excluded ids."""
        filters = self.query.filters
        _, _, _, _, *others, _ = filter_values(filters, None)
        is_compared = self.embedding is not None or bool(self.terms)
        return is_compared and filters.metadata is None and all(one is None for one in others)

    @property
    def of_segments(self) -> choosing.Asked:
        """As segments are asked."""
        query, filters = self.query, self.query.filters
        during = filters.time_range
        return choosing.Asked(
            vector=self.embedding,
            terms=self.terms,
            view=query.scope.view,
            as_of=None if query.as_of is None else microseconds_of(query.as_of),
            start=None if during is None or during.start is None else microseconds_of(during.start),
            end=None if during is None or during.end is None else microseconds_of(during.end),
            session=None if filters.session_id is None else session_key(filters.session_id),
            limit=choosing.candidates_for(query.limit, len(filters.exclude)),
        )


def session_key(session_id: str) -> int:
    """A signed 64-bit hash of a session's id, stable across processes; among 10⁵ sessions of a user two are equal
    with probability 3·10⁻¹⁰."""
    return int.from_bytes(hashlib.blake2b(session_id.encode(), digest_size=8).digest(), "big", signed=True)


def unpack(columns: Columns, terms: Sequence[int]) -> Chunks:
    """The chunks that `columns` describe, with their weights of `terms` (distinct dimensions)."""
    ordinal = whole_numbers(columns.ordinals, "bigint")
    count = len(ordinal)
    speaker, speakers = _speakers(columns.names or ())
    cosine = np.full(count, np.nan)
    if columns.distances is not None:
        cosine = cosines(columns.distances)
    lexical = np.zeros((count, len(terms)))
    if columns.lexical is not None and terms:
        lexical = term_weights(columns.lexical, terms)
    eligible = np.ones(count, np.bool_)
    if columns.eligible is not None:
        eligible = flags(columns.eligible)
    part = whole_numbers(columns.parts, "int") if columns.parts is not None else np.zeros(count, np.int64)
    told, second = _told(columns, ordinal, part)
    return Chunks(
        ordinal=ordinal,
        part=part,
        moments=whole_numbers(columns.moments, "timestamptz"),
        session=whole_numbers(columns.sessions, "bigint"),
        speaker=speaker,
        speakers=speakers,
        cosine=cosine,
        told=told,
        second=second,
        lexical=np.maximum(lexical, 0.0),
        asked=np.maximum(lexical / ASKED, 0.0),
        traits=whole_numbers(columns.traits, "smallint"),
        eligible=eligible,
    )


def _told(
    columns: Columns, ordinal: npt.NDArray[np.int64], part: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """For each chunk the cosine of its best sentence, and its own by the second encoder; NaN where there is none."""
    told, second = np.full(len(ordinal), np.nan), np.full(len(ordinal), np.nan)
    if columns.told_ordinals is None:
        return told, second
    ordinals = np.concatenate((ordinal, whole_numbers(columns.told_ordinals, "bigint")))
    parts = np.concatenate((part, whole_numbers(columns.told_parts, "int")))
    order = np.lexsort((parts, ordinals))  # of a chunk and what is told of it, the chunk first: it is stable
    pairs = np.flatnonzero((np.diff(ordinals[order]) == 0) & (np.diff(parts[order]) == 0))
    rows, places = order[pairs], order[pairs + 1] - len(ordinal)
    for result, distances in ((told, columns.told_distances), (second, columns.told_seconds)):
        if distances is not None:
            result[rows] = cosines(distances)[places]
    return told, second


def _speakers(names: Sequence[str | None]) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    known: dict[str, int] = {}
    indexes = [-1 if name is None else known.setdefault(name, len(known)) for name in names]
    return np.asarray(indexes, np.int64), tuple(known)


def filter_values(filters: Filters, as_of: datetime | None) -> tuple[object, ...]:
    """The parameters $3 to $13 of the statements with filters."""
    during = filters.time_range
    return (
        during.start if during else None,
        during.end if during else None,
        as_of,
        filters.session_id,
        filters.agent_id,
        filters.role,
        filters.message_type,
        filters.channel,
        filters.domain,
        filters.task_type,
        list(filters.exclude),
    )


def narrows(filters: Filters) -> bool:
    """True where they leave anything out, the moment aside."""
    start, end, _, *others, excluded = filter_values(filters, None)
    return bool(excluded) or any(value is not None for value in (start, end, *others, filters.metadata))
