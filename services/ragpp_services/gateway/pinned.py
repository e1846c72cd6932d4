"""The end of a pin whose item was deleted."""

from ragpp.errors import NotFound
from ragpp.models import Scope
from ragpp.paging import PAGE, pages
from ragpp_services.gateway.parts import Parts


async def unpin_procedural(parts: Parts, scope: Scope, item_id: str) -> None:
    """Take the pin off a preference, rule or finding; what an agent has deleted stays pinned where the whole memory has
    it of another."""
    if scope.view is None or not await _is_there(parts, scope.seen_by(None), item_id):
        await parts.pins.unpin(scope, "procedural", [item_id])


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
