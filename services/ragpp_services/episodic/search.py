"""A search after its scan: ranked, the current before what it replaced, and as memories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

import numpy as np

from ragpp.models import Memory, MemoryQuery
from ragpp_services.episodic.ranking import CandidateTable, QuerySignals, Ranked, information, rank
from ragpp_services.episodic.ranking.spread import asks_for_several, spread
from ragpp_services.episodic.ranking.superseding import Currency, Statement, asks_for_the_present, current_first
from ragpp_services.episodic.rows import Found, StoredInteraction
from ragpp_services.episodic.scan import Chunks, Columns, unpack


@dataclass(frozen=True, slots=True)
class Search:
    """What `query` found among `chunks`, best first."""

    query: MemoryQuery
    chunks: Chunks
    table: CandidateTable
    ranked: Sequence[Ranked]

    @classmethod
    def of(cls, columns: Columns, terms: Sequence[int], query: MemoryQuery) -> Self:
        """The ranking of a scan's `columns`, which hold the weights of `terms`."""
        chunks = unpack(columns, terms)
        eligible = chunks.eligible
        if query.filters.similarity_threshold is not None:
            eligible = eligible & (chunks.cosine >= query.filters.similarity_threshold)
        if query.mode == "lexical":
            eligible = eligible & ((chunks.lexical > 0) | (chunks.asked > 0)).any(axis=1)
        table = CandidateTable(
            ordinals=chunks.ordinal,
            sessions=chunks.session,
            occurred_at=chunks.moments / 1e6,
            cosines=np.full(len(chunks.cosine), np.nan) if query.mode == "lexical" else chunks.cosine,
            terms=chunks.lexical,
            speakers=chunks.speaker,
            names=chunks.speakers,
            asked=chunks.asked,
            traits=chunks.traits,
            eligible=eligible,
            sentences=None if query.mode == "lexical" else chunks.told,
        )
        ranked = rank(table, QuerySignals(text=query.text, explain=query.explain), limit=query.limit)
        if asks_for_several(query.text):
            sessions = [int(chunks.session[one.row]) for one in ranked]
            ranked = [ranked[index] for index in spread([one.raw for one in ranked], sessions)]
        return cls(query, chunks, table, ranked)

    @property
    def keys(self) -> list[tuple[datetime, int, int]]:
        """(occurred_at, ordinal, part) of what was found, in its order."""
        return [self.chunks.key(one.row) for one in self.ranked]

    @property
    def wants_vectors(self) -> bool:
        """Whether `memories` needs the vectors of what was found."""
        return asks_for_the_present(self.query.text)

    def memories(self, found: Mapping[int, Found]) -> list[Memory]:
        """The memories of those that are in `found`, by ordinal. What stands before a better one, because it replaces
        it or is of another session, has that one's score."""
        rows = [one for one in self.ranked if int(self.chunks.ordinal[one.row]) in found]
        there = [found[int(self.chunks.ordinal[one.row])] for one in rows]
        current = Currency(list(range(len(rows))), {})
        if self.wants_vectors:
            current = self._current_first(rows, there)
        memories: list[Memory] = []
        least = 0.0
        for index in reversed(current.order):
            least = max(least, rows[index].score)
            by = current.replaced.get(index)
            memories.append(
                memory_of(
                    there[index].stored,
                    least,
                    rows[index].similarity,
                    focus=there[index].start,
                    corrected_by=None if by is None else there[by].stored.interaction.id,
                    explain=rows[index].signals,
                )
            )
        return memories[::-1]

    def _current_first(self, rows: Sequence[Ranked], there: Sequence[Found]) -> Currency:
        statements = [
            Statement(
                text=one.stored.interaction.content[one.start : one.end],
                speaker=(one.stored.interaction.role, one.stored.interaction.name),
                moment=(one.stored.interaction.occurred_at.timestamp(), one.stored.ordinal),
                raw=ranked.raw,
                vector=np.zeros(0, np.float32) if one.vector is None else one.vector,
                holds=self.table.terms[ranked.row] > 0,
            )
            for ranked, one in zip(rows, there, strict=True)
        ]
        return current_first(self.query.text, statements, information(self.table, QuerySignals(text=self.query.text)))


def memory_of(
    stored: StoredInteraction,
    score: float,
    similarity: float | None,
    *,
    focus: int = 0,
    corrected_by: str | None = None,
    explain: Mapping[str, float] | None = None,
) -> Memory:
    """`stored` as a memory; `focus`: where the part of it that was found begins."""
    said = stored.interaction
    return Memory(
        id=said.id,
        tier="episodic",
        kind="interaction",
        text=said.content,
        focus=focus,
        corrected_by=corrected_by,
        signals=explain or None,
        score=score,
        similarity=similarity,
        tokens=stored.tokens,
        occurred_at=said.occurred_at,
        said_by=said.said_by,
        session_id=said.session_id,
        sources=(said.id,),
        metadata=said.metadata,
    )
