"""`ragpp try`: what a memory would make of an export, in a stack of its own, before anything is decided."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from ragpp.errors import MemorySystemError
from ragpp.jobs import Job
from ragpp_infra.cli.console import emit_json, err, out, safe
from ragpp_infra.cli.digesting import wait_until_digested
from ragpp_infra.cli.forget_command import report_table
from ragpp_infra.cli.import_command import end
from ragpp_infra.cli.import_work import (
    AtOption,
    DatesOption,
    HowToRead,
    KindOption,
    MeOption,
    ReadFile,
    Whose,
    ZoneOption,
    read_file,
    send,
)
from ragpp_infra.cli.ingest import IngestReport
from ragpp_infra.cli.options import JsonOption
from ragpp_infra.cli.trying.dialogue import Dialogue, heading
from ragpp_infra.cli.trying.listing import as_json as as_document
from ragpp_infra.cli.trying.listing import listed
from ragpp_infra.cli.trying.own_stack import OwnStack, folder_beside
from ragpp_infra.cli.trying.things import Thing, things_of
from ragpp_infra.importing.reading import Unread

USER: Final = "me"
PATIENCE_S: Final = 600.0
"""How long learning may stand still: the first start of a slow machine takes a while."""


def try_file(
    file: Annotated[
        Path | None, typer.Argument(help="An export, also as the zip that it came in.", show_default=False)
    ] = None,
    kind: KindOption = None,
    me: MeOption = None,
    dates: DatesOption = None,
    time_zone: ZoneOption = None,
    at: AtOption = None,
    erase: Annotated[
        bool, typer.Option("--erase", help="Erase it in the end without asking; without a file what was kept.")
    ] = False,
    home: Annotated[
        Path | None,
        typer.Option("--home", help="Folder of this trial's stack. Default: RAGPP_HOME with -try behind its name."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """See what a memory would remember of an export, ask it, and keep or erase it. Nothing leaves this machine.

    It has a stack of its own, which runs no longer than the command. Where there is no terminal, and with --json,
    nothing is asked: what would be remembered is printed, and kept unless --erase is given.

    Example: [bold]ragpp try chatgpt-export.zip[/bold]
    """
    stack = OwnStack(home or folder_beside())
    if file is None:
        if not erase:
            raise typer.BadParameter("name a file, or what was kept before with --erase")
        _erase_kept(stack, as_json=as_json)
        return
    read = read_file(file, HowToRead.given(kind, me, dates, time_zone, at))
    if not as_json:
        for line in (*read.screen.found(dry=False), *read.screen.left_out(read.unread)):
            out.print(line, soft_wrap=True)
    if not read.lines.good:
        end(stored=0, unread=read.unread, as_json=as_json)
    if stack.exists() and not as_json:
        out.print(safe(f"  beside what was kept in {stack.home.path}", "yellow"), soft_wrap=True)
    try:
        refused = _tried(stack, read, erase=erase, as_json=as_json)
    except (KeyboardInterrupt, MemorySystemError):
        if stack.exists() and not as_json:
            _tell_kept(stack, "stopped; what was stored by then is kept")
        raise
    end(stored=len(read.lines.good) - len(refused), unread=[*read.unread, *refused], as_json=as_json)


def _tried(stack: OwnStack, read: ReadFile, *, erase: bool, as_json: bool) -> list[Unread]:
    """All of it, from the start of the stack to its end; what the gateway refused of the file."""
    asks = not as_json and sys.stdin.isatty() and out.is_terminal
    try:
        if not as_json:
            out.print("\nStarting a memory of your own on this machine")
        stack.start(quiet=as_json)
        stored = send(stack.home.client(), Whose(USER), read.lines.good, quiet=as_json)
        refused = read.lines.refused(stored.refused)
        with asyncio.Runner() as runner:
            client = runner.run(stack.home.client().__aenter__())
            try:
                runner.run(wait_until_digested(client, USER, patience_s=PATIENCE_S, quiet=as_json))
                things = runner.run(things_of(client, USER))
                if not as_json:
                    out.print(safe(f"\n{heading(things, one_speaker=_has_one_speaker(read))}", "bold"))
                if asks:
                    dialogue = Dialogue(runner, client, USER)
                    dialogue.judge(things)
                    dialogue.answer()
                    erase = erase or not dialogue.wants_to_keep()
                elif not as_json:
                    out.print(*listed(things), sep="\n")
            finally:
                runner.run(client.__aexit__(None, None, None))
        report = asyncio.run(stack.forget_all(USER)) if erase else None
    finally:
        stack.stop()
    if erase:
        stack.remove()
    if as_json:
        emit_json(_document(stack, read, stored, [*read.unread, *refused], things, report))
    elif report is not None:
        _tell_erased(stack, report)
    else:
        _tell_kept(stack, "kept")
    return refused


def _has_one_speaker(read: ReadFile) -> bool:
    return not any(line.message.name for line in read.lines.good)


def _document(
    stack: OwnStack,
    read: ReadFile,
    stored: IngestReport,
    unread: Sequence[Unread],
    things: Sequence[Thing],
    report: Job | None,
) -> dict[str, JsonValue]:
    return {
        **read.screen.as_json(unread),
        "stored": stored.stored,
        "duplicates": stored.duplicates,
        "things": [as_document(thing) for thing in things],
        "home": None if report is not None else str(stack.home.path),
        "user": USER,
        "erased": None if report is None else report.model_dump(mode="json")["result"],
    }


def _erase_kept(stack: OwnStack, *, as_json: bool) -> None:
    if not stack.exists():
        if as_json:
            emit_json({"home": str(stack.home.path), "erased": None})
        else:
            out.print(safe(f"nothing is kept in {stack.home.path}"), soft_wrap=True)
        return
    try:
        stack.start(quiet=as_json)
        report = asyncio.run(stack.forget_all(USER))
    finally:
        stack.stop()
    stack.remove()
    if as_json:
        emit_json({"home": str(stack.home.path), "erased": report.model_dump(mode="json")["result"]})
    else:
        _tell_erased(stack, report)


def _tell_erased(stack: OwnStack, report: Job) -> None:
    out.print(report_table(report))
    out.print(safe(f"erased, and {stack.home.path} with it"), soft_wrap=True)


def _tell_kept(stack: OwnStack, how: str) -> None:
    where = f" --home {stack.home.path}"
    err.print(
        safe(
            f"{how}: {stack.home.path}, user {USER}\n"
            f"go on: ragpp up{where} && ragpp recall 'a question' --user {USER}{where}\n"
            f"erase: ragpp try --erase{where}"
        ),
        soft_wrap=True,
    )
