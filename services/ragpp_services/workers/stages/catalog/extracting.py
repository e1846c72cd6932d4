"""Extract: the items of one resource, taken from it anew."""

import time
from collections.abc import Collection, Sequence
from typing import Final, cast

import structlog
from pydantic import JsonValue

from ragpp.catalog import EVERYBODY, ItemEntry, MemoryItem, Resource
from ragpp.errors import CategoryNotFoundError, ExtractionError, InvalidInput, Outdated, ResourceNotFoundError
from ragpp.errors.summaries import safe_summary
from ragpp.ledger import Work
from ragpp.ledger.extracting import AGAIN
from ragpp.models import Interaction, Page, Scope
from ragpp.paging import PAGE, pages
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.catalog.asking import consolidate_later
from ragpp_services.workers.stages.catalog.passages import index_passages
from ragpp_services.workers.stages.catalog.reading import Statements, entries_of, read_statements
from ragpp_services.workers.stages.history import teaches
from ragpp_services.workers.stages.stating import found_in

RETRIES: Final = 2
"""After so many, a resource that cannot be read has no items, with a warning."""
READ_AT_ONCE: Final = 500
EMBEDDED_AT_ONCE: Final = 500
"""Statements: a second's work, before which it is asked whether it is still wanted."""
_log = structlog.stdlib.get_logger(__name__)


async def extract_items(parts: WorkerParts, work: Work) -> dict[str, JsonValue]:
    """Take the items of the resource that the payload names from it, in place of those taken before; `{resource_id,
    item_ids, item_count, categories, extraction_time_ms, model, fallback}`. Of a resource that is not there, or no
    longer, nothing but `gone`; of a stub, which has nothing to be read, the items that it has.

    Raises TierUnavailable, EmbeddingError, Outdated; InvalidInput for a payload that names none; ExtractionError for
    the first RETRIES attempts.
    """
    began = time.perf_counter()
    scope, resource_id = work.scope, work.payload.get("resource_id")
    if not isinstance(resource_id, str):
        raise InvalidInput("the payload names no resource")
    epoch = await parts.catalog.epoch(scope)
    try:
        resource = await parts.catalog.get_resource(_asked_by(work), resource_id)
        if resource.is_stub:
            items = [item async for item in pages(lambda at: _listed(parts, scope, resource_id, at))]
            return _outcome(resource_id, items, began, Statements(()))
        if resource.visibility == "global" and scope.user_id != EVERYBODY:
            raise InvalidInput("what all users share is extracted for all users, not for one")
        entries, read = await _read(parts, work, resource, epoch)
        items = await _put(parts, scope, resource_id, entries, epoch, _since(began))
        await index_passages(parts, scope)
    except ResourceNotFoundError:  # deleted since it was asked for: a result would name what is gone
        return {"gone": True}
    if work.payload.get(AGAIN):  # their pages lost what was taken from it before, and were made without it
        due = await parts.catalog.due_categories(scope, 1)
        for name in sorted({item.category for item in items if item.category is not None} & set(due)):
            await consolidate_later(parts, scope, name)
    return _outcome(resource_id, items, began, read)


def _asked_by(work: Work) -> Scope:
    """The view of the agent whose key asked, or the whole."""
    return work.scope.seen_by(cast("str | None", work.payload.get("agent_id")))


async def _read(parts: WorkerParts, work: Work, resource: Resource, epoch: int) -> tuple[list[ItemEntry], Statements]:
    known = await _interactions(parts, work.scope, resource)
    model = parts.model_for("extraction", work.scope)
    try:
        read = await read_statements(parts.reader or parts.extractor, model, resource, known)
    except ExtractionError as error:
        if work.attempts <= RETRIES:
            raise
        _log.warning("catalog.not_extracted", attempts=work.attempts, error=safe_summary(error))
        return [], Statements((), None, error.code)
    hint = await _hint(parts, work)
    says = {resource.messages[place].interaction_id for one in read.stated for place in one.messages}
    found = await found_in(parts, [item for item in known.values() if item.id in says and teaches(item)])
    entries = entries_of(work.scope, resource, read.stated, found, hint)
    return await _embedded(parts, work.scope, entries, read.undecided, epoch), read


async def _embedded(
    parts: WorkerParts, scope: Scope, entries: Sequence[ItemEntry], undecided: Collection[str], epoch: int
) -> list[ItemEntry]:
    """`entries` with their vectors, and those that say something `undecided` of the kinds that these tell. Of a million
    characters that takes minutes, in which nobody else's work on the catalog is done here: what was forgotten meanwhile
    ends it, with Outdated, and not only its result."""
    embedded: list[ItemEntry] = []
    for start in range(0, len(entries), EMBEDDED_AT_ONCE):
        if await parts.catalog.epoch(scope) != epoch:
            raise Outdated("something was forgotten while a resource was read")
        some = entries[start : start + EMBEDDED_AT_ONCE]
        vectors = await parts.embedder.embed([entry.content for entry in some])
        asked = [place for place, one in enumerate(some) if one.item_kind == "fact" and one.content in undecided]
        kinds = await parts.kinds.of([some[place].content for place in asked], vectors[asked])
        told_of = dict(zip(asked, kinds, strict=True))
        for place, (entry, row) in enumerate(zip(some, vectors.tolist(), strict=True)):
            update = {"embedding": tuple(row), "item_kind": told_of.get(place, entry.item_kind)}
            embedded.append(entry.model_copy(update=update))
    return embedded


async def _put(
    parts: WorkerParts, scope: Scope, resource_id: str, entries: list[ItemEntry], epoch: int, took_ms: float
) -> list[MemoryItem]:
    """Put `entries`. Returns the items that the resource then has. Where the category that was asked for was deleted
    since, each item goes to the nearest one: what a forgetting took from a resource has to come back without it."""
    try:
        return await parts.catalog.put_extracted(scope, resource_id, entries, epoch, took_ms)
    except CategoryNotFoundError:
        free = [entry.model_copy(update={"category": None}) for entry in entries]
        return await parts.catalog.put_extracted(scope, resource_id, free, epoch, took_ms)


async def _hint(parts: WorkerParts, work: Work) -> str | None:
    """The category that was asked for; of what is extracted anew, the one that was asked for before."""
    if not work.payload.get(AGAIN):
        return cast("str | None", work.payload.get("category_hint"))
    return await parts.ledger.category_hint(work.scope, cast("str", work.payload["resource_id"]))


async def _interactions(parts: WorkerParts, scope: Scope, resource: Resource) -> dict[str, Interaction]:
    """Those of its messages that the episodic tier has, by their ids."""
    ids = [one.interaction_id for one in resource.messages if one.interaction_id is not None]
    found: dict[str, Interaction] = {}
    for start in range(0, len(ids), READ_AT_ONCE):
        said = await parts.episodic.get(scope, ids[start : start + READ_AT_ONCE])
        found.update((one.id, one) for one in said)
    return found


async def _listed(parts: WorkerParts, scope: Scope, resource_id: str, cursor: str | None) -> Page[MemoryItem]:
    return await parts.catalog.list_items(scope, None, resource_id, False, cursor, PAGE)


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1_000, 1)


def _outcome(resource_id: str, items: list[MemoryItem], began: float, read: Statements) -> dict[str, JsonValue]:
    ids: list[JsonValue] = [item.item_id for item in items]
    categories: list[JsonValue] = [*sorted({item.category for item in items if item.category is not None})]
    return {
        "resource_id": resource_id,
        "item_ids": ids,
        "item_count": len(ids),
        "categories": categories,
        "extraction_time_ms": _since(began),
        "model": read.model,
        "fallback": read.fallback,
    }
