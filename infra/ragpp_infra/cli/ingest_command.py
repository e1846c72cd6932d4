"""`ragpp ingest`: a file of messages into the memory, with a progress bar."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ragpp.errors import InvalidInput
from ragpp.models import Visibility
from ragpp_infra.cli import ingest as ingesting
from ragpp_infra.cli.arguments import WrongUsage, parse_zone
from ragpp_infra.cli.console import emit_json, err, out, safe
from ragpp_infra.cli.lines import START, BadLine, FileMessage, GoodLine, Position, Reading, read_lines
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, UserOption
from ragpp_infra.cli.render import count
from ragpp_infra.embedded.home import Home


def ingest(
    file: Annotated[str, typer.Argument(help="JSON Lines of messages; - reads standard input.", show_default=False)],
    user: UserOption,
    session: Annotated[str | None, typer.Option("--session", "-s", help="Of lines without a session_id.")] = None,
    agent: Annotated[str | None, typer.Option(help="The agent that the conversations were held with.")] = None,
    visibility: Annotated[
        Visibility | None, typer.Option(help="Who may see them: that agent alone, or all the user's agents.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, max=1_000, help="Messages a request.")] = 200,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad/--strict", help="Leave bad lines out, or refuse the file for them.")
    ] = False,
    mapping: Annotated[
        list[str] | None,
        typer.Option("--map", help="OURS=THEIRS: what one of our fields is called in the file; may be repeated."),
    ] = None,
    time_zone: Annotated[
        str | None, typer.Option("--time-zone", help="Of moments without one, as in Europe/Lisbon.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the last run of this file stopped.")] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store the messages of a file. Running it twice stores nothing twice.

    A line: {"content": "…", "session_id": "s1", "id": "m-17", "role": "user", "name": "Maria",
    "occurred_at": "2026-03-08T13:56:00Z"}; only content is needed. Also as text, user, timestamp, session and other
    usual names, or as --map says; fields that are not ours are kept as metadata.

    Example: [bold]ragpp ingest conversation.jsonl --user u1 --resume[/bold]
    """
    reading = Reading(session, parse_zone(time_zone), _mapping(mapping or []))
    stack = Home(home)
    client = stack.client(url, key)
    path = None if file == "-" else Path(file)
    progress = None
    start = START
    if path is not None:
        try:
            bad = [line for line in _lines_of(path, reading) if isinstance(line, BadLine)]
        except OSError as error:
            raise InvalidInput(
                f"{path} cannot be read: {error.strerror}", suggestions=("Nothing was stored.",)
            ) from error
        if bad and not skip_bad:
            raise ingesting.bad_lines(bad, stored=0)
        folder = stack.ingest_folder
        progress = ingesting.Progress.of(folder, path, url=url or stack.url() or "", user_id=user, session_id=session)
        start = progress.load(path) if resume else START

    began = time.monotonic()
    with _source(path, start) as source, _bar(path, start, quiet=as_json) as advance:

        def on_window(report: ingesting.IngestReport) -> None:
            if path is not None and progress is not None:
                progress.save(report.position, path)
            advance(report)

        async def send() -> ingesting.IngestReport:
            async with client:
                return await ingesting.ingest(
                    client,
                    user,
                    read_lines(source, reading, after=start),
                    batch=batch,
                    skip_bad=skip_bad,
                    agent_id=agent,
                    visibility=visibility,
                    on_window=on_window,
                )

        try:
            report = asyncio.run(send())
        except KeyboardInterrupt:
            err.print("stopped; what was acknowledged is kept. Go on with --resume.")
            raise
    if progress is not None:
        progress.clear()
    _show_report(report, time.monotonic() - began, as_json=as_json, skipped_lines=start.lines)


def _show_report(report: ingesting.IngestReport, seconds: float, *, as_json: bool, skipped_lines: int) -> None:
    if as_json:
        emit_json(
            {
                "stored": report.stored,
                "duplicates": report.duplicates,
                "forgotten": report.forgotten,
                "redactions": report.redactions,
                "resumed_after_line": skipped_lines,
                "refused": [{"line": line.number, "id": line.id, "reason": line.reason} for line in report.refused],
                "seconds": round(seconds, 3),
            }
        )
        return
    for line in report.refused:
        err.print(safe(str(line), "yellow"))
    parts = [f"{report.stored} stored"]
    parts += [f"{report.duplicates} known already"] if report.duplicates else []
    parts += [f"{report.forgotten} forgotten before"] if report.forgotten else []
    parts += [f"{report.redactions} secrets or personal data taken out"] if report.redactions else []
    parts += [f"{count(len(report.refused), 'line')} left out"] if report.refused else []
    rate = report.acknowledged / seconds if seconds > 0 else 0.0
    out.print(f"{', '.join(parts)} in {seconds:.1f} s ({rate:,.0f} messages/s)")


def _lines_of(path: Path, reading: Reading) -> Iterator[GoodLine | BadLine]:
    with path.open("rb") as source:
        yield from read_lines(source, reading)


def _mapping(given: list[str]) -> dict[str, str]:
    """Raises WrongUsage for what is no OURS=THEIRS of a field that a message has."""
    mapping: dict[str, str] = {}
    for one in given:
        ours, equals, theirs = one.partition("=")
        if not equals or not theirs or ours not in FileMessage.model_fields:
            known = ", ".join(FileMessage.model_fields)
            raise WrongUsage.of({"--map": f"{one!r} is not OURS=THEIRS"}, suggestions=(f"OURS is one of {known}.",))
        mapping[ours] = theirs
    return mapping


@contextmanager
def _source(path: Path | None, start: Position) -> Iterator[BinaryIO]:
    if path is None:
        yield sys.stdin.buffer
        return
    with path.open("rb") as source:
        source.seek(start.offset)
        yield source


@contextmanager
def _bar(path: Path | None, start: Position, *, quiet: bool) -> Iterator[Callable[[ingesting.IngestReport], None]]:
    """A progress bar over the bytes of `path`, or of what came so far."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}"), TimeRemainingColumn())
    with Progress(*columns, console=err, disable=quiet or not err.is_terminal, transient=True) as bar:
        total = None if path is None else path.stat().st_size
        task = bar.add_task("storing", total=total, completed=start.offset, count="")

        def advance(report: ingesting.IngestReport) -> None:
            count = f"{report.acknowledged:,} messages"
            bar.update(task, completed=report.position.offset, count=count)

        yield advance
