"""Health checks: whether the gateway lives, whether its tiers do, and whether everything works."""

import asyncio

from fastapi import APIRouter, Response

from ragpp.api import HealthReport, Live, Ready
from ragpp.errors import NotFound
from ragpp_services.gateway.http import GatewayParts, keyed_router
from ragpp_services.gateway.requester import Reader

router = APIRouter(tags=["health"])
keyed = keyed_router("health")


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


@keyed.post("/v1/health/report", summary="Try everything out")
async def make_report(requester: Reader, parts: GatewayParts) -> HealthReport:
    """Write a memory of its own, in a tenant that is nobody's, have it observed and extracted from, ask for it, forget
    it, look for it in every tier, and sweep away what is left; with the time of each step beside its target, and for
    what fails its cause and what to do. Takes seconds, a minute where the workers do nothing. One is made at a time.
    Needs the scope `admin`; where language models are configured, the extraction uses them."""
    requester.principal.need("admin")
    report = await parts.health.make(parts)
    requester.items = len(report.checks)
    return report


@keyed.get("/v1/health/report", summary="Read the last report")
async def last_report(requester: Reader, parts: GatewayParts) -> HealthReport:
    """The latest that was made by any gateway; 404 where none was. Needs the scope `admin`."""
    requester.principal.need("admin")
    report = await parts.health.last()
    if report is None:
        raise NotFound("no health report was made yet", suggestions=("Make one: POST /v1/health/report.",))
    return report
