"""`ragpp jobs`, `extract` and `reflect`: what the workers do, and asking them to do it now."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar, get_args

import typer
from rich.table import Table

from ragpp.api import ExtractIn, ReflectIn
from ragpp.client import AsyncMemoryClient
from ragpp.jobs import Job, JobState, LagReport
from ragpp.models import Page
from ragpp_infra.cli.arguments import checked, one_of, parse_moment
from ragpp_infra.cli.console import ExitCode, emit_json, out, safe
from ragpp_infra.cli.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    KeyOption,
    OnlyUserOption,
    UrlOption,
    WaitOption,
    WhoseArgument,
    WhoseOption,
    see_user_behind,
    whose,
)
from ragpp_infra.cli.render import when
from ragpp_infra.embedded.home import Home

ResultT = TypeVar("ResultT")
_STYLE = {"done": "green", "failed": "bold red", "cancelled": "dim", "leased": "yellow"}
StageOption = Annotated[
    str | None, typer.Option(help="observe, short_term, forget, erase, extract, reflect, maintain, catalog.")
]
StateOption = Annotated[str | None, typer.Option(help="pending, leased, done, failed or cancelled.")]
MostOption = Annotated[int, typer.Option(min=1, max=200, help="Most jobs.")]
JobId = Annotated[str, typer.Argument(help="As `ragpp jobs` shows it.", show_default=False)]

app = typer.Typer(
    help="What the workers do, did, or failed at: list, show, retry and cancel jobs.\n\n"
    "Example: [bold]ragpp jobs --state failed[/bold]",
    rich_markup_mode="rich",
    invoke_without_command=True,
)


@app.callback()
def jobs(
    context: typer.Context,
    user: OnlyUserOption = None,
    stage: StageOption = None,
    state: StateOption = None,
    limit: MostOption = 20,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """The jobs that the workers do, did, or failed at, newest first.

    Example: [bold]ragpp jobs --state failed --json[/bold]
    """
    if context.invoked_subcommand is not None:
        see_user_behind(context)
    else:
        _list(user, stage, state, limit, home, url, key, as_json=as_json)


@app.command("list")
def list_jobs(
    user: OnlyUserOption = None,
    stage: StageOption = None,
    state: StateOption = None,
    limit: MostOption = 20,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """The jobs, newest first, as without a command.

    Example: [bold]ragpp jobs list --state failed[/bold]
    """
    _list(user, stage, state, limit, home, url, key, as_json=as_json)


def _list(
    user: str | None,
    stage: str | None,
    state: str | None,
    limit: int,
    home: Path,
    url: str | None,
    key: str | None,
    *,
    as_json: bool,
) -> None:
    wanted: JobState | None = one_of(state, get_args(JobState), "--state")  # type: ignore[assignment]  # it is one of them
    page = with_gateway(home, url, key, lambda client: client.jobs(user, stage=stage, state=wanted, limit=limit))
    if as_json:
        emit_json(page.model_dump(mode="json"))
    else:
        out.print(jobs_table(page))


def _of_one_job(ask: Callable[[AsyncMemoryClient, str], Awaitable[Job]]) -> Callable[..., None]:
    """A command that asks for something about one job, and shows it as it is then."""

    def command(
        job_id: JobId,
        home: HomeOption = DEFAULT_HOME,
        url: UrlOption = None,
        key: KeyOption = None,
        as_json: JsonOption = False,
    ) -> None:
        _shown(with_gateway(home, url, key, lambda client: ask(client, job_id)), as_json=as_json)

    return command


_SHOW = "One job with its error and its result.\n\nExample: [bold]ragpp jobs show 42.reflect[/bold]"
_RETRY = "Give a failed or cancelled job its attempts again.\n\nExample: [bold]ragpp jobs retry 42.observe[/bold]"
_CANCEL = "Let a job that waits never be done.\n\nExample: [bold]ragpp jobs cancel 42.reflect[/bold]"
app.command("show", help=_SHOW)(_of_one_job(lambda client, job_id: client.job(job_id)))
app.command("retry", help=_RETRY)(_of_one_job(lambda client, job_id: client.retry_job(job_id)))
app.command("cancel", help=_CANCEL)(_of_one_job(lambda client, job_id: client.cancel_job(job_id)))


@app.command()
def lag(
    user: OnlyUserOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """How far the workers are behind, by stage.

    Example: [bold]ragpp jobs lag --user u1[/bold]
    """
    report = with_gateway(home, url, key, lambda client: client.lag(user))
    if as_json:
        emit_json(report.model_dump(mode="json"))
    else:
        out.print(_lag_table(report))
        oldest = f", the oldest for {report.oldest_pending_s:.0f} s" if report.oldest_pending_s is not None else ""
        out.print(f"{report.pending} waiting{oldest}; {report.failed} failed")


def extract(
    named: WhoseArgument = None,
    user: WhoseOption = None,
    start: Annotated[str | None, typer.Option("--from", help="Default: an hour before the end.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Default: the latest message.")] = None,
    wait: WaitOption = 60.0,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find what a window of messages shows together: patterns, preferences, relationships, findings.

    Example: [bold]ragpp extract u1 --from 2026-03-08 --to 2026-03-09[/bold]
    """
    whom = whose(named, user)
    request = checked(ExtractIn, {"start": parse_moment(start, "--from"), "end": parse_moment(end, "--to")})
    _ended(home, url, key, lambda client: client.extract(whom, request), wait, as_json=as_json)


