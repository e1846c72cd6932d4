"""The segments of a tier in PostgreSQL (`ragpp.ranking.segments`): two tables of its schema, `segments` and
`segment_terms`. A migration of the tier makes
them, with a trigger on what they are of: whatever deletes or changes a row drops its segment in the same
transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import asyncpg
import numpy as np

from ragpp.errors import VectorIndexError
from ragpp.ranking.arrays import FloatArray, IntArray
from ragpp.ranking.segments import ENTRY, Segment, Source, bits_of, postings_of
from ragpp.stores.packed_columns import directions, sparse_entries, whole_numbers
from ragpp.stores.postgres import UNAVAILABLE, Connection
from ragpp.stores.queries import load_queries

_SQL: Final = load_queries("ragpp.stores", "segments.sql")
ROWS: Final = 2_048
"""The rows of a segment: so many are looked at one and all where one of them goes, in some 2 ms."""
_BEFORE_ALL: Final = -1
_PARTS: Final = 1 << 20
"""More than an interaction has of chunks: 1,000,000 characters at most."""
_BEHIND_ALL: Final = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Gap:
    """The ordinals of a user that no segment has: those above `after`, up to `until`. `is_last`: behind all."""

    user_id: str
    after: int
    until: int
    is_last: bool


@dataclass(frozen=True, slots=True, eq=False)
class Segmented:
    """All segments of some users, and what lies between them and behind the last."""

    segments: list[Segment]
    gaps: list[Gap]

    @property
    def gap_columns(self) -> tuple[list[str], list[int], list[int]]:
        """Users, after, until: as statements take gaps."""
        return [gap.user_id for gap in self.gaps], [gap.after for gap in self.gaps], [gap.until for gap in self.gaps]


@dataclass(frozen=True, slots=True)
class Missing:
    """A segment that is to be made: of what is in the `gap` up to the ordinal `last`."""

    gap: Gap
    last: int


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """The columns that a segment is made of, packed, and the `version` that they had."""

    columns: Mapping[str, Any]
    sentences: Mapping[str, Any]
    version: int

    def source(self) -> Source:
        """Unpacked: some 0.1 s of work."""
        ordinals = whole_numbers(self.columns["ordinals"], "bigint")
        vectors, places = directions(self.columns["vectors"]), np.arange(len(ordinals))
        if "parts" in self.columns:
            told = directions(self.sentences["vectors"])
            keys = _keys(ordinals, self.columns["parts"])
            of = _keys(whole_numbers(self.sentences["ordinals"], "bigint"), self.sentences["parts"])
            places = np.concatenate((places, np.searchsorted(keys, of)))
            order = np.argsort(places, kind="stable")
            vectors, places = (np.concatenate((vectors, told)) if len(told) else vectors)[order], places[order]
        sessions = self.columns.get("sessions")
        return Source(
            ordinals=ordinals,
            moments=whole_numbers(self.columns["moments"], "timestamptz"),
            sessions=np.zeros(len(ordinals), np.int64) if sessions is None else whole_numbers(sessions, "bigint"),
            seen_by=self.columns["seen_by"],
            vectors=vectors,
            vector_rows=places,
            entries=sparse_entries(self.columns["lexical"]),
        )


class SegmentRows:
    """The segments of one tenant, inside one transaction of the tier of that `schema`. `statements`: the tier's, with
    `rows_to_segment`, `segment_source`, `segment_version`, and `segment_sentences` where its rows have parts."""

    def __init__(self, connection: Connection, schema: str, tenant_id: str, statements: Mapping[str, str]) -> None:
        self._connection, self._tenant_id = connection, tenant_id
        self._schema, self._statements = schema, statements

    async def read(self, users: Sequence[str], terms: Sequence[int]) -> Segmented:
        """The segments of `users` with the postings of `terms`.

        Raises VectorIndexError where they cannot be read or do not make sense: the transaction is of no use then.
        """
        try:
            rows = await self._connection.fetch(self._sql("segments"), self._tenant_id, list(users), list(terms))
            segments = [_segment_of(row) for row in rows]
        except UNAVAILABLE:
            raise
        except (asyncpg.PostgresError, ValueError, IndexError) as error:
            raise VectorIndexError(f"the segments cannot be read ({type(error).__name__})") from error
        ranges: dict[str, list[tuple[int, int]]] = {user: [] for user in users}
        for row in rows:
            ranges[row["user_id"]].append((row["first"], row["last"]))
        return Segmented(segments, [gap for user in users for gap in gaps_of(user, ranges[user])])

    async def missing(self, user_id: str, least: int) -> Missing | None:
        """The next segment of the user that can be made: of ROWS rows, or of all in a gap between others. None for one
        who has no segments and fewer rows than `least`."""
        gaps = await self._gaps(user_id)
        if len(gaps) == 1 and gaps[0].after == _BEFORE_ALL:
            count, _ = await self._rows_in(gaps[0], least)
            gaps = gaps if count == least else []
        for gap in gaps:
            count, last = await self._rows_in(gap, ROWS)
            if last is not None and (count == ROWS or not gap.is_last):
                return Missing(gap, last)
        return None

    async def _rows_in(self, gap: Gap, limit: int) -> tuple[int, int | None]:
        """How many rows, `limit` at most, could be segments, and the last of these."""
        arguments = (self._tenant_id, gap.user_id, gap.after, gap.until, limit)
        row = await self._connection.fetchrow(self._statements["rows_to_segment"], *arguments)
        return (0, None) if row is None else (row["rows"], row["last"])

    async def read_missing(self, missing: Missing) -> Read:
        """The rows that that segment is to be made of."""
        arguments = (self._tenant_id, missing.gap.user_id, missing.gap.after, missing.last)
        row = await self._connection.fetchrow(self._statements["segment_source"], *arguments)
        told = self._statements.get("segment_sentences")
        sentences = None if told is None else await self._connection.fetchrow(told, *arguments)
        assert row is not None  # noqa: S101 - an aggregate without groups always has one row
        return Read(dict(row), dict(sentences or {}), row["version"])

    async def insert(self, missing: Missing, version: int, source: Source) -> bool:
        """Add that segment, if its rows are still of that version and it is still missing; whether they are. The caller
        keeps others from changing the user's rows."""
        gap = missing.gap
        arguments = (self._tenant_id, gap.user_id, gap.after, missing.last)
        if gap not in await self._gaps(gap.user_id):
            return False
        if await self._connection.fetchval(self._statements["segment_version"], *arguments) != version:
            return False
        agents = sorted({one for one in source.seen_by if one is not None})
        viewers = [-1 if one is None else agents.index(one) for one in source.seen_by]
        sessions, session_of = np.unique(source.sessions, return_inverse=True)
        starts = np.searchsorted(source.vector_rows, np.arange(len(source.ordinals)))
        postings = postings_of(source.entries)
        await self._connection.execute(
            self._sql("insert_segment"),
            self._tenant_id,
            gap.user_id,
            gap.after + 1,
            missing.last,
            _packed(source.ordinals, "<i8"),
            _packed(source.moments, "<i8"),
            _packed(sessions, "<i8"),
            _packed(session_of, "<u2"),
            _packed(viewers, "<i2"),
            agents,
            _packed(starts, "<i4"),
            len(source.vectors),
            bits_of(source.vectors).tobytes(),
            list(postings),
            list(postings.values()),
        )
        return True

    async def drop(self, user_id: str) -> None:
        """Drop all of the user's."""
        await self._connection.execute(self._sql("drop_segments"), self._tenant_id, user_id)

    async def _gaps(self, user_id: str) -> list[Gap]:
        rows = await self._connection.fetch(self._sql("segment_ranges"), self._tenant_id, user_id)
        return gaps_of(user_id, [(row["first"], row["last"]) for row in rows])

    def _sql(self, name: str) -> str:
        return _SQL[name].replace("{schema}", self._schema)


