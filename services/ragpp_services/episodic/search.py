"""A search after its scan: ranked, the current before what it replaced, and as memories."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Self

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from ragpp.models import Memory, MemoryQuery
from ragpp.ranking.choosing import Chosen, positions
from ragpp.ranking.coverage import document_frequencies
from ragpp_services.episodic import focusing
from ragpp_services.episodic.alike import collapsed
from ragpp_services.episodic.focusing import Part, answering
from ragpp_services.episodic.ranking import CandidateTable, QuerySignals, Ranked, Ranking, information, less, rank
from ragpp_services.episodic.ranking.following import followed_by, puts_right
from ragpp_services.episodic.ranking.kin import OF_OTHER_KIN, about_other_kin
from ragpp_services.episodic.ranking.second import on_first_scale
from ragpp_services.episodic.ranking.spread import asks_for_several, spread
from ragpp_services.episodic.ranking.superseding import Currency, Statement, asks_for_the_present, current_first
from ragpp_services.episodic.ranking.weights import DEFAULT
from ragpp_services.episodic.rows import Found, StoredInteraction
from ragpp_services.episodic.scan import Asked, Chunks, Scanned, unpack

MOST_LOOKED_AT: Final = 4
"""Times as many as are asked for are fetched at most, where some of them say the same and are one."""
STEPS: Final = max(DEFAULT.lending)
"""How far from each other interactions lend to each other."""
MOST_READ: Final = 12
"""The best of what was found, of which the part that answers is looked for, in some 0.2 ms of a long message. To look
for it in more brings nothing: larger contexts show most messages whole."""


@dataclass(frozen=True, slots=True)
class Search:
    """The result of `query` among `chunks`, best first."""

    query: MemoryQuery
    terms: Sequence[int]
    chunks: Chunks
    table: CandidateTable
    signals: QuerySignals
    ranked: Ranking

    @classmethod
    def of(cls, scanned: Scanned, asked: Asked) -> Self:
        """The ranking of what was scanned for what was `asked`."""
        query, chunks = asked.query, unpack(scanned.columns, asked.terms)
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
            second=_second(asked, chunks),
            positions=None if scanned.chosen is None else _positions(scanned.chosen, chunks),
            of_sessions=None if scanned.chosen is None else scanned.chosen.of_sessions(chunks.session),
        )
        signals = QuerySignals(text=query.text, asker=query.asker, explain=query.explain)
        if scanned.chosen is not None:
            signals = _of_all(signals, scanned.chosen, chunks)
        ranked = rank(table, signals, limit=query.limit * MOST_LOOKED_AT)
        if asks_for_several(query.text):
            ranked = ranked.taken(spread(ranked.raw.tolist(), chunks.session[ranked.rows].tolist()))
        return cls(query, asked.terms, chunks, table, signals, ranked)

    def keys(self, first: int, count: int) -> list[tuple[datetime, int, int]]:
        """(occurred_at, ordinal, part) of `count` of what was found, from the place `first` on."""
        return [self.chunks.key(row) for row in self.ranked.rows[first : first + count].tolist()]

    @property
    def wants_vectors(self) -> bool:
        """True where `memories` needs the vectors of what was found."""
        return asks_for_the_present(self.query.text)

    def distinct(self, found: Mapping[int, Found]) -> list[list[Found]]:
        """Those that are in `found`, by ordinal, best first; those that say the same together, the latest first."""
        there = [found[ordinal] for ordinal in self._ordinals() if ordinal in found]
        return [[there[index] for index in group] for group in collapsed([one.stored.interaction for one in there])]

    def memories(self, groups: Sequence[Sequence[Found]]) -> list[Memory]:
        """The memories of `distinct`. What stands before a better one, because it replaces it or is of another session,
        has that one's score."""
        places = {ordinal: place for place, ordinal in enumerate(self._ordinals())}
        ordinals = [one.stored.ordinal for group in groups for one in group]
        ranked = {ordinal: self.ranked[places[ordinal]] for ordinal in ordinals}
        groups, best = self._of_who_is_asked_for(groups, [_best(group, ranked) for group in groups])
        latest = [group[0] for group in groups]
        current = Currency(list(range(len(groups))), {})
        if self.wants_vectors:
            current = self._current_first(best, latest)
        current = self._put_right(current, latest, ranked)
        parts = self._parts([latest[index] for index in current.order[:MOST_READ]], ranked)
        memories: list[Memory] = []
        least = 0.0
        for index in reversed(current.order):
            least = max(least, best[index].score)
            by, earlier = current.replaced.get(index), current.may_correct.get(index)
            memories.append(
                memory_of(
                    latest[index].stored,
                    least,
                    best[index].similarity,
                    second_similarity=best[index].second,
                    coverage=best[index].coverage,
                    part=parts.get(latest[index].stored.ordinal, (latest[index].start, latest[index].end)),
                    sources=tuple([one.stored.interaction.id for one in groups[index]]),
                    corrected_by=None if by is None else latest[by].stored.interaction.id,
                    may_correct=None if earlier is None else latest[earlier].stored.interaction.id,
                    explain=_explained(best[index]) if self.query.explain else None,
                )
            )
        return memories[::-1]

    def _ordinals(self) -> list[int]:
        """The ordinals of what was found, in its order."""
        ordinals: list[int] = self.chunks.ordinal[self.ranked.rows].tolist()
        return ordinals

    def _of_who_is_asked_for(
        self, groups: Sequence[Sequence[Found]], best: Sequence[Ranked]
    ) -> tuple[Sequence[Sequence[Found]], Sequence[Ranked]]:
        """Both again, with what is about other kin than the question set back."""
        is_about_another = about_other_kin(self.query.text)
        if is_about_another is None:
            return groups, best
        judged = [
            less(one, "other kin", OF_OTHER_KIN) if is_about_another(_part(group[0])) else one
            for group, one in zip(groups, best, strict=True)
        ]
        order = sorted(range(len(judged)), key=lambda index: -judged[index].raw)
        if asks_for_several(self.query.text):
            sessions = self.chunks.session[[judged[index].row for index in order]].tolist()
            order = [order[place] for place in spread([judged[index].raw for index in order], sessions)]
        return [groups[index] for index in order], [judged[index] for index in order]

    def _parts(self, found: Sequence[Found], ranked: Mapping[int, Ranked]) -> dict[int, Part]:
        """Which part of the text of each of `found`, best first, answers, by ordinal; `ranked` by ordinal, too."""
        asked = focusing.Asked.of(self.query.text, self.terms, information(self.table, self.signals).tolist())
        parts: dict[int, Part] = {}
        for one in found:
            holds = (self.table.terms[ranked[one.stored.ordinal].row] > 0).tolist()
            start, end = answering(asked, _part(one), holds, one.told)
            parts[one.stored.ordinal] = one.start + start, one.start + end
        return parts

    def _current_first(self, best: Sequence[Ranked], latest: Sequence[Found]) -> Currency:
        statements = [
            Statement(
                text=_part(one),
                speaker=(one.stored.interaction.role, one.stored.interaction.name),
                moment=(one.stored.interaction.occurred_at.timestamp(), one.stored.ordinal),
                raw=ranked.raw,
                similarity=ranked.similarity or 0.0,
                vector=np.zeros(0, np.float32) if one.vector is None else one.vector,
                holds=self.table.terms[ranked.row] > 0,
            )
            for ranked, one in zip(best, latest, strict=True)
        ]
        return current_first(self.query.text, statements, information(self.table, self.signals))

    def _put_right(self, current: Currency, latest: Sequence[Found], ranked: Mapping[int, Ranked]) -> Currency:
        """With what puts the first right, as its speaker said right behind it, beside it; `ranked` by ordinal."""
        first = next(iter(current.order), None)
        if first is None or latest[first].stored.interaction.role == "assistant":
            return current
        next_own = followed_by(self.table, ranked[latest[first].stored.ordinal].row)
        behind = next((place for place, one in enumerate(latest) if one.stored.ordinal == next_own), None)
        if behind is None or not puts_right(latest[behind].stored.interaction.content):
            return current
        rest = [place for place in current.order[1:] if place != behind]
        return Currency([first, behind, *rest], current.replaced, {**current.may_correct, behind: first})


