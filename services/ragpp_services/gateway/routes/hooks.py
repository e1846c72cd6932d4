"""The hooks of an agent's turn: a catalog to choose from, what it chose, what came of it, and what is kept of it."""

from fastapi import Response

from ragpp.api.hooks import (
    Injection,
    MemoryRequestIn,
    PostMessageIn,
    PostResponseIn,
    PreMessageIn,
    PrePromptIn,
    RequestedMemories,
    TurnCatalog,
    Usefulness,
)
from ragpp.catalog import CatalogVisibility
from ragpp.jobs import Job
from ragpp_services.gateway.catalog.owning import place
from ragpp_services.gateway.catalog.resting import kept
from ragpp_services.gateway.catalog.work import extraction
from ragpp_services.gateway.hooks.handing import exchange
from ragpp_services.gateway.hooks.judging import judged
from ragpp_services.gateway.hooks.offering import catalog_for, injection_for
from ragpp_services.gateway.hooks.requesting import requested
from ragpp_services.gateway.hooks.turning import agent_of
from ragpp_services.gateway.http import GatewayParts, accepted, keyed_router
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("hooks")


@router.post("/v1/hooks/pre-prompt", summary="Offer a catalog")
async def pre_prompt(requester: Reader, parts: GatewayParts, body: PrePromptIn) -> TurnCatalog:
    """Begins a turn of the agent: what it may choose from for this prompt, in short, with the handles that the other
    hooks know it by, what is left of its budget behind that, and what is recommended. It sees its own memories and
    those that all of the user's agents see."""
    agent = agent_of(requester, "read", body.user_id, body.ci)
    requester.query_sha256 = parts.marks.of_query(body.prompt)
    answer = await catalog_for(parts, agent, body)
    requester.tells(one.entry.memory_id for one in answer.catalog)
    return answer


@router.post("/v1/hooks/memory-request", summary="Read what was chosen")
async def memory_request(requester: Reader, parts: GatewayParts, body: MemoryRequestIn) -> RequestedMemories:
    """In full as far as the turn's budget goes, else in short, or left out, with why. However many ask at once, a turn
    is never given more than its budget."""
    answer = await requested(parts, agent_of(requester, "read", body.user_id, body.ci), body)
    requester.tells(one.memory_id for one in answer.memories)
    return answer


@router.post("/v1/hooks/post-response", summary="Tell what was answered")
async def post_response(requester: Writer, parts: GatewayParts, body: PostResponseIn) -> Usefulness:
    """How useful the memories were that the answer had: 1 where it names one, else by its closest sentence. What they
    are worth moves by it, once a turn; `feedback` says it better."""
    answer = await judged(parts, agent_of(requester, "write", body.user_id, body.ci), body)
    requester.tells(answer.useful)
    return answer


@router.post("/v1/hooks/pre-message", summary="Find what to put before a message")
async def pre_message(requester: Reader, parts: GatewayParts, body: PreMessageIn) -> Injection:
    """Begins a turn of the agent: the memories that fit the message, within its budget, as a section to put before it.
    Nothing where none fits."""
    agent = agent_of(requester, "read", body.user_id, body.ci)
    requester.query_sha256 = parts.marks.of_query(body.message)
    answer = await injection_for(parts, agent, body)
    requester.tells(answer.memory_ids)
    return answer


@router.post("/v1/hooks/post-message", status_code=202, response_model=Job, summary="Keep what an exchange tells")
async def post_message(requester: Writer, parts: GatewayParts, body: PostMessageIn) -> Response:
    """Answers at once; a job takes memories from the exchange, which this agent alone sees. What the response repeats
    of the memories that the agent was shown is no new one. With the ids of the interactions that the exchange is, they
    are forgotten with it."""
    agent = agent_of(requester, "write", body.user_id, body.ci)
    visibility: CatalogVisibility | None = "agent" if agent.scope.user_id else None
    where = place(requester, body.user_id, visibility, agent_id=body.ci)
    done = await kept(parts, where, await exchange(parts, agent, body))
    requester.tells((done.stored.id,))
    return accepted(requester, await extraction(parts, where.scope, done.stored.id, None))
