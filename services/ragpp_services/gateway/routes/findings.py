"""Findings from the conversations, and what a person says of them."""

from typing import Annotated

from fastapi import Query

from ragpp.api import FindingChange, UserIn
from ragpp.fields import GivenTime, Id
from ragpp.learned import Finding
from ragpp.models import FindingKind, Page
from ragpp_services.gateway.http import Cursor, GatewayParts, Limit, UserId, keyed_router
from ragpp_services.gateway.pinned import note_deleted
from ragpp_services.gateway.requester import Reader, Writer

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
    page = await parts.procedural.list_findings(requester.scope("read", user_id), finding, as_of, cursor, limit)
    requester.tells(one.id for one in page.items)
    return page


@router.patch("/v1/findings/{item_id:id}", summary="Correct a finding")
async def correct_finding(requester: Writer, parts: GatewayParts, item_id: Id, body: FindingChange) -> Finding:
    """A person's words take the place of what was read. They are sure, rest on no message and stay, whatever is said
    later; forgetting the messages leaves them. The time that they speak of is read from them."""
    requester.items = 1
    scope = requester.scope("write", body.user_id)
    return await parts.procedural.correct_finding(scope, item_id, parts.intake.redacted(body.text))


@router.post("/v1/findings/{item_id:id}/confirm", summary="Confirm a finding")
async def confirm_finding(requester: Writer, parts: GatewayParts, item_id: Id, body: UserIn) -> Finding:
    """Its confidence is 1, and it holds also where something that was said before seemed to end it. What is said later
    may end it."""
    requester.items = 1
    return await parts.procedural.judge_finding(requester.scope("write", body.user_id), item_id, "confirmed")


@router.post("/v1/findings/{item_id:id}/reject", summary="Reject a finding")
async def reject_finding(requester: Writer, parts: GatewayParts, item_id: Id, body: UserIn) -> Finding:
    """It is deleted, by a key that may `write` and `forget`, and not made again; answered as it was."""
    requester.items = 1
    requester.scope("write", body.user_id)
    scope = requester.scope("forget", body.user_id)
    rejected = await parts.procedural.judge_finding(scope, item_id, "rejected")
    await note_deleted(requester, parts, scope, item_id)
    return rejected
