"""The conditions that must hold before anything is replaced: a backup that belongs here, stores that are free, and
somebody who knows what was forgotten since it was taken."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import neo4j
from pydantic import SecretStr

from ragpp_infra.backup import forgettings, unfinished
from ragpp_infra.backup.archive import ArchiveReader
from ragpp_infra.backup.errors import BadBackup, RestoreRefused
from ragpp_infra.backup.graph import has_graph
from ragpp_infra.backup.lines import AT_ONCE, LineReader
from ragpp_infra.backup.manifest import Manifest, key_check
from ragpp_infra.backup.places import Client, Connection, Place
from ragpp_infra.backup.tables import lineage_of
from ragpp_infra.provisioning.endpoints import APP, RELAY
from ragpp_infra.provisioning.postgres import has_unfinished

HOLD_A_MEMORY: Final = (
    *("episodic.interactions", "catalog.resources", "catalog.items", "catalog.categories"),
    *("procedural.preferences", "procedural.rules", "procedural.findings", "ledger.events"),
)
_CONNECTED: Final = """
SELECT count(*) FROM pg_stat_activity
 WHERE usename = ANY ($1::text[]) OR (datname = current_database() AND application_name = 'ragpp')"""
"""Sessions of the services' roles and code: an interrupted restore's forgetting may still be at it."""


def check_backup(
    manifest: Manifest,
    forgettings_of: Mapping[str, Manifest],
    key: SecretStr,
    *,
    keep_days: int,
    despite_age: bool = False,
    now: datetime,
) -> None:
    """Check that a backup, and files of forgettings by their names, belong to a place with this FORGETTING_KEY.
    `despite_age`: somebody knows that marks of what was forgotten since may have been pruned, which are kept for
    `keep_days`. Raises BadBackup; RestoreRefused for one that is too old."""
    if not manifest.tables:
        raise BadBackup("it is a file of forgettings", suggestions=("Give it as --forgettings, beside a backup.",))
    here = key_check(key)
    others = [name for name, one in {"the backup": manifest, **forgettings_of}.items() if one.key_check != here]
    if others:
        raise BadBackup(
            f"taken with another FORGETTING_KEY: {', '.join(others)}; here nobody would know what was forgotten",
            suggestions=(
                "Embedded: put the key of then into secrets.json of the stack's folder, as forgetting_key.",
                "Containers: put it into .env, as FORGETTING_KEY, and repeat `docker compose up`.",
            ),
        )
    if now - manifest.moment > timedelta(days=keep_days) and not despite_age:
        raise RestoreRefused(
            f"the backup is older than the {keep_days} days for which it is known what was forgotten: what was"
            " forgotten longer ago would come back",
            suggestions=("Say --despite-age where that may be, and erase again what must not.",),
        )


class Known(NamedTuple):
    """`until`: to when it is known what was forgotten since the backup, None where it was said that nothing was.
    `is_here`: the stores themselves know all of it, so that they stay of their lineage."""

    until: datetime | None
    is_here: bool


@dataclass(frozen=True)
class Sources:
    """Where it is told what was forgotten since the backup of `manifest`: the backup's own end (`archive`), `files` of
    forgettings, and what `place` held. `nothing_since`: somebody says that nothing was.

    Whatever any of them tells is forgotten. That it is all of it is believed of those alone that are of the backup's
    lineage: the stores that it was taken of, of which each restore elsewhere makes others, and their files."""

    place: Place
    archive: ArchiveReader
    manifest: Manifest
    files: Sequence[tuple[ArchiveReader, Manifest]] = ()
    nothing_since: bool = False

    async def begin(self, connection: Connection, driver: neo4j.AsyncDriver, client: Client, *, replace: bool) -> Known:
        """Leave the mark of `unfinished`, with all that is known of what was forgotten. Raises RestoreRefused: nothing
        is changed then."""
        await self._check_free(connection)
        known = await self.check(connection, driver, client, replace=replace)
        half = await has_unfinished(connection)
        readable = not half and await _knows_forgettings(connection)
        lineage = await self._lineage(connection, half=half)
        async with connection.transaction():
            await unfinished.begin(connection, lineage=lineage)
            if readable:
                await self._keep_own(connection)
            for archive in (self.archive, *(of for of, _ in self.files)):
                await _keep_of(connection, archive)
        return known

    async def check(self, connection: Connection, driver: neo4j.AsyncDriver, client: Client, *, replace: bool) -> Known:
        """The extent to which forgettings since the backup are known. Raises RestoreRefused for stores that a backup is
        not to be put into so; services may use them meanwhile."""
        half = await has_unfinished(connection)
        if half and not replace:
            raise RestoreRefused(
                "a restore into these stores was not finished", suggestions=("Repeat it with --replace.",)
            )
        holds = await _holds_a_memory(connection) or await has_graph(driver) or await self._holds_conversations(client)
        if holds and not (half or replace):
            raise RestoreRefused(
                "these stores hold a memory", suggestions=("Say --replace: what they hold is then lost.",)
            )
        lineage = await self._lineage(connection, half=half)
        is_here = lineage is not None and lineage == self.manifest.lineage
        return Known(await self._until(connection, here=is_here), is_here)

    async def _lineage(self, connection: Connection, *, half: bool) -> str | None:
        return await (unfinished.lineage_with(connection) if half else lineage_of(connection))

    async def _until(self, connection: Connection, *, here: bool) -> datetime | None:
        if here:
            now: datetime = await connection.fetchval("SELECT clock_timestamp()")
            return now
        ours = [of.until for _, of in self.files if of.lineage is not None and of.lineage == self.manifest.lineage]
        later = [until for until in ours if until > self.manifest.until]
        if later:
            return max(later)
        if self.nothing_since:
            return None
        raise RestoreRefused(
            "nobody tells what was forgotten since the backup: it was not taken of these stores, or not since they were"
            " restored, and no later file of forgettings of those that it was taken of is given",
            suggestions=(
                "Give the latest file of `ragpp backup --forgettings-only` of where it was taken as --forgettings.",
                "Or say --nothing-forgotten-since: what was forgotten since the backup comes back then.",
            ),
        )

    async def _check_free(self, connection: Connection) -> None:
        connected = await connection.fetchval(_CONNECTED, [APP, RELAY])
        if connected:
            raise RestoreRefused(
                f"services are connected to these stores ({connected} connections)",
                suggestions=(
                    "Stop the gateway, the tiers and the workers, with `docker compose stop gateway worker short-term"
                    " episodic semantic procedural catalog`.",
                ),
            )

    async def _keep_own(self, connection: Connection) -> None:
        async for lines in forgettings.forgettings(connection, self.place.forgetting_key):
            await unfinished.keep(connection, lines)

    async def _holds_conversations(self, client: Client) -> bool:
        async for _ in client.scan_iter(match=f"{self.place.key_prefix}st:log:*", count=1_000):
            return True
        return False


async def _keep_of(connection: Connection, archive: ArchiveReader) -> None:
    reader, batch = LineReader(), list[forgettings.Line]()
    for piece in archive.pieces(lambda part: part == forgettings.PART):
        for line in reader.lines(piece.data):
            batch.append(forgettings.checked(line))
            if len(batch) == AT_ONCE:
                await unfinished.keep(connection, batch)
                batch = []
    await unfinished.keep(connection, batch)


async def _holds_a_memory(connection: Connection) -> bool:
    for table in HOLD_A_MEMORY:
        there = await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", table)
        if there and await connection.fetchval(f"SELECT EXISTS (SELECT FROM {table})"):  # noqa: S608 - one of these
            return True
    return False


async def _knows_forgettings(connection: Connection) -> bool:
    """True where its schemas are of a time when what was forgotten was kept."""
    known: bool = await connection.fetchval(
        "SELECT to_regclass('audit.erased') IS NOT NULL AND to_regclass('ledger.forgotten') IS NOT NULL"
    )
    return known
