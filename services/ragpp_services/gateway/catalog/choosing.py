"""Entries of what the catalog holds: those that fit what is asked for, a page at a time."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from ragpp.api import MAX_OFFSET, EntryList
from ragpp.catalog import MAX_K, ItemKind, ItemQuery, MemoryItem
from ragpp.entries.making import entry_of
from ragpp.entries.values import CatalogEntry
from ragpp.models import Scope
from ragpp.paging import PAGE
from ragpp.tiers import CatalogTier

INLINE: Final = 20
"""Up to so many are described on the event loop, in about 10 ms; more in a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What entries have to be: of the agent `ci`, of a `type`, with one of `tags` at least (in lower case); None and
    nothing do not narrow."""

    ci: str | None = None
    type: ItemKind | None = None
    tags: frozenset[str] = frozenset()

    def fits(self, item: MemoryItem) -> bool:
        """Whether an item may have a fitting entry: whatever can be told without describing it."""
        return self.ci in {None, item.agent_id} and self.type in {None, item.kind}

    def entries(self, items: Iterable[MemoryItem]) -> Iterable[CatalogEntry]:
        """The fitting entries of `items`, each made when it is taken."""
        for item in items:
            if self.fits(item):
                entry = entry_of(item)
                if not self.tags or not self.tags.isdisjoint(tag.lower() for tag in entry.tags):
                    yield entry


async def listed(
    catalog: CatalogTier, scope: Scope, wanted: Wanted, *, search: str | None, offset: int, limit: int
) -> EntryList:
    """The entries from `offset` on, at most `limit`: the latest first, or those that answer `search` best. Raises what
    the tier raises."""
    most = offset + limit + 1
    if search is None:
        entries, complete = await _latest(catalog, scope, wanted, most)
    else:
        found = await catalog.search_items(scope, ItemQuery(text=search, k=MAX_K))
        entries, complete = await _made(found.items, wanted, most), len(found.items) < MAX_K
    return EntryList(
        memories=tuple(entries[offset : offset + limit]),
        next_offset=offset + limit if len(entries) == most else None,
        complete=complete,
    )


async def _latest(catalog: CatalogTier, scope: Scope, wanted: Wanted, most: int) -> tuple[list[CatalogEntry], bool]:
    """The latest `most` that fit, of MAX_OFFSET items and the rest of a page; and False where there are more items than
    that, not looked at, while fewer fitted."""
    entries: list[CatalogEntry] = []
    cursor: str | None = None
    looked_at = 0
    while True:
        page = await catalog.list_items(scope, cursor=cursor, limit=PAGE)
        entries += await _made(page.items, wanted, most - len(entries))
        looked_at, cursor = looked_at + len(page.items), page.next_cursor
        if cursor is None or len(entries) == most:
            return entries, True
        if looked_at > MAX_OFFSET:
            return entries, False


async def _made(items: Sequence[MemoryItem], wanted: Wanted, most: int) -> list[CatalogEntry]:
    def made() -> list[CatalogEntry]:
        return list(islice(wanted.entries(items), most))

    return made() if len(items) <= INLINE else await asyncio.to_thread(made)
