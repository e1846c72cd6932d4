"""The findings' part of the tier."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ragpp.clock import Clock
from ragpp.errors import Conflict, NotFound
from ragpp.extraction.times.fitting import time_of
from ragpp.learned import BY_HAND_DETAIL, Finding, Verdict
from ragpp.ledger import NewEvent
from ragpp.models import FindingEntry, FindingKind, Page, Scope, Stored, Vector
from ragpp.stores.cursors import decode_cursor, page_of, page_size
from ragpp_services.procedural.findings import rows as finding_rows
from ragpp_services.procedural.findings.evidence import Evidence, add, evidence_of_entry, fold, without_what_was_read
from ragpp_services.procedural.findings.validity import with_validity
from ragpp_services.procedural.forgetting import withdrawing
from ragpp_services.procedural.store import ProceduralStore, Rows
from ragpp_services.procedural.vectors import Vectors


class Findings:
    """The part of `ragpp.tiers.ProceduralTier` about findings."""

    def __init__(self, store: ProceduralStore, vectors: Vectors, clock: Clock) -> None:
        self._store, self._vectors, self._clock = store, vectors, clock

    async def list_findings(
        self,
        scope: Scope,
        finding: FindingKind | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Finding]:
        after = None if cursor is None else decode_cursor(cursor, datetime, str)
        size = page_size(limit)
        async with self._store.reading(scope) as rows:
            if as_of is None:
                found = await rows.findings.page(finding, after, size + 1)
            else:
                known = without_what_was_read(await rows.findings.all_evidence(as_of))
                known = {one: of_it for one, of_it in known.items() if finding in {None, of_it[0]}}
                found = [fold(identifier, *of_finding).finding for identifier, of_finding in known.items()]
                found.sort(key=lambda one: one.id)
                found.sort(key=lambda one: one.last_at, reverse=True)
                found = [one for one in found if after is None or _comes_after(one, after)][: size + 1]
            ended = await rows.findings.ended({one.id: one.last_at for one in found}, as_of)
        now = self._clock() if as_of is None else as_of
        found = [with_validity(one, ended.get(one.id), now) for one in found]
        return page_of(Page[Finding], found, size, lambda one: (one.last_at, one.id))

    async def near_findings(self, scope: Scope, finding_ids: Sequence[str]) -> list[tuple[Finding, Finding]]:
        """See the contract."""
        if not finding_ids:
            return []
        async with self._store.reading(scope) as rows:
            pairs = await rows.findings.near(finding_ids)
            found = {one.id: one for one in await rows.findings.of_ids({one for pair in pairs for one in pair})}
        both = [(found[one], found[other]) for one, other in pairs]
        return [pair if pair[0].last_at < pair[1].last_at else pair[::-1] for pair in both]

    async def end_findings(self, scope: Scope, pairs: Sequence[tuple[str, str]], epoch: int | None = None) -> int:
        """See the contract."""
        if not pairs:
            return 0
        async with self._store.writing(scope, epoch) as rows:
            return await rows.findings.read_endings(pairs)

    async def judge_finding(self, scope: Scope, finding_id: str, verdict: Verdict) -> Finding:
        """A confirmation rests on what the finding rests on, and goes with any of it; a rejection
        stays, by the finding's id."""
        now = self._clock()
        async with self._store.writing(scope) as rows:
            kind, evidence = await _existing(rows, finding_id)
            folded = fold(finding_id, kind, evidence)
            found = await _as_it_holds(rows, folded.finding, now)
            if verdict == "rejected":
                await withdrawing.forget(rows, [finding_id], now)
                return found
            if BY_HAND_DETAIL in found.details and found.ended_by is None:
                return found
            shown = next(one for one in evidence if one.number == folded.shown)
            confirmed = replace(
                shown,
                number=_next_number(evidence),
                confidence=1.0,
                occurred_at=max(now, found.last_at),
                sources=found.sources,
                details={**shown.details, BY_HAND_DETAIL: "confirmed"},
            )
            await rows.findings.copy_evidence(finding_id, shown.number, confirmed)
            return await _put(rows, finding_id, kind, [*evidence, confirmed], now)

    async def correct_finding(self, scope: Scope, finding_id: str, text: str) -> Finding:
        """The time that a correction speaks of is read from its words; for the rest the contract."""
        now = self._clock()
        await self._vectors.check_identity()
        embedding = await self._vectors.embed(text)
        async with self._store.writing(scope) as rows:
            kind, evidence = await _existing(rows, finding_id)
            found = fold(finding_id, kind, evidence).finding
            if found.text == text and found.details.get(BY_HAND_DETAIL) == "corrected":
                return await _as_it_holds(rows, found, now)
            corrected = Evidence(
                number=_next_number(evidence),
                text=text,
                confidence=1.0,
                when=time_of(kind, text, now),
                occurred_at=max(now, found.last_at),
                sources=(),
                details={BY_HAND_DETAIL: "corrected"},
            )
            await rows.findings.put_evidence([(finding_id, corrected, (embedding, None))])
            return await _put(rows, finding_id, kind, [*evidence, corrected], now)


