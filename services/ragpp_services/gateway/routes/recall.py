"""The question to a user's memory."""

from ragpp.api import RecallRequest, RecallResponse
from ragpp_services.gateway.http import GatewayParts, keyed_router
from ragpp_services.gateway.requester import Reader

router = keyed_router("recall")


@router.post("/v1/recall", summary="Recall a context")
async def recall(requester: Reader, parts: GatewayParts, body: RecallRequest) -> RecallResponse:
    """Ask every tier at once and assemble one context within a token budget and a deadline.

    A tier that is late or down makes the answer `partial` and is named in `tiers`; it never fails the recall.
    """
    requester.agent_id, requester.query_sha256 = body.agent_id, parts.marks.of_query(body.query)
    scope = requester.scope("read", body.user_id, agent_id=body.agent_id, session_id=body.session_id)
    response = await parts.recaller.recall(scope, body)
    requester.items = len(response.memories)
    shown = [one for section in response.sections for one in section.memories]
    requester.memory_ids = shown + [one.id for one in response.memories if not one.in_context]
    return response
