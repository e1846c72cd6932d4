"""`ragpp connect`: the memory for an editor or an assistant, by one command."""

import asyncio
import shlex
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from ragpp.errors import ConfigurationError, InvalidInput
from ragpp_infra.cli.connect.change import Kind, change_of
from ragpp_infra.cli.connect.editors import Command, Editor, editors, entry_alone
from ragpp_infra.cli.connect.hooks import hooked
from ragpp_infra.cli.console import emit_json, err, out, safe
from ragpp_infra.cli.options import JsonOption

PATIENCE_S: Final = 900.0
"""For the very first start, which downloads Neo4j."""
_DONE: Final[dict[Kind, str]] = {
    "added": "written to",
    "changed": "changed in",
    "unchanged": "as it is to be already in",
    "removed": "taken out of",
}


def connect(
    editor: Annotated[
        str, typer.Argument(help="claude-code, claude-desktop, cursor, vscode, codex or zed.", show_default=False)
    ],
    user: Annotated[str, typer.Option("--user", "-u", envvar="RAGPP_USER", help="Whose memory it gets.")] = "me",
    home: Annotated[
        Path | None,
        typer.Option("--home", envvar="RAGPP_HOME", help="Folder of the embedded stack. Default: ~/.ragpp."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and where.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the entry out again.")] = False,
    hooks: Annotated[
        bool,
        typer.Option("--hooks", help="Of claude-code or codex: be told what is known, and remembered, by itself."),
    ] = False,
    check: Annotated[
        bool, typer.Option(help="Try it: one process remembers, another recalls. Not with --hooks.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Put the memory into the settings of an editor or an assistant, as an MCP server, and try it; or as hooks.

    The settings as they were before the first change are kept beside the file, and so is what you change in them later.
    What is tried is forgotten again.

    Example: [bold]ragpp connect cursor --user ana[/bold]
    """
    if not user.strip():
        raise InvalidInput("the user is empty", suggestions=("Name whose memory it gets: --user ana.",))
    chosen = _chosen(editor, hooks=hooks)
    command = None if remove else _command("hook" if hooks else "mcp", user, home)
    if dry_run:
        _show(chosen, command, as_json=as_json)
        return
    change = change_of(chosen, command)
    kept = change.write()
    if not as_json:
        elsewhere = f"; the file without it is kept as {kept}" if kept else ""
        out.print(safe(f"{_DONE[change.kind]} {chosen.path}{elsewhere}"), soft_wrap=True)
        if change.kind != "unchanged":
            out.print(safe(f"{chosen.name}: {chosen.reload}"), soft_wrap=True)
        if command is not None:
            place = shlex.quote(str(home.expanduser().absolute())) if home is not None else "~/.ragpp"
            out.print(safe(f"the same memory in a shell and from Python: export RAGPP_HOME={place}"), soft_wrap=True)
    recalled = _tried(command, quiet=as_json) if command is not None and check and not hooks else None
    if as_json:
        emit_json(
            {
                "editor": chosen.name,
                "path": str(chosen.path),
                "kept": str(kept) if kept else None,
                "removed": remove,
                "change": change.kind,
                "recalled": recalled,
            }
        )


def _tried(command: Command, *, quiet: bool) -> str:
    """The text that the trial recalled; the trial is shown unless `quiet`."""
    from ragpp_infra.cli.connect.trial import TOLD, try_out  # noqa: PLC0415 - a second that a dry run need not wait

    if not quiet:
        err.print(safe("trying it; the very first start of the stack takes minutes …", "dim"))
    recalled = asyncio.run(try_out(command, within_s=PATIENCE_S))
    if not quiet:
        out.print(safe(f"remembered  {TOLD}\nrecalled    {recalled.splitlines()[-1]}"), soft_wrap=True)
    return recalled


def _chosen(name: str, *, hooks: bool) -> Editor:
    known, with_hooks = editors(Path.home()), hooked(Path.home())
    if hooks and name in known and name not in with_hooks:
        raise InvalidInput(f"{name} has no hooks", suggestions=(f"These have: {', '.join(with_hooks)}.",))
    if name not in known:
        raise InvalidInput(f"{name!r} is not known here", suggestions=(f"Known are: {', '.join(known)}.",))
    return with_hooks[name] if hooks else known[name]


def _command(called: str, user: str, home: Path | None) -> Command:
    """The command of this installation, by its absolute path."""
    place = ("--home", str(home.expanduser().absolute())) if home is not None else ()
    script = Path(sys.executable).with_name("ragpp")
    if script.exists():
        return Command(str(script), (called, "--user", user, *place))
    return Command(sys.executable, ("-P", "-m", "ragpp_infra.cli.start", called, "--user", user, *place))


def _show(editor: Editor, command: Command | None, *, as_json: bool) -> None:
    """Show what would be done, by hand if the file cannot be changed. Raises InvalidInput where there is no entry."""
    kind, why = None, ""
    try:
        kind = change_of(editor, command).kind
    except ConfigurationError as error:
        if command is None:
            raise
        why = error.message
    if as_json:
        entry = None if command is None else {"command": command.command, "args": list(command.args)}
        emit_json({"editor": editor.name, "path": str(editor.path), "entry": entry, "change": kind})
        return
    if command is None:
        out.print(safe(f"the entry would be taken out of {editor.path}"), soft_wrap=True)
        return
    told = {
        "added": f"this would be added to {editor.path}",
        "changed": f"the entry in {editor.path} would be changed to",
        "unchanged": f"unchanged, {editor.path} has it already",
        None: f"{why}; this is to be put in by hand",
    }[kind]
    out.print(safe(f"{told}:\n\n{entry_alone(editor, command)}"), soft_wrap=True)
