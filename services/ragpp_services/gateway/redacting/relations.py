"""The graph: what was stated is stated anew, and what is named by what is sought goes."""

from contextlib import suppress

from ragpp.api.redacting import RedactedThing
from ragpp.errors import NotFound
from ragpp.fields import joined
from ragpp.models import SHARED, Relationship, RelationshipEntry, Scope, StatedRelationship
from ragpp.paging import PAGE, read_all
from ragpp_services.gateway.redacting.seeking import Search
from ragpp_services.gateway.redacting.walking import Step, Walk, in_each_view


async def relationships(walk: Walk, cursor: str | None) -> Step:
    """All relationships that were stated: each is stated anew by whoever's it was, then the old one is forgotten."""
    del cursor
    semantic, scope = walk.parts.semantic, walk.scope
    known = await semantic.stated_relationships(scope)
    found = []
    for one in known:
        search = walk.search()
        new = _stated(walk, search, one)
        if search.kinds:
            found.append((one, new, search))
    told = []
    for one, new, search in found:
        told.append(search.found("relationship", one.entry.id, new.entry.id if walk.applies else None))
        if walk.applies:
            await semantic.state_relationship(await _whose(walk, one), new)
    if found and walk.applies:
        shown = await read_all(lambda after: semantic.list_relationships(scope, None, None, after, PAGE, "all"))
        await _forget(walk, [one.id for one in shown if _is_one_of(one, [old.entry for old, _, _ in found])])
    return Step(told, len(known))


async def entities(walk: Walk, cursor: str | None) -> Step:
    """Some entities of the whole memory or of a view. One with such a name or alias is forgotten: what is still said of
    it is learned by the name that it has there."""
    return await in_each_view(walk, cursor, _named)


async def _named(walk: Walk, view: Scope, cursor: str | None) -> Step:
    page = await walk.parts.semantic.list_entities(view, None, cursor, walk.limit)
    told: list[RedactedThing] = []
    for one in page.items:
        search = walk.search()
        for name in (one.name, *one.aliases):
            search.text(name)
        if search.kinds:
            told.append(search.found("entity", one.id))
            if walk.applies:
                await walk.parts.semantic.forget(view, [one.id])
                await walk.parts.pins.unpin(walk.scope, "semantic", [one.id])
    return Step(told, len(page.items), page.next_cursor)


def _stated(walk: Walk, search: Search, one: StatedRelationship) -> StatedRelationship:
    entry = one.entry
    new = {
        "id": f"s_{walk.parts.marks.of(walk.scope, joined('redacted', entry.id))}",
        "source": search.text(entry.source)[:200],
        "target": search.text(entry.target)[:200],
        "context": search.text(entry.context),
    }
    return one.model_copy(update={"entry": entry.model_copy(update=new)})


async def _whose(walk: Walk, one: StatedRelationship) -> Scope:
    """The scope of the agent that alone stated it, else that of all."""
    views = await walk.parts.views.of(walk.scope)
    if not views or await _has(walk, walk.scope.seen_by(SHARED), one):
        return walk.scope
    for view in sorted(views):
        if view != SHARED and await _has(walk, walk.scope.seen_by(view), one):
            return walk.scope.seen_by(view)
    return walk.scope


async def _has(walk: Walk, view: Scope, one: StatedRelationship) -> bool:
    return any(other.entry.id == one.entry.id for other in await walk.parts.semantic.stated_relationships(view))


def _is_one_of(one: Relationship, entries: list[RelationshipEntry]) -> bool:
    said = [part.casefold() for part in (one.source, one.type, one.target)]
    return any([part.casefold() for part in (entry.source, entry.type, entry.target)] == said for entry in entries)


async def _forget(walk: Walk, ids: list[str]) -> None:
    for one in ids:
        with suppress(NotFound):
            await walk.parts.semantic.forget(walk.scope, [one])
    await walk.parts.pins.unpin(walk.scope, "semantic", ids)
