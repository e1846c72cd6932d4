"""The catalog: resources, statements and categories get other words where they are, under their ids."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragpp.api.redacting import RedactedThing
from ragpp.aside import aside
from ragpp.catalog import CatalogTexts, CategoryText, ItemText, Resource, ResourceMessage
from ragpp_services.gateway.anew import done_anew
from ragpp_services.gateway.redacting.seeking import Search
from ragpp_services.gateway.redacting.walking import Step, Walk


@dataclass
class _Found:
    """The things to put in the place of what was found, what is told of it, and which extracted statements go."""

    resources: list[Resource] = field(default_factory=list)
    items: list[ItemText] = field(default_factory=list)
    categories: list[CategoryText] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    told: list[RedactedThing] = field(default_factory=list)

    @property
    def texts(self) -> CatalogTexts:
        return CatalogTexts(resources=tuple(self.resources), items=tuple(self.items), categories=tuple(self.categories))


async def knowledge(walk: Walk, cursor: str | None) -> Step:
    """Some things of the user's catalog, by id. What was extracted from a resource that has what is sought goes with
    it and is extracted anew; from another, it is forgotten, since its id was made of its words."""
    catalog, scope = walk.parts.catalog, walk.scope

    async def looked_at() -> tuple[CatalogTexts, _Found]:
        epoch = await catalog.epoch(scope)
        page = await catalog.texts(scope, cursor, walk.limit)
        found = await aside(_looked_through, walk, page)
        if walk.applies and found.told:
            await catalog.reword(scope, found.texts, epoch)
        return page, found

    page, found = await done_anew(looked_at)
    if walk.applies and found.gone:
        await catalog.forget(scope, found.gone)
        await walk.parts.pins.unpin(scope, "catalog", found.gone)
    return Step(found.told, len(page.resources) + len(page.items) + len(page.categories), page.last)


async def labels(walk: Walk, cursor: str | None) -> Step:
    """All goals, domains and reasons of what agents did."""
    del cursor
    known = await walk.parts.catalog.labels(walk.scope)
    new: dict[str, str] = {}
    told = []
    for label in known:
        search = walk.search()
        new[label] = search.text(label)
        if search.kinds:
            told.append(search.found("label", label))
    changed = {label: text for label, text in new.items() if text != label}
    if changed and walk.applies:
        await walk.parts.catalog.relabel(walk.scope, changed)
    return Step(told, len(known))


def _looked_through(walk: Walk, page: CatalogTexts) -> _Found:
    found = _Found()
    for resource in page.resources:
        search = walk.search()
        reworded = _resource(search, resource, {})
        if search.kinds:
            found.resources.append(reworded)
            found.told.append(search.found("resource", resource.resource_id))
    for item in page.items:
        search = walk.search()
        said = _item(search, item)
        if search.kinds:
            found.told.append(search.found("item", item.id))
            if item.by_hand:
                found.items.append(said)
            else:
                found.gone.append(item.id)
    for category in page.categories:
        search = walk.search()
        page_of = category.model_copy(
            update={"description": search.text(category.description), "markdown": search.text(category.markdown)}
        )
        if search.kinds:
            found.categories.append(page_of)
            found.told.append(search.found("category", category.id))
    return found


def _item(search: Search, item: ItemText) -> ItemText:
    return item.model_copy(
        update={
            "content": search.text(item.content),
            "metadata": search.metadata(item.metadata),
            "domain": None if item.domain is None else search.label(item.domain),
            "task_type": None if item.task_type is None else search.label(item.task_type),
        }
    )


async def move_resources(walk: Walk, ids: Mapping[str, str]) -> None:
    """Have resources rest on the messages `ids` names in place of those by which it names them, without what is
    sought."""
    catalog, scope = walk.parts.catalog, walk.scope

    async def moved() -> None:
        epoch = await catalog.epoch(scope)
        resting = await catalog.resting_on(scope, list(ids))
        if resting:
            new = [_resource(walk.search(), one, ids) for one in resting]
            await catalog.reword(scope, CatalogTexts(resources=tuple(new)), epoch)

    await done_anew(moved)


def _resource(search: Search, one: Resource, ids: Mapping[str, str]) -> Resource:
    """A resource without what is sought, its messages of the ids that `ids` gives them."""
    content, placed = _content(search, one)
    moved = tuple(
        said.model_copy(
            update={
                "name": search.optional(said.name),
                "interaction_id": ids.get(said.interaction_id, said.interaction_id) if said.interaction_id else None,
            }
        )
        for said in placed
    )
    return one.model_copy(update={"content": content, "messages": moved, "metadata": search.metadata(one.metadata)})


def _content(search: Search, one: Resource) -> tuple[str, tuple[ResourceMessage, ...]]:
    """Its words, each message and what is between them by itself, so that it is known where each is then."""
    if not one.messages:
        return search.text(one.content), ()
    pieces: list[str] = []
    placed: list[ResourceMessage] = []
    position, length = 0, 0

    def add(text: str) -> None:
        nonlocal length
        pieces.append(search.text(text))
        length += len(pieces[-1])

    for said in sorted(one.messages, key=lambda message: (message.start, message.end)):
        begin = max(position, said.start)
        add(one.content[position:begin])
        start = length
        add(one.content[begin : max(begin, said.end)])
        placed.append(said.model_copy(update={"start": start, "end": length}))
        position = max(begin, said.end)
    add(one.content[position:])
    return "".join(pieces), tuple(placed)
