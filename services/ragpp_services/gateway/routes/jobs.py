"""What the workers do: jobs to look at, retry, cancel and ask for, how far behind they are, and a user's settings."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final
from uuid import uuid4

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import JsonValue

from ragpp.api import ExtractIn, ReflectIn, SettingsIn
from ragpp.errors import InvalidInput
from ragpp.fields import Id
from ragpp.jobs import Job, JobState, LagReport, UserSettings
from ragpp.ledger import Stage
from ragpp.models import Page, Scope
from ragpp_services.gateway.http import (
    RESPONSES,
    Cursor,
    Limit,
    Reader,
    Writer,
    accepted,
    answer,
    body_schema,
    note,
    read_body,
)
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.results import with_contents

router = APIRouter(tags=["jobs"], responses=RESPONSES)
InPath = Annotated[Id, Path()]
Whose = Annotated[Id | None, Query(description="Whose; absent, everybody's whom the key may read.", examples=["u1"])]
STEP: Final = timedelta(microseconds=1)
WINDOW: Final = timedelta(hours=1)
FIRST: Final = datetime(2, 1, 2, tzinfo=UTC)
LAST: Final = datetime(9998, 12, 30, tzinfo=UTC)
"""Between these every moment has an hour before it and a day around it, in any time zone."""


@router.get("/v1/jobs", response_model=Page[Job], summary="List jobs")
async def list_jobs(
    request: Request,
    principal: Reader,
    user_id: Whose = None,
    stage: Annotated[Stage | None, Query(description="What kind of work.")] = None,
    state: Annotated[JobState | None, Query(description="`failed` for what needs a look.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """Newest first. Every message is two jobs, `observe` and `short_term`; the others are rarer. Results have ids and
    numbers alone; what the ids stand for is answered with one job. A key that is bound to an agent has the jobs that
    it asked for."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    whose = principal.users("read", user_id)
    return answer(
        await parts.jobs.jobs(
            principal.tenant_id,
            user_id=whose,
            agent_id=principal.agent_id,
            stage=stage,
            state=state,
            cursor=cursor,
            limit=limit,
        )
    )


@router.get("/v1/jobs/{job_id:id}", response_model=Job, summary="Read one job")
async def get_job(request: Request, principal: Reader, job_id: InPath, user_id: Whose = None) -> Response:
    """Its state, its error when it failed, and its result when it has one, with what the ids in it stand for."""
    parts: Parts = request.app.state.parts
    whose = principal.users("read", user_id)
    job = await parts.jobs.job(principal.tenant_id, job_id, user_id=whose, agent_id=principal.agent_id)
    note(request, user_id=job.user_id)
    return answer(await with_contents(parts, principal.scope("read", whose or job.user_id), job))


@router.post("/v1/jobs/{job_id:id}/retry", response_model=Job, summary="Retry a failed or cancelled job")
async def retry_job(request: Request, principal: Writer, job_id: InPath, user_id: Whose = None) -> Response:
    """It gets another round of attempts. 409 when it is neither failed nor cancelled."""
    parts: Parts = request.app.state.parts
    whose = principal.users("write", user_id)
    job = await parts.jobs.retry(principal.tenant_id, job_id, user_id=whose, agent_id=principal.agent_id)
    note(request, user_id=job.user_id, items=1)
    return answer(job)


@router.post("/v1/jobs/{job_id:id}/cancel", response_model=Job, summary="Cancel a job that waits")
async def cancel_job(request: Request, principal: Writer, job_id: InPath, user_id: Whose = None) -> Response:
    """It is not done, unless it is retried. 409 when it no longer waits, and for jobs that forget: those must be
    done."""
    parts: Parts = request.app.state.parts
    whose = principal.users("write", user_id)
    job = await parts.jobs.cancel(principal.tenant_id, job_id, user_id=whose, agent_id=principal.agent_id)
    note(request, user_id=job.user_id, items=1)
    return answer(job)


