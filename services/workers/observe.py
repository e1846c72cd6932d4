"""Observe: what one interaction says about entities, relationships and preferences, put into the tiers."""

import asyncio
from collections.abc import Sequence
from typing import Final

from ragpp.extraction import SPEAKER, EntityMention, Extraction, PreferenceMention, RelationshipMention
from ragpp.ledger import Work
from ragpp.models import EntityEntry, EntityLabel, Interaction, Observation, PreferenceEntry, RelationshipEntry, Vector
from services.workers.parts import WorkerParts

LEARNING_ROLES: Final = frozenset({"user", "assistant"})
"""System prompts and tool output are stored and searched; nothing is learned about the user from them."""
STATING_ROLES: Final = frozenset({"user"})
"""Only a person states a preference."""
_NAME_CHARS: Final = 200
_VALUE_CHARS: Final = 4_000
_LABEL_CHARS: Final = 100


async def observe(parts: WorkerParts, batch: Sequence[Work]) -> None:
    """Digest `batch`, the events of one user in order. Repeating it changes nothing.

    Raises TierUnavailable when a tier does not answer; then some of it may have been applied.
    """
    scope = batch[0].scope
    by_id = {item.id: item for item in await parts.episodic.get(scope, [work.subject_id for work in batch])}
    said = [(work, by_id[work.subject_id]) for work in batch if work.subject_id in by_id]
    read = [(work, item) for work, item in said if item.role in LEARNING_ROLES]
    if not read:
        return
    extractions = await asyncio.to_thread(
        lambda: [parts.extractor.extract(item.content, speaker=item.name) for _, item in read]
    )
    vectors = await _embed_names(parts, extractions)
    observations = [
        observation_of(work.key.event_id, item, extraction, vectors)
        for (work, item), extraction in zip(read, extractions, strict=True)
        if extraction.entities or extraction.relationships
    ]
    preferences = [
        preference_of(work.key.event_id, number, item, mention)
        for (work, item), extraction in zip(read, extractions, strict=True)
        if item.role in STATING_ROLES
        for number, mention in enumerate(extraction.preferences)
    ]
    if observations:
        await parts.semantic.observe(scope, observations)
    if preferences:
        await parts.procedural.store(scope, preferences)


async def _embed_names(parts: WorkerParts, extractions: Sequence[Extraction]) -> dict[str, Vector]:
    names = sorted({entity.name for extraction in extractions for entity in extraction.entities})
    if not names:
        return {}
    rows = (await parts.embedder.embed(names)).tolist()
    return {name: tuple(row) for name, row in zip(names, rows, strict=True)}


def observation_of(event_id: int, item: Interaction, extraction: Extraction, vectors: dict[str, Vector]) -> Observation:
    """What `extraction` says, as entries that rest on `item`; SPEAKER stands for its speaker."""
    labels: dict[str, EntityLabel] = {entity.name: entity.label for entity in extraction.entities}
    return Observation(
        event_id=str(event_id),
        interaction_id=item.id,
        occurred_at=item.occurred_at,
        entities=tuple(
            _entity(f"{event_id}.e{number}", item, mention, vectors.get(mention.name))
            for number, mention in enumerate(extraction.entities)
        ),
        relationships=tuple(
            _relationship(f"{event_id}.r{number}", item, mention, labels)
            for number, mention in enumerate(extraction.relationships)
        ),
    )


def _entity(identifier: str, item: Interaction, mention: EntityMention, vector: Vector | None) -> EntityEntry:
    return EntityEntry(
        id=identifier,
        name=_named(mention.name, item),
        label=mention.label,
        aliases=tuple(_named(name, item) for name in (*mention.same_as, *mention.aliases))[:20],
        embedding=vector,
        occurred_at=item.occurred_at,
        sources=(item.id,),
    )


def _relationship(
    identifier: str, item: Interaction, mention: RelationshipMention, labels: dict[str, EntityLabel]
) -> RelationshipEntry:
    return RelationshipEntry(
        id=identifier,
        source=_named(mention.source, item),
        source_label=labels.get(mention.source, "PERSON"),
        type=mention.type,
        target=_named(mention.target, item),
        target_label=labels.get(mention.target, "PRODUCT"),
        lasting=mention.lasting,
        context=mention.context[:2_000],
        occurred_at=item.occurred_at,
        sources=(item.id,),
    )


def _named(name: str, item: Interaction) -> str:
    speaker = item.name or SPEAKER
    return (speaker if name == SPEAKER else name)[:_NAME_CHARS]


def preference_of(event_id: int, number: int, item: Interaction, mention: PreferenceMention) -> PreferenceEntry:
    """A stated preference. A named speaker's key says whose it is, since several people may speak in one memory."""
    key = f"{item.name}'s {mention.key}" if item.name else mention.key
    return PreferenceEntry(
        id=f"{event_id}.p{number}",
        category=mention.category[:_LABEL_CHARS],
        key=key[:_LABEL_CHARS],
        value=mention.value[:_VALUE_CHARS],
        confidence=mention.confidence,
        stated=mention.stated,
        occurred_at=item.occurred_at,
        sources=(item.id,),
    )
