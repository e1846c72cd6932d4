"""`ragpp backup`: a copy of all stores in one file, taken while they serve."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from ragpp_infra.cli.arguments import WrongUsage
from ragpp_infra.cli.console import emit_json, err, safe
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption
from ragpp_infra.cli.places import AdminOption, place_of
from ragpp_infra.cli.progress import progress

if TYPE_CHECKING:
    from ragpp_infra.backup.taking import Taken

STANDARD_OUTPUT = "-"


def backup(
    output: Annotated[
        str, typer.Argument(help="The file to write, readable by you alone; - for standard output.", show_default=False)
    ],
    forgettings_only: Annotated[
        bool,
        typer.Option(
            "--forgettings-only",
            help="Write only what was forgotten, as hashes: what a restore needs beside an older backup. Small.",
        ),
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a file that is there.")] = False,
    patience: Annotated[
        float, typer.Option(min=0, help="How long workers may take to end what they are at, in seconds.")
    ] = 120.0,
    postgres: AdminOption = None,
    home: HomeOption = DEFAULT_HOME,
    as_json: JsonOption = False,
) -> None:
    """Copy all stores, as of one moment, while they serve, into one file: writes, recalls and forgettings go on,
    learning waits while the graphs are copied. A backup that is killed leaves nothing behind but a file that is none.

    The file has everything that people said: it is readable by you alone, and not encrypted. With - it goes through
    whatever encrypts it. See docs/backup.md.

    Example: [bold]ragpp backup memory.ragpp[/bold], or [bold]ragpp backup - | age -r KEY > memory.ragpp.age[/bold],
    and every minute [bold]ragpp backup --forgettings-only --replace forgotten.ragpp[/bold]
    """
    from ragpp_infra.backup.taking import take_backup, take_forgettings  # noqa: PLC0415 - the drivers, only here

    if output == STANDARD_OUTPUT and (sys.stdout.isatty() or as_json):
        raise WrongUsage.of(
            {"OUTPUT": "- writes the backup to standard output: send it into a file or a program, without --json"}
        )
    place = place_of(home, postgres)
    with _file(output, replace=replace) as file:
        if forgettings_only:
            taken = asyncio.run(take_forgettings(place, file))
        else:
            on_step = partial(progress, quiet=as_json)
            taken = asyncio.run(take_backup(place, file, on_step, patience_s=patience))
    size = Path(output).stat().st_size if output != STANDARD_OUTPUT else None
    if as_json:
        emit_json(_told(taken, output, size))
        return
    rows = sum(taken.manifest.rows().values())
    paused = f", learning waited {taken.paused_s:.1f} s" if not forgettings_only else ""
    written = f"{size / 1e6:.1f} MB" if size is not None else f"{taken.bytes / 1e6:.1f} MB before compression"
    err.print(safe(f"{output}: {rows} rows and lines, {written}, in {taken.seconds:.1f} s{paused}"), soft_wrap=True)


@contextmanager
def _file(output: str, *, replace: bool) -> Iterator[IO[bytes]]:
    """Where it is written: beside its place until it is whole, of mode 0600 from the first moment."""
    if output == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        return
    path = Path(output)
    if path.is_file() and not replace:
        raise WrongUsage.of({"OUTPUT": f"{output} is there already"}, suggestions=("Say --replace, or name another.",))
    if path.exists() and not path.is_file():
        raise WrongUsage.of({"OUTPUT": f"{output} is no file, and is not replaced"}, suggestions=("Name a file.",))
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise WrongUsage.of({"OUTPUT": f"{output} cannot be written: {error.strerror}"}) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _told(taken: "Taken", output: str, size: int | None) -> dict[str, object]:
    manifest = taken.manifest
    return {
        "file": output,
        "bytes": size,
        "bytes_before_compression": taken.bytes,
        "moment": manifest.moment.isoformat(),
        "forgettings_until": manifest.until.isoformat(),
        "rows": dict(manifest.rows()),
        "seconds": round(taken.seconds, 3),
        "learning_waited_s": round(taken.paused_s, 3),
        "of_that_for_workers_s": round(taken.drained_s, 3),
    }
