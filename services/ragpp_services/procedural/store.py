"""Rows in and out of the schema `procedural`: no policy, no embedding, no HTTP."""

import json
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ragpp.clock import Clock
from ragpp.embedding import EmbeddingIdentity
from ragpp.fields import RESERVED
from ragpp.health import StoreState
from ragpp.ledger import NewEvent, forgotten, record
from ragpp.ledger.windows import note_dropped
from ragpp.models import KnownUser, PreferenceEntry, RuleEntry, Scope
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Connection, Pool, ensure_open, foreign_errors, ping, tenant_tx
from ragpp.stores.postgres_state import state_of
from ragpp.tiers import ERASED_AT_ONCE
from ragpp_services.procedural.findings.rows import FindingRows
from ragpp_services.procedural.preferences.rows import PreferenceRows
from ragpp_services.procedural.reflections.rows import ReflectionRows
from ragpp_services.procedural.rewording_rows import RewordingRows
from ragpp_services.procedural.rules.rows import RuleRows
from ragpp_services.procedural.statements import SQL, Statements

SubjectKind = Literal["preference", "rule"]


@dataclass(frozen=True, slots=True)
class Applied:
    """The outcome of one entry. `subject_id` and `content_hash` are None once it was forgotten."""

    entry_id: str
    kind: SubjectKind
    subject_id: str | None
    content_hash: bytes | None
    event_id: int | None


class Rows:
    """One user's rows inside one transaction: those of each kind, and what they have in common."""

    def __init__(self, connection: Connection, scope: Scope, marks: SourceMarks) -> None:
        self._connection, self._marks, self.scope = connection, marks, scope
        self._run = Statements(connection, scope)
        self.preferences = PreferenceRows(self._run)
        self.rules = RuleRows(self._run)
        self.findings = FindingRows(self._run)
        self.reflections = ReflectionRows(self._run)
        self.rewording = RewordingRows(self._run)

    async def record(self, events: Sequence[NewEvent], now: datetime) -> list[int]:
        """The ids of the events, recorded in this transaction."""
        return await record(self._connection, self.scope, events, now=now)

    async def applied(self, entry_ids: Collection[str]) -> dict[str, Applied]:
        """The outcome of each of `entry_ids` that was applied before, by its id."""
        rows = await self._run.fetch("applied", list(entry_ids))
        return {row["entry_id"]: Applied(**row) for row in rows}

    async def add_applied(self, applied: Iterable[Applied]) -> None:
        await self._run.execute_many(
            "add_applied", [(a.entry_id, a.kind, a.subject_id, a.content_hash, a.event_id) for a in applied]
        )

    async def set_by_hand(self, beside: Sequence[str], heir: str) -> list[PreferenceEntry | RuleEntry]:
        """The preferences and rules that rest on no message, as entries; none that was set in one of the views `beside`
        (by their user_id) and not in that of `heir`."""
        entries: list[PreferenceEntry | RuleEntry] = [
            PreferenceEntry(**{**row, "value": json.loads(row["value"])})
            for row in await self._run.fetch("preferences_by_hand", list(beside), heir)
        ]
        entries += [
            RuleEntry(**{**row, "triggers": tuple(row["triggers"])})
            for row in await self._run.fetch("rules_by_hand", list(beside), heir)
        ]
        return entries

    async def users(self, after: str, limit: int, only: str | None) -> list[KnownUser]:
        """At most `limit` users of the tenant, by id from after that one on; of `only` that one."""
        rows = await self._connection.fetch(SQL["users"], self.scope.tenant_id, after, only, limit, RESERVED)
        return [KnownUser(user_id=row["user_id"]) for row in rows]

    async def inherit(self, of: Scope) -> None:
        """Take over what was judged and deleted in another view of the memory."""
        await self._run.execute("inherit", of.view_key[1])

    async def inherited(self, of: Scope, entry_ids: Collection[str]) -> None:
        """Let entries that were taken over be of the events that they are of there: what is erased of before goes."""
        await self._run.execute("inherited", of.view_key[1], list(entry_ids))

    async def bury(self, entry_ids: Collection[str]) -> None:
        """Keep only that these entries were applied."""
        await self._run.execute("bury", list(entry_ids))

    async def unapply(self, entry_ids: Collection[str]) -> None:
        """Let these entries be applied again."""
        await self._run.execute("unapply", list(entry_ids))

    async def note_dropped(self, moments: Collection[datetime]) -> None:
        """Let windows of messages from these moments on be looked at again."""
        if moments:
            await note_dropped(self._connection, self.scope, moments)

    async def is_learned_again(self) -> bool:
        """True where all is learned again that was dropped: no window is to be looked at."""
        row = await self._connection.fetchrow(SQL["is_learned_again"], *self.scope.user_key)  # noted for all views
        return row is not None and row["learned"]

    async def forgotten_sources(self, interaction_ids: Collection[str]) -> set[str]:
        """Those of `interaction_ids` that were forgotten."""
        sources = self._marks.of_all(self.scope, interaction_ids)
        return await forgotten.forgotten_among(self._connection, self.scope, sources)

    async def add_forgotten_sources(self, interaction_ids: Collection[str], now: datetime) -> None:
        """Keep that these were forgotten, until the marks are pruned for their age."""
        marks = self._marks.of_all(self.scope, interaction_ids)
        await forgotten.add_forgotten(self._connection, self.scope, marks, now)

    async def holdings(self, sources: Collection[str] | None, before: int | None) -> dict[str, int]:
        """How much there is by kind; a kind of which there is nothing is left out."""
        row = await self._run.fetchrow("holdings", None if sources is None else list(sources), before)
        return {kind: count for kind, count in dict(row or {}).items() if count}

    async def set_later(self, event_id: int) -> list[tuple[str, str, str]]:
        """(entry id, kind, id of what it wrote to) of entries that somebody set by that event or later."""
        rows = await self._run.fetch("set_later", event_id)
        return [(row["entry_id"], row["kind"], row["subject_id"]) for row in rows]

    async def erase(self, entries: Collection[str], preferences: Collection[str], rules: Collection[str]) -> bool:
        """Delete a part of everything but these; whether there may be more."""
        row = await self._run.fetchrow("erase", list(entries), list(preferences), list(rules), ERASED_AT_ONCE)
        return row is not None and row["count"] > 0

    async def epoch(self) -> int:
        """The user's epoch of forgetting."""
        return await forgotten.epoch_of(self._connection, self.scope)

    async def raise_epoch(self) -> None:
        """Let derived writes be refused whose inputs were read before."""
        await forgotten.raise_epoch(self._connection, self.scope)


