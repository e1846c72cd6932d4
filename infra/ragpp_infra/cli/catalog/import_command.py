"""`ragpp catalog import`: a folder of texts into the catalog, with a progress bar."""

import asyncio
import time
from pathlib import Path
from typing import Annotated

import typer

from ragpp.jobs import Job
from ragpp_infra.cli.catalog.folder import places_of, read_files
from ragpp_infra.cli.catalog.importing import ImportReport, Whose, bad_files, ended, import_files
from ragpp_infra.cli.catalog.options import (
    AgentOption,
    CategoryOption,
    TypeOption,
    VisibilityOption,
    WhoseOption,
    category_name,
)
from ragpp_infra.cli.console import ExitCode, emit_json, err, out, safe, show_problem
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption
from ragpp_infra.cli.progress import progress
from ragpp_infra.cli.render import count
from ragpp_infra.embedded.home import Home


def import_folder(
    folder: Annotated[Path, typer.Argument(help="Texts and Markdown in it, and below it, are stored.")],
    user: WhoseOption = None,
    kind: TypeOption = "document",
    category: CategoryOption = None,
    extract: Annotated[bool, typer.Option("--extract", help="Then take facts from what has none yet.")] = False,
    wait: Annotated[
        float, typer.Option(help="Longest wait for those facts, in seconds; 0 only asks for them.")
    ] = 600.0,
    agent: AgentOption = None,
    visibility: VisibilityOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store the texts of a folder. Running it twice stores nothing twice: a file that was changed is a new resource.

    Example: [bold]ragpp catalog import handbook --user u1 --extract[/bold]
    """
    hint = category_name(category)
    places = places_of(folder)
    whose = Whose(user, kind, agent, visibility)
    began = time.monotonic()

    async def run() -> tuple[ImportReport, list[Job]]:
        async with Home(home).client(url, key) as client:
            if hint is not None:
                await client.category(hint, user_id=user)  # that there is none is told before anything is stored
            with progress("storing", len(places), quiet=as_json) as advance:
                files = read_files(folder, places)
                report = await import_files(client, files, whose, extract=extract, category=hint, on_file=advance)
            with progress("extracting", len(report.jobs), quiet=as_json or wait <= 0) as advance:
                return report, await ended(client, report.jobs, wait, advance) if wait > 0 else report.jobs

    try:
        report, jobs = asyncio.run(run())
    except KeyboardInterrupt:
        err.print("stopped; what was acknowledged is kept. Run it again to go on.")
        raise
    _show(report, jobs, time.monotonic() - began, as_json=as_json)
    if report.refused and not as_json:
        show_problem(bad_files(report.refused), as_json=False)
    if report.refused or any(job.state == "failed" for job in jobs):
        raise typer.Exit(ExitCode.FAILURE)


def _show(report: ImportReport, jobs: list[Job], seconds: float, *, as_json: bool) -> None:
    states = {job.id: job.state for job in jobs}
    items = sum(_items(job) for job in jobs)
    if as_json:
        emit_json(
            {
                "stored": report.stored,
                "duplicates": report.duplicates,
                "redactions": report.redactions,
                "refused": [{"file": file.place, "reason": file.reason} for file in report.refused],
                "jobs": states,
                "items": items,
                "seconds": round(seconds, 3),
            }
        )
        return
    parts = [f"{count(report.stored, 'file')} stored"]
    parts += [f"{report.duplicates} known already"] if report.duplicates else []
    parts += [f"{report.redactions} secrets or personal data taken out"] if report.redactions else []
    parts += [f"{count(len(report.refused), 'file')} left out"] if report.refused else []
    parts += [f"{count(items, 'fact')} taken from {count(len(jobs), 'file')}"] if jobs else []
    out.print(f"{', '.join(parts)} in {seconds:.1f} s")
    waiting = [job for job in jobs if job.state != "done"]
    if waiting:
        shown = f"{count(len(waiting), 'file')} not done yet, or failed: ragpp jobs --stage catalog"
        err.print(safe(shown, "yellow"))


def _items(job: Job) -> int:
    found = (job.result or {}).get("item_count")
    return found if isinstance(found, int) else 0