@router.get("/v1/lag", response_model=LagReport, summary="How far are the workers behind?")
async def lag(request: Request, principal: Reader, user_id: Whose = None) -> Response:
    """What waits and what failed by stage, the age of the oldest event that waits, and each stage's last success."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.jobs.lag(principal.tenant_id, principal.users("read", user_id)))


@router.post(
    "/v1/users/{user_id:id}/extract",
    status_code=202,
    response_model=Job,
    openapi_extra=body_schema(ExtractIn),
    summary="Extract from a window now",
)
async def extract(request: Request, principal: Writer, user_id: InPath) -> Response:
    """Answers a job; when it is done its `result` has `patterns`, `preferences`, `relationships`, `findings` and
    `extracted_at`. Workers do the same by themselves when a user has been quiet for a while."""
    body = await read_body(request, ExtractIn)
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    scope = principal.scope("write", user_id)
    latest = await _latest(parts, scope)
    window = _window(body.start, body.end or latest + STEP)
    subject = f"asked:{body.id or uuid4().hex}"
    return accepted(await parts.jobs.request(scope, "extract.requested", subject, window, latest))


@router.post(
    "/v1/users/{user_id:id}/reflect",
    status_code=202,
    response_model=Job,
    openapi_extra=body_schema(ReflectIn),
    summary="Reflect now",
)
async def reflect(request: Request, principal: Writer, user_id: InPath) -> Response:
    """Answers a job; when it is done its `result` is the report, which GET /v1/users/{user_id}/reflections lists.
    Workers reflect by themselves each night, at the hour of the user's settings."""
    body = await read_body(request, ReflectIn)
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    scope = principal.scope("write", user_id)
    latest = await _latest(parts, scope)
    about: dict[str, JsonValue] = {"kind": body.kind}
    if body.kind == "incremental":
        about |= _window(None, latest + STEP)
    elif body.date is not None:
        about["date"] = body.date.isoformat()
    subject = f"asked:{body.id or uuid4().hex}"
    return accepted(await parts.jobs.request(scope, "reflect.requested", subject, about, latest))


@router.get("/v1/users/{user_id:id}/settings", response_model=UserSettings, summary="Read a user's settings")
async def get_settings(request: Request, principal: Reader, user_id: InPath) -> Response:
    """The defaults, where nothing was set."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.jobs.settings(principal.scope("read", user_id)))


@router.put(
    "/v1/users/{user_id:id}/settings",
    response_model=UserSettings,
    openapi_extra=body_schema(SettingsIn),
    summary="Set a user's settings",
)
async def set_settings(request: Request, principal: Writer, user_id: InPath) -> Response:
    """The time zone and the local hour of the nightly reflection, and the plan whose retention applies. What is absent
    is set to its default."""
    body = await read_body(request, SettingsIn)
    note(request, user_id=user_id, items=1)
    parts: Parts = request.app.state.parts
    return answer(await parts.jobs.set_settings(principal.whole("write", user_id), body))


async def _latest(parts: Parts, scope: Scope) -> datetime:
    """When the user's latest interaction was, in the conversations' time, within FIRST and LAST; now, without any."""
    page = await parts.episodic.list_interactions(scope, None, None, 1)
    latest = page.items[0].occurred_at if page.items else parts.clock()
    return min(max(latest, FIRST), LAST)


def _window(start: datetime | None, end: datetime) -> dict[str, JsonValue]:
    if start is None:
        start = end - WINDOW if end >= FIRST else datetime.min.replace(tzinfo=UTC)
    start, end = max(start, FIRST), min(end, LAST)
    if start >= end:
        raise InvalidInput(
            "the window's start is not before its end, which is the user's latest interaction",
            details={"errors": [{"field": "start", "reason": "is after the user's latest interaction"}]},
        )
    return {"start": start.isoformat(), "end": end.isoformat()}
