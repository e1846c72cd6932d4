"""Consolidation: entities that are the same become one, decay is written down, what has faded is archived.

In transactions of a bounded size, each of which leaves the graph whole; what one of them did, the next does not find.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from ragpp.clock import to_moment
from ragpp.errors import InvalidInput
from ragpp.learned import Consolidated
from ragpp.models import Scope
from ragpp_services.semantic.evidence.folding import Belief
from ragpp_services.semantic.evidence.identity import the_same
from ragpp_services.semantic.records import EntityState
from ragpp_services.semantic.store import SemanticStore
from ragpp_services.semantic.write.forgetting import revise_what_is_noted
from ragpp_services.semantic.write.revising import Revision, Revisions
from ragpp_services.semantic.write.writer import GraphWriter

FADING_AT_ONCE: Final = 1_000
NAMES_AT_ONCE: Final = 2_000
MERGES_AT_ONCE: Final = 20


class Consolidation:
    """The upkeep that is done every night, and whenever somebody asks for it."""

    def __init__(self, store: SemanticStore, revisions: Revisions, belief: Belief) -> None:
        self._store, self._revisions, self._belief = store, revisions, belief

    async def consolidate(
        self, scope: Scope, now: datetime, floor: float | None, epoch: int | None = None
    ) -> Consolidated:
        """As the contract says. With a `floor`, what was noted to be folded again is, too. What stays true without
        being said again and what was confirmed is never archived; what has ended or is archived keeps its decay
        unpersisted, since its confidence is told exactly at any time all the same."""
        if floor is not None and not 0 <= floor <= 1:
            raise InvalidInput(f"floor is {floor}, it must be 0 to 1")
        if floor is not None:
            await self._revisions.make(scope, revise_what_is_noted, epoch=epoch)
        merged = await merge_the_same(self._revisions, scope, epoch)
        updated = archived = 0
        if floor is not None:
            updated, archived = await persist_decay(self._revisions, scope, epoch, self._belief, to_moment(now), floor)
        kept = {state.id: state for state in await self._store.entities(scope, merged)} if merged else {}
        return Consolidated(
            updated=updated, archived=archived, merged=tuple(state.to_model() for state in kept.values())
        )


async def merge_the_same(revisions: Revisions, scope: Scope, epoch: int | None) -> list[str]:
    """Merge entities that are plainly the same; the ids of those that absorbed another and are left."""

    async def work(writer: GraphWriter, revision: Revision) -> Sequence[tuple[str, str]]:
        await writer.note_consolidation()
        unions = the_same(await _names(writer))[:MERGES_AT_ONCE]
        for union in unions:
            await revision.merge(union.kept, union.absorbed, automatic=True)
        return [(union.kept, union.absorbed) for union in unions]

    merged: dict[str, None] = {}
    while done := await revisions.make(scope, work, epoch=epoch):
        for kept, absorbed in done:
            merged.pop(absorbed, None)
            merged[kept] = None
    return list(merged)


async def _names(writer: GraphWriter) -> list[EntityState]:
    found: list[EntityState] = []
    after = ("", "")
    while True:
        page = await writer.names_of_entities(after=after, limit=NAMES_AT_ONCE)
        found += page
        if len(page) < NAMES_AT_ONCE:
            return found
        after = (page[-1].key, page[-1].id)


async def persist_decay(
    revisions: Revisions, scope: Scope, epoch: int | None, belief: Belief, now: int, floor: float
) -> tuple[int, int]:
    """How many relationships had their decay up to `now` written down, and how many of them were archived."""

    async def work(writer: GraphWriter, _: Revision) -> tuple[int, int]:
        fading = await writer.fading(now=now, limit=FADING_AT_ONCE)
        faded = [belief.persisted(state, now, floor) for state in fading]
        if faded:
            await writer.persist_decay(faded)
        return len(faded), sum(state.archived_at is not None for state in faded)

    updated = archived = 0
    while True:
        moved, gone = await revisions.make(scope, work, epoch=epoch)
        updated, archived = updated + moved, archived + gone
        if moved < FADING_AT_ONCE:
            return updated, archived
