"""Making a category's page of its items."""

import asyncio
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from ragpp.catalog import MemoryCategory, PageSection
from ragpp.clock import Clock
from ragpp.errors import ConsolidationError
from ragpp.models import Scope
from ragpp_services.catalog.categories.events import category_event
from ragpp_services.catalog.categories.finding import existing, to_change
from ragpp_services.catalog.categories.making import (
    Contradicts,
    ids_of,
    last_of,
    made_here,
    made_of,
    page_items,
    still_are,
)
from ragpp_services.catalog.categories.values import CategoryRow, Statement, StatementIds
from ragpp_services.catalog.pages import resolved
from ragpp_services.catalog.store import CatalogStore, Rows

ATTEMPTS: Final = 5
"""How often a page is made of whose items some go while it is made."""
MOST_ITEMS: Final = 2_000
"""Items of a page. Making one takes time that is quadratic in its items: 1.5 s for so many, and 2 h for 100,000."""
FAILURES: Final = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
"""The errors that a pure function raises which does not understand its input."""


class Consolidation:
    """Makes pages, and writes those that are still of what is there. A category of more than `most` items has a page of
    its latest."""

    def __init__(self, store: CatalogStore, clock: Clock, contradicts: Contradicts, most: int = MOST_ITEMS) -> None:
        self._store, self._clock, self._contradicts, self._most = store, clock, contradicts, most

    async def consolidate(
        self,
        scope: Scope,
        name: str,
        force: bool = False,
        sections: Sequence[PageSection] | None = None,
        epoch: int | None = None,
    ) -> MemoryCategory:
        """See the contract. Its items are read, and the page made, while nobody waits; it is written when they are
        still there, whatever came beside them. Raises Outdated for an `epoch` that is over."""
        began = time.perf_counter()
        for _ in range(ATTEMPTS):
            async with self._store.reading(scope) as rows:
                category = await existing(rows, name, own=True)
                if not (force or category.is_due):
                    return await as_shown(rows, category)
                statements = await rows.categories.statements(category.name, self._most)
            markdown = await asyncio.to_thread(self._page, category.name, statements, sections, self._clock())
            async with self._store.writing(scope, epoch) as rows:
                if any(statement.is_everybodys for statement in statements):
                    await rows.categories.lock_everybody()
                now, ids = await to_change(rows, name), ids_of(statements)
                if now.version == category.version and still_are(ids, await rows.categories.statement_ids(now.name)):
                    return await self._write(rows, now, markdown, ids, began)
        raise ConsolidationError("the category's items changed each time while its page was made")

    def _page(
        self, name: str, statements: Sequence[Statement], sections: Sequence[PageSection] | None, at: datetime
    ) -> str:
        """Raises ConsolidationError."""
        try:
            items = page_items(statements)
            if sections is None:
                return made_here(name, items, at, self._contradicts)
            return made_of(name, sections, items, at)
        except FAILURES as error:
            raise ConsolidationError(f"the page could not be made ({type(error).__name__})") from error

    async def _write(
        self, rows: Rows, category: CategoryRow, markdown: str, ids: StatementIds, began: float
    ) -> MemoryCategory:
        now = self._clock()
        await rows.categories.put_page(
            category.category_id, markdown, last_of(ids), resolved(markdown).resource_ids, now
        )
        consolidated = category_event(
            "memory.category_consolidated",
            category.category_id,
            category.name,
            now,
            item_count=sum(one_with is None for _, one_with, _ in ids),
            content_length=len(markdown),
            consolidation_time_ms=round((time.perf_counter() - began) * 1_000, 2),
        )
        await rows.record([consolidated], now)
        return await as_shown(rows, await existing(rows, category.name, own=True))


async def as_shown(rows: Rows, category: CategoryRow) -> MemoryCategory:
    """The category with the ids of its items."""
    return category.value(await rows.categories.item_ids(category.name, everybodys=category.is_everybodys))
