"""A catalog in memory, as far as the workers have to do with one: it forgets, and refuses what comes late."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ragpp.catalog import ItemEntry, MemoryCategory, MemoryItem, PageSection, Resource, generate_memory_key
from ragpp.errors import CategoryNotFoundError, ConsolidationError, NotFound, ResourceNotFoundError
from ragpp.filtering import MetadataFilter
from ragpp.models import Health, Page, Scope
from ragpp.stores.forgetting import check_epoch
from tests.support.episodic import NOON


@dataclass
class KeptCatalog:
    """`begun`: the epoch. `pages_fail`: no page can be made. `stale`: categories whose pages lost something."""

    name = "catalog"
    resources: dict[str, Resource] = field(default_factory=dict)
    items: dict[str, MemoryItem] = field(default_factory=dict)
    categories: dict[str, MemoryCategory] = field(default_factory=dict)
    entries: list[ItemEntry] = field(default_factory=list)
    sections: list[Sequence[PageSection] | None] = field(default_factory=list)
    compressed_before: datetime | None = None
    vectors_before: datetime | None = None
    begun: int = 0
    pages_fail: bool = False
    stale: set[str] = field(default_factory=set)

    async def health_check(self) -> Health:
        return Health(name="catalog", ok=True, ms=0.0)

    async def epoch(self, scope: Scope) -> int:
        del scope
        return self.begun

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        del scope, sources, before
        held = {"resources": len(self.resources), "items": len(self.items)}
        return {kind: count for kind, count in held.items() if count}

    async def get_resource(self, scope: Scope, resource_id: str) -> Resource:
        found = self.resources.get(resource_id)
        if found is None or (scope.view is not None and found.visibility == "agent" and found.agent_id != scope.view):
            raise ResourceNotFoundError(resource_id)
        return found

    async def list_resources(
        self,
        scope: Scope,
        resource_type: str | None = None,
        session_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Resource]:
        del scope, cursor
        assert resource_type is None
        listed = [one for one in self.resources.values() if session_id in {None, one.session_id}][:limit]
        return Page[Resource](items=tuple(one.model_copy(update={"content": one.content[:200]}) for one in listed))

    async def delete_resource(self, scope: Scope, resource_id: str, cascade: bool = True) -> bool:
        del scope
        assert cascade
        self.begun += 1
        self.items = {key: item for key, item in self.items.items() if item.source_resource_id != resource_id}
        return self.resources.pop(resource_id, None) is not None

    async def put_extracted(
        self,
        scope: Scope,
        resource_id: str,
        entries: Sequence[ItemEntry],
        epoch: int | None = None,
        took_ms: float | None = None,
    ) -> list[MemoryItem]:
        del scope, took_ms
        check_epoch(epoch, self.begun)
        if resource_id not in self.resources:
            raise ResourceNotFoundError(resource_id)
        for named in {entry.category for entry in entries} - {None, *self.categories}:
            raise CategoryNotFoundError(str(named), list(self.categories))
        self.items = {key: item for key, item in self.items.items() if item.source_resource_id != resource_id}
        self.entries = list(entries)
        made = [_item(entry) for entry in entries]
        self.items.update((item.item_id, item) for item in made)
        return made

    async def index_passages(self, scope: Scope, limit: int = 32) -> int:
        del scope, limit
        return 0

    async def list_items(
        self,
        scope: Scope,
        category: str | None = None,
        resource_id: str | None = None,
        vectors: bool = False,
        cursor: str | None = None,
        limit: int = 50,
        metadata: MetadataFilter | None = None,
    ) -> Page[MemoryItem]:
        del scope, vectors, cursor, metadata
        found = [
            item
            for item in self.items.values()
            if category in {None, item.category} and resource_id in {None, item.source_resource_id}
        ]
        return Page[MemoryItem](items=tuple(found[:limit]))

    async def get_item(self, scope: Scope, item_id: str, vector: bool = False) -> MemoryItem:
        del scope, vector
        if item_id not in self.items:
            raise NotFound(f"there is no item {item_id}")
        return self.items[item_id]

    async def get_category(self, scope: Scope, name: str) -> MemoryCategory:
        del scope
        if name not in self.categories:
            raise CategoryNotFoundError(name, list(self.categories))
        return self.categories[name]

    async def due_categories(self, scope: Scope, new_items: int = 1) -> list[str]:
        del scope
        return [
            one.name
            for one in self.categories.values()
            if not one.edited and (one.new_items >= new_items or one.name in self.stale)
        ]

    async def consolidate(
        self,
        scope: Scope,
        name: str,
        force: bool = False,
        sections: Sequence[PageSection] | None = None,
        epoch: int | None = None,
    ) -> MemoryCategory:
        check_epoch(epoch, self.begun)
        page = await self.get_category(scope, name)
        if self.pages_fail:
            raise ConsolidationError("the page could not be made")
        self.sections.append(sections)
        if force or name in await self.due_categories(scope):
            said = [line.text for section in sections or () for line in section.lines] or ["by the tier"]
            page = page.model_copy(update={"markdown_content": "\n".join(said), "new_items": 0, "edited": False})
            self.categories[name] = page
        return page

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> list[str]:
        del scope
        gone = set(interaction_ids)
        touched = [
            one for one in self.resources.values() if gone & {message.interaction_id for message in one.messages}
        ]
        if touched:
            self.begun += 1
        for resource in touched:
            left = tuple(message for message in resource.messages if message.interaction_id not in gone)
            self.items = {
                key: item for key, item in self.items.items() if item.source_resource_id != resource.resource_id
            }
            if left:
                self.resources[resource.resource_id] = resource.model_copy(update={"messages": left})
            else:
                del self.resources[resource.resource_id]
        return [resource.resource_id for resource in touched if resource.resource_id in self.resources]

    async def expire(self, scope: Scope, resource_ids: Collection[str]) -> int:
        del scope
        for resource_id in resource_ids:
            stub = {"content": "", "messages": (), "is_stub": True}
            self.resources[resource_id] = self.resources[resource_id].model_copy(update=stub)
        return len(resource_ids)

    async def compress(self, scope: Scope, before: datetime) -> int:
        del scope
        self.compressed_before = before
        return sum(one.occurred_at < before for one in self.resources.values())

    async def drop_vectors(self, scope: Scope, before: datetime) -> int:
        del scope
        self.vectors_before = before
        return sum(one.occurred_at < before for one in self.resources.values())

    async def rebuild(self, scope: Scope, after: str | None = None, limit: int = 500) -> str | None:
        del scope
        rows = sorted([*self.resources, *self.items])
        rest = [row for row in rows if after is None or row > after]
        return rest[limit - 1] if len(rest) > limit else None


def _item(entry: ItemEntry) -> MemoryItem:
    shared = {"content", "embedding", "source_resource_id", "sources", "category", "confidence", "importance"}
    given = entry.model_dump(include=shared | {"occurred_at", "agent_id", "metadata"})
    visibility = "shared" if entry.seen_by is None else "agent"
    key = generate_memory_key(entry.content)
    return MemoryItem(item_id=entry.id, kind=entry.item_kind, created_at=NOON, key=key, visibility=visibility, **given)
