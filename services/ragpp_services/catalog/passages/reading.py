"""From what was scanned to the passages that are shown beside items."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ragpp.catalog import PASSAGE, MemoryItem, generate_memory_key, passage_id
from ragpp_services.catalog.items.asking import Asked, Scanned
from ragpp_services.catalog.items.ranking import Answer, Ranked
from ragpp_services.catalog.items.reading import Shown
from ragpp_services.catalog.items.rows import FoundItem
from ragpp_services.catalog.passages.ranking import RankedPassage, beside, focus_of, rank_passages, shown_once
from ragpp_services.catalog.passages.rows import FoundPassage
from ragpp_services.catalog.store import Rows

INLINE: Final = 16_000
"""Bytes of a packed column of whole numbers up to which chunks are ranked on the event loop, in about 1 ms; more in a
thread."""
Count = Callable[[str], int]
"""Tokens of a text."""


async def with_passages(
    rows: Rows,
    asked: Asked,
    scanned: Scanned,
    answer: Answer,
    items: Sequence[Shown],
    count: Count,
    *,
    least: float | None = None,
    by_words_alone: bool = False,
    explain: bool = False,
) -> list[Shown]:
    """`items`, which `answer` found, with the passages that answer where these do not (`told_once`). Nothing is asked
    where there is no passage, or none that is near (`beside`)."""

    def ranked() -> list[RankedPassage]:
        return rank_passages(
            scanned.around, asked.terms, answer.documents, least=least, by_words_alone=by_words_alone, explain=explain
        )

    is_long = len(scanned.around.ordinals or b"") > INLINE
    best = beside(items, await asyncio.to_thread(ranked) if is_long else ranked())
    found = await rows.passages.found([(one.resource, one.part) for one in best])
    there = [(found[one.resource, one.part], one) for one in best if (one.resource, one.part) in found]
    if not there:
        return list(items)
    shown = shown_once(items, [_shown(*one) for one in there], asked.terms)
    return [_told(one, asked.terms, count) if one.is_passage else one for one in shown]


def _shown(found: FoundPassage, ranked: RankedPassage) -> Shown:
    item = MemoryItem.trusted(
        item_id=passage_id(found.resource_id, found.part),
        content=found.text,
        source_resource_id=found.resource_id,
        resource_type=found.resource_type,
        confidence=1.0,
        kind=PASSAGE,
        occurred_at=found.occurred_at,
        created_at=found.created_at,
        key=generate_memory_key(found.text),
        agent_id=found.agent_id,
        visibility=found.visibility,
    )
    return Shown(
        found=FoundItem(item, found.ordinal, ("", item.item_id), found.resource_type, found.session_id, _NO_VECTOR),
        item=item,
        ranked=Ranked(found.ordinal, ranked.score, ranked.similarity, ranked.coverage, ranked.explain),
        lead=found.text[: found.lead],
    )


def _told(one: Shown, terms: Sequence[int], count: Count) -> Shown:
    """A passage that is shown, with its tokens, and where in it begins what was found."""
    item = one.item.model_copy(update={"tokens": count(one.text)})
    return replace(one, item=item, focus=focus_of(one.text, len(one.lead), terms))


_NO_VECTOR: Final = np.empty(0, np.float32)
