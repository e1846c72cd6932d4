"""Pins, by which items are kept however old they are, and letting go of the rest when asked."""

from typing import Annotated, Final
from uuid import uuid4

from fastapi import Path, Response

from ragpp.api import Pin, PinList, RetentionIn
from ragpp.errors import NotFound
from ragpp.fields import Id, NewId
from ragpp.jobs import Job
from ragpp.retention import RETAINED, RetainedTier
from ragpp_services.gateway.http import GatewayParts, NewPathUser, PathUser, accepted, keyed_router
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("retention")
_OF_WHAT: Final = "Id of an interaction, entity, relationship, preference, rule, finding or resource."
ItemId = Annotated[Id, Path(description=_OF_WHAT)]
NewItemId = Annotated[NewId, Path(description=_OF_WHAT)]


@router.post(
    "/v1/users/{user_id:id}/retention",
    status_code=202,
    response_model=Job,
    summary="Apply the retention policy, or see what it would let go",
)
async def retain(requester: Writer, parts: GatewayParts, user_id: NewPathUser, body: RetentionIn) -> Response:
    """A job; its result has, for each tier, how much is due, why, and which items. Unless `dry_run` is false, nothing
    is let go. The policy is the operator's (LEARNING_RETENTION), by the plan in the user's settings."""
    scope = requester.whole("write" if body.dry_run else "forget", user_id)
    return accepted(
        requester,
        await parts.jobs.request(
            scope,
            "maintain.requested",
            f"retention:{uuid4().hex}",
            {"task": "retention", "dry_run": body.dry_run},
            parts.clock(),
        ),
    )


@router.get("/v1/users/{user_id:id}/pins", summary="List what is pinned")
async def pins(requester: Reader, parts: GatewayParts, user_id: PathUser) -> PinList:
    """By tier and id."""
    scope = requester.whole("read", user_id)
    found = [(tier, await parts.pins.pinned(scope, tier)) for tier in RETAINED]
    requester.tells(one for _, items in found for one in sorted(items))
    return PinList(pins=tuple(Pin(tier=tier, item_id=item) for tier, items in found for item in sorted(items)))


@router.put("/v1/users/{user_id:id}/pins/{tier}/{item_id:id}", summary="Pin an item")
async def pin(
    requester: Writer, parts: GatewayParts, user_id: NewPathUser, tier: RetainedTier, item_id: NewItemId
) -> Pin:
    """It is kept whatever the retention policy says, until it is unpinned or forgotten on request. Harmless to repeat;
    whether there is an item of that id is not looked at."""
    requester.items = 1
    await parts.pins.pin(requester.whole("write", user_id), tier, item_id)
    return Pin(tier=tier, item_id=item_id)


@router.delete("/v1/users/{user_id:id}/pins/{tier}/{item_id:id}", summary="Unpin an item")
async def unpin(requester: Writer, parts: GatewayParts, user_id: PathUser, tier: RetainedTier, item_id: ItemId) -> Pin:
    """From then on the retention policy applies to it."""
    requester.items = 1
    if not await parts.pins.unpin(requester.whole("forget", user_id), tier, [item_id]):
        raise NotFound("nothing of that id is pinned in this tier")
    return Pin(tier=tier, item_id=item_id)
