"""The audit, read back: a tenant's entries, and those of requests that its keys were refused for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from ragpp.api import AuditEntry, AuditOutcome
from ragpp.errors import InvalidInput
from ragpp.models import Page, Scope
from ragpp.stores.cursors import decode_cursor, page_of
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Pool, tenant_transaction
from ragpp_services.gateway.identity import Principal
from ragpp_services.gateway.store import SQL

if TYPE_CHECKING:
    import asyncpg

STATUSES: Final[Mapping[AuditOutcome, tuple[int, int]]] = {"ok": (0, 399), "refused": (400, 499), "failed": (500, 999)}
"""The HTTP statuses of each outcome, from and to."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The entries to read; None: any. `route`: an action (`POST /v1/recall`) or the path of any method. `memory_id`: of
    a memory that was returned, changed or deleted, which after a forgetting is found for a `user_id` alone."""

    user_id: str | None = None
    key_id: str | None = None
    route: str | None = None
    outcome: AuditOutcome | None = None
    since: datetime | None = None
    until: datetime | None = None
    memory_id: str | None = None


class AuditTrail:
    """The entries in PostgreSQL. `pool`: of the app's role. Raises, from any method: TierUnavailable."""

    def __init__(self, pool: Pool, marks: SourceMarks) -> None:
        self._pool, self._marks = pool, marks

    async def page(self, asking: Principal, wanted: Wanted, cursor: str | None, limit: int) -> Page[AuditEntry]:
        """The entries wanted that the asking key may see, newest first: of its tenant, or of the user and agent that it
        is bound to. Raises InvalidInput for a cursor of another list."""
        after = (None, None) if cursor is None else _position(cursor)
        is_action = wanted.route is not None and " " in wanted.route
        given = (
            *(asking.tenant_id, asking.key_id, self._names(asking, asking.user_id), asking.agent_id),
            *(self._names(asking, wanted.user_id), wanted.key_id),
            *((wanted.route, None) if is_action else (None, wanted.route)),
            *(STATUSES[wanted.outcome] if wanted.outcome is not None else (None, None)),
            *(wanted.since, wanted.until, wanted.memory_id, wanted.user_id or asking.user_id, *self._marks.blocks),
        )
        async with tenant_transaction(self._pool, asking.tenant_id) as connection:
            await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
            rows = await connection.fetch(SQL["accesses"], *given, *after, limit + 1)
        return page_of(Page[AuditEntry], [_entry(row) for row in rows], limit, lambda one: (one.at, one.id))

    def _names(self, asking: Principal, user_id: str | None) -> list[str] | None:
        """Under which a user's entries are: also those of before an erasure, for whoever names the user."""
        if user_id is None:
            return None
        return [user_id, self._marks.of_user(Scope.trusted(tenant_id=asking.tenant_id, user_id=user_id))]


def _position(cursor: str) -> tuple[datetime, UUID]:
    at, access_id = decode_cursor(cursor, datetime, str)
    try:
        return at, UUID(access_id)
    except ValueError as error:
        raise InvalidInput(
            "the cursor is not one that this list gave out", suggestions=("Start without a cursor.",)
        ) from error


def _entry(row: "asyncpg.Record") -> AuditEntry:
    fields = dict(row)
    access_id, details = fields.pop("access_id"), fields.pop("details")
    return AuditEntry(**fields, id=str(access_id), details=None if details is None else json.loads(details))
