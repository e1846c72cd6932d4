"""Entries of what the catalog holds: those that fit what is asked for, a page at a time."""

from ragpp.api import EntryList
from ragpp.catalog import MAX_K
from ragpp.entries.values import EntryQuery
from ragpp.models import Scope
from ragpp.tiers import CatalogTier


async def listed(catalog: CatalogTier, scope: Scope, query: EntryQuery) -> EntryList:
    """The entries from `query.offset` on, at most `query.limit`: the latest first, or those that answer its text best,
    of the best MAX_K. Raises what the tier raises."""
    limit, most = query.limit, query.limit + 1
    if query.text.strip():
        most = max(0, min(most, MAX_K - query.offset))
    found = await catalog.find_entries(scope, query.model_copy(update={"limit": most})) if most else []
    entries = tuple(one.entry for one in found)
    return EntryList(
        memories=entries[:limit],
        next_offset=query.offset + limit if len(entries) > limit else None,
        complete=not query.text.strip() or query.offset + len(entries) < MAX_K,
    )
