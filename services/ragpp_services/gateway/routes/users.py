"""Whole users: erasing everything of one."""

from fastapi import Response

from ragpp.jobs import Job
from ragpp.ledger.erasing import Erasure
from ragpp_services.gateway.http import DryRun, GatewayParts, PathUser, accepted, keyed_router
from ragpp_services.gateway.requester import Writer

router = keyed_router("users")


@router.delete("/v1/users/{user_id:id}", status_code=202, response_model=Job, summary="Erase a user")
async def erase_user(requester: Writer, parts: GatewayParts, user_id: PathUser, dry_run: DryRun = False) -> Response:
    """Forget everything of the user, in every store: interactions, graph, preferences, rules, findings, reports, jobs,
    settings, pins, and the API keys that are bound to the user; audit entries keep a keyed hash in the user's place.
    Answers a job, whose result says for each store what was found, what was removed, and what was found again. What is
    stored after this was answered stays. Harmless to repeat, and for a user of whom nothing is known."""
    scope = requester.principal.whole("forget", user_id)
    requester.user_id = user_id if dry_run else parts.jobs.erased_name(scope.tenant_id, user_id)
    requester.items = 0 if dry_run else 1
    job = await parts.jobs.erase(scope, Erasure("user", dry_run=dry_run))
    if not dry_run:
        requester.deletes(parts.marks, scope, "user", (), count=1)
    return accepted(job)
