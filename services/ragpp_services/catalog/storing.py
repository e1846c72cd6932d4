"""Writing resources and items: what is a duplicate, what conflicts, what was forgotten, and what is new."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from ragpp.catalog import CatalogInput, ItemEntry, ResourceEntry
from ragpp.errors import Conflict, InvalidInput, ResourceNotFoundError
from ragpp.ledger import NewEvent
from ragpp.models import Entry, Scope, Stored
from ragpp_services.catalog.categories.asking import ask_for_pages
from ragpp_services.catalog.items.regrouping import regroup
from ragpp_services.catalog.items.rows import KnownItem, NewItem
from ragpp_services.catalog.items.sameness import same_fact
from ragpp_services.catalog.items.writing import check_categories, classified, of_resource
from ragpp_services.catalog.resources.rows import KnownResource, NewResource
from ragpp_services.catalog.statements import EVERYBODY
from ragpp_services.catalog.store import Rows


@dataclass(frozen=True, slots=True)
class Prepared:
    """Entries as rows, by their places. `without`: the interactions that were left out of resources, of which what
    holds nothing else is None."""

    resources: Mapping[int, NewResource | None]
    items: Mapping[int, NewItem]
    without: frozenset[str] = frozenset()


def accepted(scope: Scope, entries: Sequence[Entry | CatalogInput]) -> list[CatalogInput]:
    """Raises InvalidInput for an entry of another kind, and for one of all users that rests on interactions, which are
    one user's: who forgets them could not find it."""
    result: list[CatalogInput] = []
    for entry in entries:
        if not isinstance(entry, ResourceEntry | ItemEntry):
            raise InvalidInput(f"the catalog holds resources and items, not an entry of kind {entry.kind}")
        if scope.user_id == EVERYBODY and _rests_on_interactions(entry):
            raise InvalidInput("what all users share rests on no user's interactions")
        result.append(entry)
    return result


def _rests_on_interactions(entry: CatalogInput) -> bool:
    if isinstance(entry, ItemEntry):
        return bool(entry.sources)
    return any(message.interaction_id is not None for message in entry.messages)


def in_view(seen_by: str | None, view: str | None) -> bool:
    """True where a view shows what `seen_by` alone may see, or all where that is None."""
    return view is None or seen_by is None or seen_by == view


async def unknown_forgotten(rows: Rows, entries: Sequence[CatalogInput], prepared: Prepared) -> frozenset[str]:
    """Interactions that resources hold, that were forgotten, and that are still in what was prepared."""
    turns = {
        message.interaction_id
        for entry in entries
        if isinstance(entry, ResourceEntry)
        for message in entry.messages
        if message.interaction_id is not None
    }
    return frozenset(await rows.forgotten(turns - prepared.without)) if turns - prepared.without else frozenset()


async def write(
    rows: Rows, entries: Sequence[CatalogInput], prepared: Prepared, now: datetime, took_ms: float | None = None
) -> list[Stored]:
    """Write what is new of `entries`; answers in their order. `took_ms`: their extraction. Raises Conflict,
    ResourceNotFoundError, CategoryNotFoundError, before anything is written."""
    resource_ids = {entry.id for entry in entries if isinstance(entry, ResourceEntry)}
    known = await rows.resources.known(resource_ids | {one.entry.source_resource_id for one in prepared.items.values()})
    known_items = await rows.items.known({one.entry.id for one in prepared.items.values()})
    items = _sourced(rows, entries, prepared, known)
    _refuse_conflicts(entries, prepared, items, known, known_items)
    categories = await rows.items.categories() if items else []
    check_categories(list(items.values()), [name for name, _ in categories])
    gone = await rows.forgotten(
        {entry.id for entry in entries} | {source for one in items.values() for source in one.entry.sources}
    )
    stored = await _write_resources(rows, prepared.resources, known, gone, now)
    living = known.keys() | {stored[place].id for place in prepared.resources if place in stored}
    kept = {
        place: one
        for place, one in items.items()
        if one.entry.id in known_items
        or (one.entry.source_resource_id in living and gone.isdisjoint((one.entry.id, *one.entry.sources)))
    }
    fresh = dict[str, NewItem]()
    for one in kept.values():
        if one.entry.id not in known_items:
            fresh.setdefault(one.entry.id, classified(one, categories))
    events = await write_items(rows, list(fresh.values()), now, took_ms)
    leaders = await rows.items.known({one.entry.id for one in kept.values()})
    for place, one in kept.items():
        row = leaders[one.entry.id]
        event_id = events.pop(row.id, None)  # of two of one id the second is a duplicate
        stored[place] = Stored(id=row.one_with or row.id, duplicate=event_id is None, event_id=event_id or row.event_id)
    return [stored.get(place, Stored(id=entry.id, forgotten=True)) for place, entry in enumerate(entries)]


async def write_items(
    rows: Rows, fresh: Sequence[NewItem], now: datetime, took_ms: float | None = None
) -> dict[str, int]:
    """Add items whose ids are new, and ask for the pages that are due; returns the events by the items' ids."""
    if not fresh:
        return {}
    together: dict[tuple[str, str | None], list[NewItem]] = {}
    for one in fresh:
        together.setdefault((one.entry.source_resource_id, one.entry.seen_by), []).append(one)
    known = await rows.resources.known({resource for resource, _ in together})
    event_ids = await rows.record(
        [
            extracted_event(known[resource], [one.entry for one in items], now, took_ms)
            for (resource, _), items in together.items()
        ],
        now,
    )
    events = {
        one.entry.id: event_id for items, event_id in zip(together.values(), event_ids, strict=True) for one in items
    }
    await rows.items.insert(fresh, [events[one.entry.id] for one in fresh], now, await _vacated(rows, fresh))
    await regroup(rows.items, [one.entry.id for one in fresh], same_fact)
    touched = {one.entry.category for one in fresh if one.entry.category is not None and one.entry.seen_by is None}
    await ask_for_pages(rows, touched, now)
    return events


