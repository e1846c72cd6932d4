"""Forgetting: what is left afterwards is exactly what the remaining evidence supports."""

from collections.abc import Collection

from services.semantic.keys import loose_key
from services.semantic.records import RelationshipKey
from services.semantic.revising import Revision
from services.semantic.writer import GraphWriter

ENTRY_PREFIX = "e:"
OBSERVATION_PREFIX = "o:"
"""Before the ids of (:Applied): entries and observations are numbered by different hands."""


async def withdraw_sources(writer: GraphWriter, interaction_ids: Collection[str]) -> int:
    """Take interactions out of the evidence, and note what rested on them, to be revised; how many entities and
    relationships that are."""
    gone = set(interaction_ids)
    remaining = {
        event_id: tuple(source for source in sources if source not in gone)
        for event_id, sources in (await writer.events_of_sources(gone)).items()
    }
    if not remaining:
        return 0
    evidence = await writer.evidence_of_events(remaining)
    entities: set[str] = set().union(*(found[0] for found in evidence.values()))
    relationships: set[RelationshipKey] = set().union(*(found[1] for found in evidence.values()))
    await writer.withdraw_events(event_id for event_id, sources in remaining.items() if not sources)
    await writer.set_sources({event_id: sources for event_id, sources in remaining.items() if sources})
    await writer.add_unrevised(entities, relationships)
    return len(entities) + len(relationships)


async def revise_what_is_noted(writer: GraphWriter, revision: Revision) -> None:
    """Make what rested on withdrawn evidence say what is left of it."""
    entities, relationships = await writer.take_unrevised()
    await _revise(writer, revision, entities, relationships)


async def forget_ids(writer: GraphWriter, revision: Revision, ids: Collection[str]) -> int:
    """Delete entities with their edges, relationships, and what entries taught; ids may be any of these three.
    Returns how many of `ids` existed."""
    events = {ENTRY_PREFIX + identifier: identifier for identifier in ids}
    evidence = await writer.evidence_of_events(events)
    entities = await writer.entities(ids)
    relationships = [found.state.key for found in await writer.relationships(ids)]
    known = {
        *(events[event_id] for event_id in evidence),
        *(entity.id for entity in entities),
        *(key.id for key in relationships),
    }
    if not known:
        return 0
    touched_entities: set[str] = set().union(*(found[0] for found in evidence.values()))
    touched_relationships: set[RelationshipKey] = set().union(*(found[1] for found in evidence.values()))
    await writer.withdraw_events(evidence)
    for entity in entities:
        touched_relationships |= await _forget_entity(writer, entity.id)
    spent = {statement.applied.event_id for statement in await writer.statements_of(relationships)}
    await writer.drop_statements(relationships)
    await writer.drop_relationships(relationships)
    await writer.drop_spent_entries(spent)
    await _revise(writer, revision, touched_entities, touched_relationships.union(relationships))
    return len(known)


async def _forget_entity(writer: GraphWriter, entity_id: str) -> set[RelationshipKey]:
    """Which relationships went with it: what they ended may hold again."""
    statements = await writer.statements_around(entity_id)
    keys = {statement.key for statement in statements}
    events = {*await writer.events_of_entity(entity_id), *(statement.applied.event_id for statement in statements)}
    await writer.drop_statements(keys)
    await writer.drop_entity(entity_id)
    await writer.drop_spent_entries(events)
    return keys


async def _revise(
    writer: GraphWriter, revision: Revision, entities: set[str], relationships: set[RelationshipKey]
) -> None:
    await revision.rebuild_relationships(relationships)
    for entity_id in sorted(entities):
        await _undo_unsupported_merges(writer, revision, entity_id)
    await revision.rebuild_entities(sorted(entities))


async def _undo_unsupported_merges(writer: GraphWriter, revision: Revision, entity_id: str) -> None:
    """Split what was merged by evidence that is gone: no remaining mention calls both by one name."""
    merges = [merge for merge in await writer.merges_of(entity_id) if merge.depth == 1 and merge.automatic]
    if not merges:
        return
    mentions = await writer.mentions_of(entity_id)
    for merge in merges:
        names = {loose_key(name, merge.label) for name in (merge.name, *merge.aliases)}
        supported = any(
            names & {loose_key(name, merge.label) for name in (mention.name, *mention.aliases)}
            for mention in mentions
            if merge.id not in mention.path
        )
        if not supported and any(merge.id in mention.path for mention in mentions):
            await revision.undo(entity_id, merge)