def gaps_of(user_id: str, ranges: Sequence[tuple[int, int]]) -> list[Gap]:
    """The gaps that the segments with these (first, last), in order, leave; the one behind them is the last."""
    gaps: list[Gap] = []
    after = _BEFORE_ALL
    for first, last in ranges:
        if first > after + 1:
            gaps.append(Gap(user_id, after, first - 1, is_last=False))
        after = last
    return [*gaps, Gap(user_id, after, _BEHIND_ALL, is_last=True)]


def _segment_of(row: asyncpg.Record) -> Segment:
    """Raises ValueError where the parts do not fit together."""
    ordinals, firsts = _unpacked(row["ordinals"], "<i8"), _unpacked(row["starts"], "<i4")
    moments, sessions = _unpacked(row["moments"], "<i8"), _unpacked(row["sessions"], "<i8")
    session_of = _unpacked(row["session_of"], "<u2")
    viewers, agents = _unpacked(row["viewers"], "<i2"), row["agents"]
    if {len(part) for part in (firsts, moments, session_of, viewers)} != {len(ordinals)} or not len(ordinals):
        raise ValueError("a segment's columns are not of one length")
    if session_of.max() >= len(sessions):
        raise ValueError("a segment's row is of a session that is not there")
    if ordinals[0] < row["first"] or ordinals[-1] > row["last"] or viewers.max() >= len(agents):
        raise ValueError("a segment's rows are not those that it is for")
    bits = np.frombuffer(row["bits"], "<u8").reshape(-1, row["vectors"])
    if firsts[0] or (np.diff(firsts) < 1).any() or firsts[-1] >= row["vectors"] or not len(bits):
        raise ValueError("a segment's vectors are not those of its rows")
    return Segment(
        ordinals=ordinals,
        moments=moments,
        sessions=sessions,
        session_of=session_of,
        viewers=viewers,
        agents=agents,
        firsts=firsts,
        bits=bits,
        postings={
            term: _entries(entries, len(ordinals))
            for term, entries in zip(row["terms"] or (), row["entries"] or (), strict=True)
        },
    )


def _entries(packed: bytes, rows: int) -> tuple[IntArray, FloatArray]:
    """Raises ValueError for a row that the segment does not have."""
    entries = np.frombuffer(packed, ENTRY)
    places = entries["row"].astype(np.int64)
    if len(places) and places.max() >= rows:
        raise ValueError("a term is said to be in a row that is not there")
    return places, entries["weight"].astype(np.float64)


def _keys(ordinals: IntArray, parts: bytes | None) -> IntArray:
    """One number for each chunk, rising with its interaction and its place there."""
    return ordinals * _PARTS + whole_numbers(parts, "int")


def _unpacked(packed: bytes, kind: str) -> IntArray:
    return np.frombuffer(packed, kind).astype(np.int64)


def _packed(values: Sequence[int] | IntArray, kind: str) -> bytes:
    return np.asarray(values).astype(kind).tobytes()
