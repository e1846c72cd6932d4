"""The contract of the tier that holds the graph of entities and relationships."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from ragpp.learned import Consolidated, RelationshipState, Verdict
from ragpp.models import (
    Entity,
    EntityLabel,
    KnownAs,
    Observation,
    Page,
    Relabelled,
    Relationship,
    Scope,
    StatedRelationship,
)
from ragpp.tiers.memory import MemoryTier


class SemanticTier(MemoryTier, Protocol):
    """The user's graph of entities and relationships."""

    async def observe(
        self,
        scope: Scope,
        observations: Sequence[Observation],
        epoch: int | None = None,
        instead_of: Sequence[str] = (),
    ) -> list[bool]:
        """Apply each observation exactly once, all in one transaction; False for one applied before. `instead_of`: the
        interactions of these observations, or more, whose evidence they are from now on, whatever was learned from them
        before; then all are applied, each as arrived when it was the first time. That begins an epoch."""
        ...

    async def sweep(self, scope: Scope, sources: Collection[str]) -> None:
        """As the short-term tier's."""
        ...

    async def list_entities(
        self, scope: Scope, label: EntityLabel | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Entity]:
        """Entities by name."""
        ...

    async def get_entity(self, scope: Scope, entity_id: str) -> Entity:
        """NotFound when there is none of that id in the scope."""
        ...

    async def list_relationships(
        self,
        scope: Scope,
        entity_id: str | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
        state: RelationshipState = "current",
    ) -> Page[Relationship]:
        """Relationships, of one entity or of all; confidence decayed to `as_of`, or to now. `state` is as of then:
        what ended later is current."""
        ...

    async def review_relationships(self, scope: Scope, below: float, limit: int = 50) -> list[Relationship]:
        """Current relationships of a confidence under `below` on which nobody has judged, the surest first."""
        ...

    async def judge_relationship(self, scope: Scope, relationship_id: str, verdict: Verdict) -> Relationship:
        """Confirmed: its confidence is 1 from now. Rejected: it is not shown, and not learned again however often it
        is said. The last verdict counts. NotFound when there is none of that id."""
        ...

    async def state_relationship(self, scope: Scope, stated: StatedRelationship, confirm: bool = True) -> Relationship:
        """Take in what the caller states, once for the entry's id, and confirm it: it ends others and is ended by them
        as what messages say, and rests on none. A rejection of the same is taken back. Without `confirm` it is one
        more mention, and any verdict stays. Conflict when the id is known with other content, or was forgotten;
        InvalidInput for what is said of one and the same."""
        ...

    async def stated_relationships(self, scope: Scope) -> list[StatedRelationship]:
        """All that was stated and is still known, whether it holds or not, in the order in which it was."""
        ...

    async def restore_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        """Bring an archived relationship back at the confidence of a first mention. NotFound; Conflict when it is not
        archived."""
        ...

    async def consolidate(
        self, scope: Scope, now: datetime, floor: float | None, epoch: int | None = None
    ) -> Consolidated:
        """Merge entities that are the same, persist decay to `now`, archive what has faded below `floor` (0 to 1);
        without a floor only merge. Repeated for the same `now`, it changes nothing. InvalidInput."""
        ...

    async def get_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        """NotFound when there is none of that id in the scope."""
        ...

    async def merge_entities(self, scope: Scope, keep_id: str, absorb_id: str) -> Entity:
        """Make one entity of two that are the same; the absorbed name becomes an alias."""
        ...

    async def relabel_entity(
        self, scope: Scope, entity_id: str, name: str | None = None, label: EntityLabel | None = None
    ) -> Entity:
        """Say what an entity is called and what it is. What it was called becomes an alias, its relationships stay, and
        later mentions are recognised by either name, and by what it was taken for. It goes with the last that mentions
        it. NotFound; Conflict, with `entity_id`, when another of that kind bears the name."""
        ...

    async def relabelled(self, scope: Scope) -> list[Relabelled]:
        """The names and labels that people gave entities, and what those were called and taken for before; in the order
        in which they did."""
        ...

    async def split_entity(self, scope: Scope, entity_id: str, absorbed_id: str) -> tuple[Entity, Entity]:
        """Undo a merge: both entities as they were, with what was learned since staying on the first."""
        ...

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> int:
        """Take forgotten interactions out of the evidence; what then rests on nothing is deleted. Returns how
        many entities and relationships were changed or deleted."""
        ...

    async def known_as(self, scope: Scope, entity: str) -> KnownAs:
        """The names of the entities of that id, name or alias, and all interactions that mention them or state
        something of them; empty where there is none."""
        ...

    async def named(self, scope: Scope, names: Collection[str]) -> list[Entity]:
        """The entities of any of these names or aliases, as names are compared in the graph."""
        ...

    async def prune_forgotten(self, before: datetime, limit: int) -> int:
        """Delete the marks of what was forgotten before that moment, whoever's, `limit` at most; returns how many there
        were. The tiers of PostgreSQL share theirs, which the ledger prunes, and Redis lets its own expire."""
        ...
