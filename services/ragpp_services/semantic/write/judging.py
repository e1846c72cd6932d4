"""A person's verdicts on relationships, and on entities that are the same or not."""

from collections.abc import Callable
from typing import Final
from uuid import uuid4

from ragpp.clock import Clock, to_moment
from ragpp.errors import Conflict, NotFound
from ragpp.learned import Verdict
from ragpp.models import Entity, EntityLabel, Relationship, Scope
from ragpp_services.semantic.read.browsing import Browsing
from ragpp_services.semantic.records import Act, Applied, RelationshipKey, RelationshipState, Statement
from ragpp_services.semantic.store import SemanticStore
from ragpp_services.semantic.write.records import NewEvent
from ragpp_services.semantic.write.revising import Revisions
from ragpp_services.semantic.write.writer import GraphWriter

VERDICT_PREFIX: Final = "v:"


class Judging:
    """Verdicts, restoring, merges and splits."""

    def __init__(self, store: SemanticStore, revisions: Revisions, browsing: Browsing, clock: Clock) -> None:
        self._store, self._revisions, self._browsing, self._clock = store, revisions, browsing, clock

    async def judge_relationship(self, scope: Scope, relationship_id: str, verdict: Verdict) -> Relationship:
        """See the contract. A verdict is evidence: it goes with the relationship through merges and splits, and stays
        when messages are forgotten as long as both things are known. A rejected one ends no other."""
        return await self._tell(scope, relationship_id, verdict, lambda _: None)

    async def restore_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        def check(state: RelationshipState) -> None:
            if state.archived_at is None:
                raise Conflict(
                    f"the relationship {relationship_id!r} is not archived",
                    suggestions=("List what is: GET /v1/relationships?state=archived.",),
                )

        return await self._tell(scope, relationship_id, "restored", check)

    async def merge_entities(self, scope: Scope, keep_id: str, absorb_id: str) -> Entity:
        """Make one entity of two; the absorbed name becomes an alias and its relationships the kept one's.

        Raises NotFound, InvalidInput for an entity with itself.
        """
        await self._revisions.make(scope, lambda _, revision: revision.merge(keep_id, absorb_id, automatic=False))
        return await self._browsing.get_entity(scope, keep_id)

    async def relabel_entity(
        self, scope: Scope, entity_id: str, name: str | None = None, label: EntityLabel | None = None
    ) -> Entity:
        """See the contract."""
        await self._revisions.make(scope, lambda _, revision: revision.relabel(entity_id, name, label))
        return await self._browsing.get_entity(scope, entity_id)

    async def split_entity(self, scope: Scope, entity_id: str, absorbed_id: str) -> tuple[Entity, Entity]:
        """Undo a merge; the two are not merged again without being asked to.

        Raises NotFound when `entity_id` has not absorbed `absorbed_id` itself, Conflict when another entity has
        the absorbed one's name by now.
        """
        await self._revisions.make(scope, lambda _, revision: revision.split(entity_id, absorbed_id))
        return await self._browsing.get_entity(scope, entity_id), await self._browsing.get_entity(scope, absorbed_id)

    async def _tell(
        self, scope: Scope, relationship_id: str, act: Act, check: Callable[[RelationshipState], None]
    ) -> Relationship:
        """Add a person's word to the evidence of a relationship that passes `check`."""
        now, event_id = to_moment(self._clock()), f"{VERDICT_PREFIX}{uuid4().hex}"

        async def work(writer: GraphWriter) -> None:
            await writer.lock(now=now)
            found = await writer.relationships([relationship_id])
            if not found:
                raise NotFound(f"there is no relationship {relationship_id!r}")
            check(found[0].state)
            (claim,) = await writer.claim([NewEvent(event_id, "", now, (), ())], now=now)
            await writer.write_statements([_word(found[0].state.key, act, Applied(event_id, now, claim.sequence, ()))])
            await self._revisions.of(writer).rebuild_relationships([found[0].state.key])

        await self._store.write(scope, work)
        return await self._browsing.get_relationship(scope, relationship_id)


def _word(key: RelationshipKey, act: Act, applied: Applied) -> Statement:
    """A person's verdict on a relationship, whatever its ends are called."""
    return Statement(
        applied=applied,
        key=key,
        source_name="",
        target_name="",
        lasting=False,
        context="",
        act=act,
    )
