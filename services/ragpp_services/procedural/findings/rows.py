"""Rows of findings and their evidence."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import asyncpg
import orjson

from ragpp.learned import Finding
from ragpp.models import DateSpan, FindingKind, Vector
from ragpp_services.procedural.findings.ending import (
    LEAST,
    LEAST_CHANGE,
    NEAR,
    NEAR_ALONE,
    Statement,
    ending_odds,
    is_judged,
    is_sure,
    read_statement,
    says_change,
)
from ragpp_services.procedural.findings.evidence import Evidence, Folded, fold
from ragpp_services.procedural.findings.validity import Ended
from ragpp_services.procedural.ranking import Scored
from ragpp_services.procedural.statements import Statements, cosine_of, half

NEAREST: Final = 12
"""How many findings a retrieval by meaning looks at, of which it answers five at most; a user has far more of them than
of preferences."""
LATEST: Final = 400
"""How many it looks at by words alone."""
LEAST_NEAR: Final = 0.4
"""The least cosine of two statements of which one may end the other, as a language model is asked."""
MOST_NEAR: Final = 400
"""Pairs of them, the nearest, for one window of messages."""

Known = dict[str, tuple[FindingKind, list[Evidence]]]
"""The kind and the evidence of findings, by their ids."""
Vectors = tuple[Vector, Vector | None]
"""That of a finding's text by the embedder, and that of what was said by the second encoder."""


