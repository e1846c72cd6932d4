"""Whole users: erasing everything of one."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from ragpp.fields import Id
from ragpp.jobs import Job
from ragpp.ledger.erasing import Erasure
from ragpp_services.gateway.http import RESPONSES, DryRun, Writer, accepted, note
from ragpp_services.gateway.parts import Parts

router = APIRouter(tags=["users"], responses=RESPONSES)


@router.delete("/v1/users/{user_id:id}", status_code=202, response_model=Job, summary="Erase a user")
async def erase_user(
    request: Request,
    principal: Writer,
    user_id: Annotated[Id, Path(description="Whose memory.")],
    dry_run: DryRun = False,
) -> Response:
    """Forget everything of the user, in every store: interactions, graph, preferences, rules, findings, reports, jobs,
    settings, pins, and the API keys that are bound to the user; audit entries keep a keyed hash in the user's place.
    Answers a job, whose result says for each store what was found, what was removed, and what was found again. What is
    stored after this was answered stays. Harmless to repeat, and for a user of whom nothing is known."""
    parts: Parts = request.app.state.parts
    scope = principal.whole("forget", user_id)
    name = parts.jobs.erased_name(scope.tenant_id, user_id)
    note(request, user_id=user_id if dry_run else name, items=0 if dry_run else 1)
    return accepted(await parts.jobs.erase(scope, Erasure("user", dry_run=dry_run)))
