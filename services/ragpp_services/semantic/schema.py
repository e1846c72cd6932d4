"""Forward-only migrations of the graph, and the identity of the vectors that it holds.

Neo4j runs a schema statement in a transaction of its own, so a migration is not atomic: each of its statements can
be repeated without harm, and the (:Migration) node is written when all of them have succeeded.
"""

import asyncio
import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import neo4j
from neo4j import exceptions

from ragpp.embedding.port import EmbeddingIdentity, check_identity
from ragpp.errors import MigrationError
from ragpp.stores.neo4j import foreign_errors

COMPONENT: Final = "semantic"
_FILE: Final = re.compile(r"^(\d{4})_[a-z0-9_]+\.cypher$")
_COMMENT: Final = re.compile(r"^\s*//.*$", re.MULTILINE)
_INDEXES_ONLINE_S: Final = 60


@dataclass(frozen=True)
class CypherMigration:
    """One step of the graph's schema: statements that may be repeated."""

    version: int
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def statements(self) -> list[str]:
        """The statements in order, without comments; a statement ends with `;`."""
        return [part.strip() for part in _COMMENT.sub("", self.text).split(";") if part.strip()]


def load_migrations() -> list[CypherMigration]:
    """The `NNNN_name.cypher` files of the folder `migrations`, numbered from 1 without gaps."""
    found = []
    for entry in files("ragpp_services.semantic").joinpath("migrations").iterdir():
        match = _FILE.match(entry.name)
        if match:
            found.append(CypherMigration(int(match[1]), entry.read_text("utf-8")))
    found.sort(key=lambda migration: migration.version)
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise MigrationError("ragpp_services.semantic: migrations are not numbered 1, 2, 3 …")
    return found


async def migrate_graph(driver: neo4j.AsyncDriver, identity: EmbeddingIdentity) -> int:
    """Apply what is missing; returns how many were applied. `identity`: whose vectors the graph will hold.

    Raises MigrationError when an applied migration was changed or the graph knows more than the code,
    EmbeddingMismatch when the graph holds vectors of another model, TierUnavailable.
    """
    migrations = load_migrations()
    await _begin(driver)
    check_identity(await record_identity(driver, identity), identity)
    known = await applied_migrations(driver)
    if known and max(known) > len(migrations):
        raise MigrationError(f"the graph has {COMPONENT} {max(known):04}, this code knows {len(migrations):04}")
    applied = 0
    for migration in migrations:
        checksum = known.get(migration.version)
        if checksum is None:
            await _apply(driver, migration)
            applied += 1
        elif checksum != migration.checksum:
            raise MigrationError(f"{COMPONENT} {migration.version:04} was changed after it had been applied")
    await _run(driver, "CALL db.awaitIndexes($seconds)", seconds=_INDEXES_ONLINE_S)
    return applied


async def migrate_until(driver: neo4j.AsyncDriver, versions: Collection[int]) -> None:
    """Apply the migrations of these versions to an empty graph, which holds vectors of no model yet. Raises
    MigrationError, TierUnavailable."""
    await _begin(driver)
    for migration in load_migrations():
        if migration.version in versions:
            await _apply(driver, migration)
    await _run(driver, "CALL db.awaitIndexes($seconds)", seconds=_INDEXES_ONLINE_S)


async def _begin(driver: neo4j.AsyncDriver) -> None:
    await _run(driver, "CREATE CONSTRAINT migration_version IF NOT EXISTS FOR (m:Migration) "
                       "REQUIRE (m.component, m.version) IS UNIQUE")  # fmt: skip
    await _run(driver, "CREATE CONSTRAINT embedding_component IF NOT EXISTS FOR (e:Embedding) "
                       "REQUIRE e.component IS UNIQUE")  # fmt: skip


async def record_identity(driver: neo4j.AsyncDriver, identity: EmbeddingIdentity) -> EmbeddingIdentity:
    """The identity that the graph holds vectors of: `identity` itself when it held none."""
    records = await _run(
        driver,
        "MERGE (e:Embedding {component: $component}) ON CREATE SET e.model = $model, e.dimension = $dimension "
        "RETURN e.model AS model, e.dimension AS dimension",
        component=COMPONENT,
        model=identity.model,
        dimension=identity.dimension,
    )
    return EmbeddingIdentity(records[0]["model"], records[0]["dimension"])


async def prune_forgotten(driver: neo4j.AsyncDriver, before: int, limit: int) -> int:
    """Delete the marks of what was forgotten before that moment, in microseconds since 1970, `limit` at most; returns
    how many there were. Raises TierUnavailable, StorageError."""
    records = await _run(
        driver,
        "MATCH (f:Forgotten) WHERE f.at < $before WITH f LIMIT $limit DELETE f RETURN count(*) AS pruned",
        before=before,
        limit=limit,
    )
    return int(records[0]["pruned"])


async def applied_migrations(driver: neo4j.AsyncDriver) -> dict[int, str]:
    """Checksums of what was applied, by version."""
    records = await _run(
        driver,
        "MATCH (m:Migration {component: $component}) RETURN m.version AS version, m.checksum AS checksum",
        component=COMPONENT,
    )
    return {record["version"]: record["checksum"] for record in records}


async def _apply(driver: neo4j.AsyncDriver, migration: CypherMigration) -> None:
    for statement in migration.statements:
        try:
            await _run(driver, statement)
        except exceptions.ClientError as error:
            raise MigrationError(f"{COMPONENT} {migration.version:04} failed: {error.message}") from error
    await _run(
        driver,
        "MERGE (m:Migration {component: $component, version: $version}) "
        "ON CREATE SET m.checksum = $checksum, m.applied_at = datetime()",
        component=COMPONENT,
        version=migration.version,
        checksum=migration.checksum,
    )


async def _run(driver: neo4j.AsyncDriver, statement: str, **parameters: object) -> list[neo4j.Record]:
    """One statement outside any scope: schema, and the nodes that belong to no user."""
    async with foreign_errors("schema"), asyncio.timeout(_INDEXES_ONLINE_S), driver.session() as session:
        result = await session.run(statement, parameters)
        return [record async for record in result]
