"""Items as they are read together: each whole, the current before what it replaced."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Final, Self

from ragpp.catalog import FINDING_ID, PASSAGE, MemoryItem
from ragpp.models import Memory
from ragpp_services.catalog.items.currency import Dated, current_first
from ragpp_services.catalog.items.ranking import Ranked
from ragpp_services.catalog.items.rows import FoundItem, ItemRows
from ragpp_services.catalog.items.sameness import contradicts

INLINE: Final = 60
"""Up to so many are compared on the event loop, in about 10 ms; more in a thread."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """An item as it is shown: with what else says it, and by what it was replaced among those that are shown with it.
    `found`: the statement that stands for it, under its item's id; `agents`: all that contributed it. A passage is
    shown in the same form; `lead`: the part of its text that is its lead; `focus`: where in it the sentence begins that
    was found."""

    found: FoundItem
    item: MemoryItem
    ranked: Ranked
    agents: tuple[str, ...] = ()
    lead: str = ""
    focus: int = 0

    @property
    def text(self) -> str:
        return self.item.content

    @property
    def score(self) -> float:
        return self.ranked.score

    @property
    def resources(self) -> frozenset[str]:
        """Ids of those that say it."""
        return frozenset((self.item.source_resource_id, *self.item.also_in))

    @property
    def is_passage(self) -> bool:
        return self.item.kind == PASSAGE

    @property
    def is_replaced(self) -> bool:
        return self.item.replaced_by is not None

    def raised(self, score: float) -> Self:
        """It with that score."""
        return replace(self, ranked=replace(self.ranked, score=score))

    @property
    def memory(self) -> Memory:
        """It as the answer of a tier, without metadata of its own but a finding's id."""
        item = self.item
        metadata = {
            "resource_id": item.source_resource_id,
            "resource_type": self.found.resource_type,
            "category": item.category,
            "importance": item.importance,
        }
        finding = {FINDING_ID: item.metadata[FINDING_ID]} if FINDING_ID in item.metadata else {}
        return Memory(
            id=item.item_id,
            tier="catalog",
            kind="passage" if self.is_passage else "item",
            text=item.content,
            focus=self.focus,
            score=self.ranked.score,
            similarity=self.ranked.similarity,
            coverage=self.ranked.coverage,
            confidence=item.confidence,
            tokens=item.tokens,
            occurred_at=item.occurred_at,
            session_id=self.found.session_id,
            sources=item.sources or (item.source_resource_id, *item.also_in),
            corrected_by=item.replaced_by,
            explain=self.ranked.explain,
            metadata={**metadata, **finding},
        )


async def read(
    items: ItemRows,
    ranked: Sequence[Ranked],
    *,
    as_of: datetime | None = None,
    vectors: bool = False,
    told_replaced: bool = True,
) -> list[Shown]:
    """Those that exist, in their order but for what replaces another, which stands before it with its score at least,
    where that is to be told. Of what occurred after `as_of` nothing is told; with their vectors on request."""
    if not ranked:
        return []
    found = await items.found([one.ordinal for one in ranked])
    there = [(found[one.ordinal], one) for one in ranked if one.ordinal in found]
    groups = await items.groups([one.leader for one, _ in there], as_of)
    whole = list[tuple[Shown, Dated]]()
    for one, place in there:
        members = groups.get(one.leader, [])
        item_id = members[0].id if members else one.item.item_id
        moments = [member.moment for member in members] or [(one.item.occurred_at, one.ordinal)]
        said = {(one.item.source_resource_id, one.item.occurred_at)}
        said |= {(member.resource_id, member.moment[0]) for member in members}
        agents = {one.item.agent_id, *[member.agent_id for member in members]} - {None}
        update = {
            "item_id": item_id,
            "also_in": _others(one.item.source_resource_id, [member.resource_id for member in members]),
            "sources": tuple(dict.fromkeys(chain(one.item.sources, *[member.sources for member in members]))),
            "embedding": tuple(one.vector.tolist()) if vectors else None,
            "access_count": len(agents),
        }
        item = one.item.model_copy(update=update)
        shown = Shown(one, item, place, tuple(sorted(filter(None, agents))))
        whole.append((shown, Dated(item.content, max(moments), one.vector, frozenset(said))))
    if not told_replaced:
        return [one for one, _ in whole]
    return _current_first(whole) if len(whole) <= INLINE else await asyncio.to_thread(_current_first, whole)


def _others(resource: str, others: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in others if one != resource))


def _current_first(whole: Sequence[tuple[Shown, Dated]]) -> list[Shown]:
    """Each as it was said last: what was said again holds again."""
    current = current_first([dated for _, dated in whole], contradicts)
    shown: list[Shown] = []
    least = 0.0
    for place in reversed(current.order):
        one, _ = whole[place]
        by = current.replaced.get(place)
        if by is not None:
            one = replace(one, item=one.item.model_copy(update={"replaced_by": whole[by][0].item.item_id}))
        least = max(least, one.score)
        shown.append(one if one.score == least else one.raised(least))
    return shown[::-1]
