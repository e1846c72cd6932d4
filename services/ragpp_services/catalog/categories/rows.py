"""Rows of categories and their pages."""

from collections.abc import Collection, Mapping
from datetime import datetime

import asyncpg
import numpy as np
import numpy.typing as npt
from pgvector import HalfVector

from ragpp.catalog import LISTED_ITEMS, MemoryStats
from ragpp.ledger import lock_user
from ragpp.stores.vector_values import halfvec
from ragpp_services.catalog.categories.values import (
    CategoryRow,
    MovedItem,
    NewCategory,
    PageRow,
    Statement,
    StatementIds,
)
from ragpp_services.catalog.statements import EVERYBODY, Statements


class CategoryRows:
    """One user's categories."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def find(self, name: str, *, own: bool = False) -> CategoryRow | None:
        """By its name or id; the user's `own` alone, or of all that the scope sees."""
        row = await self._run.own_row("category", name, own)
        return None if row is None else category_of(row)

    async def find_to_change(self, name: str) -> CategoryRow | None:
        """The user's own, kept from changing until the transaction ends."""
        if await self._run.own_row("lock_category", name) is None:
            return None
        return await self.find(name, own=True)

    async def page(self, after: tuple[str, int] | None, limit: int) -> list[CategoryRow]:
        """By name. `after`: (name, whether it is all users')."""
        rows = await self._run.own("categories_page", *(after or (None, None)), limit)
        return [category_of(row) for row in rows]

    async def available(self) -> list[str]:
        """The names of those that the scope sees, sorted."""
        return [row["name"] for row in await self._run.own("category_names")]

    async def item_ids(self, name: str, *, everybodys: bool) -> list[str]:
        """The first LISTED_ITEMS of its items; `everybodys`: of a category of all users."""
        rows = await self._of(everybodys).own("category_item_ids", name, LISTED_ITEMS)
        return [row["id"] for row in rows]

    async def statements(self, name: str, most: int) -> list[Statement]:
        """The statements of which the page of the user's own category is made, in the order in which they came: the
        `most` latest of its items have what they say."""
        return [_statement_of(row) for row in await self._run.own("category_statements", name, most)]

    async def statement_ids(self, name: str) -> StatementIds:
        """By which it shows whether the same is there still."""
        rows = await self._run.own("category_statement_ids", name)
        return [(row["id"], row["one_with"], row["since"]) for row in rows]

    async def due(self, new_items: int, names: Collection[str] | None = None) -> list[asyncpg.Record]:
        """id, name and version of the user's own that are to be made anew; of these `names`, or of all."""
        return await self._run.own("due_categories", new_items, None if names is None else list(names))

    async def add(self, category: NewCategory, now: datetime) -> None:
        """Its name must not be taken."""
        await self._run.change(
            "add_category",
            category.category_id,
            category.name,
            category.event_id,
            category.description,
            halfvec(category.embedding),
            category.markdown,
            now,
            category.contributor,
        )

    async def put_page(
        self,
        category_id: str,
        markdown: str,
        until: int,
        resources: Collection[str],
        now: datetime,
        *,
        edited: bool = False,
    ) -> None:
        """Let this be its page: one that a person `edited`, or one made of its items."""
        consolidated_at = None if edited else now
        await self._run.change("put_page", category_id, markdown, until, list(resources), edited, now, consolidated_at)

    async def resting_on(self, resources: Collection[str]) -> list[PageRow]:
        """Pages that name any of these resources, kept from changing until the transaction ends; of all users' pages
        when the user is EVERYBODY."""
        return [PageRow(**row) for row in await self._run.own("pages_resting_on", list(resources))]

    async def mend_page(self, page: PageRow, markdown: str, resources: Collection[str], now: datetime) -> None:
        """Let this be left of it."""
        run = Statements(self._run.connection, self._run.scope.model_copy(update={"user_id": page.user_id}))
        await run.change("mend_page", page.category_id, markdown, list(resources), now)

    async def mark(self, names: Collection[str]) -> None:
        """Have the pages of the user's own categories made anew, whatever comes or not."""
        if names:
            await self._run.change("mark_pages", sorted(names))

    async def delete(self, category_id: str) -> None:
        """The row and its page alone."""
        await self._run.change("delete_category", category_id)

    async def users_in(self, name: str) -> list[str]:
        """Who has items in this category of all users, without one of that name of his own."""
        return [row["user_id"] for row in await self._run.own("users_in_category", name)]

    async def move_items(self, item_ids: Collection[str], view: str | None, name: str) -> list[MovedItem]:
        """Let these of the user's own that the view shows, and what is one with them, be in this category."""
        rows = await self._run.own("move_items", list(item_ids), view, name)
        return [MovedItem(row["id"], row["one_with"], row["was_in"], row["seen_by"]) for row in rows]

    async def empty(self, name: str, most: int) -> list[tuple[str, str | None]]:
        """Let `most` of the user's own items in it, the first, be in none; returns (id, one with) of these and of all
        that are one with them."""
        return [(row["id"], row["one_with"]) for row in await self._run.own("empty_category", name, most)]

    async def totals(self, view: str | None) -> MemoryStats:
        """The numbers of what the scope has, in every layer."""
        row = await self._run.own_row("count_all", view)
        counts: dict[str, dict[str, int]] = {"resources": {}, "items": {}}
        for kind in await self._run.own("count_by_kind", view):
            counts[kind["layer"]][kind["name"]] = kind["count"]
        return stats_of(row, counts) if row else MemoryStats()

    async def lock_everybody(self) -> None:
        """Let nothing that all users share change until the transaction ends. Take it after the user's own lock."""
        await lock_user(self._run.connection, self._run.scope.model_copy(update={"user_id": EVERYBODY}))

    def _of(self, everybodys: bool) -> Statements:
        if not everybodys:
            return self._run
        return Statements(self._run.connection, self._run.scope.model_copy(update={"user_id": EVERYBODY}))


def category_of(row: asyncpg.Record) -> CategoryRow:
    return CategoryRow(
        category_id=row["id"],
        name=row["name"],
        description=row["description"],
        markdown=row["markdown"],
        until=row["page_until"],
        edited=row["edited"],
        stale=row["stale"],
        version=row["version"],
        updated_at=row["updated_at"],
        item_count=row["item_count"],
        new_items=row["new_items"],
        outdated=row["outdated"],
        is_everybodys=row["user_id"] == EVERYBODY,
    )


def stats_of(row: asyncpg.Record, counts: Mapping[str, dict[str, int]]) -> MemoryStats:
    return MemoryStats(
        total_resources=row["resources"],
        total_items=row["items"],
        total_categories=row["categories"],
        vector_index_size=row["items"],
        storage_bytes=int(row["resource_bytes"] + row["item_bytes"] + row["category_bytes"]),
        resources_by_type=counts["resources"],
        items_by_category=counts["items"],
        last_extraction_at=row["extracted_at"],
        last_consolidation_at=row["consolidated_at"],
    )


def _statement_of(row: asyncpg.Record) -> Statement:
    return Statement(
        id=row["id"],
        one_with=row["one_with"],
        since=row["since"],
        is_everybodys=row["user_id"] == EVERYBODY,
        occurred_at=row["occurred_at"],
        content=row["content"] or "",
        vector=None if row["embedding"] is None else _unit(row["embedding"]),
        resource_id=row["resource_id"],
        resource_type=row["resource_type"],
        title=row["title"],
    )


def _unit(stored: HalfVector) -> npt.NDArray[np.float32]:
    """A stored vector, of unit length."""
    vector = np.asarray(stored.to_numpy(), np.float32)
    return vector / np.linalg.norm(vector)
