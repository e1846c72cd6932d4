"""What was extracted from a resource, brought in line with what is there."""

from collections.abc import Sequence
from datetime import datetime

from ragpp.catalog import MemoryItem
from ragpp.errors import ResourceNotFoundError
from ragpp_services.catalog import forgetting, storing
from ragpp_services.catalog.items.rows import NewItem
from ragpp_services.catalog.items.tier import read_places
from ragpp_services.catalog.store import Rows


async def put_extracted(rows: Rows, resource_id: str, items: Sequence[NewItem], now: datetime) -> list[MemoryItem]:
    """Let `items` be what was extracted from the resource; returns them as they are now, one for those that are one.
    Nothing of a stub changes. Raises Conflict, ResourceNotFoundError, CategoryNotFoundError."""
    known = (await rows.resources.known([resource_id])).get(resource_id)
    if known is None or not storing.in_view(known.seen_by, rows.scope.view):
        raise ResourceNotFoundError(f"there is no resource {resource_id!r}", details={"resource_id": resource_id})
    there = [one for one in await rows.items.of_resources([resource_id]) if not one.by_hand]
    kept = {one.id for one in there}
    if not known.is_stub:
        wanted = {new.entry.id for new in items}
        prepared = storing.Prepared({}, dict(enumerate(items)))
        stored = await storing.write(rows, [new.entry for new in items], prepared, now)
        await forgetting.drop_items(rows, kept - wanted, now)
        if kept - wanted:
            await rows.raise_epoch()
        kept = wanted - {one.id for one in stored if one.forgotten}
        await rows.resources.note_extracted(resource_id, now)
    places = [place for identifier in sorted(kept) if (place := await rows.items.place_of(identifier)) is not None]
    return [one.item for one in await read_places(rows.items, list(dict.fromkeys(places)))]
