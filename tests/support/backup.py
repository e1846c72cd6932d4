"""Backups of the stores of a test, and what is restored of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import SecretStr

from ragpp_infra.backup.archive import ArchiveReader
from ragpp_infra.backup.places import Place
from ragpp_infra.backup.restoring import Restore, Restored
from ragpp_infra.backup.sources import Sources
from ragpp_infra.backup.taking import Taken, take_backup, take_forgettings
from ragpp_services.restoring import schemas
from tests.support.marks import KEY
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
    """What was forgotten, in the file `path`."""
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
    """What is in `place` afterwards."""
    sources = sources_of(place, path, *files, nothing_since=nothing_since)
    return await Restore(sources, schemas.known(), silently).run(replace=replace)
