"""Keys and audit entries in and out of PostgreSQL: no policy, no HTTP."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Self, cast
from uuid import UUID

from pydantic import JsonValue

from ragpp.api import KeyScope, KeyState
from ragpp.catalog import EVERYBODY
from ragpp.errors import Conflict
from ragpp.models import Scope, Visibility
from ragpp.settings import PostgresSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.migrations import load_migrations, migrate_as_owner
from ragpp.stores.postgres import Connection, Pool, acquired, foreign_errors, tenant_transaction
from ragpp.stores.queries import load_queries

if TYPE_CHECKING:
    import asyncpg

SQL: Final = load_queries("ragpp_services.gateway", "queries.sql")
NOBODY: Final = ""
"""The tenant of requests without a valid key."""


async def migrate(settings: PostgresSettings) -> int:
    """Bring the schemas `identity` and `audit` up to date, as the owner; returns how many migrations were applied."""
    return await migrate_as_owner(settings, load_migrations("gateway", "ragpp_services.gateway"))


@dataclass(frozen=True)
class KeyRow:
    """A key as it is stored. `secret_hash` is SHA-256 of the whole key; the key itself is nowhere."""

    key_id: str
    secret_hash: bytes
    tenant_id: str
    scopes: frozenset[str]
    user_id: str | None
    agent_id: str | None
    visibility: Visibility | None = None


@dataclass(frozen=True)
class KeyListing:
    """A key as it is shown: without its secret."""

    key_id: str
    prefix: str
    tenant_id: str
    scopes: tuple[KeyScope, ...]
    user_id: str | None
    agent_id: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    visibility: Visibility | None = None

    @classmethod
    def of_row(cls, row: "asyncpg.Record") -> Self:
        """As the database has it."""
        return cls(**{**dict(row), "scopes": tuple(row["scopes"])})

    def state_at(self, now: datetime) -> KeyState:
        """The state of the key for a request at `now`."""
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= now else "valid"


@dataclass(frozen=True)
class Access:
    """One request that a key made. `query_sha256` stands for the query's text, which is never kept here: a
    keyed hash of it (`SourceMarks.of_query`). `details`: of a deletion what was deleted; of requests that a key has too
    many of, and of those without a valid key, how many `attempts` there were; the latter are of the tenant NOBODY.
    `memory_ids`: what was returned or changed; PostgreSQL has their marks."""

    access_id: UUID
    tenant_id: str
    at: datetime
    key_id: str
    user_id: str | None
    agent_id: str | None
    action: str
    status: int
    elapsed_ms: float
    query_sha256: str | None = None
    items: int = 0
    details: Mapping[str, JsonValue] | None = None
    memory_ids: Sequence[str] = ()


class GatewayStore:
    """The rows that the gateway itself reads and writes."""

    def __init__(self, pool: Pool, marks: SourceMarks) -> None:
        """`marks`: by which users who were erased are known."""
        self._pool, self._marks = pool, marks

    async def find_key(self, prefix: str, *, timeout_s: float) -> KeyRow | None:
        """The valid key with this prefix. Raises TierUnavailable within about `timeout_s`."""
        async with foreign_errors("key look-up"), acquired(self._pool, timeout_s=timeout_s) as connection:
            row = await connection.fetchrow(SQL["find_key"], prefix, timeout=timeout_s)
        if row is None:
            return None
        return KeyRow(
            row["key_id"],
            row["secret_hash"],
            row["tenant_id"],
            frozenset(row["scopes"]),
            row["user_id"],
            row["agent_id"],
            row["visibility"],
        )

    async def create_key_for(
        self, key_id: str, new: KeyRow, prefix: str, expires_at: datetime | None, *, most: int
    ) -> KeyListing | None:
        """Insert a key on behalf of another, of whose tenant it is, and which it does not outlive. None where that one
        may not make it. Raises Conflict where the tenant has `most` valid keys, which are not 0."""
        bound = (new.user_id, new.agent_id, expires_at, new.visibility)
        asked = (key_id, new.key_id, prefix, new.secret_hash, sorted(new.scopes), *bound, most)
        async with foreign_errors("keys"), acquired(self._pool) as connection:
            row = await connection.fetchrow(SQL["create_key_for"], *asked)
            is_full = row is None and 0 < most <= await connection.fetchval(SQL["count_keys_for"], key_id)
        if is_full:
            raise Conflict(
                f"the tenant has {most:,} valid keys, and no more may be made over HTTP",
                suggestions=(
                    "Revoke those that nobody uses: GET /v1/keys, DELETE /v1/keys/{key_id}.",
                    "Whoever runs the stack sets how many there may be: GATEWAY_TENANT_KEYS.",
                ),
            )
        return None if row is None else KeyListing.of_row(row)

    async def list_keys_for(
        self, key_id: str, after: tuple[datetime | None, str | None], limit: int
    ) -> list[KeyListing]:
        """The keys that this one may see, oldest first, behind `after`."""
        async with foreign_errors("keys"), acquired(self._pool) as connection:
            rows = await connection.fetch(SQL["list_keys_for"], key_id, *after, limit)
        return [KeyListing.of_row(row) for row in rows]

    async def revoke_key_for(self, key_id: str, wanted: str, *, even_last: bool) -> KeyListing | None:
        """Revoke a key on behalf of another; answers it as it is then: not revoked where nobody could make one like it
        without it, unless `even_last`. None where that one sees no such key."""
        async with foreign_errors("keys"), acquired(self._pool) as connection:
            row = await connection.fetchrow(SQL["revoke_key_for"], key_id, wanted, even_last)
        return None if row is None else KeyListing.of_row(row)

    async def insert_accesses(self, accesses: Sequence[Access]) -> None:
        """Write audit entries; one that is there already is left alone."""
        by_tenant: dict[str, list[Access]] = defaultdict(list)
        for access in accesses:
            by_tenant[access.tenant_id].append(access)
        await self._insert_refused(by_tenant.pop(NOBODY, []))
        for tenant_id, entries in by_tenant.items():
            async with tenant_transaction(self._pool, tenant_id) as connection:
                users = await self._named(connection, tenant_id, entries)
                await connection.execute(
                    SQL["insert_accesses"],
                    [entry.access_id for entry in entries],
                    tenant_id,
                    [entry.at for entry in entries],
                    [entry.key_id for entry in entries],
                    users,
                    [entry.agent_id for entry in entries],
                    [entry.action for entry in entries],
                    [entry.status for entry in entries],
                    [entry.elapsed_ms for entry in entries],
                    [entry.query_sha256 for entry in entries],
                    [entry.items for entry in entries],
                    [json.dumps(entry.details) if entry.details is not None else None for entry in entries],
                    [one for entry in entries for one in entry.memory_ids],
                    [place for place, entry in enumerate(entries, 1) for _ in entry.memory_ids],
                    *self._marks.blocks,
                )
                there = [entry for entry, named in zip(entries, users, strict=True) if entry.user_id == named]
                await self._leave_out_deleted(connection, tenant_id, there)

    async def _insert_refused(self, entries: Sequence[Access]) -> None:
        if not entries:
            return
        async with foreign_errors("audit"), acquired(self._pool) as connection:
            await connection.execute(
                SQL["add_refused"],
                [entry.access_id for entry in entries],
                [entry.at for entry in entries],
                [entry.key_id for entry in entries],
                [entry.action for entry in entries],
                [(entry.details or {}).get("attempts", 1) for entry in entries],
            )

    async def _leave_out_deleted(self, connection: Connection, tenant_id: str, entries: Sequence[Access]) -> None:
        """Let the marks of what was deleted be of nothing that is known, which a late entry would tell of else. Of the
        erased nothing is told anyway."""
        gone = [
            (entry.user_id or "", mark)
            for entry in entries
            if entry.details is not None and "deleted" in entry.details
            for mark in cast("Sequence[str]", entry.details["marks"])
        ]
        if gone:
            users, marks = zip(*gone, strict=True)
            await connection.execute(SQL["leave_out_deleted"], tenant_id, users, marks)

    async def _named(self, connection: Connection, tenant_id: str, entries: Sequence[Access]) -> list[str | None]:
        """Whose accesses they were: of a user who was erased since, a keyed hash."""
        users = {entry.user_id for entry in entries}
        names = {
            self._marks.of_user(Scope.trusted(tenant_id=tenant_id, user_id=user_id)): user_id
            for user_id in users
            if user_id is not None
        }
        await connection.execute(SQL["look_at_erased"], tenant_id, [*(users - {None}), EVERYBODY])
        rows = await connection.fetch(SQL["erased"], tenant_id, list(names))
        erased = {names[row["name"]]: (row["name"], row["until"]) for row in rows}
        return [
            erased[user][0] if (user := entry.user_id) in erased and entry.at <= erased[user][1] else user
            for entry in entries
        ]


async def create_key(connection: Connection, key: KeyRow, prefix: str, expires_at: datetime | None) -> None:
    """Insert a key, as the owner."""
    await connection.execute(
        SQL["create_key"],
        key.key_id,
        prefix,
        key.secret_hash,
        key.tenant_id,
        sorted(key.scopes),
        key.user_id,
        key.agent_id,
        expires_at,
        key.visibility,
    )


async def list_keys(connection: Connection, tenant_id: str | None) -> list[KeyListing]:
    """Every key of a tenant, or of all, oldest first; as the owner."""
    rows = await connection.fetch(SQL["list_keys"], tenant_id)
    return [KeyListing.of_row(row) for row in rows]


async def revoke_key(connection: Connection, key_id: str) -> bool:
    """Revoke a key, as the owner; False when it is unknown or revoked already."""
    return bool((await connection.execute(SQL["revoke_key"], key_id)) == "UPDATE 1")
