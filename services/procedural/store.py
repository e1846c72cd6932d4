"""Rows in and out of the schema `procedural`: no policy, no embedding, no HTTP."""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final

import asyncpg
from pgvector import HalfVector

from ragpp.embedding import EmbeddingIdentity
from ragpp.ledger import NewEvent, lock_user, record
from ragpp.models import Preference, Rule, RuleEntry, Scope, Vector
from ragpp.postgres import Connection, Pool, ensure_open, foreign_errors, ping, tenant_tx
from ragpp.queries import load_queries
from services.procedural.ranking import Scored
from services.procedural.rows import Applied, RuleChange, cosine_of, folded, preference_of, rule_of, version_of
from services.procedural.versions import Current, PreferenceVersion

SQL: Final = load_queries("services.procedural", "queries.sql")

MAX_CANDIDATES: Final = 1_000
"""The most rules, and the most preferences, that one retrieval looks at."""


class Rows:
    """One user's rows inside one transaction."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self._connection = connection
        self._scope = scope

    async def _fetch(self, name: str, *arguments: object) -> list[asyncpg.Record]:
        return await self._connection.fetch(SQL[name], *self._scope.user_key, *arguments)

    async def _fetchrow(self, name: str, *arguments: object) -> asyncpg.Record | None:
        return await self._connection.fetchrow(SQL[name], *self._scope.user_key, *arguments)

    async def _execute(self, name: str, *arguments: object) -> None:
        await self._connection.execute(SQL[name], *self._scope.user_key, *arguments)

    async def record(self, events: Sequence[NewEvent], now: datetime) -> list[int]:
        """The ids of the events, recorded in this transaction."""
        return await record(self._connection, self._scope, events, now=now)

    async def applied(self, entry_ids: Collection[str]) -> dict[str, Applied]:
        """What became of those of `entry_ids` that were applied before."""
        rows = await self._fetch("applied", list(entry_ids))
        return {row["entry_id"]: Applied(**row) for row in rows}

    async def add_applied(self, applied: Iterable[Applied]) -> None:
        await self._connection.executemany(
            SQL["add_applied"],
            [(*self._scope.user_key, a.entry_id, a.kind, a.subject_id, a.content_hash, a.event_id) for a in applied],
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

    async def preference(self, identifier: str) -> Preference | None:
        row = await self._fetchrow("preference", identifier)
        return preference_of(row) if row else None

    async def preferences_page(
        self, category: str | None, after: tuple[str, str] | None, limit: int
    ) -> list[Preference]:
        rows = await self._fetch("preferences_page", category, *(after or (None, None)), limit)
        return [preference_of(row) for row in rows]

    async def preference_versions(self, identifiers: Collection[str]) -> dict[str, list[PreferenceVersion]]:
        """The versions of each, oldest first; what has none is left out."""
        found: dict[str, list[PreferenceVersion]] = {}
        for row in await self._fetch("preference_versions", list(identifiers)):
            found.setdefault(row["preference_id"], []).append(version_of(row))
        return found

    async def preference_names(self, identifiers: Collection[str]) -> dict[str, tuple[str, str]]:
        """(category, key) by id."""
        rows = await self._fetch("preference_names", list(identifiers))
        return {row["id"]: (row["category"], row["key"]) for row in rows}

    async def add_preference_version(self, identifier: str, version: PreferenceVersion, embedding: Vector) -> None:
        await self._execute(
            "add_preference_version",
            identifier,
            version.version,
            version.entry_id,
            version.value,
            version.confidence,
            version.stated,
            version.occurred_at,
            version.recorded_at,
            list(version.sources),
            HalfVector(list(embedding)),
        )

    async def copy_preference_version(
        self, identifier: str, earlier: int, version: int, occurred_at: datetime, now: datetime
    ) -> None:
        await self._execute("copy_preference_version", identifier, earlier, version, occurred_at, now)

    async def put_preference(self, identifier: str, category: str, key: str, current: Current) -> None:
        await self._execute(
            "put_preference",
            identifier,
            category,
            key,
            current.value,
            current.confidence,
            current.stated,
            current.version,
            current.occurred_at,
            current.updated_at,
            list(current.sources),
            current.waiting,
            current.waiting_confidence,
            current.value_version,
        )

    async def preferences_of_sources(self, interaction_ids: Collection[str]) -> list[str]:
        rows = await self._fetch("preferences_of_sources", list(interaction_ids))
        return [row["preference_id"] for row in rows]

    async def set_preference_sources(self, identifier: str, version: int, sources: Sequence[str]) -> None:
        await self._execute("set_preference_sources", identifier, version, list(sources))

    async def delete_preference_versions(self, identifier: str, versions: Collection[int]) -> None:
        await self._execute("delete_preference_versions", identifier, list(versions))

    async def delete_preferences(self, identifiers: Collection[str]) -> list[str]:
        """Delete these with every version, and bury their entries; returns the ids that existed."""
        await self._execute("delete_all_preference_versions", list(identifiers))
        await self._execute("bury_subjects", "preference", list(identifiers))
        return [row["id"] for row in await self._fetch("delete_preferences", list(identifiers))]

    async def rule(self, identifier: str) -> Rule | None:
        row = await self._fetchrow("rule", identifier)
        return rule_of(row) if row else None

    async def rules_page(self, active: bool | None, after: tuple[int, str] | None, limit: int) -> list[Rule]:
        return [rule_of(row) for row in await self._fetch("rules_page", active, *(after or (None, None)), limit)]

    async def rule_versions(self, identifier: str) -> list[Rule]:
        """Every version, newest first."""
        return [rule_of(row) for row in await self._fetch("rule_versions", identifier)]

    async def add_rule(self, entry: RuleEntry, sources: Sequence[str], embedding: Vector, now: datetime) -> None:
        """The rule and its first version."""
        await self._execute(
            "add_rule",
            entry.id,
            entry.text,
            list(entry.triggers),
            entry.priority,
            entry.active,
            1,
            entry.occurred_at,
            now,
            list(sources),
            HalfVector(list(embedding)),
        )
        await self._execute("keep_rule_version", entry.id)

    async def change_rule(self, identifier: str, change: RuleChange, now: datetime) -> None:
        """The rule as its next version."""
        await self._execute(
            "change_rule",
            identifier,
            change.text,
            list(change.triggers),
            change.priority,
            change.active,
            change.version,
            change.occurred_at,
            now,
            None if change.embedding is None else HalfVector(list(change.embedding)),
        )
        await self._execute("keep_rule_version", identifier)

    async def restore_rule(
        self, identifier: str, earlier: int, version: int, occurred_at: datetime, now: datetime
    ) -> None:
        await self._execute("restore_rule", identifier, earlier, version, occurred_at, now)
        await self._execute("keep_rule_version", identifier)

    async def count_outcome(self, identifier: str, success: bool) -> Rule | None:
        row = await self._fetchrow("count_outcome", identifier, success)
        return rule_of(row) if row else None

    async def rules_of_sources(self, interaction_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The sources of the rules that rest on any of these, by id."""
        rows = await self._fetch("rules_of_sources", list(interaction_ids))
        return {row["id"]: tuple(row["sources"]) for row in rows}

    async def set_rule_sources(self, identifier: str, sources: Sequence[str]) -> None:
        """Of the rule and of all its versions."""
        await self._execute("set_rule_sources", identifier, list(sources))
        await self._execute("set_rule_version_sources", identifier, list(sources))

    async def delete_rules(self, identifiers: Collection[str]) -> list[str]:
        """Delete these with every version, and bury their entries; returns the ids that existed."""
        await self._execute("delete_rule_versions", list(identifiers))
        await self._execute("bury_subjects", "rule", list(identifiers))
        return [row["id"] for row in await self._fetch("delete_rules", list(identifiers))]

    async def rank_rules(self, embedding: Vector | None, as_of: datetime | None) -> list[Scored[Rule]]:
        """The active rules, as they are or as they were at `as_of`, with their cosine to `embedding`."""
        vector = None if embedding is None else HalfVector(list(embedding))
        if as_of is None:
            rows = await self._fetch("rank_rules", vector, MAX_CANDIDATES)
        else:
            rows = await self._fetch("rank_rule_versions", vector, as_of, MAX_CANDIDATES)
        return [Scored(rule_of(row), cosine_of(row)) for row in rows]

    async def rank_preferences(self, embedding: Vector | None, as_of: datetime | None) -> list[Scored[Preference]]:
        """The preferences, as they are or as they were at `as_of`, with their cosine to `embedding`."""
        vector = None if embedding is None else HalfVector(list(embedding))
        if as_of is not None:
            return folded(await self._fetch("rank_preference_versions", vector, as_of))
        rows = await self._fetch("rank_preferences", vector, MAX_CANDIDATES)
        return [Scored(preference_of(row), cosine_of(row)) for row in rows]


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