class ProceduralStore:
    """The tier's tables."""

    def __init__(self, pool: Pool, marks: SourceMarks) -> None:
        self._pool, self._marks = pool, marks

    @asynccontextmanager
    async def reading(self, scope: Scope) -> AsyncIterator[Rows]:
        """A transaction that reads the user's rows."""
        async with tenant_tx(self._pool, scope) as connection:
            yield Rows(connection, scope, self._marks)

    @asynccontextmanager
    async def writing(self, scope: Scope, epoch: int | None = None) -> AsyncIterator[Rows]:
        """A transaction that changes the user's rows; one at a time for each user. Raises Outdated when `epoch` is not
        the user's."""
        async with tenant_tx(self._pool, scope) as connection:
            await forgotten.lock_in_epoch(connection, scope, epoch)
            yield Rows(connection, scope, self._marks)

    async def record_identity(self, configured: EmbeddingIdentity) -> EmbeddingIdentity:
        """The identity of the vectors in this database: `configured` when it had none."""
        await ensure_open(self._pool)
        async with foreign_errors("embedding identity"):
            rows = await self._pool.fetch(SQL["record_embedding"], configured.model, configured.dimension)
        return EmbeddingIdentity(rows[0]["model"], rows[0]["dimension"])

    async def ping(self) -> str:
        """The server's version. Raises TierUnavailable."""
        return await ping(self._pool)

    async def state(self, clock: Clock) -> StoreState:
        """The database's, as far as this tier goes."""
        return await state_of(self._pool, clock, "procedural", "ragpp_services.procedural")
