"""The semantic tier for tests: opened on the stack, with entries that a query finds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

from ragpp.clock import Clock, system_clock
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.learned import RelationshipState
from ragpp.models import (
    Entity,
    EntityEntry,
    EntityLabel,
    Memory,
    MemoryQuery,
    Observation,
    Relationship,
    RelationshipEntry,
    Scope,
)
from ragpp.settings import Neo4jSettings
from ragpp.text.tokens import TokenCounter
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.semantic.app import migrate, open_tier
from ragpp_services.semantic.settings import SemanticSettings
from ragpp_services.semantic.tier import Neo4jSemanticTier

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
PATIENCE_S: Final = 30.0
"""A cold server takes seconds to plan a first write, and more on a busy machine."""


def neo4j_settings(endpoints: Endpoints) -> Neo4jSettings:
    """How to reach the stack's Neo4j."""
    return Neo4jSettings(
        uri=endpoints.neo4j_uri,
        user=endpoints.neo4j_user,
        password=endpoints.neo4j_password,
        query_timeout_s=PATIENCE_S,
    )


@asynccontextmanager
async def semantic_tier(endpoints: Endpoints, *, clock: Clock = system_clock) -> AsyncIterator[Neo4jSemanticTier]:
    """The tier, migrated, with the hashing embedder."""
    settings, embedder = neo4j_settings(endpoints), HashingEmbedder()
    await migrate(settings, embedder=embedder)
    async with open_tier(
        settings, embedder=embedder, counter=TokenCounter(), clock=clock, semantic=SemanticSettings()
    ) as tier:
        yield tier


def semantic_entry(
    text: str,
    *,
    id: str | None = None,
    label: EntityLabel = "PRODUCT",
    aliases: tuple[str, ...] = (),
    occurred_at: datetime = NOON,
    sources: tuple[str, ...] = (),
) -> EntityEntry:
    """A mention of an entity named by the first 200 characters of `text`."""
    return EntityEntry(
        id=id or f"e-{uuid4().hex}",
        name=text[:200],
        label=label,
        aliases=aliases,
        occurred_at=occurred_at,
        sources=sources,
    )


def semantic_query(scope: Scope, text: str) -> MemoryQuery:
    """A query that finds the entity with that name."""
    return MemoryQuery(scope=scope, text=text, entities=(text[:200],))


def relation(
    source: str,
    type: str,
    target: str,
    *,
    id: str | None = None,
    label: EntityLabel = "GPE",
    at: datetime = NOON,
    lasting: bool = False,
    ends: bool = False,
    context: str = "",
    sources: tuple[str, ...] = (),
) -> RelationshipEntry:
    """A mention of a relationship of a person, or of its end."""
    return RelationshipEntry(
        id=id or f"r-{uuid4().hex}",
        source=source,
        type=type,
        target=target,
        target_label=label,
        lasting=lasting,
        ends=ends,
        context=context,
        occurred_at=at,
        sources=sources,
    )


def observation(
    interaction_id: str,
    *,
    at: datetime = NOON,
    entities: tuple[EntityEntry, ...] = (),
    relationships: tuple[RelationshipEntry, ...] = (),
    event_id: str | None = None,
) -> Observation:
    """The observation of one interaction; its event is named after it unless `event_id` is given."""
    return Observation(
        event_id=event_id or f"event-{interaction_id}",
        interaction_id=interaction_id,
        occurred_at=at,
        entities=entities,
        relationships=relationships,
    )


async def entities(tier: Neo4jSemanticTier, scope: Scope) -> list[Entity]:
    """The user's entities, by name."""
    return list((await tier.list_entities(scope)).items)


async def relationships(
    tier: Neo4jSemanticTier, scope: Scope, state: RelationshipState = "current", as_of: datetime | None = None
) -> list[Relationship]:
    """The user's relationships of that state, by what they say."""
    found = (await tier.list_relationships(scope, as_of=as_of, state=state)).items
    return sorted(found, key=lambda edge: (edge.source, edge.type, edge.target))


async def named(tier: Neo4jSemanticTier, scope: Scope, name: str) -> Entity:
    """The user's entity of that name."""
    return next(entity for entity in await entities(tier, scope) if entity.name == name)


def texts(memories: list[Memory], kind: str) -> list[str]:
    """The texts of the memories of one kind."""
    return [memory.text for memory in memories if memory.kind == kind]
