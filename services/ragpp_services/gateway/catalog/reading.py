"""One entry, by its own id or by what it is called elsewhere; and when the catalog was cleaned up."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from ragpp.entries.values import CatalogEntry, EntryQuery
from ragpp.errors import Conflict, NotFound
from ragpp.models import Scope
from ragpp_services.gateway.parts import Parts

LOOKED_AT: Final = 100
"""Jobs of upkeep, the latest, among which the last cleanup is looked for: a month of them."""
MOST_NAMED: Final = 20
"""Ids that a refusal of an ambiguous name tells."""


async def read_entry(
    parts: Parts, scope: Scope, memory_id: str, *, contents: bool = False, vectors: bool = False
) -> CatalogEntry:
    """The entry that the scope sees by its own id or by what it is called elsewhere. Raises NotFound; Conflict where
    several different memories are called so."""
    query = EntryQuery(ids=(memory_id,), contents=contents, vectors=vectors, limit=1)
    for found in await parts.catalog.find_entries(scope, query):
        if found.entry.memory_id != memory_id:
            _see_one(memory_id, await parts.catalog.items_named(scope, memory_id))
        return found.entry
    raise NotFound(f"there is no memory {memory_id!r}")


def _see_one(name: str, memory_ids: Sequence[str]) -> None:
    """Raises Conflict for a name of several memories."""
    if len(memory_ids) > 1:
        raise Conflict(
            f"{name!r} names {len(memory_ids)} different memories",
            suggestions=("Name the agent whose it is with `view`, or the memory by its own id, `memory_id`.",),
            details={"memory_ids": list(memory_ids[:MOST_NAMED])},
        )


async def last_cleanup(parts: Parts, scope: Scope) -> datetime | None:
    """When what has to go of the user's was let go last."""
    page = await parts.jobs.jobs(
        scope.tenant_id, user_id=scope.user_id, stage="maintain", state="done", limit=LOOKED_AT
    )
    for job in page.items:
        result = job.result or {}
        if result.get("task") == "retention" and not result.get("dry_run"):
            return job.updated_at
    return None