def _second(asked: Asked, chunks: Chunks) -> npt.NDArray[np.float64] | None:
    if asked.second is None or asked.query.mode == "lexical":
        return None
    return on_first_scale(chunks.second, asked.second)


def _positions(chosen: Chosen, chunks: Chunks) -> npt.NDArray[np.int64]:
    return positions(chosen.rows, chunks.ordinal, chunks.moments, chunks.session)


def _of_all(signals: QuerySignals, chosen: Chosen, chunks: Chunks) -> QuerySignals:
    """With how many interactions there are, and hold each term: those that `chunks` were chosen of, and those of them
    that are in no segment; and with what all of them score in the mean, where not all are among `chunks`."""
    beside = np.flatnonzero(~np.isin(chunks.ordinal, chosen.ordinals))
    order = beside[np.argsort(chunks.ordinal[beside], kind="stable")]
    ordinals, firsts = np.unique(chunks.ordinal[order], return_index=True)
    holding = chosen.holding
    if len(order):
        held = (chunks.lexical[order] > 0) | (chunks.asked[order] > 0)
        holding = holding + document_frequencies(held, firsts)
    return replace(
        signals,
        documents=chosen.documents + len(ordinals),
        frequencies=tuple(map(int, holding)),
        mean=None if len(chosen.ordinals) == chosen.documents else chosen.mean,
    )


