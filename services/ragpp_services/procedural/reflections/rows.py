"""Rows of reports of reflections."""

from collections.abc import Collection, Sequence
from datetime import date, datetime

import asyncpg

from ragpp.learned import Reflection, ReflectionKind, Theme
from ragpp_services.procedural.statements import Statements


class ReflectionRows:
    """One user's reports."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def add(self, report: Reflection) -> None:
        """Harmless when there is one of its id."""
        await self._run.execute(
            "add_reflection",
            report.id,
            report.kind,
            report.date,
            report.created_at,
            sources_of(report.themes),
            report.model_dump_json(),
        )

    async def find(self, identifier: str) -> Reflection | None:
        row = await self._run.fetchrow("reflection", identifier)
        return reflection_of(row) if row else None

    async def page(
        self, kind: ReflectionKind | None, after: tuple[date, datetime, str] | None, limit: int
    ) -> list[Reflection]:
        rows = await self._run.fetch("reflections_page", kind, *(after or (None, None, None)), limit)
        return [reflection_of(row) for row in rows]

    async def of_sources(self, interaction_ids: Collection[str]) -> list[Reflection]:
        return [reflection_of(row) for row in await self._run.fetch("reflections_of_sources", list(interaction_ids))]

    async def delete(self, days: Collection[date] | None, since: date) -> None:
        """Those of `days`, or where that is None, all since a day."""
        await self._run.execute("delete_reflections", None if days is None else list(days), since)

    async def of_rules(self) -> list[Reflection]:
        """Those that name rules."""
        return [reflection_of(row) for row in await self._run.fetch("reflections_of_rules")]

    async def change(self, report: Reflection) -> None:
        await self._run.execute("change_reflection", report.id, sources_of(report.themes), report.model_dump_json())


def reflection_of(row: asyncpg.Record) -> Reflection:
    return Reflection.model_validate_json(row["report"])


def sources_of(themes: Sequence[Theme]) -> list[str]:
    """The interactions that any of `themes` rests on."""
    return sorted({source for theme in themes for source in theme.sources})
