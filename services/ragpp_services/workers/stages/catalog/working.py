"""The stage `catalog`: what was asked for about the catalog, one thing at a time."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from ragpp.errors import InvalidInput
from ragpp.ledger import Work, WorkKey
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.catalog.consolidating import consolidate_page
from ragpp_services.workers.stages.catalog.extracting import extract_items
from ragpp_services.workers.stages.catalog.passages import index_passages

Doing = Callable[[WorkerParts, Work], Awaitable[dict[str, JsonValue]]]
REBUILT_AT_ONCE: Final = 500


async def work_on_catalog(parts: WorkerParts, batch: Sequence[Work]) -> Mapping[WorkKey, Mapping[str, JsonValue]]:
    """Do what each of `batch` asks for; the payload names `task`. Repeating it changes nothing.

    Raises TierUnavailable, EmbeddingError, ExtractionError, ConsolidationError, Outdated; InvalidInput for a task that
    is none.
    """
    results: dict[WorkKey, Mapping[str, JsonValue]] = {}
    for work in batch:
        doing = _TASKS.get(str(work.payload.get("task")))
        if doing is None:
            raise InvalidInput(f"{work.payload.get('task')!r} is no task of the catalog")
        results[work.key] = await doing(parts, work)
    return results


async def rebuild(parts: WorkerParts, work: Work) -> dict[str, JsonValue]:
    """Make vectors and words of the user's items and resources anew; `{rebuilt}`, how many there are. Interrupted, it
    begins again."""
    after, done = await parts.catalog.rebuild(work.scope, None, REBUILT_AT_ONCE), REBUILT_AT_ONCE
    while after is not None:
        await parts.erasures.progress(work, done)
        after, done = await parts.catalog.rebuild(work.scope, after, REBUILT_AT_ONCE), done + REBUILT_AT_ONCE
    await index_passages(parts, work.scope)
    held = await parts.catalog.holdings(work.scope)
    return {"rebuilt": held.get("items", 0) + held.get("resources", 0)}


_TASKS: Final[Mapping[str, Doing]] = {
    "extract": extract_items,
    "consolidate": consolidate_page,
    "rebuild": rebuild,
}
