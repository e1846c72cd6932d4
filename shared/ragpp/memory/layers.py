"""The three layers of document 002 §3: raw resources, the facts taken from them, and the pages made of those."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

from pydantic import JsonValue

from ragpp.api.items import MAX_ITEMS
from ragpp.catalog import (
    DEFAULT_K,
    Level,
    MemoryCategory,
    MemoryItem,
    MemoryLevel,
    Resource,
    RetrievalResult,
)
from ragpp.errors import Conflict, VectorIndexError
from ragpp.memory.whose import Whose, listed, or_none
from ragpp.paging import PAGE
from ragpp.retrieval.retrievers import Question

FOUND_RESOURCES: Final = 50
BY_VALUE: Final = 10
"""Items that a list by value has (document 003)."""


class ResourceLayer:
    """Layer 1: raw resources. Lists have the first 200 characters of their content, `get` has all of it."""

    def __init__(self, whose: Whose) -> None:
        self._whose = whose
        self._client = whose.client

    async def store(
        self, content: str, resource_type: str, metadata: Mapping[str, JsonValue] | None = None
    ) -> Resource:
        """Keep `content` under a new id, as it is without its secrets. A `session_id` in `metadata` is its session.

        Raises InvalidInput, a ValueError, for another type than those of RESOURCE_TYPES and what the operator named
        besides, for content that is empty or over a million characters, and for metadata that is no JSON; StorageError.
        """
        session_id = (metadata or {}).get("session_id")
        stored = await self._client.store_resource(
            user_id=self._whose.user_id,
            agent_id=self._whose.agent_id,
            resource_type=resource_type,
            content=content,
            metadata=dict(metadata or {}),
            session_id=session_id if isinstance(session_id, str) and session_id else None,
        )
        return await self._client.resource(stored.resource.resource_id, user_id=self._whose.user_id)

    async def get(self, resource_id: str) -> Resource | None:
        """None where there is none of that id."""
        return await or_none(self._client.resource(resource_id, user_id=self._whose.user_id))

    async def list_by_type(self, resource_type: str, limit: int = 100) -> list[Resource]:
        """The latest `limit` of that type."""
        return await listed(
            lambda cursor: self._client.resources(
                self._whose.user_id, resource_type=resource_type, cursor=cursor, limit=PAGE
            ),
            limit,
        )

    async def list_recent(self, n: int = 10) -> list[Resource]:
        """The latest `n` of all types."""
        return await listed(lambda cursor: self._client.resources(self._whose.user_id, cursor=cursor, limit=PAGE), n)

    async def search(self, query: str, resource_type: str | None = None) -> list[Resource]:
        """Those that have words of `query`, best first, with the part that has them; FOUND_RESOURCES at most."""
        found = await self._client.resources(
            self._whose.user_id,
            search=query,
            resource_type=resource_type,
            limit=FOUND_RESOURCES,
        )
        return list(found.items)

    async def delete(self, resource_id: str, cascade: bool = True) -> bool:
        """Delete it and, with `cascade`, its items, which else stay with a source without content. False when there was
        none."""
        gone = await or_none(self._client.forget_resource(resource_id, user_id=self._whose.user_id, cascade=cascade))
        return gone is not None and gone.forgotten > 0


class ItemLayer:
    """Layer 2: facts, each with its source and its vector."""

    def __init__(self, whose: Whose) -> None:
        self._whose = whose
        self._client = whose.client

    async def store(self, item: MemoryItem) -> MemoryItem:
        """Keep `item` under its id; its vector is made where it has none. Answers the item that it is now, another's
        where that says the same. Raises ResourceNotFoundError without its source, Conflict for one that was deleted."""
        return (await self.store_batch([item]))[0]

    async def store_batch(self, items: Sequence[MemoryItem]) -> list[MemoryItem]:
        """The same of many, in their order: all or none of each MAX_ITEMS."""
        kept: list[MemoryItem] = []
        for start in range(0, len(items), MAX_ITEMS):
            part = items[start : start + MAX_ITEMS]
            stored = await self._client.store_items(
                user_id=self._whose.user_id, agent_id=self._whose.agent_id, items=[_given(item) for item in part]
            )
            if stored.forgotten:
                raise Conflict(
                    f"an item that was deleted is not stored again under its id: {stored.forgotten[0]}",
                    suggestions=("Store it with another id if it is meant to be known again.",),
                )
            kept.extend(stored.items)
        return kept

    async def get(self, item_id: str) -> MemoryItem | None:
        """None where there is none of that id."""
        return await or_none(self._client.item(item_id, user_id=self._whose.user_id, include="vector"))

    async def get_by_resource(self, resource_id: str) -> list[MemoryItem]:
        """The items that were taken from a resource, the latest first."""
        return await listed(
            lambda cursor: self._client.items(
                self._whose.user_id, resource_id=resource_id, include="vector", cursor=cursor, limit=PAGE
            )
        )

    async def get_by_category(self, category: str) -> list[MemoryItem]:
        """The items of a category, the latest first."""
        return await listed(
            lambda cursor: self._client.items(
                self._whose.user_id, category=category, include="vector", cursor=cursor, limit=PAGE
            )
        )

    async def retrieve_by_domain(
        self, domain: str, level: Level | MemoryLevel | None = None, goal: str | None = None, top_k: int = BY_VALUE
    ) -> list[MemoryItem]:
        """The `top_k` of a domain that are worth most for `goal`, best first; without one the latest."""
        return await self._by_value(domain=domain, level=level, goal=goal, limit=top_k)

    async def retrieve_by_task_type(
        self, task_type: str, level: Level | MemoryLevel | None = None, goal: str | None = None, top_k: int = BY_VALUE
    ) -> list[MemoryItem]:
        """The same for a kind of task."""
        return await self._by_value(task_type=task_type, level=level, goal=goal, limit=top_k)

    async def _by_value(
        self,
        *,
        domain: str | None = None,
        task_type: str | None = None,
        level: Level | MemoryLevel | None,
        goal: str | None,
        limit: int,
    ) -> list[MemoryItem]:
        found = await self._client.items(
            self._whose.user_id, domain=domain, task_type=task_type, level=level, goal=goal, limit=limit
        )
        return list(found.items)

    async def search_by_embedding(
        self, embedding: Sequence[float], k: int = DEFAULT_K
    ) -> list[tuple[MemoryItem, float]]:
        """The `k` items nearest to a vector of the installation's embedder, best first, each with its score, 0 to 1."""
        found = await self._client.search_items(user_id=self._whose.user_id, embedding=tuple(embedding), k=k)
        return list(zip(found.items, found.confidence_scores, strict=True))

    async def ask(self, question: Question) -> RetrievalResult:
        """The result of what a retriever asks; see `ragpp.retrieval`. Implements `Source`."""
        given = {name: value for name, value in asdict(question).items() if value is not None}
        return await self._client.retrieve(user_id=self._whose.user_id, **given)

    async def delete(self, item_id: str) -> bool:
        """False when there was none. It is not extracted again."""
        gone = await or_none(self._client.forget_item(item_id, user_id=self._whose.user_id))
        return gone is not None and gone.forgotten > 0

    async def rebuild_index(self) -> int:
        """Make the vectors and words of all items and resources anew; returns of how many."""
        job = await self._client.rebuild_index(user_id=self._whose.user_id)
        rebuilt = (await self._whose.done(job, VectorIndexError)).get("rebuilt")
        return rebuilt if isinstance(rebuilt, int) else 0


