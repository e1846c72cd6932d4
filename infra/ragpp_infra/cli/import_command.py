"""`ragpp import`: the conversations of an export into the memory, of whatever kind it is."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Annotated

import typer

from ragpp.client import AsyncMemoryClient
from ragpp.models import Visibility
from ragpp_infra.cli import ingest as ingesting
from ragpp_infra.cli.arguments import WrongUsage, parse_moment, parse_zone
from ragpp_infra.cli.console import ExitCode, emit_json, err, out, show_problem
from ragpp_infra.cli.import_lines import lines_of, read_json_lines
from ragpp_infra.cli.import_screen import Screen
from ragpp_infra.cli.lines import START, GoodLine, Position
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, UserOption
from ragpp_infra.cli.progress import progress
from ragpp_infra.embedded.home import Home
from ragpp_infra.importing.dating import dated
from ragpp_infra.importing.kinds import read_export, source_of
from ragpp_infra.importing.reading import Export, Kind, Unread, UnreadableExport
from ragpp_infra.importing.whatsapp_dates import Order
from ragpp_infra.importing.zones import machine_zone


def import_file(
    file: Annotated[Path, typer.Argument(help="An export, also as the zip that it came in.", show_default=False)],
    user: UserOption,
    kind: Annotated[
        Kind | None, typer.Option("--from", help="chatgpt, claude, whatsapp or jsonl; default: what the file is.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Store nothing, and only tell what would be; needs no stack.")
    ] = False,
    me: Annotated[
        str | None, typer.Option("--me", help="The name under which the user writes in a chat of WhatsApp.")
    ] = None,
    dates: Annotated[
        Order | None, typer.Option("--dates", help="dmy, mdy or ymd: the order of dates in a chat of WhatsApp.")
    ] = None,
    time_zone: Annotated[
        str | None,
        typer.Option("--time-zone", help="Of times without one, as in Europe/Lisbon; of WhatsApp: this machine's."),
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", help="When it was said, where nothing in the file tells, as in 2026-03-08.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="The agent that the conversations were held with.")] = None,
    visibility: Annotated[
        Visibility | None, typer.Option(help="Who may see them: that agent alone, or all the user's agents.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, max=1_000, help="Messages a request.")] = 200,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the last run of this file stopped.")] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store the conversations of an export of another program. Running it twice stores nothing twice.

    Exports of ChatGPT and Claude, chats of WhatsApp, JSON Lines of messages. Its times, names and roles are kept; what
    has no time gets that of the message beside it, and what cannot be read is named.

    Example: [bold]ragpp import export.zip --user u1 --dry-run[/bold]
    """
    moment, zone = parse_moment(at, "--at"), parse_zone(time_zone)
    export, notes = _read(file, kind, zone, dates, me)
    with_times = dated(export, moment)
    lines = lines_of(with_times.export, size=file.stat().st_size, now=datetime.now(UTC))
    screen = Screen(str(file), with_times, lines, (*export.notes, *notes))
    unread = [*with_times.export.unread, *lines.unread]
    if not as_json:
        for line in screen.found(dry=dry_run):
            (out if dry_run else err).print(line, soft_wrap=True)
    if dry_run or not lines.good:
        _show(screen, unread, {"dry_run": dry_run}, as_json=as_json)
        _end(stored=len(lines.good), unread=unread, as_json=as_json)
        return

    stack = Home(home)
    began = time.monotonic()
    what = f"import {export.kind} {dates} {moment}"  # all that decides which messages there are
    to = _To(stack.client(url, key), user, agent, visibility)
    place = url or stack.url() or ""
    kept = ingesting.Progress.of(stack.ingest_folder, file, url=place, user_id=user, session_id=what)
    start = kept.load(file) if resume else START
    left = lines.good[start.lines :]
    report = _send(to, left, batch, lambda position: kept.save(position, file), quiet=as_json)
    kept.clear()
    skipped = len(lines.good) - len(left)
    seconds = time.monotonic() - began
    refused = lines.refused(report.refused)
    told: dict[str, object] = {
        "stored": report.stored,
        "duplicates": report.duplicates,
        "forgotten": report.forgotten,
        "redactions": report.redactions,
        "resumed_after": skipped,
        "seconds": round(seconds, 3),
    }
    _show(screen, [*unread, *refused], told, as_json=as_json)
    if not as_json:
        out.print(screen.stored(report, len(refused), seconds))
    _end(stored=report.acknowledged + skipped, unread=[*unread, *refused], as_json=as_json)


def _read(
    file: Path, kind: Kind | None, zone: tzinfo | None, order: Order | None, me: str | None
) -> tuple[Export, tuple[str, ...]]:
    """The export, and what is to be said of how it was read. Raises UnreadableExport and WrongUsage."""
    source = source_of(file, kind)
    given = {"--me": me, "--dates": order}
    vain = {option: "is of WhatsApp alone" for option, value in given.items() if value is not None}
    if source.kind != "whatsapp" and vain:
        raise WrongUsage.of(vain, suggestions=(f"{file} is of the kind {source.kind}.",))
    if source.kind == "jsonl":
        return read_json_lines(source, zone), ()
    if source.kind != "whatsapp":
        return read_export(source, UTC), ()
    local = zone or machine_zone()
    if local is None:
        raise WrongUsage.of({"--time-zone": "is needed: the zone of this machine has no name"})
    whose = "" if zone is not None else ", the time zone of this machine: name another with --time-zone"
    return read_export(source, local, order=order, me=me), (f"times are read as those of {local}{whose}",)


@dataclass(frozen=True)
class _To:
    client: AsyncMemoryClient
    user: str
    agent: str | None
    visibility: Visibility | None


def _send(
    to: _To, lines: Sequence[GoodLine], batch: int, save: Callable[[Position], None], *, quiet: bool
) -> ingesting.IngestReport:
    """Send `lines`; the report on all of them."""
    with progress("storing", len(lines), quiet=quiet) as advance:
        done = 0

        def on_window(report: ingesting.IngestReport) -> None:
            nonlocal done
            save(report.position)
            answered = report.acknowledged + len(report.refused)
            advance(answered - done)
            done = answered

        async def send() -> ingesting.IngestReport:
            async with to.client:
                return await ingesting.ingest(
                    to.client,
                    to.user,
                    lines,
                    batch=batch,
                    skip_bad=True,  # what is refused is named by its place, with all else that is not stored
                    agent_id=to.agent,
                    visibility=to.visibility,
                    on_window=on_window,
                )

        try:
            return asyncio.run(send())
        except KeyboardInterrupt:
            err.print("stopped; what was acknowledged is kept. Go on with --resume, or run it again.")
            raise


def _show(screen: Screen, unread: Sequence[Unread], told: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        emit_json({**screen.as_json(unread), **told})
        return
    for line in screen.left_out(unread):
        out.print(line, soft_wrap=True)


def _end(*, stored: int, unread: Sequence[Unread], as_json: bool) -> None:
    """Leave with 1 where there was nothing to store, or something could not be read."""
    if not stored:
        nothing = UnreadableExport("no message in the file can be stored", suggestions=("See what was left out.",))
        show_problem(nothing, as_json=as_json)
    if not stored or any(one.failed for one in unread):
        raise typer.Exit(ExitCode.FAILURE)
