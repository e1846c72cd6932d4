"""The question to a user's memory."""

from fastapi import APIRouter, Request, Response

from ragpp.api import RecallRequest, RecallResponse
from ragpp_services.gateway.http import RESPONSES, Reader, answer, body_schema, note, read_body
from ragpp_services.gateway.parts import Parts

router = APIRouter(tags=["recall"], responses=RESPONSES)


@router.post(
    "/v1/recall", response_model=RecallResponse, openapi_extra=body_schema(RecallRequest), summary="Recall a context"
)
async def recall(request: Request, principal: Reader) -> Response:
    """Ask every tier at once and assemble one context within a token budget and a deadline.

    A tier that is late or down makes the answer `partial` and is named in `tiers`; it never fails the recall.
    """
    parts: Parts = request.app.state.parts
    body = await read_body(request, RecallRequest)
    digest = parts.marks.of_query(body.query)
    note(request, user_id=body.user_id, agent_id=body.agent_id, query_sha256=digest)
    scope = principal.scope("read", body.user_id, agent_id=body.agent_id, session_id=body.session_id)
    response = await parts.recaller.recall(scope, body)
    note(
        request,
        user_id=body.user_id,
        agent_id=body.agent_id,
        query_sha256=digest,
        items=len(response.memories),
    )
    return answer(response)
