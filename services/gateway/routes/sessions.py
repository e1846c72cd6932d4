"""The running conversations in short-term memory."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ragpp.api import Forgotten
from ragpp.errors import NotFound
from ragpp.fields import Id
from ragpp.models import Page, SessionInfo, SessionView
from services.gateway.http import RESPONSES, Cursor, Limit, Reader, UserId, Writer, answer, note
from services.gateway.parts import Parts

router = APIRouter(tags=["sessions"], responses=RESPONSES)


@router.get("/v1/sessions", response_model=Page[SessionInfo], summary="List running conversations")
async def list_sessions(
    request: Request, principal: Reader, user_id: UserId, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """The one used last first."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    return answer(await parts.short_term.list_sessions(principal.scope("read", user_id), cursor, limit))


@router.get("/v1/sessions/{session_id:ids}", response_model=SessionView, summary="Read a running conversation")
async def get_session(
    request: Request,
    principal: Reader,
    session_id: Id,
    user_id: UserId,
    token_budget: Annotated[int, Query(ge=1, le=200_000)] = 4_000,
) -> Response:
    """Its summary and latest messages, within a budget of tokens."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    view = await parts.short_term.read(principal.scope("read", user_id, session_id=session_id), token_budget)
    if not view.messages and not view.summary and view.tokens == 0:
        raise NotFound("this user has no running conversation of that id")
    return answer(view)


@router.delete("/v1/sessions/{session_id:ids}", response_model=Forgotten, summary="End a running conversation")
async def delete_session(request: Request, principal: Writer, session_id: Id, user_id: UserId) -> Response:
    """Remove it from short-term memory; its interactions stay in the episodic tier until they are forgotten."""
    note(request, user_id=user_id)
    parts: Parts = request.app.state.parts
    if not await parts.short_term.delete_session(principal.scope("forget", user_id, session_id=session_id)):
        raise NotFound("this user has no running conversation of that id")
    return answer(Forgotten(forgotten=1, tiers={"short_term": "ok"}))
