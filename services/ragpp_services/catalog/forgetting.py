"""Forgetting: a resource takes with it what rests on it, an item what says the same; what is left is as if they had
never been."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Final

from pydantic import JsonValue

from ragpp.catalog import Resource, ResourceMessage
from ragpp.clock import Clock
from ragpp.ledger import NewEvent
from ragpp.models import Scope
from ragpp.tiers import ERASED_AT_ONCE
from ragpp_services.catalog.categories.mending import leave_untitled, mend
from ragpp_services.catalog.items.regrouping import regroup
from ragpp_services.catalog.items.rows import GoneItem
from ragpp_services.catalog.items.sameness import same_fact
from ragpp_services.catalog.resources.rows import GoneResource, Indexed
from ragpp_services.catalog.store import CatalogStore, Rows
from ragpp_services.catalog.storing import in_view, private_to

ERASED_TOKENS: Final = 1_000_000
"""Tokens of the resources that one erasure deletes at most: their chunks take a tenth of a second."""


FORGOTTEN_AT_ONCE: Final = 10_000
"""Items that are deleted together, in about a second in which the user's other writers wait."""


async def forget_all(
    store: CatalogStore, scope: Scope, resource_ids: Collection[str], item_ids: Collection[str], clock: Clock
) -> int:
    """As `forget`, of resources on which any number of items rests: these go FORGOTTEN_AT_ONCE at a time, and the
    resources with the last of them. Where that is interrupted it is to be repeated, and goes on."""
    while True:
        async with store.writing(scope) as rows:
            known = await rows.resources.known(resource_ids)
            seen = [one.id for one in known.values() if in_view(one.seen_by, scope.view)]
            rested = [one.id for one in await rows.items.of_resources(seen)]
            if len(rested) <= FORGOTTEN_AT_ONCE:
                return await forget(rows, resource_ids, item_ids, clock())
            now = clock()
            gone = await drop_items(rows, rested[:FORGOTTEN_AT_ONCE], now)
            await rows.raise_epoch()
            await rows.add_forgotten([one.id for one in gone], now)
            await rows.record([_item_gone(one, now) for one in gone], now)


async def forget(rows: Rows, resource_ids: Collection[str], item_ids: Collection[str], now: datetime) -> int:
    """Delete resources with their items, and items with all that say the same and the sources that say nothing else, of
    what the scope sees; returns how many of these ids existed. Begins an epoch where any did."""
    seen = await rows.items.whole(item_ids)
    await rows.passages.withhold(seen)
    sources = await rows.items.sources_alone(seen)
    resources = await rows.resources.delete({*resource_ids, *sources})
    there = (await rows.items.known(item_ids)).keys() & seen
    rested = [one.id for one in await rows.items.of_resources([one.id for one in resources])]
    items = await drop_items(rows, seen | set(rested), now, [one.id for one in resources])
    if not resources and not items:
        return 0
    await rows.raise_epoch()
    await rows.add_forgotten([*(one.id for one in resources), *(one.id for one in items)], now)
    await rows.record([*(_resource_gone(one, now) for one in resources), *(_item_gone(one, now) for one in items)], now)
    return len(({one.id for one in resources} - (sources - set(resource_ids))) | there)


async def withdraw_item(rows: Rows, item_id: str, agent_id: str, now: datetime) -> int:
    """Delete what the agent contributed to an item, with the sources that say nothing else; returns how many statements
    that was. Begins an epoch where there was any."""
    own = await rows.items.of_agent(await rows.items.whole([item_id]), agent_id)
    if not own:
        return 0
    await rows.passages.withhold(own)
    resources = await rows.resources.delete(await rows.items.sources_alone(own))
    gone = await drop_items(rows, own, now, [one.id for one in resources])
    await rows.raise_epoch()
    await rows.add_forgotten([*(one.id for one in resources), *(one.id for one in gone)], now)
    await rows.record([*(_resource_gone(one, now) for one in resources), *(_item_gone(one, now) for one in gone)], now)
    return len(gone)


