"""Reflect: what a day, or the latest window, changes in what is known: themes, relationships, preferences and rules.

An analysis that fails is named in the report, counts 0 and stops none of the others; one that met what is down for a
while has all of them run again later, until there is no further attempt. When something was forgotten meanwhile, the
reflection ends at once, without a report: it may rest on it. Those that ask a language model come after the
one that asks none, so that an outage, which may be waited for long, does not have it asked the same over and over.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Final, TypeVar

import structlog
from pydantic import JsonValue

from ragpp.errors import InvalidInput, LanguageModelError, MemorySystemError, NotFound, Outdated
from ragpp.errors.summaries import safe_summary, trace_of
from ragpp.learned import Analysis, Consolidated, Reflection, ReflectionKind, RuleConflict, Theme
from ragpp.ledger import Work, WorkKey
from ragpp.ledger.windows import Window
from ragpp.ledger.work import MAX_ATTEMPTS
from ragpp.llm.port import LanguageModel, Purpose
from ragpp.llm.suggestions import suggest_merges, suggest_themes
from ragpp.models import Interaction, Preference, Scope, TimeRange
from ragpp.paging import PAGE, pages
from ragpp_services.workers.authorship.own_words import own_text, own_words
from ragpp_services.workers.learning.consolidation import duplicates, key_line, may_be_same
from ragpp_services.workers.learning.days import Bounded, back, day_of, day_span, window_of, zone_of
from ragpp_services.workers.learning.themes import Said, stems_in, themes_of
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.history import said_within, teaches, vectors_of
from ragpp_services.workers.stages.outcomes import outcome_of
from ragpp_services.workers.stages.rules import Learned, learn_rules
from ragpp_services.workers.stages.stage import Epochs, epochs_of

MOST_OF_A_DAY: Final = 2_000
"""Interactions of a day that are reflected upon, the latest."""
MOST_EMBEDDED: Final = 400
"""So many of them are compared in meaning, evenly chosen; the others by their words."""
BACKGROUND: Final = timedelta(days=60)
"""How far back the words are counted that a user uses every day."""
MOST_BACKGROUND: Final = 1_000
MOST_PREFERENCES: Final = 1_000
EMBEDDED_CHARS: Final = 600
_log = structlog.stdlib.get_logger(__name__)

T = TypeVar("T")


@dataclass
class _Course:
    """One reflection while it runs. `last`: there is no further attempt, so what fails now is reported as failed.
    `epochs`: from before `items` were read. `asks`: a language model, where there is one."""

    parts: WorkerParts
    scope: Scope
    kind: ReflectionKind
    day: date
    span: Bounded
    zone: tzinfo
    items: Sequence[Interaction]
    last: bool
    epochs: Epochs
    asks: bool = True
    failed: dict[Analysis, str] = field(default_factory=dict)
    retryable: list[MemorySystemError] = field(default_factory=list)
    outdated: Outdated | None = None

    @property
    def end(self) -> datetime:
        """When the reflection looks back: the end of its day or window, in the conversations' time, or now before it
        has come."""
        return min(self.span.end, self.parts.clock())

    def give_up_for_now(self) -> None:
        """Raise what is worth another attempt: saved now, the report would be the end of it. What was done is found
        done by the next attempt. What is outdated has no report, at the last attempt either."""
        if self.outdated is not None:
            raise self.outdated
        if self.retryable and not self.last:
            raise self.retryable[0]

    def window(self, event_id: int) -> Window:
        """The window that it looks at, so that it can be looked at again."""
        named = {"date": self.day.isoformat()}
        if self.kind == "incremental":
            named = {"start": self.span.start.isoformat(), "end": self.span.end.isoformat()}
        payload: dict[str, JsonValue] = {"kind": self.kind, "time_zone": str(self.zone), **named}
        return Window(event_id, "reflect", self.span.start, self.span.end, self.day, payload)

    def model(self, purpose: Purpose = "reflection") -> LanguageModel | None:
        return self.parts.model_for(purpose, self.scope) if self.asks else None


async def reflect(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Mapping[str, JsonValue]]:
    """Reflect for each work: `kind` of its payload is `daily` (with `date`, else the local day of the work's
    `occurred_at`) or `incremental` (with a window, `learning.days.window_of`); `time_zone` goes before the user's.

    The result is the report's id and its numbers, without any content: it would outlive what it repeats. Repeating it
    changes nothing: a report is known by the interactions it is about.
    Raises TierUnavailable, EmbeddingError and Outdated, to be tried again, InvalidInput for a payload that makes no
    sense.
    """
    return {work.key: outcome_of(await _reflection(parts, work)) for work in batch}


async def reflect_again(parts: WorkerParts, work: Work, *, whole: bool) -> bool:
    """Reflect as `work` did before, now that something was forgotten; without being `whole` no report is made and no
    language model asked. False where nothing is left to reflect upon, which has no report. Raises as `reflect`."""
    started = time.perf_counter()
    course = await _course(parts, work)
    if course.items and whole:
        await _reported(course, started)
    elif course.items:
        course = replace(course, asks=False)
        await asyncio.gather(_preferences(course), _rules(course))
    return bool(course.items)


async def _reflection(parts: WorkerParts, work: Work) -> Reflection:
    started = time.perf_counter()
    course = await _course(parts, work)
    await parts.ledger.note_window(course.scope, course.window(work.key.event_id))
    return await _reported(course, started)


async def _reported(course: _Course, started: float) -> Reflection:
    """The report, made now or kept. `started`: when its making began, as `time.perf_counter` counts."""
    parts = course.parts
    identifier = _report_id(course, ())
    try:
        return await parts.procedural.get_reflection(course.scope, identifier)
    except NotFound:
        pass
    report = Reflection(
        id=identifier, kind=course.kind, date=course.day, status="no_interactions", created_at=parts.clock()
    )
    if course.items:
        report = await _analysed(course, report)
    duration = round((time.perf_counter() - started) * 1_000, 1)
    report = report.model_copy(update={"duration_ms": duration, "created_at": parts.clock()})
    return await parts.procedural.save_reflection(course.scope, report, course.epochs.procedural)


async def _course(parts: WorkerParts, work: Work) -> _Course:
    epochs = await epochs_of(parts, work.scope)
    kind = work.payload.get("kind", "daily")
    named = work.payload.get("time_zone") or (await parts.ledger.user_settings(work.scope)).time_zone
    zone = zone_of(str(named))
    if kind == "incremental":
        span = window_of(work.payload, work.occurred_at)
        day = (span.end or work.occurred_at).astimezone(zone).date()
    elif kind == "daily":
        day = day_of(work.payload, work.occurred_at, zone)
        span = day_span(day, zone)
    else:
        raise InvalidInput(f"{kind!r} is no kind of reflection; it is daily or incremental")
    items = [item for item in await said_within(parts, work.scope, span, most=MOST_OF_A_DAY) if teaches(item)]
    of_kind: ReflectionKind = "daily" if kind == "daily" else "incremental"
    last = work.attempts >= MAX_ATTEMPTS
    return _Course(parts, work.scope, of_kind, day, span, zone, items, last=last, epochs=epochs)


def _report_id(course: _Course, failed: Sequence[str]) -> str:
    """The same for the same day or window with the same interactions. What arrived late, and an analysis that failed,
    make another report: then there is something left to be done."""
    ends = [] if course.kind == "daily" else [str(course.span.start), str(course.span.end)]
    said = [course.kind, course.day.isoformat(), *ends, [item.id for item in course.items], list(failed)]
    return f"reflection-{hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]}"


async def _analysed(course: _Course, report: Reflection) -> Reflection:
    relationships = await _attempt(course, "relationships", _relationships(course))
    course.give_up_for_now()
    preferences, rules = await asyncio.gather(
        _attempt(course, "preferences", _preferences(course)),
        _attempt(course, "rules", _rules(course)),
    )
    course.give_up_for_now()
    themes = await _attempt(course, "themes", _themes(course))
    course.give_up_for_now()
    graph = relationships or Consolidated()
    conflicts: Sequence[RuleConflict] = rules.conflicts if rules else ()
    new_rules = rules.learned if rules else ()
    return report.model_copy(
        update={
            "id": _report_id(course, sorted(course.failed)),
            "status": "completed",
            "interactions_analyzed": len(course.items),
            "themes": themes or (),
            "themes_identified": len(themes or ()),
            "relationships_updated": graph.updated,
            "relationships_archived": graph.archived,
            "entities_merged": len(graph.merged),
            "preferences_updated": preferences or 0,
            "new_rules_learned": len(new_rules),
            "new_rules": tuple(new_rules),
            "conflicts": tuple(conflicts),
            "failed": dict(sorted(course.failed.items())),
        }
    )


async def _attempt(course: _Course, analysis: Analysis, work: Awaitable[T]) -> T | None:
    """The answer of `work`, or None with the reason noted in `course`."""
    try:
        return await work
    except Outdated as error:
        course.outdated = error
    except MemorySystemError as error:
        _log.warning("reflect.failed", analysis=analysis, code=error.code, error=safe_summary(error))
        course.failed[analysis] = safe_summary(error)[:500]
        if error.retryable:
            course.retryable.append(error)
    except Exception as error:  # noqa: BLE001 - a bug in one analysis must not take the others' results with it
        _log.error("reflect.crashed", analysis=analysis, error=safe_summary(error), where=trace_of(error))
        course.failed[analysis] = safe_summary(error)[:500]
    return None


async def _rules(course: _Course) -> Learned:
    epoch = course.epochs.procedural
    return await learn_rules(
        course.parts, course.scope, course.items, course.end, course.zone, epoch, model=course.model()
    )


async def _themes(course: _Course) -> tuple[Theme, ...]:
    """By the language model where one is configured and answers, else by words and vectors."""
    model = course.model()
    if model is not None:
        try:
            return await suggest_themes(model, own_words(course.items))
        except LanguageModelError as error:
            _log.warning("reflect.fell_back", analysis="themes", kind=error.kind, error=safe_summary(error))
    texts = await asyncio.to_thread(lambda: {item.id: own_text(item).strip() for item in course.items})
    spoken = [item for item in course.items if texts[item.id]]
    step = max(1, -(-len(spoken) // MOST_EMBEDDED))
    lines = {item.id: texts[item.id][:EMBEDDED_CHARS] for item in spoken[::step]}
    vectors = await vectors_of(course.parts, list(lines.values()))
    before = await _before(course)
    said = [
        Said(item.id, texts[item.id], vectors[lines[item.id]] if item.id in lines else None, item.name or "")
        for item in spoken
    ]
    return await asyncio.to_thread(lambda: themes_of(said, stems_in(before), len(before)))


async def _before(course: _Course) -> list[str]:
    """The messages' own texts in the BACKGROUND before."""
    span = TimeRange(start=back(course.span.start, BACKGROUND), end=course.span.start)
    earlier = await said_within(course.parts, course.scope, span, most=MOST_BACKGROUND)
    return await asyncio.to_thread(lambda: [own_text(item) for item in earlier if teaches(item)])


