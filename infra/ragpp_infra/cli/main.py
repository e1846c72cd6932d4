"""`ragpp`: the command line. It knows the gateway by its API, and the embedded stack by its folder."""

import sys

import typer

from ragpp.client import GatewayUnreachable
from ragpp.errors import MemorySystemError
from ragpp_infra.cli import (
    chat_command,
    demo,
    forget_command,
    ingest_command,
    inspect_command,
    jobs_command,
    key_commands,
    memory_commands,
    review_command,
    stack_commands,
)
from ragpp_infra.cli.console import ExitCode, show_problem
from ragpp_infra.embedded.place import NotRunning

_HELP = """RAG++: the memory of AI agents.

Start with [bold]ragpp up[/bold], or see it work with [bold]ragpp demo[/bold].

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the stack is not running, 130 Ctrl-C.
"""

app = typer.Typer(
    help=_HELP,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    stack_commands.up,
    stack_commands.down,
    stack_commands.status,
    stack_commands.logs,
    stack_commands.env,
    memory_commands.remember,
    memory_commands.recall,
    ingest_command.ingest,
    memory_commands.pending,
    inspect_command.inspect,
    jobs_command.extract,
    jobs_command.reflect,
    chat_command.chat,
    demo.demo,
):
    app.command()(command)
app.add_typer(jobs_command.app, name="jobs")
app.add_typer(key_commands.app, name="key")
app.add_typer(forget_command.app, name="forget")
app.add_typer(review_command.app, name="review")


def main() -> None:
    """Run one command. An error of ours is told in words, never as a traceback."""
    as_json = "--json" in sys.argv
    try:
        app()
    except MemorySystemError as error:
        show_problem(error, as_json=as_json)
        away = isinstance(error, GatewayUnreachable | NotRunning)
        sys.exit(ExitCode.NOT_RUNNING if away else ExitCode.FAILURE)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)


if __name__ == "__main__":
    main()
