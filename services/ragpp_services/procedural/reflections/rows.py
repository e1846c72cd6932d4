"""Rows of reports of reflections."""

from collections.abc import Collection
from datetime import date, datetime

from ragpp.learned import Reflection, ReflectionKind
from ragpp_services.procedural.rows import reflection_of, sources_of
from ragpp_services.procedural.user_rows import UserRows


class ReflectionRows(UserRows):
    """One user's reports."""

    async def add_reflection(self, report: Reflection) -> None:
        """Harmless when there is one of its id."""
        await self._execute(
            "add_reflection",
            report.id,
            report.kind,
            report.date,
            report.created_at,
            sources_of(report.themes),
            report.model_dump_json(),
        )

    async def reflection(self, identifier: str) -> Reflection | None:
        row = await self._fetchrow("reflection", identifier)
        return reflection_of(row) if row else None

    async def reflections_page(
        self, kind: ReflectionKind | None, after: tuple[date, datetime, str] | None, limit: int
    ) -> list[Reflection]:
        rows = await self._fetch("reflections_page", kind, *(after or (None, None, None)), limit)
        return [reflection_of(row) for row in rows]

    async def reflections_of_sources(self, interaction_ids: Collection[str]) -> list[Reflection]:
        return [reflection_of(row) for row in await self._fetch("reflections_of_sources", list(interaction_ids))]

    async def delete_reflections(self, days: Collection[date] | None, since: date) -> None:
        """Those of `days`, or where that is None, all since a day."""
        await self._execute("delete_reflections", None if days is None else list(days), since)

    async def reflections_of_rules(self) -> list[Reflection]:
        """Those that name rules."""
        return [reflection_of(row) for row in await self._fetch("reflections_of_rules")]

    async def change_reflection(self, report: Reflection) -> None:
        await self._execute("change_reflection", report.id, sources_of(report.themes), report.model_dump_json())
