"""The catalog's events, for whoever may see what they happened to."""

import json
from typing import Final

from pydantic import JsonValue

from ragpp.catalog import EVERYBODY, CatalogEvent, RetrievalResult
from ragpp.clock import Clock
from ragpp.ledger.events import SQL, EventKind, NewEvent, record
from ragpp.models import SHARED, Page, Scope
from ragpp.stores.cursors import decode_cursor, encode_cursor
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Pool, tenant_tx

SEEN_BY: Final = "seen_by"
"""In the payload of an event about what one agent alone may see: that agent. It is not shown."""


class CatalogEvents:
    """The catalog's events in the ledger. `pool`: of the app's role. `marks`: by which questions are known.

    Raises, from any method: TierUnavailable when PostgreSQL does not answer.
    """

    def __init__(self, pool: Pool, clock: Clock, marks: SourceMarks) -> None:
        self._pool, self._clock, self._marks = pool, clock, marks

    async def page(
        self,
        scope: Scope,
        *,
        event_type: EventKind | None = None,
        subject_id: str | None = None,
        session_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[CatalogEvent]:
        """The events of the user's catalog and of what all users share, newest first; in a view without those about
        what another agent alone may see. InvalidInput for a cursor of another list."""
        (before,) = decode_cursor(cursor, int) if cursor is not None else (None,)
        users = list(dict.fromkeys((scope.user_id, EVERYBODY)))
        async with tenant_tx(self._pool, scope) as connection:
            rows = await connection.fetch(
                SQL["catalog_events"],
                scope.tenant_id,
                users,
                event_type,
                subject_id,
                session_id,
                before,
                limit + 1,
                scope.view,
            )
        shown = [
            CatalogEvent(
                event_id=str(row["event_id"]),
                event_type=row["kind"],
                timestamp=row["created_at"],
                session_id=row["session_id"],
                correlation_id=row["correlation_id"],
                payload={name: value for name, value in json.loads(row["payload"]).items() if name != SEEN_BY},
            )
            for row in rows[:limit]
        ]
        more = len(rows) > limit
        return Page[CatalogEvent](
            items=tuple(shown), next_cursor=encode_cursor(int(shown[-1].event_id)) if more else None
        )

    async def retrieved(self, scope: Scope, query: str, found: RetrievalResult) -> None:
        """Record that somebody asked the catalog; of the question's words nothing but a keyed hash, as in the audit."""
        mark = self._marks.of_query(query)
        payload: dict[str, JsonValue] = {
            "query_hash": mark,
            "mode": found.mode_used,
            "result_count": len(found.items),
            "search_time_ms": round(found.search_time_ms, 3),
            "escalated": found.escalated,
        }
        if scope.view not in {None, SHARED}:
            payload[SEEN_BY] = scope.view
        now = self._clock()
        event = NewEvent("memory.retrieval_performed", mark, now, payload, session_id=scope.session_id)
        async with tenant_tx(self._pool, scope) as connection:
            await record(connection, scope, [event], now=now)
