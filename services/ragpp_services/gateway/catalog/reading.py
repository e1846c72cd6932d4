"""One entry, by its own id or by what it is called elsewhere."""

from ragpp.entries.values import CatalogEntry, EntryQuery
from ragpp.errors import NotFound
from ragpp.models import Scope
from ragpp_services.gateway.parts import Parts


async def read_entry(
    parts: Parts, scope: Scope, memory_id: str, *, contents: bool = False, vectors: bool = False
) -> CatalogEntry:
    """Of what the scope sees. Raises NotFound."""
    query = EntryQuery(ids=(memory_id,), contents=contents, vectors=vectors, limit=1)
    for found in await parts.catalog.find_entries(scope, query):
        return found.entry
    raise NotFound(f"there is no memory {memory_id!r}")
