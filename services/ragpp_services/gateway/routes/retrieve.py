"""The catalog as a whole: a question to its items, how much there is, and its index made anew."""

from typing import Final

from fastapi import Response

from ragpp.api import RebuildIn, RetrieveRequest
from ragpp.catalog import ItemQuery, MemoryStats, RetrievalMode, RetrievalResult
from ragpp.errors import RetrievalError
from ragpp.jobs import Job
from ragpp_services.gateway.catalog.work import rebuilding
from ragpp_services.gateway.http import CatalogUser, GatewayParts, accepted, keyed_router
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("catalog")
NOT_ESCALATED: Final = "no language model is configured for retrieval: searched by words and meaning alone"


@router.post("/v1/retrieve", summary="Ask the catalog")
async def retrieve(requester: Reader, parts: GatewayParts, body: RetrieveRequest) -> RetrievalResult:
    """The items that answer a question best, each with its score. While no language model is there to look again,
    `hybrid` answers as `rag`, and `llm` not at all."""
    scope = requester.catalog("read", body.user_id)
    requester.query_sha256 = parts.marks.of_query(body.query)
    if body.mode is RetrievalMode.LLM:
        raise RetrievalError("no language model is configured for retrieval")
    query = ItemQuery(
        text=body.query,
        embedding=await parts.knowledge.question(body.query),
        k=body.k,
        category=body.category_filter,
        similarity_threshold=body.similarity_threshold,
        as_of=body.as_of,
    )
    found = await parts.catalog.search_items(scope, query)
    requester.items = len(found.items)
    if parts.record_retrievals:
        await parts.events.retrieved(scope, body.query, found)
    reason = NOT_ESCALATED if body.mode is RetrievalMode.HYBRID else None
    return found.model_copy(update={"escalation_reason": reason})


@router.get("/v1/memory/stats", summary="Count what the catalog has")
async def get_stats(requester: Reader, parts: GatewayParts, user_id: CatalogUser = None) -> MemoryStats:
    """Resources by type, items by category, and when something was done last; with what all users share."""
    return await parts.catalog.stats(requester.catalog("read", user_id))


@router.post("/v1/memory/rebuild", status_code=202, response_model=Job, summary="Index the catalog anew")
async def rebuild_index(requester: Writer, parts: GatewayParts, body: RebuildIn) -> Response:
    """Answers a job, which makes vectors and words of what is stored, as after a repair; nothing that was said is
    changed. While it waits, asking again answers the same."""
    requester.items = 1
    return accepted(await rebuilding(parts, requester.catalog("write", body.user_id)))
