"""Memories that come from a file, and that go into one (document 001)."""

from typing import Annotated

from fastapi import Query

from ragpp.api import EntryIn
from ragpp.api.files import EntriesIn, ExportedMemories, ImportedEntries, ImportedEntry
from ragpp.errors import Forbidden, InvalidInput
from ragpp.fields import Id
from ragpp_services.gateway.catalog.importing import exported, imported
from ragpp_services.gateway.catalog.owning import Place, place_of_entry
from ragpp_services.gateway.http import CatalogUser, Cursor, GatewayParts, Limit, keyed_router
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("entries")


@router.post("/api/memory/import", status_code=200, summary="Keep the memories of a file")
async def import_entries(requester: Writer, parts: GatewayParts, body: EntriesIn) -> ImportedEntries:
    """Each as `POST /api/memory/catalog` keeps one, and each by itself: what is wrong with what one says, or with who
    may keep it, is its `reason`, and the others are kept; only a field that no memory can have refuses the request.
    What is past its `expires` is told and not taken. Repeating a request is harmless. `dry_run`: nothing is kept, and
    `absent` is told of what the catalog does not have."""
    memories: dict[int, tuple[Place, EntryIn]] = {}
    refused: dict[int, Forbidden | InvalidInput] = {}
    for number, memory in enumerate(body.memories):
        try:
            where = place_of_entry(requester, body.user_id, memory)
            memories[number] = where, memory
        except (Forbidden, InvalidInput) as error:
            refused[number] = error
    if not memories:
        raise refused[0]
    agents = {memory.ci for _, memory in memories.values()}
    requester.agent_id = agents.pop() if len(agents) == 1 else None
    done = await imported(parts, memories, dry_run=body.dry_run)
    requester.tells(one.memory_id for one in done.results.values() if one.memory_id is not None)
    results = done.results | {
        number: ImportedEntry(outcome="refused", reason=error.message) for number, error in refused.items()
    }
    return ImportedEntries(
        results=tuple(results[number] for number in range(len(body.memories))), redactions=done.redactions
    )


@router.get("/api/memory/export", summary="Read memories for a file")
async def export_entries(
    requester: Reader,
    parts: GatewayParts,
    user_id: CatalogUser = None,
    ci: Annotated[
        Id | None,
        Query(description="Agent whose own memories are read; absent: those that all of the user's agents see."),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> ExportedMemories:
    """With their contents, in the spelling of document 001's files, under the ids that they came with. A key that is
    bound to an agent reads that agent's own and the shared ones."""
    scope = requester.catalog("read", user_id, agent_id=ci)
    answer, memory_ids = await exported(parts, scope, ci, cursor=cursor, limit=limit)
    requester.tells(memory_ids)
    return answer
