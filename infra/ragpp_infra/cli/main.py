"""`ragpp`: the command line. It knows the gateway by its API, and the embedded stack by its folder.

Only the command that is called is imported: of the others the list has what stands in CONTENTS.
"""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Final, Protocol

import typer
from typer.core import TyperGroup

from ragpp.errors import GatewayUnreachable, InvalidInput, MemorySystemError
from ragpp_infra.cli.console import ExitCode, name_misspelt, show_problem
from ragpp_infra.embedded.home import NotRunning
from ragpp_infra.embedded.known_settings import unknown_of_command_line

# httpx' own command, with its lexers and tables: a tenth of a second
sys.modules["httpx._main"] = None  # type: ignore[assignment]  # what an import takes for missing

_HELP: Final = """RAG++: the memory of AI agents.

Start with [bold]ragpp up[/bold], or see it work with [bold]ragpp demo[/bold].

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the stack is not running, 130 Ctrl-C.
"""

CONTENTS: Final = {
    "up": ("up_command", "up", "Start PostgreSQL, Valkey, Neo4j, the gateway and the workers."),
    "restart": ("up_command", "restart", "Start the gateway and the workers again, with the settings of now."),
    "down": ("stack_commands", "down", "Stop everything that runs, in order; nothing that was acknowledged is lost."),
    "status": (
        "status_command",
        "status",
        "How each server is, whether every tier answers.",
    ),
    "doctor": (
        "doctor_command",
        "doctor",
        "Try everything out: what works, how fast, and what to do where it does not.",
    ),
    "config": ("config_command", "config", "Show which settings are in force, and where each comes from."),
    "logs": ("stack_commands", "logs", "Show what the servers say."),
    "env": ("stack_commands", "env", "Print the gateway's address and key as a shell takes them."),
    "remember": ("memory_commands", "remember", "Store one message."),
    "recall": ("memory_commands", "recall", "Ask the memory: what was found, from which tier, how fast."),
    "ingest": ("ingest_command", "ingest", "Store the messages of a file."),
    "import": ("import_command", "import_file", "Store the conversations of an export of another program."),
    "try": (
        "trying.command",
        "try_file",
        "See what a memory would remember of an export, ask it, and keep or erase it.",
    ),
    "pending": ("memory_commands", "pending", "How many of a user's messages the workers have not yet digested."),
    "timeline": ("timeline_command", "timeline", "Show what was said, day by day."),
    "inspect": ("inspect_command", "inspect", "Everything that is known of a user."),
    "extract": ("jobs_command", "extract", "Find what a window of messages shows together."),
    "reflect": ("jobs_command", "reflect", "Consolidate a day of a user's memory, as is done each night."),
    "catalog": (
        "catalog.commands",
        "app",
        "Curated knowledge: documents and conversations, the facts taken from them, pages made of those.",
    ),
    "agents": (
        "agents.commands",
        "app",
        "What agents keep and choose: files of their memories, where these come from, what they were given.",
    ),
    "mcp": ("mcp_command", "mcp", "Serve the memory to a program that speaks the Model Context Protocol."),
    "connect": ("connect.command", "connect", "Put the memory into the settings of an editor or an assistant."),
    "chat": ("chat_command", "chat", "Talk with an assistant that has this memory."),
    "demo": ("demo", "demo", "Start the stack, load a sample conversation, ask it five questions."),
    "jobs": ("jobs_command", "app", "What the workers do, did, or failed at: list, show, retry and cancel jobs."),
    "init": ("init_command", "init", "Write .env with new secrets for docker compose, readable by you alone."),
    "provision": ("provision_command", "provision", "Make PostgreSQL, Redis and Neo4j ready for the services."),
    "backup": ("backup_command", "backup", "Copy all stores, as of one moment, while they serve."),
    "restore": ("restore_command", "restore", "Put a backup into these stores, without what was forgotten since."),
    "key": ("key_commands", "app", "Make, list and revoke API keys."),
    "personal-data": (
        "personal_commands",
        "app",
        "Keep, mask or refuse personal data that comes in, for all users or for one.",
    ),
    "audit": ("audit_command", "audit", "Show who asked for what, and which memories that returned or changed."),
    "forget": ("forget_command", "app", "Forget messages, all about somebody or something, a session or a user."),
    "redact": ("redact_command", "redact", "Find what is stored and should not be."),
    "profile": ("profile_command", "profile", "A user's profile: all that is known."),
    "users": ("profile_command", "users", "The users of whom something is known."),
    "confirm": ("act_commands", "confirm", "Confirm what was learned."),
    "reject": ("act_commands", "reject", "Reject what was learned."),
    "correct": ("act_commands", "correct", "Correct what was learned."),
    "merge": ("act_commands", "merge", "Make one entity of two that are the same."),
    "relate": ("act_commands", "relate", "State a relationship."),
    "review": ("review_command", "app", "List what was learned and is not sure, and confirm or reject it."),
}
"""For each command its module, the function or group of commands in it, and what the list says of it."""


