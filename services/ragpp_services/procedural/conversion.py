"""The migration that SQL alone cannot do: the mark of a source needs the deployment's key."""

from typing import Final

import asyncpg

from ragpp.errors import ConfigurationError
from ragpp.models import Scope
from ragpp.settings import PostgresSettings
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.migrations import MIGRATION_LOCK
from ragpp.stores.postgres import foreign_errors

_OLD: Final = "procedural.forgotten_sources"


async def mark_sources_of_before(settings: PostgresSettings, marks: SourceMarks) -> None:
    """Turn the plain ids of forgotten interactions, as earlier versions kept them, into marks, and drop their table;
    all or nothing, and nothing where it is done. Raises ConfigurationError without the owner's address,
    TierUnavailable, StorageError."""
    if settings.owner_dsn is None:
        raise ConfigurationError("POSTGRES_OWNER_DSN is not set: migrations run as the owner")
    async with foreign_errors("forgotten sources"):
        connection = await asyncpg.connect(settings.owner_dsn.get_secret_value())
        try:
            async with connection.transaction():
                await connection.execute("SELECT pg_advisory_xact_lock($1)", MIGRATION_LOCK)
                if await connection.fetchval("SELECT to_regclass($1)", _OLD) is not None:
                    await _convert(connection, marks)
        finally:
            await connection.close()


async def _convert(connection: asyncpg.Connection, marks: SourceMarks) -> None:
    # the owner, too, is shown no rows unless it is let for a moment, which nobody else sees
    await connection.execute("ALTER TABLE procedural.forgotten_sources NO FORCE ROW LEVEL SECURITY")
    await connection.execute("ALTER TABLE ledger.forgotten NO FORCE ROW LEVEL SECURITY")
    rows = await connection.fetch("SELECT tenant_id, user_id, interaction_id FROM procedural.forgotten_sources")
    scopes = [Scope.trusted(tenant_id=row["tenant_id"], user_id=row["user_id"]) for row in rows]
    await connection.executemany(
        "INSERT INTO ledger.forgotten (tenant_id, mark, at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING",
        [(scope.tenant_id, marks.of(scope, row["interaction_id"])) for scope, row in zip(scopes, rows, strict=True)],
    )
    await connection.execute("ALTER TABLE ledger.forgotten FORCE ROW LEVEL SECURITY")
    await connection.execute("DROP TABLE procedural.forgotten_sources")
