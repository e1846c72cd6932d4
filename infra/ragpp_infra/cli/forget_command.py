"""`ragpp forget`: messages, what is about something, a session or a user; these two with a report."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, cast

import typer
from rich.table import Table

from ragpp.client import AsyncMemoryClient
from ragpp.errors import Forbidden
from ragpp.jobs import Job
from ragpp_infra.cli import forget_about
from ragpp_infra.cli.console import ExitCode, emit_json, err, out, safe
from ragpp_infra.cli.meaning import YesOption, see_meant
from ragpp_infra.cli.options import (
    DEFAULT_HOME,
    DryRunOption,
    HomeOption,
    JsonOption,
    KeyOption,
    UrlOption,
    UserOption,
    WaitOption,
    WhoseArgument,
    named,
    see_user_behind,
    whose,
)
from ragpp_infra.embedded.home import Home

app = typer.Typer(
    help="Forget messages, all about somebody or something, a session or a user, for good, in every store.\n\n"
    "Example: [bold]ragpp forget user u1 --dry-run[/bold]",
    rich_markup_mode="rich",
    no_args_is_help=True,
    invoke_without_command=True,
)


@app.callback()
def items(
    context: typer.Context,
    ids: Annotated[
        list[str] | None, typer.Option("--id", help="What `ragpp inspect` shows by that id; may be repeated.")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", "-u", envvar="RAGPP_USER", callback=named, help="Whose memory.")
    ] = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget messages, all about somebody or something, a session or a user, for good, in every store; by its id also
    one thing that was learned: an entity, a relationship, a preference, a rule, a finding, after asking.

    Example: [bold]ragpp forget user u1 --dry-run[/bold], or [bold]ragpp forget --id pref-2ac281 --user u1[/bold]
    """
    if context.invoked_subcommand is not None:
        see_user_behind(context)
        if ids:
            raise typer.BadParameter("--id stands alone: it names what is forgotten", context)
        if dry_run or yes:
            raise typer.BadParameter("--dry-run and --yes stand behind the command, or beside --id", context)
        return
    if not ids:
        raise typer.BadParameter("say what to forget: --id, or one of the commands", context)
    if user is None:
        raise typer.BadParameter("say whose memory: --user", context)
    from ragpp_infra.cli.act_commands import forget_items  # noqa: PLC0415 - what the other commands need not wait for

    forget_items(Home(home).client(url, key), user, ids, dry_run=dry_run, yes=yes, as_json=as_json)


app.command()(forget_about.message)
app.command()(forget_about.about)


@app.command()
def session(
    session_id: Annotated[str, typer.Argument(help="Which conversation.", show_default=False)],
    user: UserOption,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    wait: WaitOption = 300.0,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget a session's messages, and whatever was learned from them.

    Example: [bold]ragpp forget session s1 --user u1[/bold]
    """
    see_meant(f"Forget the session {session_id!r} of {user!r} for good?", dry_run=dry_run, yes=yes, as_json=as_json)
    _forget(home, url, key, lambda memory: memory.forget_session(user, session_id, dry_run=dry_run), wait, as_json)


@app.command()
def user(
    user_id: WhoseArgument = None,
    option: Annotated[str | None, typer.Option("--user", "-u", callback=named, help="The same, as an option.")] = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    wait: WaitOption = 300.0,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase everything of a user: messages, graph, preferences, rules, findings, reports, jobs, settings, pins, keys.

    Example: [bold]ragpp forget user u1 --yes --json[/bold]
    """
    whom = whose(user_id, option, variable=None)
    see_meant(f"Erase everything of {whom!r} for good?", dry_run=dry_run, yes=yes, as_json=as_json)
    _forget(home, url, key, lambda memory: memory.erase_user(whom, dry_run=dry_run), wait, as_json)


def _forget(
    home: HomeOption,
    url: str | None,
    key: str | None,
    ask: Callable[[AsyncMemoryClient], Awaitable[Job]],
    wait: float,
    as_json: bool,
) -> None:
    """Ask for it, wait for the report, and show it; exit code 1 when it is not there in time."""

    async def done() -> tuple[Job, bool]:
        async with Home(home).client(url, key) as memory:
            job = await ask(memory)
            try:
                return await memory.ended_job(job.id, timeout_s=wait) if wait > 0 else job, True
            except Forbidden:  # it is asked for all the same
                return job, False

    job, readable = asyncio.run(done())
    if as_json:
        emit_json(job.model_dump(mode="json"))
    elif not readable:
        said = f"{job.id} is under way; its report is for the key that asked, and for the scope `read`"
        err.print(safe(said, "yellow"))
    elif job.state == "done" and job.result is not None:
        table = report_table(job)
        out.print(table if table.row_count else safe("nothing was found", "dim"))
    else:
        err.print(safe(f"{job.id} is under way: ragpp jobs show {job.id}", "yellow"))
    if wait > 0 and job.state != "done" and readable:
        raise typer.Exit(ExitCode.FAILURE)


def report_table(job: Job) -> Table:
    """For each store and kind how much was found, removed, and found again; of a dry run what was found."""
    columns = ("found",) if (job.result or {}).get("dry_run") else ("found", "removed", "found_again")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("store", "what", *(column.replace("_", " ") for column in columns)):
        table.add_column(heading, justify="right" if heading not in {"store", "what"} else "left")
    stores = cast("dict[str, dict[str, dict[str, int]]]", (job.result or {}).get("stores", {}))
    for store, counts in stores.items():
        for kind in counts["found"]:
            numbers = (f"{counts.get(column, {}).get(kind, 0):,}" for column in columns)
            table.add_row(safe(store), safe(kind.replace("_", " ")), *numbers)
    return table
