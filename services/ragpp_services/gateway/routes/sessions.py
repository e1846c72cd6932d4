"""The running conversations in short-term memory."""

from typing import Annotated, Literal

from fastapi import Query, Response

from ragpp.api import Forgotten
from ragpp.errors import Forbidden, InvalidInput, NotFound
from ragpp.fields import Id, TokenizerName
from ragpp.jobs import Job
from ragpp.ledger.erasing import Erasure
from ragpp.models import Page, SessionInfo, SessionView
from ragpp_services.gateway.http import Cursor, DryRun, GatewayParts, Limit, UserId, accepted, answer, keyed_router
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("sessions")


@router.get("/v1/sessions", summary="List running conversations")
async def list_sessions(
    requester: Reader, parts: GatewayParts, user_id: UserId, cursor: Cursor = None, limit: Limit = 50
) -> Page[SessionInfo]:
    """The one used last first."""
    return await parts.short_term.list_sessions(requester.scope("read", user_id), cursor, limit)


@router.get("/v1/sessions/{session_id:ids}", summary="Read a running conversation")
async def get_session(
    requester: Reader,
    parts: GatewayParts,
    session_id: Id,
    user_id: UserId,
    token_budget: Annotated[int, Query(ge=1, le=200_000)] = 4_000,
    tokenizer: Annotated[
        TokenizerName | None, Query(description="Tokenizer to count in; absent: READER_TOKENIZER.")
    ] = None,
) -> SessionView:
    """Its summary and latest messages, within a budget of tokens."""
    scope = requester.scope("read", user_id, session_id=session_id)
    view = await parts.short_term.read(scope, token_budget, tokenizer)
    if not view.messages and not view.summary and view.share == 0:
        raise NotFound("this user has no running conversation of that id")
    requester.tells(one.id for one in view.messages)
    return view


@router.delete(
    "/v1/sessions/{session_id:ids}",
    status_code=202,
    response_model=Job,
    responses={200: {"description": "With `interactions=keep`: the conversation was ended.", "model": Forgotten}},
    summary="Forget a session",
)
async def delete_session(
    requester: Writer,
    parts: GatewayParts,
    session_id: Id,
    user_id: UserId,
    interactions: Annotated[
        Literal["forget", "keep"],
        Query(description="`forget` also forgets its interactions; `keep` only ends the running conversation."),
    ] = "forget",
    dry_run: DryRun = False,
) -> Response:
    """Forget its interactions in every tier, and whatever rested on any of them. Answers a job, whose result says for
    each store what was found, what was removed, and what was found again. What is said after this was answered stays.
    Harmless to repeat, and for a session that there is none of. A key that is bound to an agent forgets what was said
    to that agent. With `interactions=keep` only the running conversation goes, at once, which is answered 200."""
    scope = requester.scope("forget", user_id, session_id=session_id)
    if interactions == "forget":
        key_id = requester.principal.key_id
        erasure = Erasure("session", session_id=session_id, agent_id=scope.view, dry_run=dry_run, key_id=key_id)
        job = await parts.jobs.erase(scope, erasure)
        if not dry_run:
            requester.deletes(parts.marks, scope, "session", [session_id], count=1, job=job.id)
        return accepted(requester, job)
    if dry_run:
        raise InvalidInput(
            "dry_run tells what would be forgotten, and interactions=keep forgets none",
            details={"errors": [{"field": "dry_run", "reason": "not with interactions=keep"}]},
        )
    if scope.view is not None:
        raise Forbidden(
            "a running conversation is not one agent's alone, and this key is bound to one",
            suggestions=("Forget what was said to the agent, without interactions=keep, or use another key.",),
        )
    if not await parts.short_term.delete_session(scope):
        raise NotFound("this user has no running conversation of that id")
    requester.deletes(parts.marks, scope, "conversation", [session_id], count=1)
    return answer(Forgotten(forgotten=1, tiers={"short_term": "ok"}))
