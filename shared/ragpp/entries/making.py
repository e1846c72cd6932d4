"""Entries of items: what was given of them, and what their words tell."""

from typing import Final

from pydantic import ValidationError

from ragpp.catalog import DEFAULT_VALUE, PRIORITIES, MemoryItem
from ragpp.entries.describing import describe, shortened
from ragpp.entries.values import ENTRY, MOST_SUMMARY, CatalogEntry, GivenEntry, ValueBand

HIGH_VALUE: Final = 2 / 3
LOW_VALUE: Final = 1 / 3
"""From the one on a value is high, below the other it is low."""


def entry_of(item: MemoryItem, *, content: bool = False) -> CatalogEntry:
    """The entry of `item`: what was given of it, else what its words tell. With its vector where the item has one."""
    given, told = given_of(item), describe(item.content)
    known = [one.value for one in item.goal_values.values()]
    worth = sum(known) / len(known) if known else DEFAULT_VALUE
    return CatalogEntry(
        memory_id=item.item_id,
        timestamp=item.occurred_at,
        ci=item.agent_id,
        type=item.kind,
        summary=shortened(given.summary, MOST_SUMMARY) if given.summary else told.summary,
        abstract=told.abstract,
        keywords=told.keywords,
        tags=told.keywords if given.tags is None else given.tags,
        key_points=told.key_points,
        size=item.tokens,
        tier=band(worth),
        priority=PRIORITIES[item.importance] if given.priority is None else given.priority,
        relevance=worth,
        expires=given.expires,
        references=given.references,
        visibility=item.visibility,
        content=item.content if content else None,
        relevance_vector=item.embedding,
    )


def band(value: float) -> ValueBand:
    """The band of a value of 0 to 1."""
    return "high" if value >= HIGH_VALUE else "low" if value < LOW_VALUE else "medium"


def given_of(item: MemoryItem) -> GivenEntry:
    """What stands in the item's metadata, and nothing where what stands there is none."""
    try:
        return GivenEntry.model_validate(item.metadata.get(ENTRY, {}))
    except ValidationError:
        return GivenEntry()
