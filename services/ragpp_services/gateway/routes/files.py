"""Memories that come from a file, and that go into one (document 001)."""

from typing import Annotated

from fastapi import Query

from ragpp.api.files import EntriesIn, ExportedMemories, ImportedEntries
from ragpp.fields import Id
from ragpp_services.gateway.catalog.importing import exported, imported
from ragpp_services.gateway.catalog.owning import place
from ragpp_services.gateway.http import CatalogUser, Cursor, GatewayParts, Limit, keyed_router
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("entries")


@router.post("/api/memory/import", status_code=200, summary="Keep the memories of a file")
async def import_entries(requester: Writer, parts: GatewayParts, body: EntriesIn) -> ImportedEntries:
    """Each as `POST /api/memory/catalog` keeps one, and each by itself: what is wrong with one is its `reason`, and the
    others are kept. What is past its `expires` is told and not taken. Repeating a request is harmless."""
    memories = [
        (place(requester, body.user_id, memory.visibility, agent_id=memory.ci), memory) for memory in body.memories
    ]
    requester.items = len(memories)
    done = await imported(parts, memories)
    results = tuple(done.results[number] for number in range(len(memories)))
    return ImportedEntries(results=results, redactions=done.redactions)


@router.get("/api/memory/export", summary="Read memories for a file")
async def export_entries(
    requester: Reader,
    parts: GatewayParts,
    user_id: CatalogUser = None,
    ci: Annotated[
        Id | None, Query(description="What this agent alone sees; absent, what all of the user's agents see.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> ExportedMemories:
    """With their contents, in the spelling of document 001's files, under the ids that they came with. A key that is
    bound to an agent reads that agent's own and the shared ones."""
    scope = requester.catalog("read", user_id, agent_id=ci)
    answer = await exported(parts, scope, ci, cursor=cursor, limit=limit)
    requester.items = len(answer.items)
    return answer