def _best(group: Sequence[Found], ranked: Mapping[int, Ranked]) -> Ranked:
    """The best of those that say the same; `ranked` by ordinal."""
    if len(group) == 1:
        return ranked[group[0].stored.ordinal]
    return max([ranked[one.stored.ordinal] for one in group], key=lambda one: one.raw)


def _part(found: Found) -> str:
    """The part of an interaction that was found."""
    return found.stored.interaction.content[found.start : found.end]


def to_look_at_next(limit: int, looked_at: int, distinct: int) -> int:
    """How many more to fetch for `limit` memories, when the first `looked_at` said `distinct` different things: as many
    as it takes where the rest repeats itself as often."""
    return math.ceil((limit - distinct) * looked_at / max(1, distinct))


def _explained(ranked: Ranked) -> dict[str, JsonValue]:
    """The parts of the score of the best of a group, without the signals that say nothing."""
    signals: dict[str, JsonValue] = {name: round(value, 4) for name, value in ranked.signals.items() if value}
    return {"raw": round(ranked.raw, 4), "signals": signals}


def memory_of(
    stored: StoredInteraction,
    score: float,
    similarity: float | None,
    *,
    second_similarity: float | None = None,
    coverage: float | None = None,
    part: Part | None = None,
    corrected_by: str | None = None,
    may_correct: str | None = None,
    sources: tuple[str, ...] = (),
    explain: dict[str, JsonValue] | None = None,
) -> Memory:
    """`stored` as a memory; `coverage`: the share of the question's information that it tells; `part`: where what
    of it was found begins and ends; `sources`: those who said the same, itself first."""
    said = stored.interaction
    start, end = part or (0, len(said.content))
    return Memory(
        id=said.id,
        tier="episodic",
        kind="interaction",
        text=said.content,
        focus=start,
        focus_end=end if end < len(said.content) else None,
        corrected_by=corrected_by,
        may_correct=may_correct,
        explain=explain,
        score=score,
        similarity=similarity,
        second_similarity=second_similarity,
        coverage=coverage,
        tokens=stored.tokens,
        occurred_at=said.occurred_at,
        utc_offset=said.utc_offset,
        said_by=said.said_by,
        speaker_role=said.role,
        session_id=said.session_id,
        sources=sources or (said.id,),
        metadata=said.metadata,
    )