async def expire_items(rows: Rows, ids: Collection[str], now: datetime) -> int:
    """As `let_go`. Begins an epoch where there was any: what was read of them may not come back as if it were there."""
    gone = await let_go(rows, ids, now)
    if gone:
        await rows.raise_epoch()
    return gone


async def let_go(rows: Rows, ids: Collection[str], now: datetime) -> int:
    """Delete statements, with the sources that say nothing else; returns how many there were. Nothing is forgotten:
    they may be stored again. No epoch begins, so a writer may make room for what it writes: of what one agent alone
    sees nothing is made that others read. What is pinned stays."""
    resources = await rows.resources.delete(await rows.items.sources_alone(ids, await rows.pinned()))
    gone = await drop_items(rows, ids, now, [one.id for one in resources])
    payload: list[dict[str, JsonValue]] = [
        {"item_id": one.id, "resource_id": one.resource_id, **private_to(one.seen_by)} for one in gone
    ]
    events = [NewEvent("memory.entry_expired", one.id, now, said) for one, said in zip(gone, payload, strict=True)]
    await rows.record([*(_resource_gone(one, now) for one in resources), *events], now)
    return len(gone)


async def leave_stubs(rows: Rows, ids: Collection[str], now: datetime) -> int:
    """Drop what resources say and what they are called; their items stay. Returns how many there were. Begins an epoch
    where there was any: what was read of them may not come back."""
    gone = await rows.resources.leave_stubs(ids)
    if gone:
        await rows.raise_epoch()
        await leave_untitled(rows, [one.id for one in gone], now)
        await rows.record([_resource_gone(one, now, stub=True) for one in gone], now)
    return len(gone)


async def expire(rows: Rows, ids: Collection[str], now: datetime) -> int:
    """As `leave_stubs`, for their age: nothing is forgotten, and no epoch begins."""
    gone = await rows.resources.leave_stubs(ids)
    payload: list[dict[str, JsonValue]] = [{"resource_id": one.id, **private_to(one.seen_by)} for one in gone]
    events = [
        NewEvent("memory.entry_expired", one.id, now, said, one.session_id)
        for one, said in zip(gone, payload, strict=True)
    ]
    await rows.record(events, now)
    return len(gone)


async def take_back(rows: Rows, ids: Collection[str], now: datetime) -> None:
    """Delete statements that are no longer extracted from their resource; they may be again. Begins an epoch where
    there were any."""
    gone = await drop_items(rows, ids, now)
    if gone:
        await rows.raise_epoch()
        await rows.record([_item_gone(one, now) for one in gone], now)


async def drop_items(
    rows: Rows, ids: Collection[str], now: datetime, resource_ids: Collection[str] = ()
) -> list[GoneItem]:
    """Delete statements, group anew what was one with them, and take them out of pages, with what rested on these
    resources, which went or lost a part."""
    gone = await rows.items.delete(ids) if ids else []
    if gone:
        await regroup(rows.items, await rows.items.orphans([one.id for one in gone]), same_fact)
    await mend(rows, resource_ids, now, gone)
    return gone


async def withdraw(
    rows: Rows,
    interaction_ids: Collection[str],
    held: Sequence[Resource],
    left: Mapping[str, Indexed | None],
    now: datetime,
) -> list[str]:
    """Take interactions out of the resources that hold them, and delete what was taken from these, or from a stub what
    may rest on them; `left`: what those say without, None where that is nothing. Returns the ids of those that are to
    be extracted anew."""
    told = {one.resource_id: one for one in held if not one.is_stub}
    emptied = [identifier for identifier in told if left[identifier] is None]
    again = []
    for identifier, resource in told.items():
        said = left[identifier]
        if said is not None:
            await rows.resources.change_content(identifier, said, occurred_with(resource, said.messages))
            again.append(identifier)
    await rows.resources.drop_turns(interaction_ids)
    gone_resources = await rows.resources.delete(emptied)
    dropped = set(await rows.items.of_sources(interaction_ids))
    stubs = {one.resource_id for one in held if one.is_stub}
    for item in await rows.items.of_resources([one.resource_id for one in held]):
        stays = item.by_hand or (item.resource_id in stubs and item.sources)
        if item.resource_id in emptied or not stays:
            dropped.add(item.id)
    gone = await drop_items(rows, dropped, now, [one.resource_id for one in held])
    await rows.add_forgotten([one.id for one in gone_resources], now)
    await rows.record([_resource_gone(one, now) for one in gone_resources], now)
    await rows.record([_item_gone(one, now) for one in gone], now)
    for resource_id in again:  # of statements that say the same the first is first again
        await rows.resources.vacate(resource_id, [one.ordinal for one in gone if one.resource_id == resource_id])
    for resource_id in again:  # here, so that no worker that ends in between leaves it without its items
        await rows.extract_anew(resource_id, now)
    return again


