"""Whether the gateway lives, and whether its tiers do."""

import asyncio

from fastapi import APIRouter, Response

from ragpp.api import Live, Ready
from ragpp_services.gateway.http import GatewayParts

router = APIRouter(tags=["health"])


@router.get("/health/live", summary="Is the process alive?")
async def live(parts: GatewayParts) -> Live:
    """Answers as long as the process can; looks at no store."""
    return Live(version=parts.version)


@router.get(
    "/health/ready",
    summary="Do all tiers answer?",
    responses={503: {"model": Ready, "description": "At least one tier does not answer; each is named."}},
)
async def ready(parts: GatewayParts, response: Response) -> Ready:
    """Every tier's own ping, each named."""
    tiers = parts.by_name()
    pings = await asyncio.gather(*(tier.health_check() for tier in tiers.values()))
    whole = all(ping.ok for ping in pings)
    response.status_code = 200 if whole else 503
    return Ready(
        status="ready" if whole else "degraded",
        tiers=dict(zip(tiers, pings, strict=True)),
    )
