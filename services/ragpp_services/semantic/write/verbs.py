"""What can be asked and changed about single entities and relationships."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeVar

from ragpp.clock import Clock, to_moment
from ragpp.embedding.port import Embedder
from ragpp.errors import InvalidInput, NotFound
from ragpp.learned import RelationshipState
from ragpp.models import Entity, EntityLabel, Page, Relationship, Scope
from ragpp.stores.cursors import decode_cursor, encode_cursor
from ragpp.stores.forgetting import SourceMarks
from ragpp.tierkit.identity import IdentityCheck
from ragpp.tiers import ERASED_AT_ONCE
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.evidence.states import Belief
from ragpp_services.semantic.evidence.timeline import SAID, by_time
from ragpp_services.semantic.evidence.validity import EXCLUSIVE
from ragpp_services.semantic.records import AFTER_TIME, BEFORE_TIME, RelationshipKey, Statement
from ragpp_services.semantic.records import RelationshipState as RelationshipRecord
from ragpp_services.semantic.rows import NamedRelationship
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.store import SemanticStore
from ragpp_services.semantic.vectors import NameVectors
from ragpp_services.semantic.write import forgetting
from ragpp_services.semantic.write.revising import Revision
from ragpp_services.semantic.write.writer import GraphWriter

MAX_PAGE: Final = 1_000
REFILL: Final = 500
"""The least that is read at once to fill up a page, however short the page is."""
T = TypeVar("T")


class GraphVerbs:
    """Lists, single entities and relationships, merges and forgetting."""

    def __init__(
        self,
        store: SemanticStore,
        *,
        embedder: Embedder,
        clock: Clock,
        settings: SemanticSettings,
        marks: SourceMarks,
    ) -> None:
        self._store = store
        self._marks = marks
        self._clock = clock
        self._names = NameVectors(embedder)
        self.check_identity = IdentityCheck(embedder, store)
        self._belief = Belief(
            decay_per_day=settings.decay_per_day,
            lasting_decay_per_day=settings.lasting_decay_per_day,
            first=settings.first_confidence,
            step=settings.confidence_step,
        )

    async def list_entities(
        self, scope: Scope, label: EntityLabel | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Entity]:
        """Entities by name. Raises InvalidInput for a cursor that is not ours."""
        limit = page_of(limit)
        after = ("", "")
        if cursor is not None:
            key, identifier = decode_cursor(cursor, str, str)
            after = (str(key), str(identifier))
        states = await self._store.list_entities(scope, after=after, label=label, limit=limit + 1)
        more = len(states) > limit
        shown = states[:limit]
        return Page[Entity](
            items=tuple(state.to_model() for state in shown),
            next_cursor=encode_cursor(shown[-1].key, shown[-1].id) if more else None,
        )

    async def get_entity(self, scope: Scope, entity_id: str) -> Entity:
        """NotFound when there is none of that id in the scope."""
        states = await self._store.entities(scope, [entity_id])
        if not states:
            raise NotFound(f"there is no entity {entity_id!r}")
        return states[0].to_model()

    async def named(self, scope: Scope, names: Collection[str]) -> list[Entity]:
        """See the contract."""
        states = await self._store.entities_by_keys(scope, sorted({name_key(name) for name in names}))
        return [state.to_model() for state in states]

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
        limit = page_of(limit)
        after = (BEFORE_TIME, "")
        if cursor is not None:
            first, identifier = decode_cursor(cursor, int, str)
            if abs(int(first)) >= 2**63:
                raise InvalidInput("the cursor is not one that this list gave out")
            after = (int(first), str(identifier))
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
        more, shown = len(shown) > limit, shown[:limit]
        last = shown[-1].state if shown else None
        return Page[Relationship](
            items=tuple(self.shown(item, now) for item in shown),
            next_cursor=encode_cursor(last.first_mention, last.key.id) if more and last is not None else None,
        )

    def shown(self, item: NamedRelationship, now: int) -> Relationship:
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

    async def get_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        """NotFound when there is none of that id in the scope. Confidence is decayed to now."""
        found = await self._store.relationships(scope, [relationship_id])
        if not found:
            raise NotFound(f"there is no relationship {relationship_id!r}")
        return self.shown(found[0], to_moment(self._clock()))

    async def merge_entities(self, scope: Scope, keep_id: str, absorb_id: str) -> Entity:
        """Make one entity of two; the absorbed name becomes an alias and its relationships the kept one's.

        Raises NotFound, InvalidInput for an entity with itself.
        """
        await self.revise(scope, lambda _, revision: revision.merge(keep_id, absorb_id, automatic=False))
        return await self.get_entity(scope, keep_id)

    async def split_entity(self, scope: Scope, entity_id: str, absorbed_id: str) -> tuple[Entity, Entity]:
        """Undo a merge; the two are not merged again without being asked to.

        Raises NotFound when `entity_id` has not absorbed `absorbed_id` itself, Conflict when another entity has
        the absorbed one's name by now.
        """
        await self.revise(scope, lambda _, revision: revision.split(entity_id, absorbed_id))
        return await self.get_entity(scope, entity_id), await self.get_entity(scope, absorbed_id)

    async def epoch(self, scope: Scope) -> int:
        """See the contract."""
        return await self._store.epoch(scope)

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        """See the contract. The graph keeps no events: `before` narrows nothing."""
        del before
        return await self._store.holdings(scope, None if sources is None else list(sources))

    async def erase(self, scope: Scope, before: int) -> bool:
        """See the contract. ERASED_AT_ONCE nodes of each kind; what is learned by now as well."""
        del before
        now = to_moment(self._clock())

        async def work(writer: GraphWriter) -> bool:
            await writer.raise_epoch(now=now)
            return await writer.erase(ERASED_AT_ONCE)

        return await self._store.write(scope, work)

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """Delete entities with their edges, relationships, and what stored entries taught; ids may be of any."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return 0

        async def change(writer: GraphWriter, revision: Revision) -> int:
            gone = await forgetting.forget_ids(writer, revision, wanted)
            if gone:
                await writer.raise_epoch(now=to_moment(self._clock()))
            return gone

        return await self.revise(scope, change)

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> int:
        """See the contract. A merge that rested on these interactions alone is undone.

        The marks are committed before anything is withdrawn, and what is withdrawn before anything is revised: what
        keeps the revision from being done keeps no evidence, and whoever forgets next, or again, does it. Each step
        begins an epoch: what was read before it may rest on what was not withdrawn or revised yet.
        """
        wanted = list(dict.fromkeys(interaction_ids))
        if not wanted:
            return 0
        marks, now = self._marks.of_all(scope, wanted), to_moment(self._clock())

        async def mark(writer: GraphWriter) -> None:
            await writer.raise_epoch(now=now)
            await writer.add_forgotten(marks, now=now)

        async def withdraw(writer: GraphWriter) -> int:
            await writer.raise_epoch(now=now)
            return await forgetting.withdraw_sources(writer, wanted)

        async def revise(writer: GraphWriter) -> None:
            await writer.raise_epoch(now=now)
            await forgetting.revise_what_is_noted(writer, self.revision(writer))

        await self._store.write(scope, mark)
        withdrawn = await self._store.write(scope, withdraw)
        await self._store.write(scope, revise)
        return withdrawn

    def revision(self, writer: GraphWriter) -> Revision:
        """Changes to what is known, in the writer's transaction."""
        return Revision(writer, belief=self._belief, embed=self._names.embed, now=to_moment(self._clock()))

    async def revise(
        self, scope: Scope, change: Callable[[GraphWriter, Revision], Awaitable[T]], *, epoch: int | None = None
    ) -> T:
        """Run `change` under the user's lock; for a user without a graph it finds nothing. Raises Outdated when `epoch`
        is not the user's."""

        async def work(writer: GraphWriter) -> T:
            await writer.lock(now=to_moment(self._clock()))
            return await change(writer, self.revision(writer))

        return await self._store.write(scope, work, epoch=epoch)


def _is_of(found: RelationshipRecord, state: RelationshipState) -> bool:
    """Whether a relationship, as it was at the moment asked for, is listed under `state`."""
    if state == "all":
        return True
    if found.verdict == "rejected":
        return state == "rejected"
    if found.weight == 0:
        return False
    if found.valid_to is not None:
        return state == "ended"
    return state == ("archived" if found.archived_at is not None else "current")


def page_of(limit: int) -> int:
    """`limit` itself. Raises InvalidInput for one that no page has."""
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidInput(f"limit is {limit}, it must be 1 to {MAX_PAGE:,}")
    return limit
