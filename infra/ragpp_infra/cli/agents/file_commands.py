"""`ragpp agents import`, `export`, `archive`, `backfill`: memories from files, into files, from what was said."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.entries.files import GLOBAL, read_file
from ragpp.errors import NotFound
from ragpp.jobs import Job
from ragpp.memory.files import Archived, Backfilled, ImportReport, archive_file, export_file, import_file, write_private
from ragpp.memory.files import backfill as backfill_memories
from ragpp.memory.files.importing import unpacked
from ragpp_infra.cli.agents.options import AgentArgument, FileAgentOption
from ragpp_infra.cli.arguments import WrongUsage, parse_moment
from ragpp_infra.cli.catalog.importing import ended
from ragpp_infra.cli.catalog.options import WhoseOption
from ragpp_infra.cli.console import ExitCode, emit_json, err, out, safe
from ragpp_infra.cli.jobs_command import with_gateway
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, UserOption
from ragpp_infra.cli.progress import progress
from ragpp_infra.cli.render import count, counted

DELETED: Final = "was deleted"
"""In the reason of what a person took away, which nobody is to mend."""
SHOWN: Final = 20
"""Lines that a report names; --json names all."""


def import_memories(
    file: Annotated[Path, typer.Argument(help="The memories of an agent, or the global ones, as JSON.")],
    user: WhoseOption = None,
    agent: FileAgentOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Keep nothing, and tell what the catalog does not have.")
    ] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep the memories of a file.

    Each by itself: what is wrong with one is told with its line, and the others are kept. Running it twice keeps
    nothing twice. What is past its moment is told and not taken.

    Example: [bold]ragpp agents import catalog_ergon.json --user u1[/bold]
    """
    data = _bytes_of(file)

    async def run(client: AsyncMemoryClient) -> ImportReport:
        with progress("importing", len(read_file(unpacked(data)).memories), quiet=as_json) as advance:
            return await import_file(client, data, user_id=user, ci=agent, dry_run=dry_run, on_memory=advance)

    report = with_gateway(home, url, key, run)
    if as_json:
        emit_json({**asdict(report), "held": report.held})
    else:
        _show(report)
    if report.refused:
        raise typer.Exit(ExitCode.FAILURE)


def _show(report: ImportReport) -> None:
    whose = "all agents" if report.ci is None else report.ci
    parts = [f"{counted(report.kept, 'memories')} kept for {whose}"]
    parts += [f"{report.known:,} known already"] if report.known else []
    parts += [f"{report.same:,} one with another memory"] if report.same else []
    parts += [f"{len(report.absent):,} not there"] if report.absent else []
    parts += [f"{len(report.expired)} expired"] if report.expired else []
    parts += [f"{report.redactions} secrets or personal data taken out"] if report.redactions else []
    parts += [f"{len(report.refused)} refused"] if report.refused else []
    out.print(safe(", ".join(parts)))
    told_of = (("expired", report.expired, "dim"), ("not there", report.absent, "dim"))
    for name, told, style in (*told_of, ("refused", report.refused, "yellow")):
        for one in told[:SHOWN]:
            err.print(safe(f"  {name}, {one}", style), soft_wrap=True)
        if len(told) > SHOWN:
            err.print(safe(f"  {len(told) - SHOWN} more are {name}: --json names all", style))
    if report.missing:
        err.print(safe(f"  its statistics tell of {report.missing} more than it has", "yellow"))
    if any(DELETED not in one.reason for one in report.refused):
        err.print(safe("  → Mend these lines and import the file again: what is kept stays as it is.", "dim"))
    if report.ci is not None and report.held:
        settings = "MEMORY_DEFAULT_EXPIRATION_DAYS and MEMORY_MAX_MEMORIES_PER_CI"
        err.print(safe(f"  what {report.ci} alone sees is kept as {settings} say", "dim"), soft_wrap=True)


