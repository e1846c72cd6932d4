"""The reports that were made, in PostgreSQL, and the last in memory as well: it may be about PostgreSQL."""

from datetime import datetime
from typing import Final

import structlog

from ragpp.api import HealthReport
from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary
from ragpp.health import SCRATCH_TENANT
from ragpp.stores.postgres import Pool, tenant_transaction
from ragpp.stores.queries import load_queries

SQL: Final = load_queries("ragpp_services.gateway.health", "health.sql")
KEPT: Final = 100
_log = structlog.stdlib.get_logger(__name__)


class KeptReports:
    """The reports that are kept. `pool`: of the app's role."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._last: HealthReport | None = None

    async def keep(self, report: HealthReport) -> None:
        """For other gateways, too, unless PostgreSQL is away, which is logged."""
        self._last = report
        try:
            async with tenant_transaction(self._pool, SCRATCH_TENANT) as connection:
                await connection.execute(
                    SQL["keep_report"], SCRATCH_TENANT, report.began_at, report.model_dump_json(), KEPT
                )
        except MemorySystemError as error:
            _log.warning("health.not_kept", error=safe_summary(error))

    async def last(self) -> HealthReport | None:
        """The latest of any gateway; of this one alone while PostgreSQL is away. None where none was made."""
        kept = await self._read("last_report")
        known = [one for one in (kept, self._last) if one is not None]
        return max(known, key=lambda one: one.began_at, default=None)

    async def to_compare(self, day_ago: datetime) -> HealthReport | None:
        """The one to tell growth from: of about a day ago, or the oldest."""
        return await self._read("report_to_compare", day_ago)

    async def _read(self, name: str, *values: datetime) -> HealthReport | None:
        try:
            async with tenant_transaction(self._pool, SCRATCH_TENANT) as connection:
                row = await connection.fetchrow(SQL[name], SCRATCH_TENANT, *values)
        except MemorySystemError as error:
            _log.warning("health.not_read", error=safe_summary(error))
            return None
        return None if row is None else HealthReport.model_validate_json(row["report"])
