"""The reports' part of the tier."""

from datetime import date, datetime

from ragpp.clock import Clock
from ragpp.errors import NotFound
from ragpp.learned import Reflection, ReflectionKind
from ragpp.ledger import NewEvent
from ragpp.models import Page, Scope
from ragpp.stores.cursors import decode_cursor, page_of, page_size
from ragpp_services.procedural.store import ProceduralStore, Rows


class Reflections:
    """The part of `ragpp.tiers.ProceduralTier` about reflections."""

    def __init__(self, store: ProceduralStore, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def save_reflection(self, scope: Scope, reflection: Reflection, epoch: int | None = None) -> Reflection:
        """See the contract. A theme that rests on an interaction which was forgotten meanwhile is left out."""
        async with self._store.writing(scope, epoch) as rows:
            kept = await rows.reflections.find(reflection.id)
            if kept is not None:
                return kept
            gone = await rows.forgotten_sources({source for theme in reflection.themes for source in theme.sources})
            report = without_sources(reflection, gone)
            await rows.reflections.add(report)
            await rows.record([NewEvent("reflection.saved", report.id, report.created_at)], self._clock())
        return report

    async def list_reflections(
        self, scope: Scope, kind: ReflectionKind | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Reflection]:
        """See the contract; of one date the one made last first."""
        after = None if cursor is None else decode_cursor(cursor, date, datetime, str)
        size = page_size(limit)
        async with self._store.reading(scope) as rows:
            found = await rows.reflections.page(kind, after, size + 1)
        return page_of(Page[Reflection], found, size, lambda one: (one.date, one.created_at, one.id))

    async def get_reflection(self, scope: Scope, reflection_id: str) -> Reflection:
        async with self._store.reading(scope) as rows:
            report = await rows.reflections.find(reflection_id)
        if report is None:
            raise NotFound("there is no report of that id")
        return report


def without_sources(report: Reflection, gone: set[str]) -> Reflection:
    """The report without the themes that rest on any of `gone`: their words may be those of what was forgotten. How
    many were identified then stays."""
    themes = tuple(theme for theme in report.themes if gone.isdisjoint(theme.sources))
    return report if len(themes) == len(report.themes) else report.model_copy(update={"themes": themes})


def without_rules(report: Reflection, identifiers: set[str], texts: set[str]) -> Reflection:
    """The report without what it says of rules that were forgotten, by their ids or by the texts they had."""
    rules = tuple(rule for rule in report.new_rules if rule not in identifiers | texts)
    conflicts = tuple(
        conflict
        for conflict in report.conflicts
        if identifiers.isdisjoint({conflict.kept_id, conflict.aside_id})
        and not any(text in conflict.reason for text in texts)
    )
    return report.model_copy(update={"new_rules": rules, "conflicts": conflicts})


async def forget_rules(rows: Rows, identifiers: set[str], texts: set[str]) -> None:
    """Take rules that were forgotten out of every report."""
    for report in await rows.reflections.of_rules():
        left = without_rules(report, identifiers, texts)
        if left != report:
            await rows.reflections.change(left)
