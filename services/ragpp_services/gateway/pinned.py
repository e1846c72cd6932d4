"""The end of a pin whose item was deleted, and what the audit is told of that."""

from ragpp.errors import NotFound
from ragpp.models import Scope
from ragpp.paging import PAGE, pages
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.requester import Requester


async def note_deleted(requester: Requester, parts: Parts, scope: Scope, item_id: str, *, count: int = 1) -> None:
    """Take the pin off a preference, rule or finding that was deleted, and tell the audit; what an agent has deleted
    stays pinned where the whole memory has it of another. `count`: of what went."""
    if scope.view is None or not await _is_there(parts, scope.seen_by(None), item_id):
        await parts.pins.unpin(scope, "procedural", [item_id])
    requester.deletes(parts.marks, scope, "procedural", [item_id], count=count)


async def _is_there(parts: Parts, whole: Scope, item_id: str) -> bool:
    for read in (parts.procedural.get_preference, parts.procedural.get_rule):
        try:
            return not (await read(whole, item_id)).deleted
        except NotFound:
            continue
    async for finding in pages(lambda cursor: parts.procedural.list_findings(whole, cursor=cursor, limit=PAGE)):
        if finding.id == item_id:
            return True
    return False
