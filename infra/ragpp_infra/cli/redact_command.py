"""`ragpp redact`: what is stored and should not be, listed, and replaced."""

import asyncio
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.table import Table

from ragpp.api.redacting import RedactAnswer, RedactedThing, RedactRequest
from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput
from ragpp_infra.cli.arguments import WrongUsage, checked
from ragpp_infra.cli.console import ExitCode, emit_json, err, out, safe
from ragpp_infra.cli.meaning import YesOption
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, UserOption
from ragpp_infra.cli.progress import progress
from ragpp_infra.cli.render import count, counted
from ragpp_infra.embedded.home import Home

SHOWN: Final = 50
"""Things that are shown of what was found."""
_PLURALS: Final = {"category": "categories", "entity": "entities"}
ROUNDS: Final = 5
"""How often all is looked at: what comes in meanwhile is found by the next round."""


def redact(
    user: UserOption,
    policy: Annotated[bool, typer.Option("--policy", help="What the policy for personal data finds.")] = False,
    pattern: Annotated[str | None, typer.Option(help="What a regular expression (of RE2) finds.")] = None,
    text: Annotated[str | None, typer.Option(help="One text, in whatever case; better given by --text-file.")] = None,
    text_file: Annotated[
        str | None, typer.Option("--text-file", help="A file with that text, - for standard input: no history has it.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Name in the placeholder; default: text or pattern.")] = None,
    scan: Annotated[bool, typer.Option("--scan", help="Only list what would be replaced: the default.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Replace what is found, after asking.")] = False,
    yes: YesOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find what is stored and should not be; with --apply put a placeholder, or the policy's mask, in its place.

    Messages get other ids, and what was learned from them is learned anew. Exit code 1 where something is left.

    Example: [bold]ragpp redact --user u1 --text-file secret.txt[/bold], then the same with [bold]--apply[/bold]
    """
    if scan and apply:
        raise InvalidInput("--scan lists and --apply replaces", suggestions=("Give one of them.",))
    if policy + (pattern is not None) + (text is not None or text_file is not None) != 1:
        raise WrongUsage("Give one of --policy, --pattern, --text and --text-file.")
    given: dict[str, object] = {"user_id": user, "policy": policy, "limit": 200}
    sought = {"pattern": pattern, "text": _of_file(text_file) if text_file is not None else text, "kind": kind}
    if text is not None and text_file is not None:
        raise InvalidInput("--text and --text-file both give the text", suggestions=("Give one of them.",))
    request = checked(RedactRequest, given | {name: value for name, value in sought.items() if value is not None})
    if apply and as_json and not yes:
        raise InvalidInput("with --json nobody is asked", suggestions=("Add --yes, or leave --apply out.",))
    found, left = asyncio.run(_run(Home(home).client(url, key), request, apply=apply, yes=yes, as_json=as_json))
    if as_json:
        emit_json({"found": [one.model_dump(mode="json") for one in found], "dry_run": not apply, "left": left})
    elif apply:
        out.print(safe(f"{count(len(found), 'thing')} replaced", "bold"))
    elif found:
        out.print(safe("Nothing was changed. Replace it with --apply"))
    if left:
        said = f"{count(left, 'thing')} came meanwhile, or could not be replaced: repeat the command"
        err.print(safe(said, "yellow"))
        raise typer.Exit(ExitCode.FAILURE)


async def _run(
    memory: AsyncMemoryClient, request: RedactRequest, *, apply: bool, yes: bool, as_json: bool
) -> tuple[list[RedactedThing], int]:
    """The things that were found or replaced, and how much is left after ROUNDS."""
    async with memory as client:
        listed: list[RedactedThing] = []
        if not (apply and yes):
            listed = await _looked_through(client, request, quiet=as_json)
        if not as_json and not (apply and yes):
            _show(listed)
        if not apply or (not yes and not listed):
            return listed, 0
        if not yes:
            question = f"Replace this in {count(len(listed), 'thing')} for good?"
            await asyncio.to_thread(typer.confirm, question, abort=True)
        applied = request.model_copy(update={"dry_run": False})
        done: list[RedactedThing] = []
        for _ in range(ROUNDS):
            some = await _looked_through(client, applied, quiet=as_json)
            done += some
            if not some:
                return done, 0
        return done, len(await _looked_through(client, request, quiet=as_json))


async def _looked_through(client: AsyncMemoryClient, request: RedactRequest, *, quiet: bool) -> list[RedactedThing]:
    found: list[RedactedThing] = []
    cursor: str | None = None
    what = "looking for it" if request.dry_run else "replacing it"
    with progress(what, None, quiet=quiet) as advance:
        while True:
            answer: RedactAnswer = await client.redact_stored(request.model_copy(update={"cursor": cursor}))
            found += answer.found
            advance(answer.looked_at)
            cursor = answer.next_cursor
            if cursor is None:
                return found


def _show(found: list[RedactedThing]) -> None:
    if not found:
        out.print("nothing that is stored has it")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("what", "id", "found", "as it would be"):
        table.add_column(heading, overflow="fold")
    for one in found[:SHOWN]:
        kinds = ", ".join(f"{number} {kind}" for kind, number in one.kinds.items())
        table.add_row(safe(one.what), safe(one.id), safe(kinds), safe(one.preview))
    out.print(table)
    if len(found) > SHOWN:
        out.print(safe(f"and {len(found) - SHOWN:,} more", "dim"))
    by_kind = Counter(one.what for one in found)
    told = ", ".join(counted(number, _PLURALS.get(what, f"{what}s")) for what, number in by_kind.items())
    out.print(safe(told, "bold"))


def _of_file(name: str) -> str:
    """The text in a file, without the end of its last line. Raises InvalidInput for one that cannot be read."""
    try:
        said = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise InvalidInput(f"{name} cannot be read as a text", suggestions=("Name a file of UTF-8.",)) from error
    return said.rstrip("\r\n")
