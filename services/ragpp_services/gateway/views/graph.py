"""The graph, each view's by itself; the same person or thing has another id in each."""

import hashlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from typing import TypeVar

from ragpp.counterparts import same_entities, same_relationships
from ragpp.errors import Forbidden, NotFound
from ragpp.fields import RESERVED
from ragpp.learned import OWN_ENTRY, Verdict
from ragpp.ledger.views import each_view, view_of
from ragpp.models import LISTED_SOURCES, Entity, EntityLabel, Relationship, Scope, StatedRelationship
from ragpp.tiers import SemanticTier
from ragpp_services.gateway.views.seeing import Sources, Viewed, Views, if_there

T = TypeVar("T")


class ViewedSemantic(Viewed[SemanticTier], of=SemanticTier):
    """Reads as `Viewed`. What a person does to the whole memory is done in every view that shows the same; a key that
    is bound to an agent does it to what no other agent sees."""

    def __init__(self, tier: SemanticTier, views: Views, begin: Callable[[Scope], Awaitable[None]]) -> None:
        """`begin`: sees that there is a view of the scope's."""
        super().__init__(tier, views)
        self._begin = begin

    async def state_relationship(self, scope: Scope, stated: StatedRelationship, confirm: bool = True) -> Relationship:
        """See the protocol. The scope's own view answers; another that cannot take it goes without. What a key states
        that is bound to an agent is that agent's, its id as well: the whole memory learns it, and has it confirmed
        where that overturns nobody's word."""
        if scope.view is None:
            told = await self._tier.state_relationship(scope, stated, confirm)
            for view in each_view(scope, await self._views.of(scope))[1:]:
                await if_there(self._tier.state_relationship(view, stated, confirm))
            return told
        own = hashlib.sha256(f"{scope.view}{RESERVED}{stated.entry.id}".encode()).hexdigest()[:32]
        stated = stated.model_copy(update={"entry": stated.entry.model_copy(update={"id": f"{OWN_ENTRY}{own}"})})
        await self._begin(scope)
        told = await self._tier.state_relationship(scope, stated, confirm)
        judged = confirm and await self._may_judge(scope, told)
        await if_there(self._tier.state_relationship(scope.seen_by(None), stated, judged))
        return told

    async def _may_judge(self, scope: Scope, what: Relationship) -> bool:
        """True where an agent may judge in the whole memory what says the same there, or nothing does. Nobody can tell
        while a view is being built."""
        whole = scope.seen_by(None)
        if not await same_relationships(self._tier, whole, what):
            return True
        if not all((await self._views.of(scope)).values()):
            return False
        with suppress(Forbidden, NotFound):
            return whole in await self._concerned(scope, lambda view: self._rest_of(view, what))
        return False

    async def judge_relationship(self, scope: Scope, relationship_id: str, verdict: Verdict) -> Relationship:
        return await self._to_relationship(
            scope, relationship_id, lambda view, one: self._tier.judge_relationship(view, one, verdict)
        )

    async def restore_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        return await self._to_relationship(scope, relationship_id, self._tier.restore_relationship)

    async def merge_entities(self, scope: Scope, keep_id: str, absorb_id: str) -> Entity:
        return await self._to_entities(scope, [keep_id, absorb_id], self._tier.merge_entities)

    async def relabel_entity(
        self, scope: Scope, entity_id: str, name: str | None = None, label: EntityLabel | None = None
    ) -> Entity:
        return await self._to_entities(
            scope, [entity_id], lambda view, one: self._tier.relabel_entity(view, one, name, label)
        )

    async def split_entity(self, scope: Scope, entity_id: str, absorbed_id: str) -> tuple[Entity, Entity]:
        """See the protocol. In another view it is undone where that is the only thing that was absorbed there: what was
        has no name any more by which to tell."""
        here = view_of(scope, await self._views.of(scope))

        async def split(view: Scope, one: str) -> tuple[Entity, Entity]:
            if view == here:
                return await self._tier.split_entity(view, one, absorbed_id)
            absorbed = (await self._tier.get_entity(view, one)).merged_from
            if len(absorbed) != 1:
                raise NotFound(f"there is nothing of which {one!r} is known to be made")
            return await self._tier.split_entity(view, one, absorbed[0])

        return await self._to_entities(scope, [entity_id], split)

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """See the protocol: entities and relationships, by their ids in the scope's view."""
        forgotten = 0
        for identifier in ids:
            with suppress(NotFound):
                forgotten += await self._forget(scope, identifier)
        return forgotten

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> int:
        """See the protocol: in every view."""
        return await self._everywhere(scope, lambda view: self._tier.forget_sources(view, interaction_ids))

    async def _forget(self, scope: Scope, identifier: str) -> int:
        async def forget(view: Scope, one: str) -> int:
            return await self._tier.forget(view, [one])

        try:
            return await self._to_relationship(scope, identifier, forget)
        except NotFound:
            return await self._to_entities(scope, [identifier], forget)

    async def _to_relationship(self, scope: Scope, identifier: str, change: Callable[[Scope, str], Awaitable[T]]) -> T:
        """Change a relationship of the scope's view, and what says the same elsewhere."""
        here = view_of(scope, await self._views.of(scope))
        what = await self._tier.get_relationship(here, identifier)
        elsewhere = await self._concerned(scope, lambda view: self._rest_of(view, what))
        same = [(view, await same_relationships(self._tier, view, what)) for view in elsewhere]
        for view, found in same:  # here last: what could not be done elsewhere is then repeated
            for one in found:
                await if_there(change(view, one))
        return await change(here, identifier)

    async def _rest_of(self, view: Scope, what: Relationship) -> Sources | None:
        """Where it lists no more than the latest of its sources, all that both ends are known from."""
        rests: set[str] = set()
        found = await same_relationships(self._tier, view, what)
        for one in [await self._tier.get_relationship(view, identifier) for identifier in found]:
            rests.update(one.sources)
            if len(one.sources) >= LISTED_SOURCES:
                ends = [await self._tier.known_as(view, end) for end in (one.source_id, one.target_id)]
                rests.update(frozenset(ends[0].sources) & frozenset(ends[1].sources))
        return frozenset(rests) if found else None

    async def _to_entities(self, scope: Scope, ids: list[str], change: Callable[..., Awaitable[T]]) -> T:
        """Change entities of the scope's view, and those of the same names elsewhere."""
        here = view_of(scope, await self._views.of(scope))
        what = [await self._tier.get_entity(here, identifier) for identifier in ids]
        elsewhere = await self._concerned(scope, lambda view: self._rest_of_all(view, what))
        same = [(view, [await same_entities(self._tier, view, one) for one in what]) for view in elsewhere]
        for view, found in same:
            if all(found):
                await if_there(change(view, *(of_name[0] for of_name in found)))
        return await change(here, *ids)

    async def _rest_of_all(self, view: Scope, what: Sequence[Entity]) -> Sources | None:
        found = {identifier for one in what for identifier in await same_entities(self._tier, view, one)}
        known = [await self._tier.known_as(view, identifier) for identifier in sorted(found)]
        return frozenset(source for one in known for source in one.sources) if known else None
