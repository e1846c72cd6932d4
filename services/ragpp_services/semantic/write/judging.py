"""What a person says of relationships, and what time does to them."""

from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import uuid4

from ragpp.clock import to_moment
from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.learned import Consolidated, Verdict
from ragpp.models import Relationship, Scope
from ragpp_services.semantic.records import Act, Applied, RelationshipKey, RelationshipState, Statement
from ragpp_services.semantic.write.claiming import NewEvent
from ragpp_services.semantic.write.consolidating import merge_the_same, persist_decay
from ragpp_services.semantic.write.verbs import GraphVerbs, page_of
from ragpp_services.semantic.write.writer import GraphWriter

VERDICT_PREFIX: Final = "v:"


class JudgedGraph(GraphVerbs):
    """Review, verdicts, restoring, and the nightly consolidation."""

    async def review_relationships(self, scope: Scope, below: float, limit: int = 50) -> list[Relationship]:
        """Current relationships of a confidence under `below` on which nobody has judged, the surest first."""
        now = to_moment(self._clock())
        found = await self._store.doubtful(
            scope,
            below=below,
            now=now,
            limit=page_of(limit),
            rate=self._belief.decay_per_day,
            lasting_rate=self._belief.lasting_decay_per_day,
        )
        return [self.shown(item, now) for item in found]

    async def judge_relationship(self, scope: Scope, relationship_id: str, verdict: Verdict) -> Relationship:
        """See the contract. A verdict is evidence: it goes with the relationship through merges and splits, and stays
        when messages are forgotten as long as both things are known. A rejected one ends no other."""
        return await self._tell(scope, relationship_id, verdict, lambda _: None)

    async def restore_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        """See the contract."""

        def check(state: RelationshipState) -> None:
            if state.archived_at is None:
                raise Conflict(
                    f"the relationship {relationship_id!r} is not archived",
                    suggestions=("List what is: GET /v1/relationships?state=archived.",),
                )

        return await self._tell(scope, relationship_id, "restored", check)

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
            await self.revision(writer).rebuild_relationships([found[0].state.key])

        await self._store.write(scope, work)
        return await self.get_relationship(scope, relationship_id)

    async def consolidate(
        self, scope: Scope, now: datetime, floor: float | None, epoch: int | None = None
    ) -> Consolidated:
        """See the contract. Lasting and confirmed relationships are never archived; what has ended or is archived
        keeps its decay unpersisted, since its confidence is told exactly at any time all the same."""
        if floor is not None and not 0 <= floor <= 1:
            raise InvalidInput(f"floor is {floor}, it must be 0 to 1")
        merged = await merge_the_same(self, scope, epoch)
        updated = archived = 0
        if floor is not None:
            updated, archived = await persist_decay(self, scope, epoch, self._belief, to_moment(now), floor)
        kept = {state.id: state for state in await self._store.entities(scope, merged)} if merged else {}
        return Consolidated(
            updated=updated, archived=archived, merged=tuple(state.to_model() for state in kept.values())
        )


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
