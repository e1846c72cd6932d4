"""Observe: what one interaction says about entities, relationships, preferences and findings, put into the tiers."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from ragpp.context.layout import names_relationship_type
from ragpp.extraction import EntityMention, Extraction, PreferenceMention, RelationshipMention
from ragpp.learned import owned_key
from ragpp.ledger import Work
from ragpp.models import (
    EntityEntry,
    EntityLabel,
    Filters,
    FindingEntry,
    Interaction,
    MemoryQuery,
    Observation,
    PreferenceEntry,
    RelationshipEntry,
    Repetition,
    Scope,
    Vector,
)
from ragpp.names import SPEAKER
from ragpp.observability.traces import stepped
from ragpp.text.repeating import repeated
from ragpp.text.spans import Span, blanked, merged
from ragpp_services.workers.authorship.own_words import own_text
from ragpp_services.workers.learning.counting import count_taught
from ragpp_services.workers.learning.stated import extracted, teaching_spans
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.history import repeating_spans, teaches
from ragpp_services.workers.stages.preferring import prefer
from ragpp_services.workers.stages.sentences import index_sentences
from ragpp_services.workers.stages.stage import Epochs, epochs_of
from ragpp_services.workers.stages.stating import STATING_ROLES, findings_of, plainly_named

LOOKED_UP: Final = 10
"""How many earlier interactions are compared with a sentence that may repeat them."""
LOOKUPS_AT_ONCE: Final = 4
LOOKED_AT: Final = 40
"""Sentences of one message that are looked up; what a longer one says beyond them teaches nothing."""
AGAIN_AT_ONCE: Final = 20
"""Messages that are observed again in one transaction of each tier."""
_NAME_CHARS: Final = 200
_VALUE_CHARS: Final = 4_000
_LABEL_CHARS: Final = 100


async def observe(parts: WorkerParts, batch: Sequence[Work]) -> None:
    """Digest `batch`, the events of one user in order: one transaction a tier. Repeating it changes nothing.

    Raises TierUnavailable, Outdated; some of it may have been applied then.
    """
    await observe_events(parts, batch[0].scope, {work.subject_id: work.key.event_id for work in batch})
    await index_sentences(parts, batch[0].scope)


async def observe_events(parts: WorkerParts, scope: Scope, events: Mapping[str, int]) -> None:
    """Digest messages, by their ids with the events that recorded them, in that order. As `observe`."""
    epochs = await epochs_of(parts, scope)
    read = await _read(parts, scope, list(events))
    observations, entries = await _learned(parts, scope, [(events[item.id], item) for item in read], epochs)
    if observations:
        await parts.semantic.observe(scope, observations, epochs.semantic)
    if entries:
        await parts.procedural.store(scope, entries, epochs.procedural)
    if scope.view is None:
        count_taught(observations, entries)


async def observe_again(parts: WorkerParts, scope: Scope, events: Mapping[str, int]) -> list[Interaction]:
    """Let messages, by their ids with the events that recorded them, teach what they say by themselves now and nothing
    that they taught before: more of it is known to repeat others. Answers those that are there and may teach.
    Harmless to repeat. Raises TierUnavailable, Outdated."""
    found = list[Interaction]()
    ids = sorted(events, key=events.__getitem__)
    for start in range(0, len(ids), AGAIN_AT_ONCE):
        epochs = await epochs_of(parts, scope)
        read = await _read(parts, scope, ids[start : start + AGAIN_AT_ONCE])
        observations, entries = await _learned(parts, scope, [(events[item.id], item) for item in read], epochs)
        instead_of = [item.id for item in read]
        await parts.semantic.observe(scope, observations, epochs.semantic, instead_of)
        await parts.procedural.store(scope, entries, epochs.procedural, instead_of)
        found += read
    return found


async def _read(parts: WorkerParts, scope: Scope, ids: Sequence[str]) -> list[Interaction]:
    """Those of the messages that are there and can teach anything, in the order of `ids`."""
    by_id = {item.id: item for item in await parts.episodic.get(scope, ids)}
    said = [plainly_named(by_id[identifier]) for identifier in ids if identifier in by_id]
    return [item for item in said if teaches(item)]


async def _learned(
    parts: WorkerParts, scope: Scope, read: Sequence[tuple[int, Interaction]], epochs: Epochs
) -> tuple[list[Observation], list[PreferenceEntry | FindingEntry]]:
    """The observations and entries that messages, each with its event, give by themselves."""
    items = [item for _, item in read]
    texts, extractions = await _extract(parts, scope, items, epochs)
    found = await findings_of(parts, items, texts, extractions)
    vectors = await _embed_names(parts, extractions)
    observations, entries = list[Observation](), list[PreferenceEntry | FindingEntry]()
    for (event_id, item), text, extraction, findings in zip(read, texts, extractions, found, strict=True):
        if extraction.entities or extraction.relationships or extraction.ended:
            observations.append(observation_of(str(event_id), item, extraction, vectors))
        entries += await preferences_of(parts, str(event_id), item, text, extraction)
        entries += findings
    return observations, entries


async def _extract(
    parts: WorkerParts, scope: Scope, items: Sequence[Interaction], epochs: Epochs
) -> tuple[list[str], list[Extraction]]:
    """The words of each of `items` that are its author's own, and what they say by themselves: without what it has from
    memory, line by line or by quoting it. What it quotes is noted with it first, and so is not learned either when it
    was forgotten where it comes from."""

    @stepped("extract")
    def extract(texts: Sequence[str], of: Sequence[Interaction]) -> list[Extraction]:
        return [extracted(parts.extractor, item, text) for text, item in zip(texts, of, strict=True)]

    known = await repeating_spans(parts, scope, items)
    texts = await asyncio.to_thread(lambda: [blanked(own_text(item), known.get(item.id, ())) for item in items])
    extractions = await asyncio.to_thread(extract, texts, items)
    replies = [index for index, item in enumerate(items) if item.role == "assistant"]
    limit = asyncio.Semaphore(LOOKUPS_AT_ONCE)
    quoted = await asyncio.gather(
        *(_quoted(parts, scope, items[index], texts[index], extractions[index], limit) for index in replies)
    )
    await parts.episodic.note_repetitions(scope, [one for found in quoted for one in found], epochs.procedural)
    again = [
        (index, blanked(texts[index], merged(Span(one.start, one.end) for one in found)))
        for index, found in zip(replies, quoted, strict=True)
        if found
    ]
    if again:
        fresh = await asyncio.to_thread(extract, [text for _, text in again], [items[index] for index, _ in again])
        for (index, _), extraction in zip(again, fresh, strict=True):
            extractions[index] = extraction
    return texts, extractions


async def _quoted(
    parts: WorkerParts, scope: Scope, item: Interaction, text: str, extraction: Extraction, limit: asyncio.Semaphore
) -> list[Repetition]:
    """The sentences of a reply that would teach something and only repeat what had been said before it."""

    async def echo(span: Span) -> Repetition | None:
        sentence = text[span.start : span.end]
        if names_relationship_type(sentence):
            return Repetition(id=item.id, start=span.start, end=span.end)
        query = MemoryQuery(
            scope=scope,
            text=sentence[:2_000],
            mode="lexical",
            limit=LOOKED_UP,
            as_of=item.occurred_at,
            filters=Filters(exclude=frozenset({item.id})),
        )
        async with limit:
            of = repeated(sentence, await parts.episodic.retrieve(query))
        return Repetition(id=item.id, start=span.start, end=span.end, of=tuple(of)) if of else None

    spans = list(teaching_spans(text, extraction))
    beyond = [Repetition(id=item.id, start=span.start, end=span.end) for span in spans[LOOKED_AT:]]
    looked_up = await asyncio.gather(*map(echo, spans[:LOOKED_AT]))
    return [*(found for found in looked_up if found is not None), *beyond]


async def _embed_names(parts: WorkerParts, extractions: Sequence[Extraction]) -> dict[str, Vector]:
    names = sorted({entity.name for extraction in extractions for entity in extraction.entities})
    if not names:
        return {}
    rows = (await parts.embedder.embed(names)).tolist()
    return {name: tuple(row) for name, row in zip(names, rows, strict=True)}


def observation_of(event_id: str, item: Interaction, extraction: Extraction, vectors: dict[str, Vector]) -> Observation:
    """The statements of `extraction`, as entries that rest on `item`; SPEAKER stands for its speaker."""
    labels: dict[str, EntityLabel] = {entity.name: entity.label for entity in extraction.entities}
    said = [(f"{event_id}.r{number}", mention, False) for number, mention in enumerate(extraction.relationships)]
    said += [(f"{event_id}.x{number}", mention, True) for number, mention in enumerate(extraction.ended)]
    return Observation(
        event_id=event_id,
        interaction_id=item.id,
        occurred_at=item.occurred_at,
        entities=tuple(
            _entity(f"{event_id}.e{number}", item, mention, vectors.get(mention.name))
            for number, mention in enumerate(extraction.entities)
        ),
        relationships=tuple(
            _relationship(identifier, item, mention, labels, ends=ends) for identifier, mention, ends in said
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
    identifier: str,
    item: Interaction,
    mention: RelationshipMention,
    labels: dict[str, EntityLabel],
    *,
    ends: bool,
) -> RelationshipEntry:
    return RelationshipEntry(
        id=identifier,
        source=_named(mention.source, item),
        source_label=labels.get(mention.source, "PERSON"),
        type=mention.type,
        target=_named(mention.target, item),
        target_label=labels.get(mention.target, "PRODUCT"),
        lasting=mention.lasting,
        ends=ends,
        context=mention.context[:2_000],
        verb=mention.verb[:64],
        occurred_at=item.occurred_at,
        sources=(item.id,),
    )


def _named(name: str, item: Interaction) -> str:
    speaker = item.name or SPEAKER
    return (speaker if name == SPEAKER else name)[:_NAME_CHARS]


async def preferences_of(
    parts: WorkerParts, event_id: str, item: Interaction, text: str, extraction: Extraction
) -> list[PreferenceEntry]:
    """The preferences that a person states in `item`, whose own words are `text`. Raises EmbeddingError,
    ExtractionError."""
    if item.role not in STATING_ROLES:
        return []
    meant = await prefer(parts.judge, parts.extractor, item, text, extraction)
    numbered = enumerate(extraction.preferences)  # as they are read, so that an entry has its id whatever is meant
    return [preference_of(event_id, number, item, mention) for number, mention in numbered if mention in meant]


def preference_of(event_id: str, number: int, item: Interaction, mention: PreferenceMention) -> PreferenceEntry:
    """A stated preference, of who spoke."""
    key = owned_key(item.name, mention.key)
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
