"""Extract: what a window of interactions shows together, and no single one says: patterns first of all.

What single messages say is in the tiers already (`observe`). Here a window is looked at with the weeks before it for
what is done repeatedly, when and in what order; with a language model configured the window is read by it, too.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Final

import structlog
from pydantic import JsonValue

from ragpp.errors import LanguageModelError
from ragpp.errors.summaries import safe_summary
from ragpp.learned import HABIT_ENTRY, Finding, owned_key
from ragpp.ledger import Work, WorkKey
from ragpp.ledger.windows import Window
from ragpp.models import (
    FindingEntry,
    Interaction,
    Preference,
    PreferenceEntry,
    Relationship,
    Scope,
    TimeRange,
)
from ragpp.paging import PAGE, pages
from ragpp_services.workers.learning.days import LEAST_STEP, Bounded, back, window_of, zone_of
from ragpp_services.workers.learning.doings import Doing, active_days, doings_of
from ragpp_services.workers.learning.patterns import Pattern, find_patterns
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.ending import end_statements
from ragpp_services.workers.stages.history import said_within, teaches, vectors_of
from ragpp_services.workers.stages.modelled import Read, read_with_model
from ragpp_services.workers.stages.outcomes import counted, iso, pattern_out, preference_out, relationship_out
from ragpp_services.workers.stages.stage import Epochs, epochs_of, views_of
from ragpp_services.workers.stages.stating import finding_id

HISTORY: Final = timedelta(days=90)
"""How far before a window's end patterns are looked for."""
MOST_HISTORY: Final = 2_000
"""Interactions of it, the latest."""
MOST_WINDOW: Final = 2_000
MOST_COMPARED: Final = 200
"""Requests that are compared in meaning, the latest; the others by their words."""
MOST_SHOWN: Final = 50
"""Items of each list in a result."""
MOST_READ: Final = 2_000
"""Relationships and preferences that are looked through for what rests on the window."""
HABIT_DAYS: Final = 3
"""Days on which something must have been done for it to be a preference that nobody has stated."""
HABIT_CONFIDENCE: Final = 0.45
"""The confidence of one such day; repeated days add up. Below a review list's threshold until it is a habit indeed."""
_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Looked:
    """A window that was looked at: what was said in it, what of that teaches, and what it taught."""

    said: Sequence[Interaction]
    items: Sequence[Interaction]
    patterns: Sequence[tuple[str, Pattern]] = ()
    read: Read = field(default_factory=Read)


async def extract(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Mapping[str, JsonValue]]:
    """Extract from the window of each work (`learning.days.window_of` its payload), and ask for an incremental
    reflection. Repeating it changes nothing.

    Raises TierUnavailable, EmbeddingError; Outdated when something was forgotten meanwhile; InvalidInput for a payload
    that names no window.
    """
    results: dict[WorkKey, Mapping[str, JsonValue]] = {}
    for work in batch:
        span = window_of(work.payload, work.occurred_at)
        zone = str(work.payload.get("time_zone") or (await parts.ledger.user_settings(work.scope)).time_zone)
        window = Window(work.key.event_id, "extract", span.start, span.end, None, {"time_zone": zone})
        await parts.ledger.note_window(work.scope, window)  # before anything is learned from it
        results[work.key] = await extract_window(parts, work, span, zone)
        moments = {"start": iso(span.start), "end": iso(span.end)}
        await parts.ledger.follow_up(
            work,
            "reflect.requested",
            f"incremental:{work.key.event_id}",
            {"kind": "incremental", **moments},
            work.occurred_at,
        )
    return results


async def extract_window(parts: WorkerParts, work: Work, span: Bounded, zone: str) -> dict[str, JsonValue]:
    """`{patterns, preferences, relationships, findings, extracted_at, window, model, fallback}`, without any content:
    it would outlive what it repeats.

    `patterns`, `preferences` and `relationships` are those that rest on the window, MOST_SHOWN at most; `findings`
    counts the others by kind. `fallback` says why the language model was not used where one is configured. `window` is
    what was read: of more than MOST_WINDOW interactions the latest, and the part before `earlier` is asked for.
    """
    scope = work.scope
    looked = await look_at(parts, scope, span, zone)
    said, items, read = looked.said, looked.items, looked.read
    earlier = await _go_on(parts, work, span, said[0].occurred_at) if len(said) >= MOST_WINDOW else None
    ids = {item.id for item in items}
    findings = await _findings(parts, scope, ids)
    return {
        "patterns": [pattern_out(identifier, pattern) for identifier, pattern in looked.patterns[:MOST_SHOWN]],
        "preferences": [preference_out(one) for one in (await _preferences(parts, scope, ids))[:MOST_SHOWN]],
        "relationships": [relationship_out(one) for one in (await _relationships(parts, scope, ids))[:MOST_SHOWN]],
        "findings": counted(findings),
        "extracted_at": iso(parts.clock()),
        "window": {
            "start": iso(said[0].occurred_at if earlier is not None else span.start),
            "end": iso(span.end),
            "interactions": len(items),
            "earlier": iso(earlier),
        },
        "model": read.model,
        "fallback": read.fallback,
    }


async def look_at(parts: WorkerParts, scope: Scope, span: Bounded, zone: str, *, ask: bool = True) -> Looked:
    """Learn what the window says together; `ask`: also what a language model reads in it. Raises as `extract`."""
    epochs = await epochs_of(parts, scope)
    said = await said_within(parts, scope, span, most=MOST_WINDOW)
    items = [item for item in said if teaches(item)]
    if not items:
        return Looked(said, items)
    patterns = await _learn_patterns(parts, scope, span, {item.id for item in items}, zone_of(zone), epochs)
    return Looked(said, items, patterns, await _read(parts, scope, items, epochs) if ask else Read())


