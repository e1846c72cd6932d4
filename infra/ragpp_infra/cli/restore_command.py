"""`ragpp restore`: a backup put into stores of either shape."""

import asyncio
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import SecretStr

from ragpp_infra.cli.arguments import WrongUsage
from ragpp_infra.cli.console import emit_json, err, out, safe
from ragpp_infra.cli.foreground import bring_up
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption
from ragpp_infra.cli.places import AdminOption, embedded, forgetting_of, place_of
from ragpp_infra.cli.progress import progress
from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.servers.server import SERVERS

if TYPE_CHECKING:
    from ragpp_infra.backup.archive import ArchiveReader
    from ragpp_infra.backup.manifest import Manifest
    from ragpp_infra.backup.places import Place
    from ragpp_infra.backup.restoring import Migrations, Restored

HIDDEN = frozenset({"ghost", "view"})
"""Kinds of what is forgotten that nobody asked for by itself."""
STANDARD_INPUT = "-"
_File = Annotated[str, typer.Argument(help="A file of `ragpp backup`; - for standard input.", show_default=False)]


def restore(
    file: _File,
    forgettings: Annotated[
        list[Path] | None,
        typer.Option(
            "--forgettings",
            help="A file of `ragpp backup --forgettings-only`, taken after the backup; may be repeated.",
            exists=True,
            dir_okay=False,
            show_default=False,
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Empty stores that hold a memory, or half a restored one, first.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    nothing_forgotten_since: Annotated[
        bool,
        typer.Option(
            "--nothing-forgotten-since",
            help="Nothing was forgotten since the backup, or what was may come back: for other stores than those that"
            " it was taken of, where no later file of forgettings of those is given.",
        ),
    ] = False,
    despite_age: Annotated[
        bool,
        typer.Option(
            "--despite-age",
            help="Restore also a backup that is older than FORGETTING_KEEP_DAYS: what was forgotten longer ago than"
            " that is not known any more, and comes back.",
        ),
    ] = False,
    postgres: AdminOption = None,
    home: HomeOption = DEFAULT_HOME,
    as_json: JsonOption = False,
) -> None:
    """Put a backup into these stores, without what was forgotten since, as the stores tell that are being replaced, or
    files of forgettings. It fits whatever shape it was taken from.

    The whole file is looked through before anything is changed. Of the embedded stack the gateway and the workers are
    stopped meanwhile, and started again if they ran; elsewhere nobody may be connected. A restore that was interrupted
    leaves stores that nothing is served from, and is repeated with --replace. FORGETTING_KEY has to be the same as
    where the backup was taken. See docs/backup.md.

    Example: [bold]ragpp restore memory.ragpp --replace[/bold], or into a new folder
    [bold]ragpp restore memory.ragpp --forgettings forgotten.ragpp --home other[/bold], or
    [bold]age -d -i KEY memory.ragpp.age | ragpp restore - --replace --yes[/bold]
    """
    if file == STANDARD_INPUT and replace and not yes:
        raise WrongUsage.of({"--replace": "nobody can be asked where the backup comes from standard input: add --yes"})
    with _readable(file) as (archive, size):
        found = _looked_through(archive, size, forgettings or [], quiet=as_json)
        lifecycle = None if postgres else Lifecycle(home)
        place = place_of(home, postgres) if lifecycle is None else None
        key, keep_days = (place.forgetting_key, place.keep_days) if place else forgetting_of(Lifecycle(home))
        found.check(key, keep_days=keep_days, despite_age=despite_age)
        if lifecycle is not None and {*SERVERS} <= lifecycle.running():
            found.check_stores(embedded(lifecycle), replace=replace, nothing_since=nothing_forgotten_since)
        if replace and not yes:
            typer.confirm("What these stores hold is lost for good. Replace it?", abort=True, err=True)
        with _apart(lifecycle) if lifecycle else nullcontext(place) as there:
            assert there is not None  # noqa: S101 - one of the two
            restored = found.restore(there, replace=replace, nothing_since=nothing_forgotten_since, quiet=as_json)
    _tell(restored, as_json=as_json)


@dataclass(frozen=True)
class _Found:
    """A backup and files of forgettings, all of them whole, and the migrations that this version knows."""

    archive: "ArchiveReader"
    manifest: "Manifest"
    others: Sequence[tuple["ArchiveReader", "Manifest"]]
    known: "Migrations"

    def check(self, key: SecretStr, *, keep_days: int, despite_age: bool) -> None:
        """Before anything is stopped. Raises BadBackup, RestoreRefused."""
        from ragpp_infra.backup.restoring import check_migrations  # noqa: PLC0415 - the drivers, only here
        from ragpp_infra.backup.sources import check_backup  # noqa: PLC0415 - as above

        told = {str(reader.path): manifest for reader, manifest in self.others}
        now = datetime.now(UTC)
        check_backup(self.manifest, told, key, keep_days=keep_days, despite_age=despite_age, now=now)
        check_migrations(self.manifest, self.known)

    def check_stores(self, place: "Place", *, replace: bool, nothing_since: bool) -> None:
        """Look at stores that run, before the services that use them are stopped. Raises RestoreRefused."""
        from ragpp_infra.backup.errors import RestoreRefused  # noqa: PLC0415 - as the others
        from ragpp_infra.backup.places import reached  # noqa: PLC0415 - the drivers, only here
        from ragpp_infra.backup.sources import Sources  # noqa: PLC0415 - as above

        async def check() -> None:
            sources = Sources(place, self.archive, self.manifest, self.others, nothing_since=nothing_since)
            async with (
                reached(RestoreRefused),
                place.postgres() as connection,
                place.neo4j() as driver,
                place.redis() as client,
            ):
                await sources.check(connection, driver, client, replace=replace)

        asyncio.run(check())

    def restore(self, place: "Place", *, replace: bool, nothing_since: bool, quiet: bool) -> "Restored":
        """Put it there."""
        from ragpp_infra.backup.restoring import Restore  # noqa: PLC0415 - the drivers, only here
        from ragpp_infra.backup.sources import Sources  # noqa: PLC0415 - as above

        sources = Sources(place, self.archive, self.manifest, self.others, nothing_since=nothing_since)
        return asyncio.run(Restore(sources, self.known, partial(progress, quiet=quiet)).run(replace=replace))


@contextmanager
def _readable(file: str) -> Iterator[tuple["ArchiveReader", int]]:
    """The backup, which is read twice, and its bytes. What comes from standard input is in a file without a name
    meanwhile. Raises WrongUsage where there is none, or no room for it."""
    from ragpp_infra.backup.archive import ArchiveReader  # noqa: PLC0415 - only this command

    if file != STANDARD_INPUT:
        path = Path(file)
        if not path.is_file():
            raise WrongUsage.of({"FILE": f"{file} is no file" if path.exists() else f"there is no file {file}"})
        yield ArchiveReader(path), path.stat().st_size
        return
    if sys.stdin.isatty():
        raise WrongUsage.of({"FILE": "- reads the backup from standard input: send it a file, or a program's output"})
    with TemporaryFile() as spool:
        try:
            shutil.copyfileobj(sys.stdin.buffer, spool)
        except OSError as error:
            raise WrongUsage.of(
                {"FILE": f"what comes from standard input cannot be kept meanwhile: {error.strerror}"},
                suggestions=("Make room in the folder for temporary files, or name another by TMPDIR.",),
            ) from error
        yield ArchiveReader(Path("standard input"), spool), spool.tell()


def _looked_through(archive: "ArchiveReader", size: int, forgettings: Sequence[Path], *, quiet: bool) -> _Found:
    from ragpp_infra.backup.archive import ArchiveReader  # noqa: PLC0415 - the drivers, only here
    from ragpp_infra.backup.restoring import known_migrations  # noqa: PLC0415 - as above

    with progress("looking through the backup", size, quiet=quiet) as advance:
        manifest = archive.verify(advance)
    others = [(reader, reader.verify()) for reader in map(ArchiveReader, forgettings)]
    return _Found(archive, manifest, others, known_migrations())


@contextmanager
def _apart(lifecycle: Lifecycle) -> Iterator["Place"]:
    """The embedded stack's stores, without its services; afterwards what ran before runs, and nothing else."""
    ran = lifecycle.running()
    lifecycle.stack.up()
    services = [name for name in ran if name not in SERVERS]
    lifecycle.bring_down(services)
    try:
        yield embedded(lifecycle)
    except BaseException:
        if services and not _is_half(lifecycle):
            bring_up(lifecycle, quiet=True, anew=False)
        raise
    finally:
        lifecycle.stop_what_was_started({*ran, *(SERVERS if services else ())}, lambda _fast: None)
    if services:
        bring_up(lifecycle, quiet=True, anew=False)


def _is_half(lifecycle: Lifecycle) -> bool:
    from ragpp_infra.provisioning.postgres import is_unfinished  # noqa: PLC0415 - a driver, only here

    return asyncio.run(is_unfinished(lifecycle.stack.postgres_superuser_dsn()))


def _tell(restored: "Restored", *, as_json: bool) -> None:
    manifest, known = restored.manifest, restored.known_until
    if as_json:
        emit_json(
            {
                "moment": manifest.moment.isoformat(),
                "forgettings_until": known.isoformat() if known else None,
                "rows": restored.rows,
                "expired": restored.expired,
                "forgotten": dict(restored.forgotten),
                "seconds": round(restored.seconds, 3),
            }
        )
        return
    rows = sum(restored.rows.values())
    out.print(
        safe(f"restored {rows} rows and lines of {manifest.moment:%Y-%m-%d %H:%M:%S} UTC in {restored.seconds:.1f} s")
    )
    told = ", ".join(f"{count} of {kind}" for kind, count in restored.forgotten.items() if kind not in HIDDEN)
    until = f"until {known:%Y-%m-%d %H:%M:%S} UTC" if known else "of which nothing is known but what the backup tells"
    out.print(safe(f"forgotten in it, since the backup and {until}: {told or 'nothing'}"), soft_wrap=True)
    if not known:
        err.print(safe("what was forgotten after the backup is back: erase it again", "yellow"))
