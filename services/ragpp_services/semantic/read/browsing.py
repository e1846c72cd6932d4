"""Looking around in the graph without a query: lists, single entities and relationships, what somebody is called."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, get_args

from ragpp.clock import Clock, to_moment
from ragpp.errors import InvalidInput, NotFound
from ragpp.learned import RelationshipState
from ragpp.models import Entity, EntityLabel, KnownAs, Page, Relationship, Scope
from ragpp.stores.cursors import decode_cursor, page_of, page_size
from ragpp_services.semantic.evidence.folding import Belief
from ragpp_services.semantic.evidence.keys import loose_key, name_key
from ragpp_services.semantic.evidence.timeline import SAID, by_time
from ragpp_services.semantic.evidence.validity import EXCLUSIVE
from ragpp_services.semantic.records import AFTER_TIME, BEFORE_TIME, RelationshipKey, Statement
from ragpp_services.semantic.records import RelationshipState as RelationshipRecord
from ragpp_services.semantic.rows import NamedRelationship, rate_table
from ragpp_services.semantic.store import SemanticStore

REFILL: Final = 500
"""The least that is read at once to fill up a page, however short the page is."""


class Browsing:
    """Lists, and single entities and relationships."""

    def __init__(self, store: SemanticStore, belief: Belief, clock: Clock) -> None:
        self._store, self._belief, self._clock = store, belief, clock

    async def list_entities(
        self, scope: Scope, label: EntityLabel | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Entity]:
        """Entities by name. Raises InvalidInput for a cursor that is not ours."""
        limit = page_size(limit)
        after = ("", "") if cursor is None else decode_cursor(cursor, str, str)
        states = await self._store.list_entities(scope, after=after, label=label, limit=limit + 1)
        found = [state.to_model() for state in states]
        return page_of(Page[Entity], found, limit, lambda one: (name_key(one.name), one.id))

    async def get_entity(self, scope: Scope, entity_id: str) -> Entity:
        """NotFound when there is none of that id in the scope."""
        states = await self._store.entities(scope, [entity_id])
        if not states:
            raise NotFound(f"there is no entity {entity_id!r}")
        return states[0].to_model()

    async def named(self, scope: Scope, names: Collection[str]) -> list[Entity]:
        states = await self._store.entities_by_keys(scope, sorted({name_key(name) for name in names}))
        return [state.to_model() for state in states]

    async def known_as(self, scope: Scope, entity: str) -> KnownAs:
        """See the contract. A name is compared as names are in the graph; what was absorbed counts by its names."""
        keys = {name_key(entity), *(loose_key(entity, label) for label in get_args(EntityLabel))}
        found = {one.id: one for one in await self._store.entities_by_keys(scope, sorted(keys))}
        found |= {one.id: one for one in await self._store.entities(scope, [entity])}
        names: dict[str, None] = {}
        sources: dict[str, None] = {}
        for one in found.values():
            mentions, stated = await self._store.evidence_around(scope, one.id)
            names |= dict.fromkeys((one.name, *one.aliases))
            for mention in mentions:
                names |= dict.fromkeys((mention.name, *mention.aliases))
            for applied in (*(said.applied for said in mentions), *(said.applied for said in stated)):
                sources |= dict.fromkeys(applied.sources)
        return KnownAs(names=tuple(names), sources=tuple(sources))

    async def list_relationships(
        self,
        scope: Scope,
        entity_id: str | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
        state: RelationshipState = "current",
    ) -> Page[Relationship]:
        """Relationships in the order of their first mention; confidence decayed to `as_of`, or to now. As of a
        moment they are as they were then: what was said later is neither seen nor counted, and what ended or faded
        later is current. What a person rejected is rejected at any moment."""
        limit = page_size(limit)
        after = (BEFORE_TIME, "") if cursor is None else decode_cursor(cursor, int, str)
        if not BEFORE_TIME <= after[0] <= AFTER_TIME:
            raise InvalidInput("the cursor is not one that this list gave out")
        until, now = to_moment(as_of) if as_of is not None else AFTER_TIME, to_moment(as_of or self._clock())
        shown: list[NamedRelationship] = []
        wanted = limit + 1
        while True:  # what only evidence can tell may turn out to be of another state: then the page is filled up
            found = await self._store.list_relationships(
                scope, entity_id=entity_id, state=state, as_of=until, after=after, limit=wanted
            )
            shown += [item for item in await self._believed(scope, found, until) if _is_of(item.state, state)]
            if len(found) < wanted or len(shown) > limit:
                break
            after, wanted = (found[-1].state.first_mention, found[-1].state.key.id), max(wanted, REFILL)
        listed = [self._shown(item, now) for item in shown[: limit + 1]]
        return page_of(Page[Relationship], listed, limit, lambda one: (to_moment(one.first_mention), one.id))

    async def review_relationships(self, scope: Scope, below: float, limit: int = 50) -> list[Relationship]:
        """Current relationships of a confidence under `below` on which nobody has judged, the surest first."""
        now = to_moment(self._clock())
        found = await self._store.doubtful(
            scope,
            below=below,
            now=now,
            limit=page_size(limit),
            rates=rate_table(self._belief.decay_per_day),
        )
        return [self._shown(item, now) for item in found]

    async def get_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        """NotFound when there is none of that id in the scope. Confidence is decayed to now."""
        found = await self._store.relationships(scope, [relationship_id])
        if not found:
            raise NotFound(f"there is no relationship {relationship_id!r}")
        return self._shown(found[0], to_moment(self._clock()))

    def _shown(self, item: NamedRelationship, now: int) -> Relationship:
        """As callers see it, its confidence decayed to `now`."""
        return item.state.to_model(item.source, item.target, self._belief.confidence(item.state, now))

    async def _believed(self, scope: Scope, found: Sequence[NamedRelationship], until: int) -> list[NamedRelationship]:
        """Those that were believed at `until`, as they were then: from the evidence, where their state or their ends'
        names are of later."""
        later = [
            item.state.key
            for item in found
            if max(item.state.changed_at, item.source_named_at, item.target_named_at) > until
        ]
        groups = {(key.source_id, key.type) for key in later if key.type in EXCLUSIVE}
        rivals = await self._store.rivals(scope, groups) if groups else []
        ids = {*(key.id for key in later), *(rival.state.key.id for rival in rivals)}
        evidence = await self._store.statements(scope, ids) if ids else []
        folded = self._belief.fold_all(evidence, until)
        names: dict[RelationshipKey, Statement] = {}
        for statement in by_time(evidence):
            if statement.act in SAID and statement.applied.occurred_at <= until:
                names[statement.key] = statement
        told = set(later)
        believed = []
        for item in found:
            key = item.state.key
            said = names.get(key)
            source, target = (
                (said.source_name, said.target_name) if said and key in told else (item.source, item.target)
            )
            then = folded.get(key) if item.state.changed_at > until else item.state.at(until)
            if then is not None:
                believed.append(replace(item, state=then, source=source, target=target))
        return believed


def _is_of(found: RelationshipRecord, state: RelationshipState) -> bool:
    """True where a relationship, as it was at the moment asked for, is listed under `state`."""
    if state == "all":
        return True
    if found.verdict == "rejected":
        return state == "rejected"
    if found.weight == 0:
        return False
    if found.valid_to is not None:
        return state == "ended"
    return state == ("archived" if found.archived_at is not None else "current")
