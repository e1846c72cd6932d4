"""Memories that are kept one by one, each with a source that says no more than it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final
from uuid import NAMESPACE_URL, uuid4, uuid5

from pydantic import JsonValue

from ragpp.api import EntryIn, ItemIn, ItemsIn, ResourceIn
from ragpp.catalog import Importance, ItemKind, ResourceEntry, ResourceType
from ragpp.entries.values import ENTRY, EntryQuery, GivenEntry
from ragpp.errors import Conflict, InvalidInput
from ragpp.fields import joined
from ragpp.retention import EntryRetention
from ragpp_services.gateway.catalog.owning import Place
from ragpp_services.gateway.parts import Parts

SOURCE_TYPE: Final[ResourceType] = "feedback"
STORED_BY: Final[dict[str, JsonValue]] = {"stored_by": "entry"}
"""The metadata of a source, which then goes with its only item."""
LOW_UNTIL: Final = 3
NORMAL_UNTIL: Final = 6
"""Up to which priority an importance is low, or normal."""


async def kept_alone(parts: Parts, where: Place, item: ItemIn, resource_id: str) -> str:
    """The id of the item that says that, kept with a resource of that id which says no more: both, or none. Raises
    Conflict where it was deleted before, and as the intake and the tier."""
    item = item.model_copy(update={"source_resource_id": resource_id})
    return await kept_of(parts, where, item, await parts.knowledge.resource(source_of(item), where.whose))


async def kept_of(parts: Parts, where: Place, item: ItemIn, source: ResourceEntry | None = None) -> str:
    """The id of the item that says that, of the resource that it names, which is kept with it where it is given. Raises
    as `kept_alone`."""
    entries, _ = await parts.knowledge.items(ItemsIn(items=(item,)), where.whose)
    *_, stored = await parts.catalog.store(where.scope, [*filter(None, (source,)), *entries])
    if stored.forgotten:
        raise Conflict("a memory of this id was deleted, and stays so")
    return stored.id


async def kept_entry(parts: Parts, where: Place, body: EntryIn) -> str:
    """The id of the item that a memory is kept as: the same where the request is repeated. Raises as `kept_alone`;
    Conflict also for an id that is known with other content, InvalidInput for what would go at once."""
    now = parts.clock()
    see_it_stays(body.expires, now)
    kind = body.type
    if kind is None:
        (kind,) = await parts.kinds.of([body.content])
    where = (await placed_before(parts, {0: (where, body)})).get(0, where)
    item = item_of(where, body, kind, expiry_of(where, body, parts.entry_limits, now))
    try:
        if body.source_resource_id is not None:
            return await kept_of(parts, where, item)
        return await kept_alone(parts, where, item, item.source_resource_id)
    except Conflict as error:
        if "indexes" not in error.details:
            raise
        raise Conflict("the id is known with other content") from error


def see_it_stays(expires: datetime | None, now: datetime) -> None:
    """Raises InvalidInput where a moment at which a memory goes has passed."""
    if expires is not None and expires <= now:
        raise InvalidInput("expires: has passed", details={"errors": [{"field": "expires", "reason": "has passed"}]})


async def placed_before(parts: Parts, memories: Mapping[int, tuple[Place, EntryIn]]) -> dict[int, Place]:
    """The places of those memories that all of the user's agents see already under the id that they come with, though
    nobody says so now: they stay so, and repeating a request from before is harmless."""
    asked = {
        number: (replace(where, whose=replace(where.whose, seen_by=None)), body.id)
        for number, (where, body) in memories.items()
        if where.unsaid and body.id is not None
    }
    if not asked:
        return {}
    ids = {number: item_id_of(where, identifier) for number, (where, identifier) in asked.items()}
    query = EntryQuery(ids=tuple(dict.fromkeys(ids.values())), limit=len(ids))
    scope = next(where.scope for where, _ in asked.values())
    shared = {one.asked for one in await parts.catalog.find_entries(scope, query) if one.entry.visibility == "shared"}
    return {number: where for number, (where, _) in asked.items() if ids[number] in shared}


def expiry_of(where: Place, body: EntryIn, limits: EntryRetention, now: datetime) -> datetime | None:
    """When a memory goes: as it says, else, of what one agent alone sees, `max_age_days` from now; None for what
    stays."""
    if body.expires is not None or where.whose.seen_by is None or (body.priority or 0) >= limits.permanent_priority:
        return body.expires
    return now + timedelta(days=limits.max_age_days)


def item_of(where: Place, body: EntryIn, kind: ItemKind, expires: datetime | None = None) -> ItemIn:
    """The item that a memory is kept as, which goes when it `expires`, under an id that is the same where the request
    is repeated, with a source of its own unless it names one."""
    given = GivenEntry(
        summary=body.summary,
        tags=body.tags,
        priority=body.priority,
        expires=expires,
        expires_unsaid=expires != body.expires,
        references=body.references,
        external_id=None if body.id is None or body.id.startswith(body.id_prefix) else body.id,
    )
    said = given.model_dump(mode="json", exclude_defaults=True)
    item_id = item_id_of(where, body.id)
    return ItemIn(
        id=item_id,
        content=body.content,
        source_resource_id=body.source_resource_id or f"res_{uuid5(NAMESPACE_URL, item_id)}",
        category=body.category,
        importance=importance_of(body.priority),
        kind=kind,
        occurred_at=body.timestamp,
        level=body.level,
        domain=body.domain,
        task_type=body.task_type,
        metadata={**body.metadata, **({ENTRY: said} if said else {})},
    )


def source_of(item: ItemIn) -> ResourceIn:
    """The source of an item that has one of its own, which says no more than it."""
    return ResourceIn(
        id=item.source_resource_id,
        resource_type=SOURCE_TYPE,
        content=item.content,
        occurred_at=item.occurred_at,
        metadata=STORED_BY,
    )


def item_id_of(where: Place, identifier: str | None) -> str:
    """The id of the item that a memory is kept as which is called that elsewhere: the same for the same agent."""
    if identifier is None:
        return f"{EntryIn.id_prefix}{uuid4()}"
    if identifier.startswith(EntryIn.id_prefix):
        return identifier
    whose = (where.scope.tenant_id, where.scope.user_id, where.whose.agent_id or "", where.whose.seen_by or "")
    return f"{EntryIn.id_prefix}{uuid5(NAMESPACE_URL, joined(*whose, identifier))}"


def importance_of(priority: int | None) -> Importance:
    """The importance that a priority counts as in every other search."""
    if priority is None:
        return "normal"
    return "low" if priority <= LOW_UNTIL else "normal" if priority <= NORMAL_UNTIL else "high"
