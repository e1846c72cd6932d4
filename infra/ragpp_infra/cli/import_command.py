"""`ragpp import`: the conversations of an export into the memory, of whatever kind it is."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ragpp.models import Visibility
from ragpp_infra.cli import ingest as ingesting
from ragpp_infra.cli.console import ExitCode, emit_json, err, out, show_problem
from ragpp_infra.cli.import_screen import Screen
from ragpp_infra.cli.import_work import (
    BATCH,
    AtOption,
    DatesOption,
    HowToRead,
    KindOption,
    MeOption,
    Whose,
    ZoneOption,
    read_file,
    send,
)
from ragpp_infra.cli.lines import START
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, UserOption
from ragpp_infra.embedded.home import Home
from ragpp_infra.importing.reading import Unread, UnreadableExport


def import_file(
    file: Annotated[Path, typer.Argument(help="An export, also as the zip that it came in.", show_default=False)],
    user: UserOption,
    kind: KindOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Store nothing, and only tell what would be; needs no stack.")
    ] = False,
    me: MeOption = None,
    dates: DatesOption = None,
    time_zone: ZoneOption = None,
    at: AtOption = None,
    agent: Annotated[str | None, typer.Option(help="The agent that the conversations were held with.")] = None,
    visibility: Annotated[
        Visibility | None, typer.Option(help="Who may see them: that agent alone, or all the user's agents.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, max=1_000, help="Messages a request.")] = BATCH,
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
    how = HowToRead.given(kind, me, dates, time_zone, at)
    read = read_file(file, how)
    good, screen, unread = read.lines.good, read.screen, read.unread
    if not as_json:
        for line in screen.found(dry=dry_run):
            (out if dry_run else err).print(line, soft_wrap=True)
    if dry_run or not good:
        _show(screen, unread, {"dry_run": dry_run}, as_json=as_json)
        end(stored=len(good), unread=unread, as_json=as_json)
        return

    stack = Home(home)
    began = time.monotonic()
    what = f"import {read.export.kind} {dates} {how.at}"  # all that decides which messages there are
    client = stack.client(url, key)
    kept = ingesting.Progress.of(stack.ingest_folder, file, url=url or stack.url() or "", user_id=user, session_id=what)
    start = kept.load(file) if resume else START
    left = good[start.lines :]
    whose = Whose(user, agent, visibility)
    try:
        report = send(client, whose, left, batch=batch, quiet=as_json, save=lambda position: kept.save(position, file))
    except KeyboardInterrupt:
        err.print("stopped; what was acknowledged is kept. Go on with --resume, or run it again.")
        raise
    kept.clear()
    skipped = len(good) - len(left)
    seconds = time.monotonic() - began
    refused = read.lines.refused(report.refused)
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
    end(stored=report.acknowledged + skipped, unread=[*unread, *refused], as_json=as_json)


def _show(screen: Screen, unread: Sequence[Unread], told: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        emit_json({**screen.as_json(unread), **told})
        return
    for line in screen.left_out(unread):
        out.print(line, soft_wrap=True)


def end(*, stored: int, unread: Sequence[Unread], as_json: bool) -> None:
    """Leave with 1 where there was nothing to store, or something could not be read."""
    if not stored:
        nothing = UnreadableExport("no message in the file can be stored", suggestions=("See what was left out.",))
        show_problem(nothing, as_json=as_json)
    if not stored or any(one.failed for one in unread):
        raise typer.Exit(ExitCode.FAILURE)
