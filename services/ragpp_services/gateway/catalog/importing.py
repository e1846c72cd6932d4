"""Memories that come many at a time, each kept or refused by itself; and those that go into a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ragpp.api import EntryIn, ItemIn, ItemsIn
from ragpp.api.files import ExportedMemories, ExportedMemory, ImportedEntry
from ragpp.catalog import EVERYBODY, CatalogInput
from ragpp.entries.making import given_of
from ragpp.entries.values import ENTRY, EntryQuery, FoundEntry
from ragpp.errors import Conflict, InvalidInput, MemorySystemError, NotFound, PersonalDataRefused
from ragpp.models import Scope, Stored
from ragpp.redaction import SECRETS
from ragpp.stores.cursors import cursor_of, place_of
from ragpp_services.gateway.catalog.keeping import expiry_of, item_of, placed_before, source_of
from ragpp_services.gateway.catalog.owning import Place
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.personal.holding import holding, refuse_in_ids

EXPIRED: Final = "its moment has passed"
LIST: Final = "memories"
ABSENT: Final = "the catalog does not have it"
OTHERWISE: Final = "its id is known with other content"
DELETED: Final = "it was deleted, and stays so"
REFUSABLE: Final = (Conflict, InvalidInput, NotFound)
"""Errors of one memory, and not of the tier: of a request that holds one the others are kept."""


@dataclass(slots=True)
class Imported:
    """The outcome of an import: of each memory, by its place in the request, and how many secrets were removed."""

    results: dict[int, ImportedEntry] = field(default_factory=dict)
    redactions: int = 0


async def imported(parts: Parts, memories: Mapping[int, tuple[Place, EntryIn]], *, dry_run: bool = False) -> Imported:
    """Keep them, by their places in the request, those of one place in the catalog together. What is refused, with why,
    keeps no other from being kept. `dry_run`: keep none, and tell what the catalog has. Raises what the intake and the
    tier raise that no memory is to blame for."""
    done, now = Imported(), parts.clock()
    asked = {number: body for number, (_, body) in memories.items() if body.type is None and not dry_run}
    told = await parts.kinds.of([body.content for body in asked.values()])
    kinds = dict(zip(asked, told, strict=True))
    known = await placed_before(parts, memories)
    together: dict[Place, dict[int, ItemIn]] = {}
    sourced = set[str]()
    for number, (asked_for, body) in memories.items():
        where = known.get(number, asked_for)
        if body.expires is not None and body.expires <= now:
            done.results[number] = ImportedEntry(outcome="expired", reason=EXPIRED)
            continue
        held = (await parts.choices.of(where.scope)).redactor
        try:
            refuse_in_ids(body, {}, held or SECRETS)
        except PersonalDataRefused as error:
            done.results[number] = ImportedEntry(outcome="refused", reason=_told(error))
            continue
        expires = expiry_of(where, body, parts.entry_limits, now)
        item = item_of(where, body, body.type or kinds.get(number, "fact"), expires)
        together.setdefault(where, {})[number] = item
        if body.source_resource_id is None:
            sourced.add(item.source_resource_id)
    for where, items in together.items():
        with holding((await parts.choices.of(where.scope)).redactor):
            if dry_run:
                await _compare(parts, where, items, done)
            else:
                await _keep(parts, where, items, sourced, done)
    return done


async def _compare(parts: Parts, where: Place, items: Mapping[int, ItemIn], done: Imported) -> None:
    """Note what the catalog has of these, under the id that each would be kept under, which is of its agent alone."""
    ids = {number: item.id or "" for number, item in items.items()}
    query = EntryQuery(ids=tuple(ids.values()), contents=True, limit=len(ids))
    found = {one.asked: one.entry for one in await parts.catalog.find_entries(where.scope, query)}
    for number, item in items.items():
        entry = found.get(ids[number])
        if entry is None:
            done.results[number] = ImportedEntry(outcome="absent", reason=ABSENT)
        elif entry.memory_id != ids[number]:
            done.results[number] = ImportedEntry(outcome="same", memory_id=entry.memory_id)
        elif entry.content == parts.knowledge.statement(item.content).text:
            done.results[number] = ImportedEntry(outcome="known", memory_id=entry.memory_id)
        else:
            done.results[number] = ImportedEntry(outcome="refused", reason=OTHERWISE)


async def _keep(parts: Parts, where: Place, items: Mapping[int, ItemIn], sourced: set[str], done: Imported) -> None:
    """All of `items` in one transaction; where one of them is refused, each half by itself."""
    try:
        stored, redactions = await _stored(parts, where, list(items.values()), sourced)
    except REFUSABLE as error:
        numbers = list(items)
        if len(numbers) == 1:
            done.results[numbers[0]] = ImportedEntry(outcome="refused", reason=_told(error))
            return
        for half in (numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]):
            await _keep(parts, where, {number: items[number] for number in half}, sourced, done)
        return
    done.redactions += redactions
    for (number, item), one in zip(items.items(), stored, strict=True):
        done.results[number] = _outcome(item, one)


async def _stored(parts: Parts, where: Place, items: Sequence[ItemIn], sourced: set[str]) -> tuple[list[Stored], int]:
    entries, redactions = await parts.knowledge.items(ItemsIn(items=tuple(items)), where.whose)
    sources: list[CatalogInput] = [
        await parts.knowledge.resource(source_of(item), where.whose)
        for item in items
        if item.source_resource_id in sourced
    ]
    stored = await parts.catalog.store(where.scope, [*sources, *entries])
    return stored[len(sources) :], redactions


def _outcome(item: ItemIn, stored: Stored) -> ImportedEntry:
    if stored.forgotten:
        return ImportedEntry(outcome="refused", reason=DELETED)
    if stored.duplicate:
        return ImportedEntry(outcome="known", memory_id=stored.id)
    return ImportedEntry(outcome="kept" if stored.id == item.id else "same", memory_id=stored.id)


def _told(error: MemorySystemError) -> str:
    if isinstance(error, Conflict) and "indexes" in error.details:
        return OTHERWISE
    return error.message.removeprefix("items.0.")


async def exported(
    parts: Parts, scope: Scope, ci: str | None, *, cursor: str | None, limit: int
) -> tuple[ExportedMemories, list[str]]:
    """Memories for a file, and their ids in the catalog, the latest first: those that the agent `ci` alone sees;
    without one those that all of the user's agents see, or, of a scope without a user, all users. The last page is
    empty. Raises InvalidInput for a cursor that is not ours."""
    before = None if cursor is None else place_of(LIST, cursor)
    visibility: Literal["agent", "shared"] = "shared" if ci is None else "agent"
    query = EntryQuery(ci=ci, visibility=visibility, before=before, contents=True, whole=True, limit=limit)
    found = await parts.catalog.find_entries(scope, query)
    shown = [one for one in found if (one.entry.visibility == "global") == (scope.user_id == EVERYBODY)]
    following = cursor_of(LIST, found[-1].place) if found else None
    page = ExportedMemories(items=tuple(map(_exported, shown)), next_cursor=following)
    return page, [one.entry.memory_id for one in shown]


def _exported(found: FoundEntry) -> ExportedMemory:
    entry = found.entry
    return ExportedMemory(
        id=entry.external_id or entry.memory_id,
        timestamp=entry.timestamp,
        ci_source=entry.ci,
        type=entry.type,
        summary=entry.summary,
        content=entry.content or "",
        tokens=entry.size,
        relevance_tags=entry.tags,
        priority=entry.priority,
        expires=None if given_of(found.metadata).expires_unsaid else entry.expires,
        references=entry.references,
        category=found.category,
        level=found.level,
        domain=found.domain,
        task_type=found.task_type,
        metadata={name: value for name, value in found.metadata.items() if name != ENTRY},
    )
