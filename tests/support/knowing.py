"""A gateway that has a catalog, as an HTTP transport: it keeps what it is told; its jobs are done when asked for."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final, TypeVar
from urllib.parse import unquote

import httpx
from pydantic import BaseModel, JsonValue, ValidationError

from ragpp.api import (
    CategoryIn,
    CategoryItemsIn,
    CategoryPageIn,
    ConsolidateIn,
    ExtractResourceIn,
    Forgotten,
    ItemIn,
    ItemSearchIn,
    ItemsIn,
    Ready,
    RecalledMemory,
    RecallRequest,
    RecallResponse,
    Relevance,
    ResourceIn,
    RetrieveRequest,
    StoredItems,
    StoredResource,
    TierStatus,
)
from ragpp.catalog import (
    RESOURCE_TYPES,
    MemoryCategory,
    MemoryItem,
    MemoryStats,
    Resource,
    RetrievalResult,
    generate_memory_key,
)
from ragpp.errors import (
    CategoryExistsError,
    CategoryNotFoundError,
    InvalidInput,
    MemorySystemError,
    NotFound,
    ResourceNotFoundError,
)
from ragpp.errors.problems import MEDIA_TYPE, invalid_fields, problem_of
from ragpp.jobs import Job
from ragpp.models import Health, Page, TierName
from tests.support import values

T = TypeVar("T", bound=BaseModel)
NOON: Final = datetime(2026, 3, 8, 12, tzinfo=UTC)
SHOWN_CHARS: Final = 200
PAGE: Final = 2
"""So few a page, that whoever reads only one is found out."""


def _see_known(resource_type: str | None) -> None:
    if resource_type not in {None, *RESOURCE_TYPES}:
        raise InvalidInput(f"resource_type: is none of {', '.join(RESOURCE_TYPES)}")


class KnowingGateway(httpx.AsyncBaseTransport):
    """Extraction takes a resource's lines for its items, a page lists its items.

    `fails`: by task, the error that a job of it ends with instead; `ends_with`: the result. `broken`: what answers no
    request, by the first part of its path. `memories`: what a recall answers; `missing_tiers`: of which tiers nothing;
    `confidence`: of each item that is retrieved.
    `seen`: each request's method and path.
    """

    def __init__(self) -> None:
        self.resources: dict[str, Resource] = {}
        self.items: dict[str, MemoryItem] = {}
        self.categories: dict[str, MemoryCategory] = {}
        self.jobs: dict[str, Job] = {}
        self.forgotten: set[str] = set()
        self.fails: dict[str, str] = {}
        self.ends_with: dict[str, dict[str, JsonValue]] = {}
        self.memories: list[RecalledMemory] = []
        self.missing_tiers: tuple[TierName, ...] = ()
        self.relevance: Relevance | None = None
        self.confidence = 0.9
        self.broken: dict[str, MemorySystemError] = {}
        self.polls_before_done = 1
        self.seen: list[tuple[str, str]] = []
        self.users: set[str | None] = set()
        self.closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = unquote(request.url.raw_path.decode().partition("?")[0])
        self.seen.append((request.method, path))
        try:
            value, status = self._answer(request.method, path, dict(request.url.params), await request.aread())
        except ValidationError as error:
            return _problem(invalid_fields([dict(item) for item in error.errors()]))
        except MemorySystemError as error:
            return _problem(error)
        return httpx.Response(status, content=value.model_dump_json())

    async def aclose(self) -> None:
        self.closed = True

    def _answer(self, method: str, path: str, query: dict[str, str], body: bytes) -> tuple[BaseModel, int]:
        for part, error in self.broken.items():
            if path.startswith(part):
                raise error
        for pattern, answer in self._routes().items():
            if match := re.fullmatch(pattern, f"{method} {path}"):
                return answer(match.groups(), query, body), 200
        raise AssertionError(f"there is no route {method} {path}")

    def _routes(self) -> Mapping[str, Callable[[tuple[str, ...], dict[str, str], bytes], BaseModel]]:
        return {
            "POST /v1/resources": self._store_resource,
            "GET /v1/resources": self._list_resources,
            "GET /v1/resources/([^/]+)": lambda path, _, __: self._resource(path[0]),
            "DELETE /v1/resources/([^/]+)": self._delete_resource,
            "POST /v1/resources/([^/]+)/extract": self._extract,
            "POST /v1/items": self._store_items,
            "GET /v1/items": self._list_items,
            "GET /v1/items/([^/]+)": lambda path, _, __: self._item(path[0]),
            "DELETE /v1/items/([^/]+)": self._delete_item,
            "POST /v1/items/search": self._search,
            "POST /v1/categories": self._create_category,
            "GET /v1/categories": lambda _, query, __: _page(list(self.categories.values()), query),
            "GET /v1/categories/([^/]+)": lambda path, _, __: self._category(path[0]),
            "PUT /v1/categories/([^/]+)": self._edit_category,
            "DELETE /v1/categories/([^/]+)": self._delete_category,
            "POST /v1/categories/([^/]+)/items": self._put_in_category,
            "POST /v1/categories/([^/]+)/consolidate": self._consolidate,
            "POST /v1/retrieve": self._retrieve,
            "POST /v1/recall": self._recall,
            "GET /v1/memory/stats": lambda _, __, ___: MemoryStats(
                total_resources=len(self.resources),
                total_items=len(self.items),
                vector_index_size=sum(item.embedding is not None for item in self.items.values()),
            ),
            "POST /v1/memory/rebuild": lambda _, __, ___: self._job("rebuild", {"rebuilt": len(self.items)}),
            "GET /v1/jobs/([^/]+)": lambda path, _, __: self._polled(path[0]),
            "GET /health/ready": lambda _, __, ___: Ready(
                status="ready", tiers={"catalog": Health(name="catalog", ok=True, ms=1.0)}
            ),
        }

    def _store_resource(self, _path: tuple[str, ...], _query: dict[str, str], body: bytes) -> StoredResource:
        given = ResourceIn.model_validate_json(body)
        _see_known(given.resource_type)
        self.users.add(given.user_id)
        identifier = given.id or ""
        known = identifier in self.resources
        self.resources[identifier] = Resource(
            resource_id=identifier,
            resource_type=given.resource_type,
            content=given.content or "",
            metadata=given.metadata,
            occurred_at=NOON,
            created_at=NOON,
            session_id=given.session_id,
            agent_id=given.agent_id,
        )
        return StoredResource(resource=_cut(self.resources[identifier]), redactions=0, duplicate=known)

    def _list_resources(self, _path: tuple[str, ...], query: dict[str, str], _body: bytes) -> Page[Resource]:
        _see_known(query.get("resource_type"))
        found = [
            _cut(one)
            for one in reversed(self.resources.values())
            if query.get("resource_type") in {None, one.resource_type} and query.get("search", "") in one.content
        ]
        return _page(found, query)

    def _resource(self, identifier: str) -> Resource:
        if identifier not in self.resources:
            raise ResourceNotFoundError(identifier)
        return self.resources[identifier]

    def _delete_resource(self, path: tuple[str, ...], query: dict[str, str], _body: bytes) -> Forgotten:
        self._resource(path[0])
        del self.resources[path[0]]
        if query["cascade"] == "true":
            self.items = {key: one for key, one in self.items.items() if one.source_resource_id != path[0]}
        return Forgotten(forgotten=1)

    def _extract(self, path: tuple[str, ...], _query: dict[str, str], body: bytes) -> Job:
        hint = ExtractResourceIn.model_validate_json(body).category_hint
        resource = self._resource(path[0])
        if hint is not None:
            self._category(hint)
        lines = [line for line in resource.content.splitlines() if line.strip()]
        ids: list[JsonValue] = []
        for line in lines:
            one = next((item for item in self.items.values() if item.content == line), None)
            if one is None:
                identifier = f"item_{len(self.items)}"
                one = self._typed(_kept(ItemIn(id=identifier, content=line, source_resource_id=path[0], category=hint)))
                self.items[identifier] = one
            ids.append(one.item_id)
        return self._job("extract", {"resource_id": path[0], "item_ids": ids, "item_count": len(ids)})

    def _store_items(self, _path: tuple[str, ...], _query: dict[str, str], body: bytes) -> StoredItems:
        given = ItemsIn.model_validate_json(body)
        for item in given.items:
            self._resource(item.source_resource_id)
        gone = tuple(item.id or "" for item in given.items if item.id in self.forgotten)
        kept = [self._typed(_kept(item)) for item in given.items if item.id not in gone]
        self.items |= {item.item_id: item for item in kept}
        return StoredItems(items=tuple(kept), forgotten=gone)

    def _typed(self, item: MemoryItem) -> MemoryItem:
        kind = self.resources[item.source_resource_id].resource_type
        return item.model_copy(update={"resource_type": kind})

    def _list_items(self, _path: tuple[str, ...], query: dict[str, str], _body: bytes) -> Page[MemoryItem]:
        found = [
            one
            for one in reversed(self.items.values())
            if query.get("resource_id") in {None, one.source_resource_id}
            and query.get("category") in {None, one.category}
        ]
        return _page(found, query)

    def _item(self, identifier: str) -> MemoryItem:
        if identifier not in self.items:
            raise NotFound(f"there is no item {identifier!r}")
        return self.items[identifier]

    def _delete_item(self, path: tuple[str, ...], _query: dict[str, str], _body: bytes) -> Forgotten:
        self._item(path[0])
        del self.items[path[0]]
        self.forgotten.add(path[0])
        return Forgotten(forgotten=1)

    def _search(self, _path: tuple[str, ...], _query: dict[str, str], body: bytes) -> RetrievalResult:
        given = ItemSearchIn.model_validate_json(body)
        by_score = {
            one.item_id: sum(a * b for a, b in zip(one.embedding or (), given.embedding, strict=False))
            for one in self.items.values()
        }
        best = sorted(by_score, key=lambda one: -by_score[one])[: given.k]
        return RetrievalResult(
            items=tuple(self.items[one] for one in best),
            confidence_scores=tuple(by_score[one] for one in best),
            total_found=len(best),
            search_time_ms=1.0,
        )

    def _retrieve(self, _path: tuple[str, ...], _query: dict[str, str], body: bytes) -> RetrievalResult:
        given = RetrieveRequest.model_validate_json(body)
        if given.category_filter is not None:
            self._category(given.category_filter)
        found = [one for one in self.items.values() if given.category_filter in {None, one.category}][: given.k]
        return RetrievalResult(
            items=tuple(found),
            confidence_scores=(self.confidence,) * len(found),
            total_found=len(found),
            search_time_ms=1.0,
        )

    def _recall(self, _path: tuple[str, ...], _query: dict[str, str], body: bytes) -> RecallResponse:
        limit = RecallRequest.model_validate_json(body).limit
        return RecallResponse(
            status="partial" if self.missing_tiers else "complete",
            context="",
            tokens=0,
            elapsed_ms=1.0,
            retrieved_at=NOON,
            receipt_pending=0,
            relevance=self.relevance,
            sections=(),
            memories=tuple(self.memories[:limit]),
            tiers={tier: TierStatus(status="timeout", ms=500.0) for tier in self.missing_tiers},
        )

    def _create_category(self, _path: tuple[str, ...], _query: dict[str, str], body: bytes) -> MemoryCategory:
        given = CategoryIn.model_validate_json(body)
        if given.name in self.categories:
            raise CategoryExistsError(given.name)
        self.categories[given.name] = MemoryCategory(
            category_id=f"cat_{given.name}",
            name=given.name,
            description=given.description,
            markdown_content="*No items yet.*",
            updated_at=NOON,
        )
        return self.categories[given.name]

    def _category(self, name: str) -> MemoryCategory:
        for one in self.categories.values():
            if name in {one.name, one.category_id}:
                return one
        raise CategoryNotFoundError(name, sorted(self.categories))

    def _edit_category(self, path: tuple[str, ...], _query: dict[str, str], body: bytes) -> MemoryCategory:
        content = CategoryPageIn.model_validate_json(body).content
        return self._changed(path[0], markdown_content=content, edited=True)

    def _delete_category(self, path: tuple[str, ...], _query: dict[str, str], _body: bytes) -> Forgotten:
        del self.categories[self._category(path[0]).name]
        return Forgotten(forgotten=1)

    def _put_in_category(self, path: tuple[str, ...], _query: dict[str, str], body: bytes) -> MemoryCategory:
        ids = [one for one in CategoryItemsIn.model_validate_json(body).item_ids if one in self.items]
        for one in ids:
            self.items[one] = self.items[one].model_copy(update={"category": self._category(path[0]).name})
        return self._changed(path[0], item_ids=tuple(ids), item_count=len(ids))

    def _consolidate(self, path: tuple[str, ...], _query: dict[str, str], body: bytes) -> Job:
        ConsolidateIn.model_validate_json(body)
        name = self._category(path[0]).name
        lines = [f"- {one.content}" for one in self.items.values() if one.category == name]
        if "consolidate" not in self.fails:
            self._changed(name, markdown_content="\n".join(lines))
        return self._job("consolidate", {"name": name})

    def _changed(self, name: str, **fields: object) -> MemoryCategory:
        found = self._category(name)
        self.categories[found.name] = found.model_copy(update=fields)
        return self.categories[found.name]

    def _job(self, task: str, result: dict[str, JsonValue]) -> Job:
        told = self.fails.get(task)
        job = values.job(
            NOON,
            "catalog",
            id=f"{len(self.jobs)}.catalog",
            subject_id=task,
            state="done" if told is None else "failed",
            attempts=1,
            error=told,
            result=None if told else self.ends_with.get(task, result),
        )
        self.jobs[job.id] = job
        return _waiting(job)

    def _polled(self, identifier: str) -> Job:
        polls = sum(path.endswith(f"/jobs/{identifier}") for _, path in self.seen)
        return self.jobs[identifier] if polls > self.polls_before_done else _waiting(self.jobs[identifier])


def _waiting(job: Job) -> Job:
    return job.model_copy(update={"state": "pending", "result": None, "error": None})


def _cut(resource: Resource) -> Resource:
    return resource.model_copy(update={"content": resource.content[:SHOWN_CHARS]})


def _kept(item: ItemIn) -> MemoryItem:
    return MemoryItem(
        item_id=item.id or "",
        content=item.content,
        embedding=item.embedding or (1.0, 0.0),
        source_resource_id=item.source_resource_id,
        category=item.category,
        confidence=item.confidence,
        importance=item.importance,
        occurred_at=item.occurred_at or NOON,
        created_at=NOON,
        key=generate_memory_key(item.content),
    )


def _page(found: list[T], query: dict[str, str]) -> Page[T]:
    start = int(query.get("cursor", "0"))
    end = start + min(PAGE, int(query.get("limit", "50")))
    return Page(items=tuple(found[start:end]), next_cursor=str(end) if end < len(found) else None)


def _problem(error: MemorySystemError) -> httpx.Response:
    document = problem_of(error)
    return httpx.Response(document.status, json=document.model_dump(), headers={"content-type": MEDIA_TYPE})
