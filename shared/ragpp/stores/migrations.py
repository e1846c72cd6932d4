"""Forward-only migrations: numbered SQL files of a component, each applied once, in order."""

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import asyncpg

from ragpp.errors import ConfigurationError, MigrationError
from ragpp.settings import PostgresSettings
from ragpp.stores.postgres import Connection, foreign_errors

_FILE: Final = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")
MIGRATION_LOCK: Final = 0x52414750
"""Key of the advisory lock under which migrations run, so that services that start at once take turns."""


@dataclass(frozen=True)
class Migration:
    """One step of a component's schema."""

    component: str
    version: int
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def load_migrations(component: str, package: str) -> list[Migration]:
    """The `NNNN_name.sql` files of `package`'s folder `migrations`, in order, numbered from 1 without gaps."""
    found = []
    for entry in files(package).joinpath("migrations").iterdir():
        match = _FILE.match(entry.name)
        if match:
            found.append(Migration(component, int(match[1]), entry.read_text("utf-8")))
    found.sort(key=lambda migration: migration.version)
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise MigrationError(f"{package}: migrations are not numbered 1, 2, 3 …")
    return found


async def migrate(connection: Connection, migrations: list[Migration]) -> int:
    """Apply what is missing, as the owner, all or nothing; returns how many were applied.

    Raises MigrationError when an applied migration was changed, or the database knows more than the code.
    """
    applied = 0
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", MIGRATION_LOCK)
            await connection.execute(
                """CREATE TABLE IF NOT EXISTS public.migrations (
                     component text, version int, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
                     PRIMARY KEY (component, version))"""
            )
            rows = await connection.fetch("SELECT component, version, checksum FROM public.migrations")
            known = {(row["component"], row["version"]): row["checksum"] for row in rows}
            _refuse_newer(known, migrations)
            for migration in migrations:
                checksum = known.get((migration.component, migration.version))
                if checksum is None:
                    await connection.execute(migration.sql)
                    await connection.execute(
                        "INSERT INTO public.migrations (component, version, checksum) VALUES ($1, $2, $3)",
                        migration.component,
                        migration.version,
                        migration.checksum,
                    )
                    applied += 1
                elif checksum != migration.checksum:
                    raise MigrationError(
                        f"{migration.component} {migration.version:04} was changed after it had been applied"
                    )
    except asyncpg.PostgresError as error:
        raise MigrationError(f"a migration failed: {error}") from error
    return applied


async def migrate_as_owner(settings: PostgresSettings, *components: list[Migration]) -> int:
    """Apply the migrations of `components`, in order, over a connection of the owner's; returns how many.

    Raises ConfigurationError without the owner's address, TierUnavailable, MigrationError.
    """
    if settings.owner_dsn is None:
        raise ConfigurationError("POSTGRES_OWNER_DSN is not set: migrations run as the owner")
    async with foreign_errors("migrations"):
        connection = await asyncpg.connect(settings.owner_dsn.get_secret_value())
        try:
            return sum([await migrate(connection, migrations) for migrations in components])
        finally:
            await connection.close()


def _refuse_newer(known: dict[tuple[str, int], str], migrations: list[Migration]) -> None:
    highest: dict[str, int] = {}
    for migration in migrations:
        highest[migration.component] = max(highest.get(migration.component, 0), migration.version)
    for component, version in known:
        if component in highest and version > highest[component]:
            raise MigrationError(f"the database has {component} {version:04}, this code knows {highest[component]:04}")
