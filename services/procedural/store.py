"""Rows in and out of the schema `procedural`: no policy, no embedding, no HTTP."""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from ragpp.embedding import EmbeddingIdentity
from ragpp.ledger import NewEvent, lock_user, record
from ragpp.models import Scope
from ragpp.postgres import Pool, ensure_open, foreign_errors, ping, tenant_tx
from services.procedural.finding_rows import FindingRows
from services.procedural.preference_rows import PreferenceRows
from services.procedural.reflection_rows import ReflectionRows
from services.procedural.rows import Applied
from services.procedural.rule_rows import RuleRows
from services.procedural.user_rows import SQL

__all__ = ["SQL", "ProceduralStore", "Rows"]


class Rows(PreferenceRows, RuleRows, FindingRows, ReflectionRows):
    """One user's rows inside one transaction."""

    async def record(self, events: Sequence[NewEvent], now: datetime) -> list[int]:
        """The ids of the events, recorded in this transaction."""
        return await record(self._connection, self.scope, events, now=now)

    async def applied(self, entry_ids: Collection[str]) -> dict[str, Applied]:
        """What became of those of `entry_ids` that were applied before."""
        rows = await self._fetch("applied", list(entry_ids))
        return {row["entry_id"]: Applied(**row) for row in rows}

    async def add_applied(self, applied: Iterable[Applied]) -> None:
        await self._execute_many(
            "add_applied", [(a.entry_id, a.kind, a.subject_id, a.content_hash, a.event_id) for a in applied]
        )

    async def bury(self, entry_ids: Collection[str]) -> None:
        """Keep only that these entries were applied."""
        await self._execute("bury", list(entry_ids))

    async def forgotten_sources(self, interaction_ids: Collection[str]) -> set[str]:
        """Those of `interaction_ids` that were forgotten."""
        if not interaction_ids:
            return set()
        return {row["interaction_id"] for row in await self._fetch("forgotten_sources", list(interaction_ids))}

    async def add_forgotten_sources(self, interaction_ids: Collection[str]) -> None:
        await self._execute("add_forgotten_sources", sorted(interaction_ids))


class ProceduralStore:
    """The tier's tables."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @asynccontextmanager
    async def reading(self, scope: Scope) -> AsyncIterator[Rows]:
        """A transaction that reads the user's rows."""
        async with tenant_tx(self._pool, scope) as connection:
            yield Rows(connection, scope)

    @asynccontextmanager
    async def writing(self, scope: Scope) -> AsyncIterator[Rows]:
        """A transaction that changes the user's rows; one at a time for each user."""
        async with tenant_tx(self._pool, scope) as connection:
            await lock_user(connection, scope)
            yield Rows(connection, scope)

    async def record_embedding(self, configured: EmbeddingIdentity) -> EmbeddingIdentity:
        """The identity of the vectors in this database: `configured` when it had none."""
        await ensure_open(self._pool)
        async with foreign_errors("embedding identity"):
            rows = await self._pool.fetch(SQL["record_embedding"], configured.model, configured.dimension)
        return EmbeddingIdentity(rows[0]["model"], rows[0]["dimension"])

    async def ping(self) -> str:
        """The server's version. Raises TierUnavailable."""
        return await ping(self._pool)
