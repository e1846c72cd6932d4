"""Items of the catalog: kept, read back, found by a vector and deleted."""

import asyncio
import json
from collections.abc import Collection, Sequence
from typing import Annotated, Final, Literal

from fastapi import Query

from ragpp.api import Forgotten, ItemSearchIn, ItemsIn, StoredItems
from ragpp.catalog import ItemQuery, Level, MemoryItem, RetrievalResult
from ragpp.episodes import Goal, Valued
from ragpp.errors import InvalidInput, NotFound
from ragpp.fields import Id, Label
from ragpp.models import Page, Scope
from ragpp.paging import PAGE
from ragpp.placeholders import kinds_in
from ragpp.tiers import CatalogTier
from ragpp_services.gateway.catalog.owning import changing, place
from ragpp_services.gateway.describing import refusal
from ragpp_services.gateway.http import CatalogUser, Cursor, FilterText, GatewayParts, Limit, filter_of, keyed_router
from ragpp_services.gateway.requester import Reader, Writer

READ_AT_ONCE: Final = 8
"""Items that are read back at a time, so that one request leaves connections for everybody else."""

router = keyed_router("catalog")
Include = Annotated[
    Literal["vector"] | None, Query(description="`vector` answers embeddings as well; absent: without.")
]


@router.post(
    "/v1/items",
    status_code=201,
    summary="Keep items",
    responses={
        409: refusal(
            409,
            "An id is known with other content, as `details.indexes` tells; or all that the agent may have is to stay.",
        )
    },
)
async def store_items(requester: Writer, parts: GatewayParts, body: ItemsIn) -> StoredItems:
    """All are kept, or none; repeating a request with ids is harmless. An item that says what another of its category
    says is that one, and is seen by no more agents than its resource. What it has from a context of this memory is left
    out of it."""
    where = place(requester, body.user_id, body.visibility, agent_id=body.agent_id)
    requester.items = len(body.items)
    entries, redactions = await parts.knowledge.items(body, where.whose)
    stored = await parts.catalog.store(where.scope, entries)
    ids = list(dict.fromkeys(one.id for one in stored if not one.forgotten))
    requester.memory_ids = ids
    known = await _read(parts.catalog, where.scope, ids, {item.source_resource_id for item in body.items})
    return StoredItems(
        items=tuple(known[one.id] for one in stored if not one.forgotten),
        redactions=redactions,
        redacted=kinds_in(*(json.dumps([one.content, one.metadata]) for one in entries)) if redactions else (),
        forgotten=tuple(one.id for one in stored if one.forgotten),
    )


async def _read(
    catalog: CatalogTier, scope: Scope, ids: Sequence[str], resource_ids: Collection[str]
) -> dict[str, MemoryItem]:
    """These items, which are of these resources: of few resources by their lists, and what those lack one by one."""
    known: dict[str, MemoryItem] = {}
    for resource_id in resource_ids if len(resource_ids) < len(ids) / READ_AT_ONCE else ():
        page = await catalog.list_items(scope, None, resource_id, limit=PAGE)
        known |= {item.item_id: item for item in page.items}
    limit = asyncio.Semaphore(READ_AT_ONCE)

    async def read(item_id: str) -> MemoryItem:
        async with limit:
            return await catalog.get_item(scope, item_id)

    missing = [item_id for item_id in ids if item_id not in known]
    return known | dict(zip(missing, await asyncio.gather(*map(read, missing)), strict=True))


@router.get("/v1/items", summary="List items")
async def list_items(
    requester: Reader,
    parts: GatewayParts,
    user_id: CatalogUser = None,
    category: Annotated[Id | None, Query(description="Only items of this category.")] = None,
    resource_id: Annotated[Id | None, Query(description="Only items that were taken from this resource.")] = None,
    domain: Annotated[Label | None, Query(description="Only items of this domain, by value.")] = None,
    task_type: Annotated[Label | None, Query(description="Only items of this kind of task, by value.")] = None,
    level: Annotated[Level | None, Query(description="Only items of this level, by value.")] = None,
    goal: Annotated[
        Goal | None, Query(description="Goal by whose learned values they are ordered, best first.")
    ] = None,
    include: Include = None,
    metadata: FilterText = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[MemoryItem]:
    """The latest first; with `domain`, `task_type`, `level` or `goal` those that are worth most for the goal, on one
    page: what proved better than what was never used for it, then that, the latest first, then what proved worse."""
    scope = requester.catalog("read", user_id)
    if (domain, task_type, level, goal) != (None, None, None, None):
        if (category, resource_id, include, metadata, cursor) != (None, None, None, None, None):
            raise InvalidInput("a list by value is narrowed by domain, task_type, level and goal alone")
        wanted = Valued(goal=goal, domain=domain, task_type=task_type, level=level, limit=limit)
        page = Page[MemoryItem](items=tuple(await parts.catalog.valued_items(scope, wanted)))
    else:
        vectors, narrowed = include == "vector", filter_of(metadata)
        page = await parts.catalog.list_items(scope, category, resource_id, vectors, cursor, limit, narrowed)
    requester.tells(one.item_id for one in page.items)
    return page


@router.get("/v1/items/{item_id:id}", summary="Read one item")
async def get_item(
    requester: Reader, parts: GatewayParts, item_id: Id, user_id: CatalogUser = None, include: Include = None
) -> MemoryItem:
    """With what it was taken from; also by the id of one that became one with it."""
    return await parts.catalog.get_item(requester.catalog("read", user_id), item_id, include == "vector")


@router.delete("/v1/items/{item_id:id}", summary="Delete an item")
async def delete_item(requester: Writer, parts: GatewayParts, item_id: Id, user_id: CatalogUser = None) -> Forgotten:
    """Delete it with all that are one with it; it is not taken from the same resources again. A key that is bound to an
    agent deletes that agent's own; what all users share needs the scope `global`."""
    scope = requester.catalog("forget", user_id)
    scope = changing(requester, scope, await parts.catalog.get_item(scope, item_id))
    requester.items = await parts.catalog.forget(scope, [item_id])
    if not requester.items:
        raise NotFound("there is no item of that id")
    await parts.pins.unpin(scope, "catalog", [item_id])
    requester.deletes(parts.marks, scope, "item", [item_id], count=requester.items)
    return Forgotten(forgotten=requester.items, tiers={"catalog": "ok"})


@router.post("/v1/items/search", summary="Find items by a vector")
async def search_items(requester: Reader, parts: GatewayParts, body: ItemSearchIn) -> RetrievalResult:
    """The most similar items, best first, whatever words they have."""
    scope = requester.catalog("read", body.user_id)
    vector = parts.knowledge.unit(body.embedding, "embedding")
    found = await parts.catalog.search_items(scope, ItemQuery(text="", embedding=vector, k=body.k))
    requester.tells(one.item_id for one in found.items)
    return found