async def _go_on(parts: WorkerParts, work: Work, span: Bounded, read_from: datetime) -> datetime:
    """Ask for the part of the window before what was read from `read_from` on; returns its end. It takes in the others
    of that very moment, unless nothing but that moment was read: then there would be no end to it."""
    end = read_from + LEAST_STEP
    if end >= span.end:
        end = read_from
    payload = {**work.payload, "start": iso(span.start), "end": end.isoformat()}
    await parts.ledger.follow_up(work, "extract.requested", f"earlier:{work.key.event_id}", payload, end)
    return end


async def patterns_until(parts: WorkerParts, scope: Scope, end: datetime, zone: tzinfo) -> list[Pattern]:
    """The patterns in the HISTORY before `end`. Raises TierUnavailable, EmbeddingError."""
    said = await said_within(parts, scope, TimeRange(start=back(end, HISTORY), end=end), most=MOST_HISTORY)
    items = [item for item in said if teaches(item)]
    doings = await asyncio.to_thread(doings_of, items, zone)
    vectors = await vectors_of(parts, _compared(doings))
    return await asyncio.to_thread(find_patterns, doings, vectors, active_days(items, zone))


def _compared(doings: Sequence[Doing]) -> list[str]:
    texts = dict.fromkeys(doing.text for doing in reversed(doings) if doing.kind == "asks")
    return list(texts)[:MOST_COMPARED]


async def _learn_patterns(
    parts: WorkerParts, scope: Scope, span: Bounded, ids: set[str], zone: tzinfo, epochs: Epochs
) -> list[tuple[str, Pattern]]:
    """Find the patterns that the window is part of and keep them; answers each with the id of its finding."""
    found = await patterns_until(parts, scope, span.end, zone)
    touched = [(finding_id(*pattern.key), pattern) for pattern in found if ids & set(pattern.sources)]
    entries: list[FindingEntry | PreferenceEntry] = []
    for identifier, pattern in touched:
        entries.append(finding_entry(identifier, pattern))
        entries += habits_of(pattern)
    if entries:
        await parts.procedural.store(scope, entries, epochs.procedural)
    return touched


def finding_entry(identifier: str, pattern: Pattern) -> FindingEntry:
    """The pattern as a finding; found again later it replaces what it said before."""
    return FindingEntry(
        id=identifier,
        finding="pattern",
        text=pattern.text[:4_000],
        confidence=pattern.confidence,
        occurred_at=pattern.last_at,
        sources=pattern.sources,
        details=dict(pattern.details),
    )


def habits_of(pattern: Pattern) -> list[PreferenceEntry]:
    """The likings that a pattern shows: what somebody goes and does on HABIT_DAYS days they like to do, though nobody
    said so: one entry for each day of evidence, so that finding the same days again adds nothing."""
    if not pattern.activity or len(pattern.day_sources) < HABIT_DAYS:
        return []
    key = owned_key(pattern.who, pattern.topic)
    return [
        PreferenceEntry(
            id=f"{HABIT_ENTRY}{finding_id(*pattern.key, source)}",
            category="habits",
            key=key[:100],
            value="does it regularly",
            confidence=HABIT_CONFIDENCE,
            stated=False,
            occurred_at=at,
            sources=(source,),
        )
        for at, source in pattern.day_sources
    ]


async def _read(parts: WorkerParts, scope: Scope, items: Sequence[Interaction], epochs: Epochs) -> Read:
    """A language model's findings beyond `observe`, kept; none without a model, and when it fails, why."""
    model = parts.model_for("extraction", scope)
    if model is None:
        return Read()
    try:
        read = await read_with_model(model, parts.extractor, parts.judge, items)
    except LanguageModelError as error:
        _log.warning("extract.fell_back", model=model.name, kind=error.kind, error=safe_summary(error))
        return Read(fallback=error.kind)
    await _keep(parts, scope, read, epochs)
    for view in await views_of(parts, scope):
        seen = {item.id for item in await parts.episodic.get(view, [item.id for item in items])}
        await _keep(parts, view, read.resting_on(seen, items), await epochs_of(parts, view))
    await end_statements(parts, model, scope, read)
    return read


async def _keep(parts: WorkerParts, scope: Scope, read: Read, epochs: Epochs) -> None:
    if read.observations:
        await parts.semantic.observe(scope, read.observations, epochs.semantic)
    if read.entries:
        await parts.procedural.store(scope, read.entries, epochs.procedural)


async def _preferences(parts: WorkerParts, scope: Scope, ids: set[str]) -> list[Preference]:
    tier = parts.procedural
    listed = pages(lambda cursor: tier.list_preferences(scope, cursor=cursor, limit=PAGE), most=MOST_READ)
    found = [one async for one in listed if ids & set(one.sources)]
    return sorted(found, key=lambda one: (-one.confidence, one.id))


async def _relationships(parts: WorkerParts, scope: Scope, ids: set[str]) -> list[Relationship]:
    tier = parts.semantic
    listed = pages(
        lambda cursor: tier.list_relationships(scope, cursor=cursor, limit=PAGE, state="all"), most=MOST_READ
    )
    found = [one async for one in listed if ids & {*one.sources, one.ended_by} and one.verdict != "rejected"]
    return sorted(found, key=lambda one: (-one.confidence, one.id))


async def _findings(parts: WorkerParts, scope: Scope, ids: set[str]) -> list[Finding]:
    tier = parts.procedural
    listed = pages(lambda cursor: tier.list_findings(scope, cursor=cursor, limit=PAGE), most=MOST_READ)
    return [one async for one in listed if ids & set(one.sources)]
