"""Consolidation: entities that are the same become one, decay is written down, what has faded is archived.

In transactions of a bounded size, each of which leaves the graph whole; what one of them did, the next does not find.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeVar

from ragpp.models import Scope
from ragpp_services.semantic.evidence.identity import the_same
from ragpp_services.semantic.evidence.states import Belief
from ragpp_services.semantic.records import EntityState
from ragpp_services.semantic.write.revising import Revision
from ragpp_services.semantic.write.writer import GraphWriter

FADING_AT_ONCE: Final = 1_000
NAMES_AT_ONCE: Final = 2_000
MERGES_AT_ONCE: Final = 20
T = TypeVar("T")


class Revises(Protocol):
    """Runs a change to one user's graph in a transaction, under the user's lock and in that epoch."""

    async def revise(
        self, scope: Scope, change: Callable[[GraphWriter, Revision], Awaitable[T]], *, epoch: int | None = None
    ) -> T: ...


async def merge_the_same(graph: Revises, scope: Scope, epoch: int | None) -> list[str]:
    """Merge entities that are plainly the same; the ids of those that absorbed another and are left."""

    async def work(writer: GraphWriter, revision: Revision) -> Sequence[tuple[str, str]]:
        unions = the_same(await _names(writer))[:MERGES_AT_ONCE]
        for union in unions:
            await revision.merge(union.kept, union.absorbed, automatic=True)
        return [(union.kept, union.absorbed) for union in unions]

    merged: dict[str, None] = {}
    while done := await graph.revise(scope, work, epoch=epoch):
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
    graph: Revises, scope: Scope, epoch: int | None, belief: Belief, now: int, floor: float
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
        moved, gone = await graph.revise(scope, work, epoch=epoch)
        updated, archived = updated + moved, archived + gone
        if moved < FADING_AT_ONCE:
            return updated, archived