class FindingRows:
    """One user's findings."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def evidence(self, identifiers: Collection[str], as_of: datetime | None = None) -> Known:
        """The evidence of each, in the order of arrival; by a moment, or all."""
        return _known(await self._run.fetch("finding_evidence", list(identifiers), as_of)) if identifiers else {}

    async def all_evidence(self, as_of: datetime) -> Known:
        """The evidence by a moment of all findings."""
        return _known(await self._run.fetch("finding_evidence_as_of", as_of))

    async def put_evidence(self, made: Iterable[tuple[str, Evidence, Vectors]]) -> None:
        """(finding id, evidence, its vectors) each."""
        await self._run.execute_many(
            "put_finding_evidence",
            [
                (
                    identifier,
                    one.number,
                    one.text,
                    one.confidence,
                    *span_columns(one.when),
                    one.occurred_at,
                    list(one.sources),
                    orjson.dumps(one.details).decode(),
                    half(embedding),
                    half(meaning),
                )
                for identifier, one, (embedding, meaning) in made
            ],
        )

    async def copy_evidence(self, identifier: str, number: int, copy: Evidence) -> None:
        """Put `copy` beside the evidence of that number, whose words, time and vectors it has."""
        details = orjson.dumps(copy.details).decode()
        await self._run.execute(
            "copy_finding_evidence", identifier, number, copy.number, copy.occurred_at, list(copy.sources), details
        )

    async def change_evidence(self, changed: Iterable[tuple[str, Evidence]]) -> None:
        """Confidence, sources and details of evidence whose text stays."""
        await self._run.execute_many(
            "change_finding_evidence",
            [
                (identifier, one.number, one.confidence, list(one.sources), orjson.dumps(one.details).decode())
                for identifier, one in changed
            ],
        )

    async def delete_evidence(self, gone: Mapping[str, Sequence[int]]) -> None:
        """The numbers of the evidence to delete, by finding id."""
        await self._run.execute_many(
            "delete_finding_evidence", [(identifier, list(numbers)) for identifier, numbers in gone.items()]
        )

    async def put(self, folded: Collection[Folded], known: Collection[str]) -> None:
        """The findings as their evidence, which is written, amounts to them, and what they end and what ends them.
        `known`: those that were there before."""
        await self._run.execute_many(
            "put_finding",
            [
                (
                    one.finding.id,
                    one.finding.finding,
                    one.finding.text,
                    one.finding.confidence,
                    *span_columns(one.finding.when),
                    one.finding.first_at,
                    one.finding.last_at,
                    list(one.finding.sources),
                    orjson.dumps(one.finding.details).decode(),
                    one.shown,
                )
                for one in folded
            ],
        )
        judged = [one.finding.id for one in folded if is_judged(one.finding.details)]
        near = await self._run.fetch("could_end", judged, NEAR, NEAR_ALONE, LEAST_CHANGE) if judged else []
        found, changed = list(_endings(near)), {one.finding.id for one in folded}
        if found or not changed.isdisjoint(known):
            columns = [list(column) for column in zip(*found, strict=True)] or [[]] * 4
            await self._run.execute("keep_endings", sorted(changed), *columns)

    async def ended(self, said_last: Mapping[str, datetime], as_of: datetime | None = None) -> dict[str, Ended]:
        """Those that a later one surely ended by `as_of`, or by now, of the findings with these ids, which were said
        last at these moments."""
        if not said_last:
            return {}
        rows = await self._run.fetch("findings_ended", list(said_last), list(said_last.values()), as_of)
        return {row["finding_id"]: Ended(row["ended_at"], row["ended_by"]) for row in rows}

    async def near(self, identifiers: Collection[str]) -> list[tuple[str, str]]:
        """Pairs of statements that are near each other and were said at different moments, one of these among them."""
        rows = await self._run.fetch("near_findings", list(identifiers), LEAST_NEAR, MOST_NEAR)
        return [(row["one_id"], row["other_id"]) for row in rows]

    async def of_ids(self, identifiers: Collection[str]) -> list[Finding]:
        """Those of these that are there, by their ids."""
        return [finding_of(row) for row in await self._run.fetch("findings_of_ids", list(identifiers))]

    async def read_endings(self, pairs: Collection[tuple[str, str]]) -> int:
        """Keep that a language model read these pairs (ended, by); returns how many of them are of findings that are
        there."""
        rows = await self._run.fetch("read_endings", [ended for ended, _ in pairs], [by for _, by in pairs])
        return len(rows)

    async def page(self, finding: FindingKind | None, after: tuple[datetime, str] | None, limit: int) -> list[Finding]:
        rows = await self._run.fetch("findings_page", finding, *(after or (None, None)), limit)
        return [finding_of(row) for row in rows]

    async def of_sources(self, interaction_ids: Collection[str]) -> list[str]:
        rows = await self._run.fetch("findings_of_sources", list(interaction_ids))
        return [row["finding_id"] for row in rows]

    async def taught(self, detail: str, since: datetime, until: datetime | None = None) -> list[str]:
        """The findings that have evidence of that time with such a detail."""
        return [row["finding_id"] for row in await self._run.fetch("findings_taught", detail, since, until)]

    async def delete(self, identifiers: Collection[str]) -> list[str]:
        """Delete these with their evidence; returns the ids that existed."""
        await self._run.execute("delete_all_finding_evidence", list(identifiers))
        return [row["id"] for row in await self._run.fetch("delete_findings", list(identifiers))]

    async def forgotten(self, identifiers: Collection[str]) -> set[str]:
        """Those of `identifiers` that a person forgot."""
        if not identifiers:
            return set()
        return {row["finding_id"] for row in await self._run.fetch("forgotten_findings", list(identifiers))}

    async def add_forgotten(self, identifiers: Collection[str]) -> None:
        await self._run.execute("add_forgotten_findings", sorted(identifiers))

    async def rank(self, embedding: Vector | None, as_of: datetime | None) -> list[Scored[Finding]]:
        """The nearest findings that were there at `as_of`, or are there now, with what ended them and their cosine to
        `embedding`; without one the latest."""
        limit = LATEST if embedding is None else NEAREST
        rows = await self._run.fetch("rank_findings", half(embedding), as_of, limit)
        found = [finding_of(row) for row in rows]
        if as_of is not None:
            known = await self.evidence([row["id"] for row in rows], as_of)
            found = [fold(one.id, *known[one.id]).finding for one in found]
        return [
            Scored(one, cosine_of(row), tuple(row["ended_in"]), is_ended=row["is_ended"])
            for one, row in zip(found, rows, strict=True)
        ]


def _endings(rows: Iterable[asyncpg.Record]) -> Iterator[tuple[str, str, float, bool]]:
    """The id of a finding that another ends if it is said later, the id of that one, the odds, and whether that is
    sure, by the pairs of `could_end`."""
    told: dict[str, Statement | None] = {}
    for row in rows:
        for side in ("one", "other"):
            if row[f"{side}_id"] not in told:
                details = orjson.loads(row[f"{side}_details"])
                told[row[f"{side}_id"]] = read_statement(row[f"{side}_kind"], details)
        pair = row["one_id"], row["other_id"]
        for ended, by in (pair, pair[::-1]):
            older, newer = told[ended], told[by]
            if older is not None and newer is not None and says_change(newer):
                odds = ending_odds(older, newer, row["embeddings"], row["meanings"])
                if odds >= LEAST:
                    yield ended, by, odds, is_sure(older.kind, odds)


def _known(rows: Iterable[asyncpg.Record]) -> Known:
    known: Known = {}
    for row in rows:
        _, evidence = known.setdefault(row["finding_id"], (row["finding"], []))
        evidence.append(evidence_of(row))
    return known


def span_of(row: asyncpg.Record) -> DateSpan | None:
    """The interval in the row's columns."""
    if row["when_start"] is None:
        return None
    return DateSpan(
        start=row["when_start"], end=row["when_end"], precision=row["when_precision"], text=row["when_text"]
    )


def span_columns(when: DateSpan | None) -> tuple[object, ...]:
    """The interval as four columns."""
    return (None, None, None, None) if when is None else (when.start, when.end, when.precision, when.text)


def finding_of(row: asyncpg.Record) -> Finding:
    sources = tuple(row["sources"])
    return Finding(
        id=row["id"],
        finding=row["finding"],
        text=row["text"],
        confidence=row["confidence"],
        support=len(sources),
        when=span_of(row),
        first_at=row["first_at"],
        last_at=row["last_at"],
        sources=sources,
        details=orjson.loads(row["details"]),
    )


def evidence_of(row: asyncpg.Record) -> Evidence:
    return Evidence(
        number=row["number"],
        text=row["text"],
        confidence=row["confidence"],
        when=span_of(row),
        occurred_at=row["occurred_at"],
        sources=tuple(row["sources"]),
        details=orjson.loads(row["details"]),
    )
