"""Resources of the catalog: kept, read back, extracted from and deleted."""

import json
from typing import Annotated, Final
from uuid import uuid4

from fastapi import Query, Response

from ragpp.api import ExtractResourceIn, Forgotten, ResourceIn, StoredResource
from ragpp.catalog import Resource, ResourceType
from ragpp.errors import Conflict, InvalidInput, ResourceNotFoundError
from ragpp.fields import Id, Said
from ragpp.jobs import Job
from ragpp.models import Page
from ragpp.placeholders import kinds_in
from ragpp_services.gateway.catalog.owning import changing, place, writing
from ragpp_services.gateway.catalog.resting import kept
from ragpp_services.gateway.catalog.work import extraction
from ragpp_services.gateway.describing import refusal
from ragpp_services.gateway.http import CatalogUser, Cursor, GatewayParts, Limit, accepted, keyed_router
from ragpp_services.gateway.requester import Reader, Writer

SHOWN_CHARS: Final = 200
"""Characters that are shown of the content of a resource that was just stored."""

router = keyed_router("catalog")


@router.post(
    "/v1/resources",
    status_code=201,
    summary="Keep a resource",
    responses={409: refusal(409, "Its id is known with other content, or was deleted.")},
)
async def store_resource(requester: Writer, parts: GatewayParts, body: ResourceIn) -> StoredResource:
    """Keep a conversation, a document, a configuration or feedback as it is, but for secrets. With `extract` a job
    takes items from it. Repeating a request with an id is harmless. Messages with ids, and all with `remember`, are
    interactions, on which the resource then rests: it is never seen by more agents than they are, and what is forgotten
    of them goes out of it."""
    where = place(requester, body.user_id, body.visibility, agent_id=body.agent_id, session_id=body.session_id)
    requester.items = 1
    _known(parts, body.resource_type)
    if body.category_hint is not None:
        await parts.catalog.get_category(where.scope, body.category_hint)
    body = body.model_copy(update={"id": body.id or f"{body.id_prefix}{uuid4()}"})
    done = await kept(parts, where, body)
    stored = done.stored
    if stored.forgotten:
        raise Conflict(
            "a resource of this id was deleted, and stays so",
            suggestions=("Keep it under another id.",),
        )
    requester.memory_ids = (stored.id,)
    resource = await parts.catalog.get_resource(where.scope, stored.id)
    job = await extraction(parts, where.scope, stored.id, body.category_hint) if body.extract else None
    return StoredResource(
        resource=resource.model_copy(
            update={
                "content": resource.content[:SHOWN_CHARS],
                "content_truncated": len(resource.content) > SHOWN_CHARS,
            }
        ),
        redactions=done.redactions,
        redacted=kinds_in(resource.content, json.dumps(resource.metadata)) if done.redactions else (),
        duplicate=stored.duplicate,
        job=job,
        receipt=done.receipt,
    )


@router.get("/v1/resources", summary="List or search resources")
async def list_resources(
    requester: Reader,
    parts: GatewayParts,
    user_id: CatalogUser = None,
    resource_type: ResourceType | None = None,
    session_id: Id | None = None,
    search: Annotated[
        Said | None,
        Query(min_length=1, max_length=10_000, description="Words to find; the best come first, on one page."),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Resource]:
    """The one stored last first, or with `search` those that have its words; content is cut to 200 characters, or to
    what was found."""
    scope = requester.catalog("read", user_id)
    if resource_type is not None:
        _known(parts, resource_type)
    if search is None:
        page = await parts.catalog.list_resources(scope, resource_type, session_id, cursor, limit)
        requester.tells(one.resource_id for one in page.items)
        return page
    for name, given in (("session_id", session_id), ("cursor", cursor)):
        if given is not None:
            raise InvalidInput.of_field(name, "does not go with search")
    requester.query_sha256 = parts.marks.of_query(search)
    found = await parts.catalog.search_resources(scope, search, resource_type, limit)
    requester.tells(one.resource_id for one in found)
    return Page[Resource](items=tuple(found))


@router.get("/v1/resources/{resource_id:id}", summary="Read one resource")
async def get_resource(
    requester: Reader, parts: GatewayParts, resource_id: Id, user_id: CatalogUser = None
) -> Resource:
    """All of it, as it was kept, after redaction; the content of a stub is gone."""
    return await parts.catalog.get_resource(requester.catalog("read", user_id), resource_id)


@router.delete("/v1/resources/{resource_id:id}", summary="Delete a resource")
async def delete_resource(
    requester: Writer,
    parts: GatewayParts,
    resource_id: Id,
    user_id: CatalogUser = None,
    cascade: Annotated[
        bool, Query(description="True also deletes its items; false leaves them, and of it a stub without content.")
    ] = True,
) -> Forgotten:
    """Delete it with every item that rests on it alone; pages are made anew of what is left. A key that is bound to an
    agent deletes that agent's own; what all users share needs the scope `global`."""
    scope = requester.catalog("forget", user_id)
    scope = changing(requester, scope, await parts.catalog.get_resource(scope, resource_id))
    if not await parts.catalog.delete_resource(scope, resource_id, cascade):
        raise ResourceNotFoundError(resource_id)
    if cascade:
        await parts.pins.unpin(scope, "catalog", [resource_id])
    requester.items = 1
    requester.deletes(parts.marks, scope, "resource", [resource_id], count=1)
    return Forgotten(forgotten=1, tiers={"catalog": "ok"})


@router.post(
    "/v1/resources/{resource_id:id}/extract", status_code=202, response_model=Job, summary="Take items from a resource"
)
async def extract_resource(
    requester: Writer, parts: GatewayParts, resource_id: Id, body: ExtractResourceIn
) -> Response:
    """Answers a job; while it waits, asking again answers the same. When it is done, what was taken before and is not
    found again is gone, but for items stored by hand; its `result` names the items."""
    scope = requester.catalog("write", body.user_id)
    scope = writing(requester, scope, await parts.catalog.get_resource(scope, resource_id))
    if body.category_hint is not None:
        await parts.catalog.get_category(scope, body.category_hint)
    requester.items = 1
    return accepted(requester, await extraction(parts, scope, resource_id, body.category_hint))


def _known(parts: GatewayParts, resource_type: str) -> None:
    """Raises InvalidInput for a type that there is none of."""
    if resource_type not in parts.resource_types:
        why = f"is none of {', '.join(parts.resource_types)}"
        raise InvalidInput(
            f"resource_type: {why}",
            suggestions=("Choose one of these, or have the operator add it to GATEWAY_RESOURCE_TYPES.",),
            details={"errors": [{"field": "resource_type", "reason": why}]},
        )
