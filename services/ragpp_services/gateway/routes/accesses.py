"""The audit: who asked for what, how it ended, and which memories it returned or changed."""

from typing import Annotated

from fastapi import Query

from ragpp.api import AuditEntry, AuditOutcome
from ragpp.errors import InvalidInput
from ragpp.fields import GivenTime, Id, Said
from ragpp.models import Page
from ragpp_services.gateway.http import Cursor, GatewayParts, Limit, keyed_router
from ragpp_services.gateway.requester import Reader
from ragpp_services.gateway.trail import Wanted

router = keyed_router("audit")


@router.get("/v1/audit", summary="Read the audit")
async def list_accesses(
    requester: Reader,
    parts: GatewayParts,
    user_id: Annotated[Id | None, Query(description="Only requests about this user, also one who was erased.")] = None,
    key_id: Annotated[Id | None, Query(description="Only requests with this key, by its id.")] = None,
    route: Annotated[
        Said | None,
        Query(
            min_length=1,
            max_length=300,
            description="Only requests of this route, by its path in this description, or method and path.",
            examples=["POST /v1/recall"],
        ),
    ] = None,
    outcome: Annotated[
        AuditOutcome | None,
        Query(description="Only those that were answered (`ok`), refused (4xx) or that failed (5xx)."),
    ] = None,
    since: Annotated[GivenTime | None, Query(description="Only requests from this moment on.")] = None,
    until: Annotated[GivenTime | None, Query(description="Only requests before this moment.")] = None,
    memory_id: Annotated[
        Id | None,
        Query(
            description="Only requests that returned, changed or deleted this memory; with its `user_id` also one that "
            "was forgotten."
        ),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[AuditEntry]:
    """Newest first; a request is there within a second. A key sees its tenant's, or those of the user and agent that it
    is bound to, and requests that were refused for one of the keys that it may list, revoked ones among them. Of a
    memory of whose user anything was forgotten since there is the keyed hash alone, until it is returned again. Needs
    the scope `admin`."""
    principal = requester.principal
    requester.user_id = user_id
    principal.users("admin", user_id)
    if since is not None and until is not None and since > until:
        raise InvalidInput.of_field("since", "is after until")
    page = await parts.trail.page(
        principal, Wanted(user_id, key_id, route, outcome, since, until, memory_id), cursor, limit
    )
    requester.items = len(page.items)
    return page
