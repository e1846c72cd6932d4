"""One entry, by its own id or by what it is called elsewhere; and when the catalog was cleaned up."""

from datetime import datetime
from typing import Final

from ragpp.entries.values import CatalogEntry, EntryQuery
from ragpp.errors import NotFound
from ragpp.models import Scope
from ragpp_services.gateway.parts import Parts

LOOKED_AT: Final = 100
"""Jobs of upkeep, the latest, among which the last cleanup is looked for: a month of them."""


async def read_entry(
    parts: Parts, scope: Scope, memory_id: str, *, contents: bool = False, vectors: bool = False
) -> CatalogEntry:
    """Of what the scope sees. Raises NotFound."""
    query = EntryQuery(ids=(memory_id,), contents=contents, vectors=vectors, limit=1)
    for found in await parts.catalog.find_entries(scope, query):
        return found.entry
    raise NotFound(f"there is no memory {memory_id!r}")


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