def export(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Whose; `global`: what all of the user's agents see.")],
    user: WhoseOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File; default: catalog_AGENT.json; `-`: standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Also over a file that is there.")] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Write the memories of an agent into a file that `import` reads.

    Example: [bold]ragpp agents export ergon --user u1[/bold]
    """
    target = Path(f"catalog_{agent.replace('/', '_')}.json") if output is None else output
    to_terminal = str(target) == "-"
    if not to_terminal and target.exists() and not force:
        raise WrongUsage.of({"--output": f"{target} is there"}, suggestions=("Name another, or add --force.",))

    async def run(client: AsyncMemoryClient) -> str:
        with progress("exporting", None, quiet=to_terminal) as advance:
            return await export_file(
                client, system_clock(), user_id=user, ci=None if agent == GLOBAL else agent, on_memory=advance
            )

    text = with_gateway(home, url, key, run)
    held = len(json.loads(text)["memories"])
    if not held:
        whose = "all of the user's agents see" if agent == GLOBAL else f"{agent} alone sees"
        raise NotFound(
            f"there is no memory that {whose}",
            suggestions=("Look at the agent's name and at --user.", "What all see is exported as `global`."),
        )
    if to_terminal:
        typer.echo(text, nl=False)
        return
    with _writing(target):
        write_private(target, text.encode())
    out.print(safe(f"{counted(held, 'memories')} in {target}"))


def archive(
    file: Annotated[Path, typer.Argument(help="A file that was imported.")],
    user: WhoseOption = None,
    agent: FileAgentOption = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Then delete the file; the archive is read back before.")
    ] = False,
    anyway: Annotated[bool, typer.Option("--anyway", help="Also where the catalog lacks some of it.")] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put a file away, compressed, once the catalog has its memories.

    Example: [bold]ragpp agents archive catalog_ergon.json --user u1 --remove[/bold]
    """
    data = _bytes_of(file)

    async def run(client: AsyncMemoryClient) -> Archived:
        with progress("comparing", len(read_file(unpacked(data)).memories), quiet=as_json) as advance:
            return await archive_file(
                client, file, user_id=user, ci=agent, anyway=anyway, remove=remove, on_memory=advance
            )

    with _writing(file):
        done = with_gateway(home, url, key, run)
    if as_json:
        emit_json(json.loads(json.dumps(asdict(done), default=str)))
        return
    out.print(safe(f"{done.path}: {counted(done.held, 'memories')} that the catalog has"))
    for one in done.lacking[:SHOWN]:
        err.print(safe(f"  in the archive alone, {one}", "yellow"), soft_wrap=True)


def backfill(
    agent: AgentArgument,
    user: UserOption,
    start: Annotated[str | None, typer.Option(help="Only what was said from then on.")] = None,
    end: Annotated[str | None, typer.Option(help="Only what was said before.")] = None,
    wait: Annotated[float, typer.Option(help="Longest wait for the workers, in seconds; 0 only asks them.")] = 600.0,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take memories from what was said to an agent before it had a catalog.

    They rest on what was said, and are forgotten with it. Running it twice asks for nothing twice.

    Example: [bold]ragpp agents backfill ergon --user u1 --start 2026-08-01[/bold]
    """
    since, until = parse_moment(start, "--start"), parse_moment(end, "--end")

    async def run(client: AsyncMemoryClient) -> tuple[Backfilled, list[Job]]:
        with progress("reading", None, quiet=as_json) as advance:
            done = await backfill_memories(client, user, agent, start=since, end=until, on_messages=advance)
        with progress("taking memories", len(done.jobs), quiet=as_json or wait <= 0) as advance:
            return done, await ended(client, done.jobs, wait, advance) if wait > 0 else done.jobs

    done, jobs = with_gateway(home, url, key, run)
    items = sum(found for job in jobs if isinstance(found := (job.result or {}).get("item_count"), int))
    states = {job.id: job.state for job in jobs}
    if as_json:
        emit_json(
            {
                "messages": done.messages,
                "stretches": done.stretches,
                "known": done.known,
                "jobs": states,
                "memories": items,
            }
        )
    else:
        told = f"{counted(items, 'memories')} taken from {count(done.messages, 'message')}"
        out.print(safe(told + (f"; {done.known} of {done.stretches} stretches were known" if done.known else "")))
        waiting = sum(job.state != "done" for job in jobs)
        if waiting:
            err.print(safe(f"{count(waiting, 'job')} not done yet: ragpp jobs --stage catalog", "yellow"))
    if any(job.state == "failed" for job in jobs):
        raise typer.Exit(ExitCode.FAILURE)


@contextmanager
def _writing(file: Path) -> Iterator[None]:
    """Raises WrongUsage for a file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise WrongUsage.of({"FILE": f"{file} cannot be written: {error.strerror or error}"}) from error


def _bytes_of(file: Path) -> bytes:
    """Raises WrongUsage for a file that cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise WrongUsage.of({"FILE": f"{file} cannot be read: {error.strerror}"}) from error
