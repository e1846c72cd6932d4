"""Findings from the conversations, and the reports of the reflections on them."""

from typing import Annotated

from fastapi import Query

from ragpp.fields import GivenTime, Id
from ragpp.learned import Finding, Reflection, ReflectionKind
from ragpp.models import FindingKind, Page
from ragpp_services.gateway.http import Cursor, GatewayParts, Limit, PathUser, UserId, keyed_router
from ragpp_services.gateway.requester import Reader

router = keyed_router("learned")


@router.get("/v1/findings", summary="List findings")
async def list_findings(
    requester: Reader,
    parts: GatewayParts,
    user_id: UserId,
    finding: FindingKind | None = None,
    as_of: Annotated[
        GivenTime | None, Query(description="Only what had been found by this moment; absent: now.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Finding]:
    """Findings of one kind or of all, the latest first."""
    return await parts.procedural.list_findings(requester.scope("read", user_id), finding, as_of, cursor, limit)


@router.get("/v1/users/{user_id:id}/reflections", summary="List reports")
async def list_reflections(
    requester: Reader,
    parts: GatewayParts,
    user_id: PathUser,
    kind: ReflectionKind | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Reflection]:
    """The reports of nightly and of incremental reflections, the latest date first."""
    return await parts.procedural.list_reflections(requester.scope("read", user_id), kind, cursor, limit)


@router.get("/v1/users/{user_id:id}/reflections/{reflection_id:id}", summary="Read one report")
async def get_reflection(requester: Reader, parts: GatewayParts, user_id: PathUser, reflection_id: Id) -> Reflection:
    """The report: what was analysed and what changed. A theme is gone when an interaction that it rests on was
    forgotten."""
    return await parts.procedural.get_reflection(requester.scope("read", user_id), reflection_id)
