"""The catalog as a whole: a question to its items, how much there is, and its index made anew."""

from fastapi import Response

from ragpp.api import RebuildIn, RetrieveRequest
from ragpp.catalog import MemoryStats, RetrievalResult
from ragpp.jobs import Job
from ragpp_services.gateway.catalog.work import rebuilding
from ragpp_services.gateway.http import CatalogUser, GatewayParts, accepted, keyed_router
from ragpp_services.gateway.requester import Reader, Writer
from ragpp_services.gateway.retrieving import CatalogSource, retrieved

router = keyed_router("catalog")


@router.post("/v1/retrieve", summary="Ask the catalog")
async def retrieve(requester: Reader, parts: GatewayParts, body: RetrieveRequest) -> RetrievalResult:
    """The items that answer a question best, each with its score. With `llm` a language model chooses, and what it is
    not able to do is a RetrievalError; with `hybrid` it does where words and meaning are not sure or the question wants
    reasoning, and `escalation_reason` says why it did, or why not."""
    scope = requester.catalog("read", body.user_id)
    requester.query_sha256 = parts.marks.of_query(body.query)
    model = None
    if parts.models is not None:
        model = parts.models.of("retrieval", scope.tenant_id, within_s=parts.retrieval_timeout_s)
    embedding = await parts.knowledge.question(body.query)
    source = CatalogSource(parts.catalog, scope, embedding, model)
    found = await retrieved(source, body, has_model=model is not None)
    requester.tells(one.item_id for one in found.items)
    if parts.record_retrievals:
        await parts.events.retrieved(scope, body.query, found)
    return found


@router.get("/v1/memory/stats", summary="Count what the catalog has")
async def get_stats(requester: Reader, parts: GatewayParts, user_id: CatalogUser = None) -> MemoryStats:
    """Resources by type, items by category, and when something was done last; with what all users share."""
    return await parts.catalog.stats(requester.catalog("read", user_id))


@router.post("/v1/memory/rebuild", status_code=202, response_model=Job, summary="Index the catalog anew")
async def rebuild_index(requester: Writer, parts: GatewayParts, body: RebuildIn) -> Response:
    """Answers a job, which makes vectors and words of what is stored, as after a repair; nothing that was said is
    changed. While it waits, asking again answers the same."""
    return accepted(requester, await rebuilding(parts, requester.catalog("write", body.user_id)))