def reflect(
    named: WhoseArgument = None,
    user: WhoseOption = None,
    date: Annotated[
        str | None, typer.Option(help="The day, as 2026-03-08; default: that of the latest message.")
    ] = None,
    incremental: Annotated[bool, typer.Option("--incremental", help="Only on what came last.")] = False,
    wait: WaitOption = 60.0,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Consolidate a day of a user's memory, as is done each night, and show the report.

    Example: [bold]ragpp reflect u1 --date 2026-03-08[/bold]
    """
    whom = whose(named, user)
    given = {"kind": "incremental" if incremental else "daily", "date": date}
    request = checked(ReflectIn, {name: value for name, value in given.items() if value is not None})
    _ended(home, url, key, lambda client: client.reflect(whom, request), wait, as_json=as_json)


def with_gateway(
    home: HomeOption, url: str | None, key: str | None, ask: Callable[[AsyncMemoryClient], Awaitable[ResultT]]
) -> ResultT:
    """The answer of `ask`, asked of the gateway that these options name."""

    async def asked() -> ResultT:
        async with Home(home).client(url, key) as client:
            return await ask(client)

    return asyncio.run(asked())


def _ended(
    home: HomeOption,
    url: str | None,
    key: str | None,
    ask: Callable[[AsyncMemoryClient], Awaitable[Job]],
    wait: float,
    *,
    as_json: bool,
) -> None:
    """Ask for a job, wait for it, and show it; exit code 1 when it failed."""

    async def done(client: AsyncMemoryClient) -> Job:
        job = await ask(client)
        return await client.ended_job(job.id, timeout_s=wait) if wait > 0 else job

    job = with_gateway(home, url, key, done)
    _shown(job, as_json=as_json)
    if job.state == "failed":
        raise typer.Exit(ExitCode.FAILURE)


def _shown(job: Job, *, as_json: bool) -> None:
    if as_json:
        emit_json(job.model_dump(mode="json"))
        return
    out.print(jobs_table(Page[Job](items=(job,)), whole=True))
    if job.error:
        out.print(safe(job.error, "red"), soft_wrap=True)
    if job.result is not None:
        out.print(safe(json.dumps(job.result, ensure_ascii=False, indent=2)), soft_wrap=True)


def jobs_table(page: Page[Job], *, whole: bool = False) -> Table:
    """A line each; what a job is about is cut to fit one, unless it is to be `whole`."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("job", "user", "about", "state", "tries", "asked for", "changed"):
        table.add_column(heading, overflow="fold" if whole else "ellipsis", no_wrap=heading != "about")
    for job in page.items:
        table.add_row(
            safe(job.id),
            safe(job.user_id),
            safe(job.subject_id),
            safe(job.state, _STYLE.get(job.state, "")),
            str(job.attempts),
            when(job.created_at),
            when(job.updated_at),
        )
    return table


def _lag_table(report: LagReport) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("stage", "waiting", "failed", "oldest", "last success"):
        table.add_column(heading, justify="right" if heading in {"waiting", "failed"} else "left")
    for stage in report.stages:
        table.add_row(
            stage.stage,
            str(stage.waiting),
            str(stage.failed),
            when(stage.oldest_at) if stage.oldest_at else "",
            when(stage.last_success_at) if stage.last_success_at else "",
        )
    return table
