"""The categories' part of the tier."""

import asyncio
from collections.abc import Collection
from uuid import uuid4

from ragpp.catalog import MemoryCategory
from ragpp.clock import Clock
from ragpp.errors import CategoryExistsError, InvalidInput
from ragpp.models import Page, Scope
from ragpp.stores.cursors import decode_cursor, page_of, page_size
from ragpp_services.catalog.categories import moving
from ragpp_services.catalog.categories.consolidation import Consolidation, as_shown
from ragpp_services.catalog.categories.events import category_event
from ragpp_services.catalog.categories.finding import existing, to_change
from ragpp_services.catalog.categories.making import Contradicts, last_of
from ragpp_services.catalog.categories.naming import checked_description, checked_name, checked_page
from ragpp_services.catalog.categories.standing import standing
from ragpp_services.catalog.categories.values import NewCategory
from ragpp_services.catalog.items.sameness import contradicts
from ragpp_services.catalog.pages import resolved, without
from ragpp_services.catalog.pages.layout import empty
from ragpp_services.catalog.statements import EVERYBODY
from ragpp_services.catalog.store import CatalogStore
from ragpp_services.catalog.vectors import Vectors


class Categories:
    """The part of `ragpp.tiers.CatalogTier` that is about categories. `contradicts`: true where the text of a later
    fact says otherwise than that of an earlier one."""

    def __init__(
        self, store: CatalogStore, vectors: Vectors, clock: Clock, contradicts: Contradicts = contradicts
    ) -> None:
        self._store, self._vectors, self._clock = store, vectors, clock
        self.consolidate = Consolidation(store, clock, contradicts).consolidate

    async def create_category(self, scope: Scope, name: str, description: str, contributor: str = "") -> MemoryCategory:
        """See the contract. A user may have one of the name of one that all users share, which it then hides."""
        name, description = checked_name(name), checked_description(description)
        await self._vectors.check_identity()
        [embedding] = await standing(self._vectors, [description])
        now, category_id = self._clock(), f"cat_{uuid4()}"
        async with self._store.writing(scope) as rows:
            if await rows.categories.find(name, own=True) is not None:
                raise CategoryExistsError(name)
            created = category_event("memory.category_created", category_id, name, now)
            [event_id] = await rows.record([created], now)
            await rows.categories.add(
                NewCategory(category_id, name, event_id, description, embedding, empty(name), contributor), now
            )
            return await as_shown(rows, await existing(rows, name, own=True))

    async def get_category(self, scope: Scope, name: str) -> MemoryCategory:
        async with self._store.reading(scope) as rows:
            return await as_shown(rows, await existing(rows, name))

    async def list_categories(self, scope: Scope, cursor: str | None = None, limit: int = 50) -> Page[MemoryCategory]:
        """See the contract; of two of one name the user's own first."""
        after = None if cursor is None else decode_cursor(cursor, str, int)
        if after is not None and after[1] not in {0, 1}:
            raise InvalidInput("the cursor is not one that this list gave out")
        size = page_size(limit)
        async with self._store.reading(scope) as rows:
            found = await rows.categories.page(after, size + 1)
        listed = [category.value() for category in found]
        return page_of(Page[MemoryCategory], listed, size, lambda one: (one.name, int(one.visibility == "global")))

    async def edit_category(self, scope: Scope, name: str, content: str) -> MemoryCategory:
        """See the contract; at most MAX_PAGE_CHARS. What rests on resources that were forgotten does not come back
        with it."""
        checked_page(content)
        now = self._clock()
        named = await asyncio.to_thread(lambda: resolved(content).resource_ids)  # of 200,000 characters, seconds
        async with self._store.writing(scope) as rows:
            category = await to_change(rows, name)
            gone = await rows.forgotten(named)
            page, resting_on = (content, named) if not gone else await asyncio.to_thread(_left, content, gone)
            until = last_of(await rows.categories.statement_ids(category.name))
            await rows.categories.put_page(category.category_id, page, until, resting_on, now, edited=True)
            updated = category_event(
                "memory.category_updated", category.category_id, category.name, now, content_length=len(page)
            )
            await rows.record([updated], now)
            return await as_shown(rows, await existing(rows, category.name, own=True))

    async def put_in_category(self, scope: Scope, name: str, item_ids: Collection[str]) -> MemoryCategory:
        """See the contract. An item goes with the statements that are one with it; only the user's own do."""
        async with self._store.writing(scope) as rows:
            category = await existing(rows, name)
            await moving.move(rows, item_ids, category, self._clock())
            return await as_shown(rows, await existing(rows, name))

    async def delete_category(self, scope: Scope, name: str) -> bool:
        """See the contract. Its items are taken out some at a time, of one that all users share first those of each
        user: a repetition takes up where an interrupted call stopped."""
        if scope.user_id == EVERYBODY:
            await self._empty_for_others(scope, name)
        while True:
            async with self._store.writing(scope) as rows:
                category = await rows.categories.find_to_change(name)
                if category is None:
                    return False
                if await moving.empty(rows, category.name):
                    continue
                await rows.categories.delete(category.category_id)
                now = self._clock()
                deleted = category_event("memory.category_deleted", category.category_id, category.name, now)
                await rows.record([deleted], now)
                return True

    async def _empty_for_others(self, scope: Scope, name: str) -> None:
        async with self._store.reading(scope) as rows:
            category = await rows.categories.find(name, own=True)
            if category is None:
                return
            users = await rows.categories.users_in(category.name)
        for user_id in users:
            more = True
            while more:
                async with self._store.writing(Scope(tenant_id=scope.tenant_id, user_id=user_id)) as rows:
                    more = await moving.empty(rows, category.name)

    async def due_categories(self, scope: Scope, new_items: int = 1) -> list[str]:
        """See the contract; also of those whose pages lost something since."""
        async with self._store.reading(scope) as rows:
            return [row["name"] for row in await rows.categories.due(new_items)]


def _left(content: str, gone: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """A page without what rests on these resources, and on which others it then does."""
    page = without(content, gone)
    return page, resolved(page).resource_ids
