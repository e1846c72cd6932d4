"""Writing interactions, reading them back, and forgetting them."""

from typing import Annotated

from fastapi import Query

from ragpp.api import ForgottenMessage, Pending, StoreRequest, StoreResponse
from ragpp.errors import Forbidden, InvalidInput, NotFound
from ragpp.fields import GivenTime, Id, Label
from ragpp.models import Filters, Interaction, Page, Role, TimeRange
from ragpp.receipts import Receipt
from ragpp_services.gateway.describing import refusal
from ragpp_services.gateway.forgetting import forget_messages, said_to
from ragpp_services.gateway.http import Cursor, DryRun, FilterText, GatewayParts, Limit, UserId, filter_of, keyed_router
from ragpp_services.gateway.remembering import keep
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("interactions")


@router.post(
    "/v1/interactions",
    status_code=201,
    summary="Remember messages",
    responses={409: refusal(409, "An id is known with other content; `details.indexes` names which.")},
)
async def store_interactions(requester: Writer, parts: GatewayParts, body: StoreRequest) -> StoreResponse:
    """Store messages of one session. All are acknowledged, or none; repeating a request with ids is harmless. A message
    whose id was forgotten stays so: `forgotten`, and the others are stored."""
    requester.agent_id, requester.items = body.agent_id, len(body.messages)
    scope = requester.scope("write", body.user_id, agent_id=body.agent_id, session_id=body.session_id)
    seen = body.visibility or requester.principal.default_visibility
    if seen == "shared" and requester.principal.agent_id is not None:
        requester.principal.need_to_share()
    if seen == "agent" and scope.agent_id is None:
        raise InvalidInput(
            "agent_id is missing: with the visibility agent it says which agent may see the messages",
            details={"errors": [{"field": "agent_id", "reason": "is missing, and visibility is agent"}]},
        )
    said = body.model_copy(update={"agent_id": scope.agent_id, "visibility": seen})
    kept = await keep(parts, scope, said)
    messages = kept.messages
    requester.memory_ids = [one.id for one in messages if not one.forgotten]
    return StoreResponse(
        receipt=kept.receipt,
        stored=messages,
        timestamp=parts.clock(),
        tiers={"episodic": "ok", "short_term": kept.short_term},
    )


@router.get("/v1/interactions", summary="List interactions by time")
async def list_interactions(
    requester: Reader,
    parts: GatewayParts,
    user_id: UserId,
    session_id: Id | None = None,
    agent_id: Id | None = None,
    role: Role | None = None,
    message_type: Label | None = None,
    channel: Label | None = None,
    domain: Label | None = None,
    task_type: Label | None = None,
    start: Annotated[GivenTime | None, Query(description="Only what was said from this moment on.")] = None,
    end: Annotated[GivenTime | None, Query(description="Only what was said before this moment.")] = None,
    metadata: FilterText = None,
    newest_first: bool = True,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Interaction]:
    """Everything that was said, a page at a time."""
    scope = requester.scope("read", user_id, agent_id=agent_id)
    if start is not None and end is not None and start > end:
        raise InvalidInput.of_field("start", "is after end")
    try:
        time_range = TimeRange(start=start, end=end) if start or end else None
    except ValueError as error:
        raise InvalidInput("start or end is outside the years 1 to 9999 in UTC") from error
    filters = Filters(
        time_range=time_range,
        session_id=session_id,
        agent_id=agent_id,
        role=role,
        message_type=message_type,
        channel=channel,
        domain=domain,
        task_type=task_type,
        metadata=filter_of(metadata),
    )
    page = await parts.episodic.list_interactions(scope, filters, cursor, limit, newest_first)
    requester.tells(one.id for one in page.items)
    return page


@router.get("/v1/interactions/{interaction_id:ids}", summary="Read one interaction")
async def get_interaction(requester: Reader, parts: GatewayParts, interaction_id: Id, user_id: UserId) -> Interaction:
    """The interaction as it was stored, after redaction."""
    for interaction in await parts.episodic.get(requester.scope("read", user_id), [interaction_id]):
        return interaction
    raise NotFound("this user has no interaction of that id")


@router.delete("/v1/interactions/{interaction_id:ids}", summary="Forget one interaction")
async def forget_interaction(
    requester: Writer,
    parts: GatewayParts,
    interaction_id: Id,
    user_id: UserId,
    replies: Annotated[bool, Query(description="True also forgets the messages that repeat it.")] = False,
    dry_run: DryRun = False,
) -> ForgottenMessage:
    """Delete the interaction and everything that rested on it, in every tier. Replies that repeat it are messages
    of their own: they are told of and stay, but for `replies`, and nothing is learned from what they repeat. A key that
    is bound to an agent forgets what was said to that agent, and is refused what it may only see."""
    scope = requester.scope("forget", user_id)
    found = await parts.episodic.get(scope, [interaction_id])
    if not found:
        raise NotFound("this user has no interaction of that id")
    if not said_to(scope, found[0]):
        raise Forbidden(
            "this key is bound to an agent, and this was not said to it",
            suggestions=("Forget it with a key that is bound to no agent.",),
        )
    repeating = await parts.episodic.repeated_by(scope, [interaction_id])
    repeated_by = tuple(one.id for one in await parts.episodic.get(scope, repeating) if said_to(scope, one))
    going = [*(repeated_by if replies else ()), interaction_id]  # last: by it the others are found, if it is repeated
    if dry_run:
        return ForgottenMessage(forgotten=len(going), repeated_by=repeated_by, dry_run=True)
    done = await forget_messages(parts, scope, going, key_id=requester.principal.key_id)
    if not done.forgotten and done.job is None:
        raise NotFound("this user has no interaction of that id")
    requester.items = done.forgotten
    requester.deletes(parts.marks, scope, "interactions", going, count=done.forgotten, job=done.job)
    return ForgottenMessage(forgotten=done.forgotten, tiers=done.tiers, repeated_by=repeated_by, job=done.job)


@router.get("/v1/pending", summary="Count what is not yet digested")
async def pending(
    requester: Reader,
    parts: GatewayParts,
    user_id: UserId,
    receipt: Annotated[str | None, Query(max_length=64)] = None,
) -> Pending:
    """How many of the user's events, or of one write's, the workers have still to digest."""
    scope = requester.scope("read", user_id)
    if receipt is None:
        return Pending(pending=await parts.episodic.pending(scope))
    parsed = Receipt.parse(receipt)
    return Pending(pending=await parts.episodic.pending(scope, parsed.first_event, parsed.last_event))
