"""Whole users: who is known, what is known of one in a few words, erasing everything of one."""

import asyncio
from typing import Annotated, Final

from fastapi import Query, Response

from ragpp.api import Profile
from ragpp.errors import Forbidden
from ragpp.fields import Confidence
from ragpp.jobs import Job
from ragpp.ledger.erasing import Erasure
from ragpp.models import KnownUser, Page, Scope
from ragpp.stores.cursors import decode_cursor, page_of
from ragpp_services.gateway.http import Cursor, DryRun, GatewayParts, Limit, PathUser, accepted, keyed_router
from ragpp_services.gateway.profile import profile_of
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("users")


LEAST_CONFIDENCE: Final = 0.1
"""The least confidence of what is in a profile, unless somebody asks for less."""


@router.get("/v1/users", summary="List users")
async def list_users(
    requester: Reader, parts: GatewayParts, cursor: Cursor = None, limit: Limit = 50
) -> Page[KnownUser]:
    """The tenant's users of whom there are messages, preferences, rules or findings, or anything in the
    catalog, by id. A key that is bound to a
    user sees that one; one that is bound to an agent is refused."""
    principal = requester.principal
    only, after = principal.users("read"), "" if cursor is None else decode_cursor(cursor, str)[0]
    if principal.agent_id is not None:
        raise Forbidden(
            "this key is bound to an agent, and who is known is of all agents'",
            suggestions=("Use a key that is bound to no agent.",),
        )
    scope = Scope(tenant_id=principal.tenant_id, user_id="")
    known = await asyncio.gather(
        *(tier.users(scope, after, limit + 1, only) for tier in (parts.procedural, parts.catalog, parts.episodic))
    )
    by_id = {one.user_id: one for found in known for one in found}  # the episodic tier's last: it knows since when
    return page_of(Page[KnownUser], [by_id[name] for name in sorted(by_id)], limit, lambda one: (one.user_id,))


@router.get("/v1/users/{user_id:id}/profile", summary="What is known of a user")
async def profile(
    requester: Reader,
    parts: GatewayParts,
    user_id: PathUser,
    min_confidence: Annotated[
        Confidence, Query(description="Least confidence of what is listed, 0 to 1.")
    ] = LEAST_CONFIDENCE,
    limit: Limit = 50,
) -> Profile:
    """One paragraph of the surest, and lists by kind with the ids by which each is confirmed, rejected, corrected or
    forgotten. No language model writes it. What holds until another takes its place, as a home, is told however long
    ago it was said."""
    scope = requester.scope("read", user_id)
    found = await profile_of(parts, scope, least=min_confidence, sure=parts.review_below, limit=limit)
    of_each = (found.entities, found.relationships, found.preferences, found.rules, found.findings)
    requester.tells(one.id for listed in of_each for one in listed)
    return found


@router.delete("/v1/users/{user_id:id}", status_code=202, response_model=Job, summary="Erase a user")
async def erase_user(requester: Writer, parts: GatewayParts, user_id: PathUser, dry_run: DryRun = False) -> Response:
    """Forget everything of the user, in every store: interactions, graph, preferences, rules, findings, reports, jobs,
    settings, pins, and the API keys that are bound to the user; audit entries keep a keyed hash in the user's place.
    Answers a job, whose result says for each store what was found, what was removed, and what was found again. What is
    stored after this was answered stays. Harmless to repeat, and for a user of whom nothing is known."""
    scope = requester.principal.whole("forget", user_id)
    requester.user_id = user_id if dry_run else parts.jobs.erased_name(scope.tenant_id, user_id)
    requester.items = 0 if dry_run else 1
    job = await parts.jobs.erase(scope, Erasure("user", dry_run=dry_run, key_id=requester.principal.key_id))
    if not dry_run:
        requester.deletes(parts.marks, scope, "user", (), count=1)
    return accepted(requester, job)
