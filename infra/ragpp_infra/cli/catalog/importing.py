"""Texts of a folder into the catalog: several at a time, each refused one named, and what is known already left."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from ragpp.api import ResourceIn
from ragpp.catalog import CatalogVisibility, ResourceType
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Conflict, InvalidInput, MemorySystemError, PayloadTooLarge
from ragpp.jobs import Job
from ragpp_infra.cli.catalog.folder import BadFile, TextFile

AT_ONCE: Final = 4


class BadFiles(
    MemorySystemError,
    code="MEM-037",
    status=422,
    title="Files that cannot be stored",
    suggestions=("The others are stored. Correct these, or move them away, and import the folder again.",),
):
    """A folder holds files that are no text, are too long, or that the gateway refuses."""


@dataclass
class ImportReport:
    """The outcome of the files. `jobs`: they take items from those files that none were taken from yet."""

    stored: int = 0
    duplicates: int = 0
    redactions: int = 0
    refused: list[BadFile] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)


@dataclass(frozen=True)
class Whose:
    """The owner, the kind and the visibility of everything in a folder."""

    user_id: str | None
    resource_type: ResourceType = "document"
    agent_id: str | None = None
    visibility: CatalogVisibility | None = None


async def import_files(
    client: AsyncMemoryClient,
    files: Iterable[TextFile | BadFile],
    whose: Whose,
    *,
    extract: bool = False,
    category: str | None = None,
    on_file: Callable[[], None] = lambda: None,
) -> ImportReport:
    """Store `files`, AT_ONCE at a time. With `extract` items are asked for of those that have none, in `category` where
    that is given. `on_file`: called after each. Raises what the client raises, but for what is wrong with one file.
    """
    report = ImportReport()

    async def one(file: TextFile | BadFile) -> None:
        if isinstance(file, BadFile):
            report.refused.append(file)
        else:
            await _store(client, file, whose, report, extract=extract, category=category)
        on_file()

    iterator = iter(files)
    while window := list(islice(iterator, AT_ONCE)):
        try:
            async with asyncio.TaskGroup() as group:
                for file in window:
                    group.create_task(one(file))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
    report.refused.sort(key=lambda file: file.place)
    return report


async def _store(
    client: AsyncMemoryClient,
    file: TextFile,
    whose: Whose,
    report: ImportReport,
    *,
    extract: bool,
    category: str | None,
) -> None:
    request = ResourceIn(
        user_id=whose.user_id,
        id=file.id,
        resource_type=whose.resource_type,
        content=file.content,
        metadata={"title": file.title, "source": file.place},
        agent_id=whose.agent_id,
        visibility=whose.visibility,
    )
    try:
        stored = await client.store_resource(request)
    except (Conflict, InvalidInput, PayloadTooLarge) as error:
        report.refused.append(BadFile(file.place, error.message))
        return
    report.stored += not stored.duplicate
    report.duplicates += stored.duplicate
    report.redactions += 0 if stored.duplicate else stored.redactions
    if extract and not (stored.duplicate and await _has_items(client, file, whose)):
        report.jobs.append(await client.extract_resource(file.id, user_id=whose.user_id, category_hint=category))


async def _has_items(client: AsyncMemoryClient, file: TextFile, whose: Whose) -> bool:
    return bool((await client.items(whose.user_id, resource_id=file.id, limit=1)).items)


async def ended(
    client: AsyncMemoryClient, jobs: Sequence[Job], patience_s: float, on_job: Callable[[], None]
) -> list[Job]:
    """Each of `jobs` once it has ended, or as it is after `patience_s`, told of one by one."""
    done: list[Job] = []
    deadline = asyncio.get_running_loop().time() + patience_s
    for job in jobs:
        left = max(0.0, deadline - asyncio.get_running_loop().time())
        done.append(await client.ended_job(job.id, timeout_s=left))
        on_job()
    return done


def bad_files(refused: Sequence[BadFile]) -> BadFiles:
    """The problem that names the first of `refused`."""
    shown = "; ".join(f"{file.place}: {file.reason}" for file in refused[:5])
    more = f"; and {len(refused) - 5} more" if len(refused) > 5 else ""
    return BadFiles(shown + more, details={"files": [file.place for file in refused]})
