"""The rows of sentences: read, written and forgotten inside a transaction of one user."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from ragpp.embedding import FloatMatrix
from ragpp.stores.vector_values import halfvec, sparsevec
from ragpp_services.episodic.rows import stored_of
from ragpp_services.episodic.sentences import Participant, Reading, Unread
from ragpp_services.episodic.statements import SQL
from ragpp_services.episodic.user_rows import Rows

if TYPE_CHECKING:
    import asyncpg


SECOND: Final = -1
"""The number of a chunk's vector by the second encoder; those of its sentences begin at 0."""


class SentenceRows(Rows):
    """Sentences of one user's chunks."""

    async def unread(self, limit: int, *, second: bool) -> list[Unread]:
        """At most `limit` chunks that come after the last one whose sentences were looked at, in order; with `second`
        after the last one until which all have a vector by the second encoder, where that is an earlier one."""
        row = await self._connection.fetchrow(SQL["sentenced_until"], *self._scope.user_key)
        until, until_second = ((0, -1), (0, -1)) if row is None else ((row[0], row[1]), (row[2], row[3]))
        after = min(until, until_second) if second else until
        rows = await self._connection.fetch(SQL["chunks_without_sentences"], *self._scope.user_key, *after, limit)
        return [
            Unread(
                stored_of(row).interaction,
                row["ordinal"],
                row["chunk_part"],
                row["chunk_start"],
                row["chunk_end"],
                has_sentences=row["has_sentences"] or (row["ordinal"], row["chunk_part"]) <= until,
                traits=row["chunk_traits"],
                has_second=row["has_second"],
            )
            for row in rows
        ]

    async def participants(self, sessions: Sequence[str]) -> list[Participant]:
        """Who talks in these sessions."""
        rows = await self._connection.fetch(SQL["participants"], *self._scope.user_key, list(sessions))
        return [Participant(row["session_id"], row["name"], row["seen_by"], row["since"]) for row in rows]

    async def insert_sentences(self, read: Sequence[Unread], of: Sequence[int], vectors: FloatMatrix) -> None:
        """Add sentences: `vectors` has one of each, `of` says of which of the chunks `read`, in order. With them all of
        `read`, which is not empty, was looked at. What is there stays."""
        numbers = [number for _, group in groupby(of) for number, _ in enumerate(group)]
        await self._insert([read[chunk] for chunk in of], numbers, vectors)
        await self._connection.execute(SQL["set_sentenced"], *self._scope.user_key, read[-1].ordinal, read[-1].part)

    async def insert_second(self, read: Sequence[Unread], of: Sequence[int], vectors: FloatMatrix) -> None:
        """The same of the chunks' vectors by the second encoder, after `insert_sentences`."""
        await self._insert([read[chunk] for chunk in of], [SECOND] * len(of), vectors)
        await self._connection.execute(SQL["set_second"], *self._scope.user_key, read[-1].ordinal, read[-1].part)

    async def _insert(self, chunks: Sequence[Unread], numbers: Sequence[int], vectors: FloatMatrix) -> None:
        await self._connection.execute(
            SQL["insert_sentences"],
            *self._scope.user_key,
            [one.ordinal for one in chunks],
            [one.part for one in chunks],
            numbers,
            [one.said.occurred_at for one in chunks],
            [one.said.seen_by for one in chunks],
            [halfvec(vector) for vector in vectors],
        )

    async def set_reading(self, of: Sequence[Unread], readings: Sequence[Reading]) -> None:
        """Set what was read of the chunks `of`, one of `readings` of each."""
        await self._connection.execute(
            SQL["set_reading"],
            *self._scope.user_key,
            [one.ordinal for one in of],
            [one.part for one in of],
            [one.traits for one in readings],
            [sparsevec(one.weights) for one in readings],
            [None if one.vector is None else halfvec(one.vector) for one in readings],
        )

    async def forget_sentences(self, gone: Sequence["asyncpg.Record"]) -> None:
        """Delete the sentences of interactions that were deleted, the rows `gone` of the statement `forget`, and those
        that may name whoever has not spoken in their sessions by then any more; these are embedded again."""
        key = self._scope.user_key
        await self._connection.execute(SQL["forget_sentences"], *key, [row["ordinal"] for row in gone])
        columns = ([row[name] for row in gone] for name in ("session_id", "name", "seen_by", "ordinal"))
        await self._connection.execute(SQL["forget_who_talked"], *key, *columns)
        await self._connection.execute(SQL["forget_sentenced"], *key)
