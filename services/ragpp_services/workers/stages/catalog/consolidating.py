"""Consolidate: the page of one category, in a language model's words where there is one."""

import time
from collections.abc import Sequence
from typing import Final

import structlog
from pydantic import JsonValue

from ragpp.catalog import MemoryCategory, MemoryItem, PageSection
from ragpp.errors import CategoryNotFoundError, InvalidInput, LanguageModelError, MalformedReply
from ragpp.errors.summaries import safe_summary
from ragpp.ledger import Work
from ragpp.llm.pages import write_page
from ragpp.llm.resources import keeps_numbers
from ragpp.models import SHARED, Page
from ragpp.paging import PAGE, pages
from ragpp_services.workers.parts import WorkerParts

_log = structlog.stdlib.get_logger(__name__)
MOST_ITEMS: Final = 1_000
"""Items of a page that a model writes; a larger category's is made without one."""
Written = tuple[Sequence[PageSection] | None, str | None, str | None]
"""Sections of a model's, or none; which model wrote them; why none did where one is configured."""


async def consolidate_page(parts: WorkerParts, work: Work) -> dict[str, JsonValue]:
    """Make the page of the category that the payload names; `{category_id, name, item_count, content_length,
    consolidation_time_ms, model, fallback}`, and of one that is no longer there nothing but `gone`.

    Raises TierUnavailable, Outdated; ConsolidationError, and the page is as it was; InvalidInput for a payload that
    names no category.
    """
    began = time.perf_counter()
    scope, name, force = work.scope, work.payload.get("category"), bool(work.payload.get("force", False))
    if not isinstance(name, str):
        raise InvalidInput("the payload names no category")
    epoch = await parts.catalog.epoch(scope)
    try:
        category = await parts.catalog.get_category(scope, name)
        written: Written = (None, None, None)
        if force or category.name in await parts.catalog.due_categories(scope):
            written = await _write(parts, work, category)
        sections, model, fallback = written
        page = await parts.catalog.consolidate(scope, name, force, sections, epoch)
    except CategoryNotFoundError:  # deleted since it was asked for
        return {"gone": True}
    return {
        "category_id": page.category_id,
        "name": page.name,
        "item_count": page.item_count,
        "content_length": len(page.markdown_content),
        "consolidation_time_ms": round((time.perf_counter() - began) * 1_000, 1),
        "model": model,
        "fallback": fallback,
    }


async def _write(parts: WorkerParts, work: Work, category: MemoryCategory) -> Written:
    model = parts.model_for("consolidation", work.scope)
    if model is None:
        return None, None, None
    if category.item_count > MOST_ITEMS:
        return None, None, "too_many_items"
    shared = work.scope.seen_by(SHARED)  # a page rests on what all may see

    async def of_category(cursor: str | None) -> Page[MemoryItem]:
        return await parts.catalog.list_items(shared, category.name, None, False, cursor, PAGE)

    items = [item async for item in pages(of_category)]
    if not items:
        return None, None, None
    oldest_first = sorted(items, key=lambda item: (item.occurred_at, item.item_id))
    try:
        sections = await write_page(model, category.name, category.description, oldest_first)
        return borne_out(sections, items), model.name, None
    except LanguageModelError as error:
        _log.warning("catalog.fell_back", model=model.name, kind=error.kind, error=safe_summary(error))
        return None, None, error.kind


def borne_out(sections: Sequence[PageSection], items: Sequence[MemoryItem]) -> list[PageSection]:
    """The sections without lines that have a number which none of their items has. Raises MalformedReply where no line
    is left."""
    says = {item.item_id: item.content for item in items}
    kept = [
        section.model_copy(
            update={
                "lines": tuple(
                    line for line in section.lines if keeps_numbers(line.text, [says[one] for one in line.item_ids])
                )
            }
        )
        for section in sections
    ]
    found = [section for section in kept if section.lines]
    if not found:
        raise MalformedReply("no line of the page rests on a fact")
    return found
