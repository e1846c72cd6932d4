"""The workers' jobs, to look at, retry, cancel and ask for, how far behind they are, and a user's settings."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final
from uuid import uuid4

from fastapi import Query, Response
from pydantic import JsonValue

from ragpp.api import ExtractIn, ReflectIn, SettingsIn
from ragpp.errors import InvalidInput, NotFound
from ragpp.fields import Id
from ragpp.jobs import Job, JobState, LagReport, UserSettings
from ragpp.ledger import Stage
from ragpp.models import Page, Scope
from ragpp_services.gateway.http import Cursor, GatewayParts, Limit, NewPathUser, PathUser, accepted, keyed_router
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.requester import Reader, Writer
from ragpp_services.gateway.results import with_contents

router = keyed_router("jobs")
Whose = Annotated[
    Id | None, Query(description="Id of the user; absent: every user that the key may read.", examples=["u1"])
]
STEP: Final = timedelta(microseconds=1)
WINDOW: Final = timedelta(hours=1)
FIRST: Final = datetime(2, 1, 2, tzinfo=UTC)
LAST: Final = datetime(9998, 12, 30, tzinfo=UTC)
"""Between these every moment has an hour before it and a day around it, in any time zone."""


@router.get("/v1/jobs", summary="List jobs")
async def list_jobs(
    requester: Reader,
    parts: GatewayParts,
    user_id: Whose = None,
    stage: Annotated[Stage | None, Query(description="Only work of this stage.")] = None,
    state: Annotated[JobState | None, Query(description="Only jobs in this state; `failed` ones need a look.")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Job]:
    """Newest first. Every message is two jobs, `observe` and `short_term`; the others are rarer. Results have ids and
    numbers alone; what the ids stand for is answered with one job. A key that is bound to an agent has the jobs that
    it asked for."""
    requester.user_id, principal = user_id, requester.principal
    return await parts.jobs.jobs(
        principal.tenant_id,
        user_id=principal.users("read", user_id),
        agent_id=principal.agent_id,
        stage=stage,
        state=state,
        cursor=cursor,
        limit=limit,
    )


@router.get("/v1/jobs/{job_id:id}", summary="Read one job")
async def get_job(requester: Reader, parts: GatewayParts, job_id: Id, user_id: Whose = None) -> Job:
    """Its state, its error when it failed, and its result when it has one, with what the ids in it stand for. A key
    with the scope `forget` and without `read` reads the report of an erasure that it asked for itself."""
    principal = requester.principal
    reading = "read" in principal.scopes or "forget" not in principal.scopes
    needed, own = ("read", None) if reading else ("forget", principal.key_id)
    whose = principal.users(needed, user_id)
    try:
        job = await parts.jobs.job(principal.tenant_id, job_id, user_id=whose, agent_id=principal.agent_id, key_id=own)
    except NotFound:
        principal.need("read")
        raise
    requester.user_id = job.user_id
    return await with_contents(parts, principal.scope(needed, whose or job.user_id), job)


@router.post("/v1/jobs/{job_id:id}/retry", summary="Retry a failed or cancelled job")
async def retry_job(requester: Writer, parts: GatewayParts, job_id: Id, user_id: Whose = None) -> Job:
    """It gets another round of attempts. 409 when it is neither failed nor cancelled."""
    principal = requester.principal
    whose = principal.users("write", user_id)
    job = await parts.jobs.retry(principal.tenant_id, job_id, user_id=whose, agent_id=principal.agent_id)
    requester.user_id, requester.items, requester.details = job.user_id, 1, {"job": job.id}
    return job


@router.post("/v1/jobs/{job_id:id}/cancel", summary="Cancel a job that waits")
async def cancel_job(requester: Writer, parts: GatewayParts, job_id: Id, user_id: Whose = None) -> Job:
    """It is not done, unless it is retried. 409 when it no longer waits, and for jobs that forget: those must be
    done."""
    principal = requester.principal
    whose = principal.users("write", user_id)
    job = await parts.jobs.cancel(principal.tenant_id, job_id, user_id=whose, agent_id=principal.agent_id)
    requester.user_id, requester.items, requester.details = job.user_id, 1, {"job": job.id}
    return job


@router.get("/v1/lag", summary="How far are the workers behind?")
async def lag(requester: Reader, parts: GatewayParts, user_id: Whose = None) -> LagReport:
    """Waiting and failed events by stage, the age of the oldest event that waits, and each stage's last success."""
    requester.user_id, principal = user_id, requester.principal
    return await parts.jobs.lag(principal.tenant_id, principal.users("read", user_id))


@router.post("/v1/users/{user_id:id}/extract", status_code=202, response_model=Job, summary="Extract from a window now")
async def extract(requester: Writer, parts: GatewayParts, user_id: NewPathUser, body: ExtractIn) -> Response:
    """Answers a job; when it is done its `result` has `patterns`, `preferences`, `relationships`, `findings` and
    `extracted_at`. Workers do the same by themselves when a user has been quiet for a while."""
    scope = requester.scope("write", user_id)
    latest = await _latest(parts, scope)
    window = _window(body.start, body.end or latest + STEP)
    subject = f"asked:{body.id or uuid4().hex}"
    return accepted(requester, await parts.jobs.request(scope, "extract.requested", subject, window, latest))


@router.post("/v1/users/{user_id:id}/reflect", status_code=202, response_model=Job, summary="Reflect now")
async def reflect(requester: Writer, parts: GatewayParts, user_id: NewPathUser, body: ReflectIn) -> Response:
    """Answers a job; when it is done its `result` is the report, which GET /v1/users/{user_id}/reflections lists.
    Workers reflect by themselves each night, at the hour of the user's settings."""
    scope = requester.scope("write", user_id)
    latest = await _latest(parts, scope)
    about: dict[str, JsonValue] = {"kind": body.kind}
    if body.kind == "incremental":
        about |= _window(None, latest + STEP)
    elif body.date is not None:
        about["date"] = body.date.isoformat()
    subject = f"asked:{body.id or uuid4().hex}"
    return accepted(requester, await parts.jobs.request(scope, "reflect.requested", subject, about, latest))


@router.get("/v1/users/{user_id:id}/settings", summary="Read a user's settings")
async def get_settings(requester: Reader, parts: GatewayParts, user_id: PathUser) -> UserSettings:
    """The defaults, where nothing was set."""
    return await parts.jobs.settings(requester.scope("read", user_id))


@router.put("/v1/users/{user_id:id}/settings", summary="Set a user's settings")
async def set_settings(requester: Writer, parts: GatewayParts, user_id: NewPathUser, body: SettingsIn) -> UserSettings:
    """The time zone and the local hour of the nightly reflection, and the plan whose retention applies. What is absent
    is set to its default."""
    scope = requester.whole("write", user_id)
    settings = await parts.jobs.set_settings(scope, body)
    parts.choices.set(scope)
    requester.items, requester.details = 1, {"settings": list[JsonValue](sorted(body.model_fields_set))}
    return settings


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