async def erase(rows: Rows, before: int, contributor: str | None, now: datetime) -> bool:
    """Delete the oldest of each layer that were written by events of before that one, of a contributor where one is
    named; whether there may be more. Resources wait until few enough items rest on them. One on which somebody stored
    something by that event or later stays as a stub, of that event. Begins an epoch, but for what all users share only
    where something of the contributor is."""
    found = await rows.erasable(before, contributor, ERASED_AT_ONCE)
    if contributor is not None and not (found.resources or found.items or found.categories):
        return False
    await rows.raise_epoch()
    if contributor is None:
        await rows.values.erase(before)
    left = await rows.erase_categories(found.categories, before, contributor)
    await regroup(rows.items, left, same_fact)
    erased = together(found.resources)
    later = await rows.later_items(erased, before)
    rested = [
        one.id
        for one in await rows.items.of_resources(erased)
        if one.resource_id not in later or not one.by_hand or one.event_id < before
    ]
    going = list(dict.fromkeys((*found.items, *rested)))
    if len(going) > ERASED_AT_ONCE:
        erased, going, later = [], going[:ERASED_AT_ONCE], {}
    dropped = await drop_items(rows, going, now, erased)
    await rows.resources.leave_stubs(list(later))
    await rows.date_stubs(later)
    gone = await rows.resources.delete([one for one in erased if one not in later])
    await rows.drop_metadata_keys(erased)
    await rows.add_forgotten([*(one.id for one in gone), *(one.id for one in dropped)], now)
    if contributor is None:
        await rows.erase_version()
    return len(erased) < len(found.resources) or ERASED_AT_ONCE in {
        len(found.resources),
        len(found.items),
        len(found.categories),
    }


def together(resources: Mapping[str, int]) -> list[str]:
    """The first of these resources, whose tokens are given, that are short enough to be deleted together; one at
    least."""
    until = accumulate(resources.values())
    return [one for one, tokens in zip(resources, until, strict=True) if tokens <= ERASED_TOKENS] or list(resources)[:1]


def occurred_with(resource: Resource, left: Sequence[ResourceMessage]) -> datetime:
    """When it occurred, with these messages alone: what occurred with its latest one did so with the latest of them."""
    moments, latest = ([one.occurred_at for one in said if one.occurred_at] for said in (resource.messages, left))
    if not moments or not latest or resource.occurred_at != max(moments):
        return resource.occurred_at
    return max(latest)


def _resource_gone(one: GoneResource, now: datetime, *, stub: bool = False) -> NewEvent:
    payload: dict[str, JsonValue] = {
        "resource_id": one.id,
        "resource_type": one.resource_type,
        "cascade": not stub,
        **private_to(one.seen_by),
    }
    return NewEvent("memory.resource_deleted", one.id, now, payload, one.session_id)


def _item_gone(one: GoneItem, now: datetime) -> NewEvent:
    payload: dict[str, JsonValue] = {
        "item_id": one.id,
        "resource_id": one.resource_id,
        "category": one.category,
        **private_to(one.seen_by),
    }
    return NewEvent("memory.item_deleted", one.id, now, payload)
