"""The events of the catalog."""

from typing import Annotated

from fastapi import Query

from ragpp.catalog import CatalogEvent, CatalogEventType
from ragpp.fields import Id
from ragpp.models import Page
from ragpp_services.gateway.http import CatalogUser, Cursor, GatewayParts, Limit, keyed_router
from ragpp_services.gateway.requester import Reader

router = keyed_router("catalog")


@router.get("/v1/events", summary="List the catalog's events")
async def list_events(
    requester: Reader,
    parts: GatewayParts,
    user_id: CatalogUser = None,
    event_type: CatalogEventType | None = None,
    subject_id: Annotated[Id | None, Query(description="Only events of this resource, item or category.")] = None,
    session_id: Annotated[Id | None, Query(description="Only events of what came from this session.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[CatalogEvent]:
    """Newest first, with ids and numbers and without content."""
    return await parts.events.page(
        requester.catalog("read", user_id),
        event_type=event_type,
        subject_id=subject_id,
        session_id=session_id,
        cursor=cursor,
        limit=limit,
    )
