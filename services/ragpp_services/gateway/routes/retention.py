"""What is kept however old it is, and letting go of the rest when asked."""

from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Path, Request, Response

from ragpp.api import Pin, PinList, RetentionIn
from ragpp.errors import NotFound
from ragpp.fields import Id
from ragpp.jobs import Job
from ragpp.retention import RETAINED, RetainedTier
from ragpp_services.gateway.http import RESPONSES, Reader, Writer, accepted, answer, body_schema, note, read_body
from ragpp_services.gateway.parts import Parts

router = APIRouter(tags=["retention"], responses=RESPONSES)
PathUser = Annotated[Id, Path(description="Whose memory.")]
ItemId = Annotated[Id, Path(description="Of an interaction, entity, relationship, preference, rule or finding.")]


@router.post(
    "/v1/users/{user_id:id}/retention",
    status_code=202,
    response_model=Job,
    openapi_extra=body_schema(RetentionIn),
    summary="Apply the retention policy, or see what it would let go",
)
async def retain(request: Request, principal: Writer, user_id: PathUser) -> Response:
    """A job; its result has, for each tier, how much is due, why, and which items. Unless `dry_run` is false, nothing
    is let go. The policy is the operator's (LEARNING_RETENTION), by the plan in the user's settings."""
    body = await read_body(request, RetentionIn)
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    scope = principal.whole("write" if body.dry_run else "forget", user_id)
    return accepted(
        await parts.jobs.request(
            scope,
            "maintain.requested",
            f"retention:{uuid4().hex}",
            {"task": "retention", "dry_run": body.dry_run},
            parts.clock(),
        )
    )


@router.get("/v1/users/{user_id:id}/pins", response_model=PinList, summary="List what is pinned")
async def pins(request: Request, principal: Reader, user_id: PathUser) -> Response:
    """By tier and id."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    scope = principal.whole("read", user_id)
    found = [(tier, await parts.pins.pinned(scope, tier)) for tier in RETAINED]
    return answer(PinList(pins=tuple(Pin(tier=tier, item_id=item) for tier, items in found for item in sorted(items))))


@router.put("/v1/users/{user_id:id}/pins/{tier}/{item_id:id}", response_model=Pin, summary="Pin an item")
async def pin(
    request: Request, principal: Writer, user_id: PathUser, tier: Annotated[RetainedTier, Path()], item_id: ItemId
) -> Response:
    """It is kept whatever the retention policy says, until it is unpinned or forgotten on request. Harmless to repeat;
    whether there is an item of that id is not looked at."""
    note(request, user_id=user_id, items=1)
    parts: Parts = request.app.state.parts
    await parts.pins.pin(principal.whole("write", user_id), tier, item_id)
    return answer(Pin(tier=tier, item_id=item_id))


@router.delete("/v1/users/{user_id:id}/pins/{tier}/{item_id:id}", response_model=Pin, summary="Unpin an item")
async def unpin(
    request: Request, principal: Writer, user_id: PathUser, tier: Annotated[RetainedTier, Path()], item_id: ItemId
) -> Response:
    """From then on the retention policy applies to it."""
    note(request, user_id=user_id, items=1)
    parts: Parts = request.app.state.parts
    if not await parts.pins.unpin(principal.whole("forget", user_id), tier, [item_id]):
        raise NotFound("nothing of that id is pinned in this tier")
    return answer(Pin(tier=tier, item_id=item_id))