async def _existing(rows: Rows, identifier: str) -> tuple[FindingKind, list[Evidence]]:
    known = await rows.findings.evidence([identifier])
    if identifier not in known:
        raise NotFound("there is no finding of that id")
    return known[identifier]


async def _put(rows: Rows, identifier: str, kind: FindingKind, evidence: Sequence[Evidence], now: datetime) -> Finding:
    """The finding that `evidence`, which is written, amounts to, kept as it is then."""
    folded = fold(identifier, kind, evidence)
    await rows.findings.put([folded], [identifier])
    await rows.record([NewEvent("finding.changed", identifier, folded.finding.last_at)], now)
    return await _as_it_holds(rows, folded.finding, now)


async def _as_it_holds(rows: Rows, found: Finding, now: datetime) -> Finding:
    ended = await rows.findings.ended({found.id: found.last_at})
    return with_validity(found, ended.get(found.id), now)


def _next_number(evidence: Sequence[Evidence]) -> int:
    return max((one.number for one in evidence), default=0) + 1


async def add_findings(
    rows: Rows, entries: Sequence[FindingEntry], vectors: Sequence[Vector], now: datetime
) -> list[Stored]:
    """Add what `entries` say to the evidence; answers in their order, a duplicate where nothing was new.

    What rests on a forgotten interaction, and what a person forgot by its id, is not learned. Raises Conflict for
    an id that is known as another kind of finding, before anything is written.
    """
    known = await rows.findings.evidence({entry.id for entry in entries})
    kinds = {identifier: kind for identifier, (kind, _) in known.items()}
    conflicts = [
        index for index, entry in enumerate(entries) if kinds.setdefault(entry.id, entry.finding) != entry.finding
    ]
    if conflicts:
        raise Conflict("an id is known as another kind of finding", details={"indexes": conflicts})
    gone = await rows.forgotten_sources({source for entry in entries for source in entry.sources})
    refused = await rows.findings.forgotten({entry.id for entry in entries})
    after: dict[str, list[Evidence]] = {identifier: evidence for identifier, (_, evidence) in known.items()}
    spoken: dict[tuple[str, str, tuple[str, ...]], finding_rows.Vectors] = {}
    changed: dict[str, datetime] = {}
    stored: list[Stored] = []
    for entry, vector in zip(entries, vectors, strict=True):
        evidence = after.get(entry.id, [])
        learned = entry.id not in refused and gone.isdisjoint(entry.sources)
        added = add(evidence, evidence_of_entry(entry, _next_number(evidence))) if learned else evidence
        if added != evidence:
            after[entry.id], changed[entry.id] = added, max(entry.occurred_at, changed.get(entry.id, entry.occurred_at))
            spoken[entry.id, entry.text, entry.sources] = vector, entry.meaning
        stored.append(Stored(id=entry.id, duplicate=added == evidence))
    before = {identifier: evidence for identifier, (_, evidence) in known.items()}
    await _write(rows, {identifier: (before.get(identifier, []), after[identifier]) for identifier in changed}, spoken)
    folded = [fold(identifier, kinds[identifier], after[identifier]) for identifier in changed]
    await rows.findings.put(folded, known)
    events = [NewEvent("finding.changed", identifier, moment) for identifier, moment in changed.items()]
    by_finding = dict(zip(changed, await rows.record(events, now), strict=True))
    return [one if one.duplicate else one.model_copy(update={"event_id": by_finding[one.id]}) for one in stored]


async def _write(
    rows: Rows,
    changes: Mapping[str, tuple[Sequence[Evidence], Sequence[Evidence]]],
    spoken: Mapping[tuple[str, str, tuple[str, ...]], finding_rows.Vectors],
) -> None:
    """Bring the evidence's rows of each finding from what it was to what it is; `spoken`: the vectors of texts that
    came just now, by finding and text."""
    put, changed, gone = [], [], {}
    for identifier, (before, after) in changes.items():
        old = {one.number: one for one in before}
        for one in after:
            if old.get(one.number) == one:
                continue
            vectors = spoken.get((identifier, one.text, one.sources))
            if vectors is None:  # its confidence alone has grown
                changed.append((identifier, one))
            else:
                put.append((identifier, one, vectors))
        left_out = old.keys() - {one.number for one in after}
        if left_out:
            gone[identifier] = sorted(left_out)
    await rows.findings.put_evidence(put)
    await rows.findings.change_evidence(changed)
    await rows.findings.delete_evidence(gone)


def _comes_after(one: Finding, position: tuple[datetime, str]) -> bool:
    moment, identifier = position
    return one.last_at < moment or (one.last_at == moment and one.id > identifier)
