"""An export read from its file and sent to a memory, for any command that imports one; the options of reading it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from ragpp.client import AsyncMemoryClient
from ragpp.models import Visibility
from ragpp_infra.cli import ingest as ingesting
from ragpp_infra.cli.arguments import WrongUsage, parse_moment, parse_zone
from ragpp_infra.cli.import_lines import Lines, lines_of, read_json_lines
from ragpp_infra.cli.import_screen import Screen
from ragpp_infra.cli.lines import GoodLine, Position
from ragpp_infra.cli.progress import progress
from ragpp_infra.importing.dating import dated
from ragpp_infra.importing.kinds import read_export, source_of
from ragpp_infra.importing.reading import Export, Kind, Unread
from ragpp_infra.importing.whatsapp_dates import Order
from ragpp_infra.importing.zones import machine_zone

KindOption: TypeAlias = Annotated[
    Kind | None, typer.Option("--from", help="chatgpt, claude, whatsapp or jsonl; default: what the file is.")
]
MeOption: TypeAlias = Annotated[
    str | None, typer.Option("--me", help="The name under which the user writes in a chat of WhatsApp.")
]
DatesOption: TypeAlias = Annotated[
    Order | None, typer.Option("--dates", help="dmy, mdy or ymd: the order of dates in a chat of WhatsApp.")
]
ZoneOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--time-zone", help="Of times without one, as in Europe/Lisbon; of WhatsApp: this machine's."),
]
AtOption: TypeAlias = Annotated[
    str | None, typer.Option("--at", help="When it was said, where nothing in the file tells, as in 2026-03-08.")
]
BATCH = 200
"""Messages a request."""


@dataclass(frozen=True)
class HowToRead:
    """The options for reading a file: its kind, and of what is in it what the file does not say itself."""

    kind: Kind | None = None
    me: str | None = None
    dates: Order | None = None
    zone: tzinfo | None = None
    at: datetime | None = None

    @classmethod
    def given(
        cls, kind: Kind | None, me: str | None, dates: Order | None, time_zone: str | None, at: str | None
    ) -> "HowToRead":
        """The options as they were typed. Raises WrongUsage."""
        return cls(kind, me, dates, parse_zone(time_zone), parse_moment(at, "--at"))


@dataclass(frozen=True)
class ReadFile:
    """A file whose messages can be sent. `unread`: all of it that cannot, or is nothing that somebody said."""

    export: Export
    lines: Lines
    screen: Screen
    unread: Sequence[Unread]


def read_file(file: Path, how: HowToRead) -> ReadFile:
    """Read all of `file`. Raises UnreadableExport and WrongUsage."""
    export, notes = _read(file, how)
    with_times = dated(export, how.at)
    lines = lines_of(with_times.export, size=file.stat().st_size, now=datetime.now(UTC))
    screen = Screen(str(file), with_times, lines, (*export.notes, *notes))
    return ReadFile(export, lines, screen, [*with_times.export.unread, *lines.unread])


def _read(file: Path, how: HowToRead) -> tuple[Export, tuple[str, ...]]:
    """The export, and what is to be said of how it was read."""
    source = source_of(file, how.kind)
    given = {"--me": how.me, "--dates": how.dates}
    vain = {option: "is of WhatsApp alone" for option, value in given.items() if value is not None}
    if source.kind != "whatsapp" and vain:
        raise WrongUsage.of(vain, suggestions=(f"{file} is of the kind {source.kind}.",))
    if source.kind == "jsonl":
        return read_json_lines(source, how.zone), ()
    if source.kind != "whatsapp":
        return read_export(source, UTC), ()
    local = how.zone or machine_zone()
    if local is None:
        raise WrongUsage.of({"--time-zone": "is needed: the zone of this machine has no name"})
    whose = "" if how.zone is not None else ", the time zone of this machine: name another with --time-zone"
    notes = (f"times are read as those of {local}{whose}",)
    return read_export(source, local, order=how.dates, me=how.me), notes


@dataclass(frozen=True)
class Whose:
    """Whose memory the messages go to, and who may see them."""

    user: str
    agent: str | None = None
    visibility: Visibility | None = None


def send(
    client: AsyncMemoryClient,
    whose: Whose,
    lines: Sequence[GoodLine],
    *,
    quiet: bool,
    batch: int = BATCH,
    save: Callable[[Position], None] = lambda _: None,
) -> ingesting.IngestReport:
    """Send `lines`; the report on all of them. `save` is told how far all is acknowledged."""
    with progress("storing", len(lines), quiet=quiet) as advance:
        done = 0

        def on_window(report: ingesting.IngestReport) -> None:
            nonlocal done
            save(report.position)
            answered = report.acknowledged + len(report.refused)
            advance(answered - done)
            done = answered

        async def sent() -> ingesting.IngestReport:
            async with client:
                return await ingesting.ingest(
                    client,
                    whose.user,
                    lines,
                    batch=batch,
                    skip_bad=True,  # what is refused is named by its place, with all else that is not stored
                    agent_id=whose.agent,
                    visibility=whose.visibility,
                    on_window=on_window,
                )

        return asyncio.run(sent())