async def _vacated(rows: Rows, fresh: Sequence[NewItem]) -> list[int]:
    """Places for the first of them: of what was taken from one resource those of what it lost."""
    resources = {one.entry.source_resource_id for one in fresh}
    if len(resources) > 1 or any(one.entry.by_hand for one in fresh):
        return []
    return await rows.resources.occupy(resources.pop(), len(fresh))


async def _write_resources(
    rows: Rows,
    prepared: Mapping[int, NewResource | None],
    known: Mapping[str, KnownResource],
    gone: Collection[str],
    now: datetime,
) -> dict[int, Stored]:
    fresh = dict[str, NewResource]()
    for new in prepared.values():
        if new is not None and new.entry.id not in known and new.entry.id not in gone:
            fresh.setdefault(new.entry.id, new)
    event_ids = await rows.record([_stored_event(new) for new in fresh.values()], now)
    await rows.resources.insert(list(fresh.values()), event_ids, now)
    recorded = {identifier: one.event_id for identifier, one in known.items()} | dict(
        zip(fresh, event_ids, strict=True)
    )
    stored: dict[int, Stored] = {}
    for place, new in prepared.items():
        identifier = None if new is None else new.entry.id
        if identifier is None or identifier not in recorded or _is_stub(identifier, known):
            continue
        duplicate = fresh.pop(identifier, None) is None
        stored[place] = Stored(id=identifier, duplicate=duplicate, event_id=recorded[identifier])
    return stored


def _sourced(
    rows: Rows, entries: Sequence[CatalogInput], prepared: Prepared, known: Mapping[str, KnownResource]
) -> dict[int, NewItem]:
    """The items as visible as their resources let them be. Raises ResourceNotFoundError."""
    whose = {
        identifier: (one.seen_by, one.contributor)
        for identifier, one in known.items()
        if in_view(one.seen_by, rows.scope.view)
    }
    for entry in entries:
        if isinstance(entry, ResourceEntry):
            whose.setdefault(entry.id, (entry.seen_by, entry.contributor))
    result = {}
    for place, item in prepared.items.items():
        resource = item.entry.source_resource_id
        if resource not in whose:
            raise ResourceNotFoundError(resource, message=f"entry {place} is of a resource that is not there")
        result[place] = of_resource(item, *whose[resource])
    return result


def _refuse_conflicts(
    entries: Sequence[CatalogInput],
    prepared: Prepared,
    items: Mapping[int, NewItem],
    known: Mapping[str, KnownResource],
    known_items: Mapping[str, KnownItem],
) -> None:
    """Raises Conflict when an id stands for other content, in the store or earlier in the batch, or for what others may
    see. Of a stub, and of what nothing is left of, nobody can tell."""
    contents: dict[tuple[str, str], tuple[object, ...]] = {
        ("resource", one.id): (one.content_hash, one.seen_by) for one in known.values()
    }
    contents |= {("item", one.id): (one.content, one.resource_id, one.seen_by) for one in known_items.values()}
    untold = {place for place, new in prepared.resources.items() if new is None or _is_stub(new.entry.id, known)}
    indexes = []
    for place, entry in enumerate(entries):
        said: tuple[object, ...]
        if place in untold:
            continue
        if isinstance(entry, ItemEntry):
            said = (entry.content, entry.source_resource_id, items[place].entry.seen_by)
        else:
            new = prepared.resources[place]
            said = (None if new is None else new.said.content_hash, entry.seen_by)
        if contents.setdefault((entry.kind, entry.id), said) != said:
            indexes.append(place)
    if indexes:
        more = f", and so are {len(indexes) - 1} more of {len(entries)}" if len(indexes) > 1 else ""
        raise Conflict(
            f"the id {entries[indexes[0]].id!r} is known with other content{more}",
            details={"indexes": indexes},
        )


def _is_stub(identifier: str, known: Mapping[str, KnownResource]) -> bool:
    return identifier in known and known[identifier].is_stub


def private_to(seen_by: str | None) -> dict[str, JsonValue]:
    """The part of an event's payload that names the only agent that may read it; nothing where all may."""
    return {} if seen_by is None else {"seen_by": seen_by}


def _stored_event(new: NewResource) -> NewEvent:
    entry = new.entry
    payload: dict[str, JsonValue] = {
        "resource_id": entry.id,
        "resource_type": entry.resource_type,
        "content_length": len(new.said.content),
        "metadata_keys": [*entry.metadata],
        **private_to(entry.seen_by),
    }
    return NewEvent("memory.resource_stored", entry.id, entry.occurred_at, payload, entry.session_id)


def extracted_event(
    resource: KnownResource, entries: Sequence[ItemEntry], now: datetime, took_ms: float | None
) -> NewEvent:
    """That these items, which have one visibility, were taken from the resource; of those stored by hand nothing took
    time."""
    payload: dict[str, JsonValue] = {
        "resource_id": resource.id,
        "item_ids": [*(entry.id for entry in entries)],
        "item_count": len(entries),
        "categories": [*sorted({entry.category for entry in entries if entry.category is not None})],
        **({} if took_ms is None else {"extraction_time_ms": took_ms}),
        **private_to(entries[0].seen_by if entries else resource.seen_by),
    }
    return NewEvent("memory.items_extracted", resource.id, now, payload, resource.session_id)