def application(called: str | None) -> typer.Typer:
    """The command line, of which the command `called` can be run, and every one is listed."""
    app = typer.Typer(
        cls=_Commands,
        help=_HELP,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_before)
    for name, (module, attribute, line) in CONTENTS.items():
        if name != called:
            app.command(name, help=line)(_listed_alone)
            continue
        found: Callable[..., None] | typer.Typer = getattr(import_module(f"ragpp_infra.cli.{module}"), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - the parsers of mail, which no other command needs

        typer.echo(f"ragpp {version('ragpp')}")
        raise typer.Exit


def _before(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Name misspelt settings first: a misspelt RAGPP_HOME would have a command look elsewhere without a word."""
    if "--json" not in sys.argv:
        name_misspelt(unknown_of_command_line(os.environ))


class _Helped(Protocol):
    """A command, as far as its help goes."""

    help: str | None


class _Commands(TyperGroup):
    """The commands: a refusal by one of them, or by the parser, is JSON where that is asked for."""

    def get_command(self, ctx: typer.Context, cmd_name: str) -> _Helped | None:  # type: ignore[override]  # as below
        found: _Helped | None = super().get_command(ctx, cmd_name)
        if found is not None:
            _unwrap_help(found)
        return found

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # what it is of is not public
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if "--json" not in sys.argv:
                raise
            told = error if isinstance(error, InvalidInput) else InvalidInput(error.format_message())
            show_problem(told, as_json=True)
            raise typer.Exit(ExitCode.USAGE) from error


def _unwrap_help(command: _Helped) -> None:
    """Make each paragraph of a command's help one line, which the terminal breaks where it ends; examples stay."""
    paragraphs = (command.help or "").split("\n\n")
    command.help = "\n\n".join(part if part.startswith("Example") else part.replace("\n", " ") for part in paragraphs)
    for below in command.commands.values() if isinstance(command, TyperGroup) else ():
        _unwrap_help(below)


def _listed_alone() -> None:
    raise AssertionError("a command that is called is imported")


def called_of(arguments: Sequence[str]) -> str | None:
    """The command among `arguments`: the first that is no option, as none before it has a value."""
    return next((argument for argument in arguments if not argument.startswith("-")), None)


def main() -> None:
    """Run one command. An error of ours is told in words, never as a traceback."""
    as_json = "--json" in sys.argv
    try:
        application(called_of(sys.argv[1:]))()
    except MemorySystemError as error:
        show_problem(error, as_json=as_json)
        sys.exit(ExitCode.NOT_RUNNING if _is_away(error) else ExitCode.FAILURE)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)


def _is_away(error: MemorySystemError) -> bool:
    return isinstance(error, NotRunning | GatewayUnreachable)


if __name__ == "__main__":
    main()
