"""Whether the gateway lives, and whether its tiers do."""

import asyncio

from fastapi import APIRouter, Request, Response

from ragpp.api import Live, Ready
from ragpp_services.gateway.parts import Parts

router = APIRouter(tags=["health"])


@router.get("/health/live", summary="Is the process alive?")
async def live(request: Request) -> Live:
    """Answers as long as the process can; looks at no store."""
    parts: Parts = request.app.state.parts
    return Live(version=parts.version)


@router.get(
    "/health/ready",
    response_model=Ready,
    summary="Do all tiers answer?",
    responses={503: {"model": Ready, "description": "At least one tier does not answer; each is named."}},
)
async def ready(request: Request, response: Response) -> Ready:
    """Every tier's own ping, each named."""
    parts: Parts = request.app.state.parts
    tiers = (parts.short_term, parts.episodic, parts.semantic, parts.procedural)
    pings = await asyncio.gather(*(tier.health_check() for tier in tiers))
    whole = all(ping.ok for ping in pings)
    response.status_code = 200 if whole else 503
    return Ready(
        status="ready" if whole else "degraded",
        tiers={tier.name: ping for tier, ping in zip(tiers, pings, strict=True)},
    )
