"""The items extracted from a resource, brought in line with what is there."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from ragpp.errors import ResourceNotFoundError
from ragpp.retention import EntryRetention
from ragpp_services.catalog import forgetting, storing
from ragpp_services.catalog.entries.limiting import make_room
from ragpp_services.catalog.items.rows import NewItem
from ragpp_services.catalog.resources.rows import KnownResource
from ragpp_services.catalog.store import Rows

PUT_AT_ONCE: Final = 500
"""Extracted items that are written together, in half a second in which others wait."""


async def put(
    rows: Rows,
    resource_id: str,
    items: Sequence[NewItem],
    limits: EntryRetention,
    now: datetime,
    took_ms: float | None,
) -> None:
    """Add those of `items`, which were extracted from the resource, that are new; nothing to a stub. Over the limit of
    the agent that alone sees it the least relevant goes, these among them. Raises Conflict, ResourceNotFoundError,
    CategoryNotFoundError."""
    if not (await _resource(rows, resource_id)).is_stub:
        prepared = storing.Prepared({}, dict(enumerate(items)))
        await storing.write(rows, [new.entry for new in items], prepared, now, took_ms)
        await make_room(rows, [new.entry.id for new in items], limits, now, stays=False)


async def keep_only(rows: Rows, resource_id: str, ids: Collection[str], now: datetime) -> list[int]:
    """Let nothing be extracted from the resource but what has these ids; of a stub all stays. Returns the places of
    the items that it then has. Raises ResourceNotFoundError."""
    is_stub = (await _resource(rows, resource_id)).is_stub
    there = {one.id for one in await rows.items.of_resources([resource_id]) if not one.by_hand}
    if not is_stub:
        await forgetting.take_back(rows, there.difference(ids), now)
        there = there.intersection(ids)
        await rows.resources.note_extracted(resource_id, now)
    return await rows.items.places_of(there)


async def _resource(rows: Rows, resource_id: str) -> KnownResource:
    known = (await rows.resources.known([resource_id])).get(resource_id)
    if known is None or not storing.in_view(known.seen_by, rows.scope.view):
        raise ResourceNotFoundError(resource_id)
    return known
