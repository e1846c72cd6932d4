"""What can be asked and changed about single entities and relationships."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import Final, TypeVar

from ragpp.clock import Clock
from ragpp.cursors import decode_cursor, encode_cursor
from ragpp.embedding.port import Embedder, EmbeddingIdentity
from ragpp.errors import InvalidInput, NotFound
from ragpp.models import Entity, EntityLabel, Page, Relationship, Scope
from services.semantic import forgetting
from services.semantic.evidence import Belief
from services.semantic.records import Statement, to_moment
from services.semantic.revising import Revision
from services.semantic.rows import NamedRelationship
from services.semantic.settings import SemanticSettings
from services.semantic.store import SemanticStore
from services.semantic.vectors import NameVectors
from services.semantic.writer import GraphWriter

MAX_PAGE: Final = 1_000
_BEFORE_TIME: Final = -(2**63)
T = TypeVar("T")


class GraphVerbs:
    """Lists, single entities and relationships, merges and forgetting."""

    def __init__(self, store: SemanticStore, *, embedder: Embedder, clock: Clock, settings: SemanticSettings) -> None:
        self._store = store
        self._clock = clock
        self._names = NameVectors(embedder)
        self._identity = EmbeddingIdentity.of(embedder)
        self._identified = False
        self._belief = Belief(
            decay_per_day=settings.decay_per_day,
            lasting_decay_per_day=settings.lasting_decay_per_day,
            first=settings.first_confidence,
            step=settings.confidence_step,
        )

    async def identify(self) -> None:
        """See once that the graph holds vectors of the configured model. Raises EmbeddingMismatch, TierUnavailable."""
        if not self._identified:
            await self._store.record_identity(self._identity)
            self._identified = True

    async def list_entities(
        self, scope: Scope, label: EntityLabel | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Entity]:
        """Entities by name. Raises InvalidInput for a cursor that is not ours."""
        limit = _page(limit)
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

    async def list_relationships(
        self,
        scope: Scope,
        entity_id: str | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Relationship]:
        """Relationships in the order of their first mention; confidence decayed to `as_of`, or to now. As of a
        moment they are as they were then: what was said later is neither seen nor counted."""
        limit = _page(limit)
        after = (_BEFORE_TIME, "")
        if cursor is not None:
            first, identifier = decode_cursor(cursor, int, str)
            if abs(int(first)) >= 2**63:
                raise InvalidInput("the cursor is not one that this list gave out")
            after = (int(first), str(identifier))
        until = to_moment(as_of) if as_of is not None else 2**63 - 1
        found = await self._store.list_relationships(
            scope, entity_id=entity_id, as_of=until, after=after, limit=limit + 1
        )
        more = len(found) > limit
        shown = found[:limit]
        last = shown[-1].state if shown else None
        return Page[Relationship](
            items=tuple(await self._as_of(scope, shown, until, to_moment(as_of or self._clock()))),
            next_cursor=encode_cursor(last.first_mention, last.key.id) if more and last is not None else None,
        )

    async def _as_of(
        self, scope: Scope, found: Sequence[NamedRelationship], until: int, now: int
    ) -> list[Relationship]:
        """As they were at `until`, from the evidence where their state or their ends' names are of later."""
        later = {
            item.state.key.id
            for item in found
            if max(item.state.last_mention, item.source_named_at, item.target_named_at) > until
        }
        evidence: dict[str, list[Statement]] = defaultdict(list)
        for statement in await self._store.statements(scope, later) if later else ():
            if statement.applied.occurred_at <= until:
                evidence[statement.key.id].append(statement)
        shown = []
        for item in found:
            state, source, target = item.state, item.source, item.target
            said = evidence[state.key.id]
            if said:
                latest = max(said, key=lambda statement: statement.applied.order)
                source, target = latest.source_name, latest.target_name
                state = self._belief.fold(said) or state
            shown.append(state.to_model(source, target, self._belief.confidence(state, now)))
        return shown

    async def get_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        """NotFound when there is none of that id in the scope. Confidence is decayed to now."""
        found = await self._store.relationships(scope, [relationship_id])
        if not found:
            raise NotFound(f"there is no relationship {relationship_id!r}")
        confidence = self._belief.confidence(found[0].state, to_moment(self._clock()))
        return found[0].state.to_model(found[0].source, found[0].target, confidence)

    async def merge_entities(self, scope: Scope, keep_id: str, absorb_id: str) -> Entity:
        """Make one entity of two; the absorbed name becomes an alias and its relationships the kept one's.

        Raises NotFound, InvalidInput for an entity with itself.
        """
        await self._revise(scope, lambda _, revision: revision.merge(keep_id, absorb_id, automatic=False))
        return await self.get_entity(scope, keep_id)

    async def split_entity(self, scope: Scope, entity_id: str, absorbed_id: str) -> tuple[Entity, Entity]:
        """Undo a merge; the two are not merged again without being asked to.

        Raises NotFound when `entity_id` has not absorbed `absorbed_id` itself, Conflict when another entity has
        the absorbed one's name by now.
        """
        await self._revise(scope, lambda _, revision: revision.split(entity_id, absorbed_id))
        return await self.get_entity(scope, entity_id), await self.get_entity(scope, absorbed_id)

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """Delete entities with their edges, relationships, and what stored entries taught; ids may be of any."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return 0
        return await self._revise(scope, lambda writer, revision: forgetting.forget_ids(writer, revision, wanted))

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> int:
        """See the contract. A merge that rested on these interactions alone is undone."""
        wanted = list(dict.fromkeys(interaction_ids))
        if not wanted:
            return 0
        return await self._revise(scope, lambda writer, revision: forgetting.forget_sources(writer, revision, wanted))

    def revision(self, writer: GraphWriter) -> Revision:
        """Changes to what is known, in the writer's transaction."""
        return Revision(writer, belief=self._belief, embed=self._names.embed, now=to_moment(self._clock()))

    async def _revise(self, scope: Scope, change: Callable[[GraphWriter, Revision], Awaitable[T]]) -> T:
        """Run `change` under the user's lock; for a user without a graph it finds nothing."""

        async def work(writer: GraphWriter) -> T:
            await writer.lock(now=to_moment(self._clock()))
            return await change(writer, self.revision(writer))

        return await self._store.write(scope, work)


def _page(limit: int) -> int:
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidInput(f"limit is {limit}, it must be 1 to {MAX_PAGE:,}")
    return limit