def _given(item: MemoryItem) -> dict[str, object]:
    """The fields of an item that are its author's to say."""
    return {
        "id": item.item_id,
        "content": item.content,
        "embedding": item.embedding,
        "source_resource_id": item.source_resource_id,
        "category": item.category,
        "confidence": item.confidence,
        "importance": item.importance,
        "kind": item.kind,
        "occurred_at": item.occurred_at,
        "level": item.level,
        "domain": item.domain,
        "task_type": item.task_type,
        "metadata": item.metadata,
    }


class CategoryLayer:
    """Layer 3: categories, each with its page."""

    def __init__(self, whose: Whose) -> None:
        self._whose = whose
        self._client = whose.client

    async def create(self, name: str, description: str) -> MemoryCategory:
        """An empty one. Raises InvalidInput, a ValueError, for a name that is no snake_case of 1 to 64 characters, or a
        description that is not 10 to 500 long; CategoryExistsError."""
        return await self._client.create_category(user_id=self._whose.user_id, name=name, description=description)

    async def get(self, category_id: str) -> MemoryCategory | None:
        """None where there is none of that id."""
        found = await self._found(category_id)
        return found if found is not None and found.category_id == category_id else None

    async def get_by_name(self, name: str) -> MemoryCategory | None:
        """None where there is none of that name."""
        found = await self._found(name)
        return found if found is not None and found.name == name else None

    async def list_all(self) -> list[MemoryCategory]:
        """By name."""
        found = await listed(lambda cursor: self._client.categories(self._whose.user_id, cursor=cursor, limit=PAGE))
        return sorted(found, key=lambda category: category.name)

    async def update_content(self, category_id: str, content: str) -> MemoryCategory:
        """Let a person's words be its page, which is consolidated only when that is forced. CategoryNotFoundError."""
        return await self._client.edit_category(category_id, user_id=self._whose.user_id, content=content)

    async def add_items(self, category_id: str, item_ids: Sequence[str]) -> MemoryCategory:
        """Move these into it; ids of none are ignored. CategoryNotFoundError."""
        return await self._client.put_in_category(category_id, user_id=self._whose.user_id, item_ids=tuple(item_ids))

    async def delete(self, category_id: str) -> bool:
        """Its items stay, without a category. False when there was none."""
        gone = await or_none(self._client.delete_category(category_id, user_id=self._whose.user_id))
        return gone is not None and gone.forgotten > 0

    async def _found(self, name_or_id: str) -> MemoryCategory | None:
        return await or_none(self._client.category(name_or_id, user_id=self._whose.user_id))
