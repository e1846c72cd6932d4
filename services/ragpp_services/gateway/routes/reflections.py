"""What was found in the conversations, and the reports of the reflections on them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from ragpp.fields import Id, Moment
from ragpp.learned import Finding, Reflection, ReflectionKind
from ragpp.models import FindingKind, Page
from ragpp_services.gateway.http import RESPONSES, Cursor, Limit, Reader, UserId, answer, note
from ragpp_services.gateway.parts import Parts

router = APIRouter(tags=["learned"], responses=RESPONSES)
InPath = Annotated[Id, Path()]


@router.get("/v1/findings", response_model=Page[Finding], summary="List findings")
async def list_findings(
    request: Request,
    principal: Reader,
    user_id: UserId,
    finding: FindingKind | None = None,
    as_of: Annotated[Moment | None, Query(description="Only what had been found by this moment.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """Patterns, decisions, insights, errors, plans and dated events, the latest first."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    scope = principal.scope("read", user_id)
    return answer(await parts.procedural.list_findings(scope, finding, as_of, cursor, limit))


@router.get("/v1/users/{user_id:id}/reflections", response_model=Page[Reflection], summary="List reports")
async def list_reflections(
    request: Request,
    principal: Reader,
    user_id: InPath,
    kind: ReflectionKind | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """The reports of nightly and of incremental reflections, the latest date first."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.procedural.list_reflections(principal.scope("read", user_id), kind, cursor, limit))


@router.get(
    "/v1/users/{user_id:id}/reflections/{reflection_id:id}", response_model=Reflection, summary="Read one report"
)
async def get_reflection(request: Request, principal: Reader, user_id: InPath, reflection_id: InPath) -> Response:
    """What was analysed and what changed. A theme is gone when an interaction that it rests on was forgotten."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.procedural.get_reflection(principal.scope("read", user_id), reflection_id))
