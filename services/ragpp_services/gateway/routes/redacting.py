"""Taking what is sought out of all that is stored of a user."""

from typing import Final

from pydantic import JsonValue

from ragpp.api.redacting import RedactAnswer, RedactRequest
from ragpp.errors import Forbidden
from ragpp_services.gateway.describing import refusal
from ragpp_services.gateway.http import GatewayParts, keyed_router
from ragpp_services.gateway.redacting.knowledge import knowledge, labels
from ragpp_services.gateway.redacting.messages import messages
from ragpp_services.gateway.redacting.procedures import procedures
from ragpp_services.gateway.redacting.relations import entities, relationships
from ragpp_services.gateway.redacting.seeking import redactor_sought
from ragpp_services.gateway.redacting.walking import Steps, Walk, walked
from ragpp_services.gateway.requester import Writer

router = keyed_router("forgetting")
STEPS: Final[Steps] = {
    "messages": messages,
    "knowledge": knowledge,
    "labels": labels,
    "procedures": procedures,
    "relationships": relationships,
    "entities": entities,
}
"""In this order: what was learned from a message goes with it, and is not looked at then; of what was stated, a
relationship is stated anew before an entity goes."""


@router.post(
    "/v1/redact",
    summary="Find, and replace, what is stored and should not be",
    responses={409: refusal(409, "The policy that holds for the user keeps personal data.")},
)
async def redact_stored(requester: Writer, parts: GatewayParts, body: RedactRequest) -> RedactAnswer:
    """Looks at a part of all that is stored of the user, and answers each thing that has what is sought, without the
    value. With `dry_run` false a placeholder, or the policy's mask, takes its place: a message is stored anew under
    another id and forgotten, as by `DELETE`, with what was learned from it, which is learned anew; everything else
    keeps its id. What is sought goes into no store, event, log or audit entry, so no job does it: ask again with
    `next_cursor`, and once more from the beginning, until nothing is found. Repeating is harmless. Needs the scopes
    `read`, `write` and `forget`; not with a key that is bound to an agent."""
    for needed in ("read", "write"):
        requester.scope(needed, body.user_id)
    scope = requester.scope("forget", body.user_id)
    if scope.view is not None:
        raise Forbidden(
            "this key is bound to an agent, and what other agents were told is looked at, too",
            suggestions=("Use a key that is bound to no agent.",),
        )
    walk = Walk(
        parts=parts,
        scope=scope,
        redactor=await redactor_sought(parts, scope, body),
        of_policy=body.policy,
        applies=not body.dry_run,
        limit=body.limit,
    )
    done = await walked(walk, STEPS, body.cursor)
    requester.tells(one.new_id or one.id for one in done.found if one.what != "label")
    gone = [one.id for one in done.found if one.new_id is not None]
    if gone:
        requester.deletes(parts.marks, scope, "interactions", gone, count=len(gone))
    sought = "policy" if body.policy else "text" if body.text else "pattern"
    told: dict[str, JsonValue] = {"redacted": sought, "dry_run": body.dry_run, "found": len(done.found)}
    requester.details = {**(requester.details or {}), **told}
    return RedactAnswer(
        found=tuple(done.found), looked_at=done.looked_at, dry_run=body.dry_run, next_cursor=done.following
    )
