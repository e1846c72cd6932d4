"""The learned items that are not sure enough and wait for a person to confirm or reject them."""

import asyncio
from typing import Annotated

from fastapi import Query

from ragpp.fields import Confidence
from ragpp.learned import ReviewList
from ragpp_services.gateway import quotes
from ragpp_services.gateway.http import GatewayParts, Limit, PathUser, keyed_router
from ragpp_services.gateway.requester import Reader

router = keyed_router("review")


@router.get("/v1/users/{user_id:id}/review", summary="List what waits to be judged")
async def review(
    requester: Reader,
    parts: GatewayParts,
    user_id: PathUser,
    below: Annotated[
        Confidence | None,
        Query(description="Only what has less confidence than this, 0 to 1; absent: LEARNING_REVIEW_BELOW, 0.5."),
    ] = None,
    limit: Limit = 50,
) -> ReviewList:
    """Relationships and preferences of little confidence on which nobody has judged, the surest first, and rules that
    nobody said plainly, the latest first, with what was said; at most `limit` of each. `POST …/confirm` and
    `POST …/reject` on one of them judge it."""
    scope = requester.scope("read", user_id)
    threshold = parts.review_below if below is None else below
    relationships, preferences, rules = await asyncio.gather(
        parts.semantic.review_relationships(scope, threshold, limit),
        parts.procedural.review_preferences(scope, threshold, limit),
        parts.procedural.review_rules(scope, limit),
    )
    proposed = await quotes.with_quotes(parts, scope, rules)
    requester.tells((*(one.id for one in relationships), *(one.id for one in preferences), *(one.id for one in rules)))
    return ReviewList(relationships=tuple(relationships), preferences=tuple(preferences), rules=tuple(proposed))
