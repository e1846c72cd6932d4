"""What becomes of a pin whose item was deleted."""

from typing import Final

from ragpp.errors import NotFound
from ragpp.models import Scope
from services.gateway.parts import Parts

PAGE: Final = 200


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
    cursor: str | None = None
    while True:
        page = await parts.procedural.list_findings(whole, cursor=cursor, limit=PAGE)
        if any(one.id == item_id for one in page.items):
            return True
        cursor = page.next_cursor
        if cursor is None:
            return False
