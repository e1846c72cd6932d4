"""Taking a backup of stores that serve.

The order makes the copies one: learning pauses, and what was begun ends; then Redis, so that every message in it is in
PostgreSQL by the time of the snapshot; then PostgreSQL's snapshot; then the graph, which learned from nothing that came
after it: all into a private file first, for whoever takes the backup may be slow. From there on learning goes on, while
the tables are read in the snapshot. What is forgotten meanwhile is told at the end, and forgotten again in whatever is
restored.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import IO, Final

from ragpp_infra.backup.archive import ArchiveWriter
from ragpp_infra.backup.conversations import copy_conversations
from ragpp_infra.backup.errors import BackupFailed
from ragpp_infra.backup.forgettings import PART as FORGETTINGS
from ragpp_infra.backup.forgettings import copy_forgettings
from ragpp_infra.backup.graph import copy_graph, graph_migrations, warm
from ragpp_infra.backup.manifest import FORMAT, Manifest, key_check
from ragpp_infra.backup.pausing import learning_paused
from ragpp_infra.backup.places import Connection, Place, kept_alive, reached
from ragpp_infra.backup.tables import copy_tables, lineage_of, migrations_of, sequences_of, tables_of
from ragpp_infra.provisioning.postgres import has_unfinished

OnStep = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]
"""Is told what is done and of how many steps that is, None where nobody knows; what it yields is told of them."""
GRAPH: Final = "graph"
_RIGHTS: Final = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"


@dataclass(frozen=True)
class Taken:
    """The result of taking a backup, or a file of forgettings. `paused_s`: how long no worker began anything;
    `drained_s`: of that, until what was begun had ended. `bytes`: of all parts before compression."""

    manifest: Manifest
    seconds: float
    paused_s: float
    drained_s: float

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.manifest.parts.values())


async def take_backup(place: Place, file: IO[bytes], on_step: OnStep, *, patience_s: float) -> Taken:
    """Write a backup into `file`. `patience_s`: how long workers may take to end what they are at.

    Raises BackupFailed, TierUnavailable; what is in `file` then is no backup.
    """
    began = time.monotonic()
    archive = ArchiveWriter(file)
    async with reached(BackupFailed), AsyncExitStack() as stack:
        async with place.postgres() as connection:
            await _check(connection)
        driver = await stack.enter_async_context(place.neo4j())
        await warm(driver)
        stack.enter_context(archive.aside())
        async with AsyncExitStack() as pausing:
            with on_step("waiting for workers to end what they are at", None):
                asked = time.monotonic()
                keeper, since = await pausing.enter_async_context(learning_paused(place, patience_s))
                drained = time.monotonic() - asked
            async with kept_alive(keeper):
                with on_step("Redis: running conversations", None):
                    client = await pausing.enter_async_context(place.redis())
                    await copy_conversations(client, place.key_prefix, archive)
                reader = await stack.enter_async_context(place.postgres())
                await stack.enter_async_context(reader.transaction(isolation="repeatable_read", readonly=True))
                moment: datetime = await reader.fetchval("SELECT clock_timestamp()")
            with on_step("Neo4j: graphs", None):
                async with kept_alive(keeper, reader):
                    await copy_graph(driver, archive)
                    of_graph = await graph_migrations(driver)
        paused = time.monotonic() - asked
        async with kept_alive(reader):
            await archive.send()
        tables, sequences = await tables_of(reader), await sequences_of(reader)
        lineage = await lineage_of(reader)
        migrations = {**await migrations_of(reader), GRAPH: of_graph}
        with on_step("PostgreSQL: tables", len(tables)) as advance:
            await copy_tables(reader, tables, archive, lambda _rows: advance(1))
        until, _ = await _forgettings(place, archive)
        manifest = _manifest(place, archive, until, lineage).model_copy(
            update={
                "since": since,
                "moment": moment,
                "migrations": migrations,
                "tables": tables,
                "sequences": sequences,
            }
        )
        archive.finish(manifest)
    return Taken(manifest, time.monotonic() - began, paused, drained)


async def take_forgettings(place: Place, file: IO[bytes]) -> Taken:
    """Write what was forgotten, and nothing else. Raises BackupFailed, TierUnavailable."""
    began = time.monotonic()
    archive = ArchiveWriter(file)
    async with reached(BackupFailed):
        until, lineage = await _forgettings(place, archive)
    manifest = _manifest(place, archive, until, lineage)
    archive.finish(manifest)
    return Taken(manifest, time.monotonic() - began, 0.0, 0.0)


def _manifest(place: Place, archive: ArchiveWriter, until: datetime, lineage: str | None) -> Manifest:
    """The manifest of an archive that has what was forgotten until then, and nothing else."""
    return Manifest(
        format=FORMAT,
        ragpp=version("ragpp"),
        since=until,
        moment=until,
        until=until,
        key_check=key_check(place.forgetting_key),
        lineage=lineage,
        migrations={},
        tables={},
        sequences={},
        parts=archive.parts,
    )


async def _forgettings(place: Place, archive: ArchiveWriter) -> tuple[datetime, str | None]:
    """On a connection of its own: its moment is later than the snapshot's. Until when, and of which lineage."""
    async with place.postgres() as connection:
        await _check(connection)
        lineage = await lineage_of(connection)
        part = archive.part(FORGETTINGS)
        return await copy_forgettings(connection, place.forgetting_key, part, place.keep_days), lineage


async def _check(connection: Connection) -> None:
    """Raises BackupFailed where not everything can be read, or what is there is no whole memory."""
    if not await connection.fetchval(_RIGHTS):
        raise BackupFailed(
            "PostgreSQL's role is no superuser: row-level security would hide rows from it",
            suggestions=("Give PROVISION_POSTGRES_DSN the superuser's address.",),
        )
    if await has_unfinished(connection):
        raise BackupFailed(
            "a restore into these stores was not finished", suggestions=("Repeat the restore with --replace.",)
        )
    if not await connection.fetchval("SELECT to_regclass('ledger.forgotten') IS NOT NULL"):
        raise BackupFailed("there is no memory in these stores", suggestions=("Start the stack once.",))
