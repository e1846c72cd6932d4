"""Backups of the stores of a test, and what is restored of them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import SecretStr

from ragpp.models import Scope
from ragpp_infra.backup import conversations, graph, tables
from ragpp_infra.backup.archive import ArchiveReader
from ragpp_infra.backup.forgettings import checked
from ragpp_infra.backup.lines import LineReader
from ragpp_infra.backup.places import Place
from ragpp_infra.backup.restoring import Restore, Restored
from ragpp_infra.backup.sources import Known, Sources
from ragpp_infra.backup.taking import Taken, take_backup, take_forgettings
from ragpp_services import all_in_one
from ragpp_services.restoring import schemas
from tests.support.marks import KEY, MARKS
from tests.support.stacks import StoreStack


def place_of(stack: StoreStack, *, key: str = KEY, keep_days: int = 90) -> Place:
    """The stores of `stack`, as who administers them."""
    return Place(
        postgres_dsn=stack.postgres_superuser_dsn(),
        endpoints=stack.endpoints(),
        forgetting_key=SecretStr(key),
        keep_days=keep_days,
    )


@contextmanager
def silently(_what: str, _total: int | None) -> Iterator[Callable[[int], None]]:
    """A step that nobody is told of."""
    yield lambda _steps: None


async def taken(place: Place, path: Path, *, patience_s: float = 60.0) -> Taken:
    """A backup in the file `path`."""
    with path.open("wb") as file:
        return await take_backup(place, file, silently, patience_s=patience_s)


async def told(place: Place, path: Path) -> Taken:
    """The forgettings, in the file `path`."""
    with path.open("wb") as file:
        return await take_forgettings(place, file)


def sources_of(place: Place, path: Path, *files: Path, nothing_since: bool = False) -> Sources:
    """The backup in `path`, and files of forgettings beside it."""
    archive = ArchiveReader(path)
    others = [(reader, reader.verify()) for reader in map(ArchiveReader, files)]
    return Sources(place, archive, archive.verify(), others, nothing_since=nothing_since)


async def restored(
    place: Place, path: Path, *files: Path, replace: bool = False, nothing_since: bool = False
) -> Restored:
    """Restore these into `place`; what came of it."""
    sources = sources_of(place, path, *files, nothing_since=nothing_since)
    return await Restore(sources, schemas.known(), silently).run(replace=replace)


async def known(place: Place, path: Path, *files: Path) -> Known:
    """The forgettings that a restore in the place of what is there would know of; nothing is changed."""
    sources = sources_of(place, path, *files)
    async with place.postgres() as connection, place.neo4j() as driver, place.redis() as client:
        return await sources.check(connection, driver, client, replace=True)


def marks_told(path: Path) -> set[str]:
    """The marks in a file of forgettings."""
    reader = LineReader()
    pieces = ArchiveReader(path).pieces(lambda _part: True)
    return {checked(line)[4] for piece in pieces for line in reader.lines(piece.data)}


async def noted_as_deleted(place: Place, scope: Scope, what: str, identifier: str, *, days_ago: int = 0) -> None:
    """As the audit tells of what a person deleted."""
    statement = """
        INSERT INTO audit.accesses (access_id, tenant_id, at, key_id, user_id, action, status, elapsed_ms, details)
        VALUES (gen_random_uuid(), $1, now() - make_interval(days => $4), '', $2, 'delete', 204, 1, $3)"""
    details = json.dumps({"deleted": what, "count": 1, "marks": [MARKS.of(scope, identifier)]})
    async with place.postgres() as connection:
        await connection.execute(statement, *scope.user_key, details, days_ago)


async def noted_as_erased(place: Place, scope: Scope) -> None:
    """As an erasure notes it."""
    async with place.postgres() as connection:
        await connection.execute(
            "INSERT INTO audit.erased (tenant_id, name, until) VALUES ($1, $2, now())",
            scope.tenant_id,
            MARKS.of_user(scope),
        )


async def emptied(place: Place) -> None:
    """As a stack that was made ready and never used."""
    async with place.postgres() as connection, place.redis() as client, place.neo4j() as driver:
        await tables.empty_schemas(connection)
        await conversations.empty_redis(client, place.key_prefix)
        await graph.empty_graph(driver)
    await all_in_one.migrate_all()
