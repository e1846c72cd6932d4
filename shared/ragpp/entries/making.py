"""Entries of items: what was given of them, and what their words tell."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue, ValidationError

from ragpp.catalog import DEFAULT_VALUE, PRIORITIES, MemoryItem
from ragpp.entries.describing import describe, forms_of, shortened, sizes
from ragpp.entries.values import ENTRY, MAX_TAGS, MOST_SUMMARY, CatalogEntry, Description, GivenEntry, ValueBand
from ragpp.text.readers import Tokenizers

HIGH_VALUE: Final = 2 / 3
LOW_VALUE: Final = 1 / 3
"""From the one on a value is high, below the other it is low."""


def description_of(
    content: str, given: GivenEntry, tokenizers: Tokenizers, most_summary: int = MOST_SUMMARY
) -> Description:
    """The description to keep with an item: what its words tell, with the summary that was given, and the sizes of its
    forms as the usual tokenizer counts them. `most_summary`: characters of the summary. Raises what counting raises."""
    told = describe(content, most_summary)
    if given.summary:
        told = told.model_copy(update={"summary": shortened(given.summary, most_summary)})
    counted = sizes(forms_of(content, told.summary, told.abstract), tokenizers.named())
    return told.model_copy(update={"tokens": counted, "tokenizer": tokenizers.usual})


def tags_of(given: GivenEntry, told: Description) -> tuple[str, ...]:
    """The tags as they are looked for: in lower case, each once."""
    return tuple(dict.fromkeys(tag.lower() for tag in (told.keywords if given.tags is None else given.tags)))[:MAX_TAGS]


def entry_of(item: MemoryItem, told: Description | None = None, *, content: bool = False) -> CatalogEntry:
    """The entry of `item`: what was given of it, else what its words tell, as it was kept or, where nothing was, made
    now. With its vector where the item has one."""
    given = given_of(item.metadata)
    if told is None:
        told = describe(item.content)
        if given.summary:
            told = told.model_copy(update={"summary": shortened(given.summary, MOST_SUMMARY)})
    known = [one.value for one in item.goal_values.values()]
    worth = sum(known) / len(known) if known else DEFAULT_VALUE
    return CatalogEntry(
        memory_id=item.item_id,
        timestamp=item.occurred_at,
        ci=item.agent_id,
        type=item.kind,
        summary=told.summary,
        abstract=told.abstract,
        keywords=told.keywords,
        tags=told.keywords if given.tags is None else given.tags,
        topics=told.topics,
        key_points=told.key_points,
        size=item.tokens,
        tier=band(worth),
        priority=PRIORITIES[item.importance] if given.priority is None else given.priority,
        relevance=worth,
        expires=given.expires,
        references=given.references,
        external_id=given.external_id,
        visibility=item.visibility,
        content=item.content if content else None,
        relevance_vector=item.embedding,
    )


def band(value: float) -> ValueBand:
    """The band of a value of 0 to 1."""
    return "high" if value >= HIGH_VALUE else "low" if value < LOW_VALUE else "medium"


def given_of(metadata: Mapping[str, JsonValue]) -> GivenEntry:
    """The given entry in an item's metadata, and an empty one where what stands there is none."""
    try:
        return GivenEntry.model_validate(metadata.get(ENTRY, {}))
    except ValidationError:
        return GivenEntry()