async def _relationships(course: _Course) -> Consolidated:
    """Decay is written down once a day: it is of every relationship there is, whatever was just said."""
    floor = course.parts.learning.archive_below if course.kind == "daily" else None
    return await course.parts.semantic.consolidate(course.scope, course.end, floor, course.epochs.semantic)


async def _preferences(course: _Course) -> int:
    """Merge preferences that ask the same; how many were merged, or changed by what the day said."""
    tier, scope = course.parts.procedural, course.scope
    listed = pages(lambda cursor: tier.list_preferences(scope, cursor=cursor, limit=PAGE), most=MOST_PREFERENCES)
    held = [one async for one in listed]
    vectors = await vectors_of(course.parts, [key_line(one) for one in held])
    same = await asyncio.to_thread(duplicates, held, vectors)
    merges = [(one.keep.id, one.absorb.id) for one in same]
    merges += await _suggested(course, held, {identifier for pair in merges for identifier in pair})
    for keep_id, absorb_id in merges:
        await course.parts.procedural.merge_preferences(course.scope, keep_id, absorb_id, course.epochs.procedural)
    ids = {item.id for item in course.items}
    return len({keep_id for keep_id, _ in merges} | {one.id for one in held if ids & set(one.sources)})


async def _suggested(course: _Course, held: Sequence[Preference], taken: set[str]) -> list[tuple[str, str]]:
    model = course.model("consolidation")
    if model is None:
        return []
    try:
        suggested = await suggest_merges(model, [one for one in held if one.id not in taken])
    except LanguageModelError as error:
        _log.warning("reflect.fell_back", analysis="preferences", kind=error.kind, error=safe_summary(error))
        return []
    by_id = {one.id: one for one in held}
    pairs = [(merge.kept, absorbed) for merge in suggested for absorbed in merge.absorbed]
    return [pair for pair in pairs if may_be_same(by_id[pair[0]], by_id[pair[1]])]
