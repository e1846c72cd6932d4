"""Forgetting: what is left afterwards is exactly what the remaining evidence supports."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Final

from ragpp.clock import Clock, to_moment
from ragpp.learned import READ_ENTRY
from ragpp.models import Scope
from ragpp.stores.forgetting import SourceMarks, refuse_all_but_scratch
from ragpp.tiers import ERASED_AT_ONCE
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.records import (
    ENTRY_PREFIX,
    OBSERVATION_PREFIX,
    EntityState,
    Loss,
    RelationshipKey,
    Statement,
    hashed,
)
from ragpp_services.semantic.store import SemanticStore
from ragpp_services.semantic.write.records import Claim, EventEvidence
from ragpp_services.semantic.write.replaying import tell_apart_again
from ragpp_services.semantic.write.revising import Revision, Revisions
from ragpp_services.semantic.write.writer import GraphWriter

_READ: Final = OBSERVATION_PREFIX + READ_ENTRY
"""The prefix of observations of a language model's reading."""


class Forgetting:
    """Forgetting by ids, by interactions, and of everything."""

    def __init__(self, store: SemanticStore, revisions: Revisions, marks: SourceMarks, clock: Clock) -> None:
        self._store, self._revisions, self._marks, self._clock = store, revisions, marks, clock

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """Delete entities with their edges, relationships, and what stored entries taught; ids may be of any."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return 0

        async def change(writer: GraphWriter, revision: Revision) -> int:
            gone = await forget_ids(writer, revision, wanted)
            if gone:
                await writer.raise_epoch(now=to_moment(self._clock()))
            return gone

        return await self._revisions.make(scope, change)

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
            return await withdraw_sources(writer, wanted)

        async def revise(writer: GraphWriter) -> None:
            await writer.raise_epoch(now=now)
            await revise_what_is_noted(writer, self._revisions.of(writer))

        await self._store.write(scope, mark)
        withdrawn = await self._store.write(scope, withdraw)
        await self._store.write(scope, revise)
        return withdrawn

    async def sweep(self, scope: Scope, sources: Collection[str]) -> None:
        """See the contract."""
        refuse_all_but_scratch(scope)
        await self._store.sweep(scope, self._marks.of_all(scope, sources))

    async def erase(self, scope: Scope, before: int) -> bool:
        """See the contract. ERASED_AT_ONCE nodes of each kind; what is learned by now as well."""
        del before
        now = to_moment(self._clock())

        async def work(writer: GraphWriter) -> bool:
            await writer.raise_epoch(now=now)
            return await writer.erase(ERASED_AT_ONCE)

        return await self._store.write(scope, work)


async def withdraw_sources(writer: GraphWriter, interaction_ids: Collection[str]) -> int:
    """Take interactions out of the evidence, with all that rests on any of them, and note what that is, to be revised;
    how many entities and relationships."""
    events = await writer.events_of_sources(interaction_ids)
    if not events:
        return 0
    evidence = await writer.evidence_of_events(events)
    losses, relationships = losses_of(evidence), _relationships_of(evidence)
    await writer.withdraw_events(events)
    await writer.add_unrevised(losses, relationships)
    return len(losses) + len(relationships)


async def learn_instead(
    writer: GraphWriter,
    revision: Revision,
    interaction_ids: Collection[str],
    learn_again: Callable[[Mapping[str, EventEvidence]], Awaitable[list[Claim]]],
    *,
    now: int,
) -> list[Claim]:
    """Let what these interactions are evidence of be what `learn_again` says, which is given what their events, by id,
    were evidence of, and applies them again. Nothing is revised before that: what a person said of a relationship stays
    with it where they go on saying it. Begins an epoch. Raises Outdated."""
    await writer.lock(now=now)
    before = await writer.evidence_of_events(await writer.events_of_sources(interaction_ids))
    await writer.withdraw_events(event.event_id for event in before)
    claims = await learn_again({event.event_id: event for event in before})
    # a message is observed once, and not without being told to; what a language model read in it may be read again
    await writer.unapply_events(event.event_id for event in before if event.event_id.startswith(_READ))
    evidence = [*before, *await writer.evidence_of_events(await writer.events_of_sources(interaction_ids))]
    await _revise(writer, revision, losses_of(evidence), _relationships_of(evidence))
    await writer.raise_epoch(now=now)
    return claims


async def revise_what_is_noted(writer: GraphWriter, revision: Revision) -> None:
    """Make what rested on withdrawn evidence say what is left of it."""
    losses, relationships = await writer.take_unrevised()
    await _revise(writer, revision, losses, relationships)


def losses_of(evidence: Iterable[EventEvidence]) -> dict[str, Loss]:
    """The losses of entities that these events cause when they go, by the entities' ids."""
    losses: dict[str, Loss] = {}
    for event in evidence:
        for identifier, keys in event.mentions:
            loss = Loss(event.sequence, frozenset(map(hashed, keys)))
            losses[identifier] = losses[identifier] | loss if identifier in losses else loss
    return losses


def _relationships_of(evidence: Iterable[EventEvidence]) -> set[RelationshipKey]:
    return {key for event in evidence for key in event.relationships}


async def forget_ids(writer: GraphWriter, revision: Revision, ids: Collection[str]) -> int:
    """Delete entities with their edges, relationships, and what entries taught; ids may be any of these three.
    Returns how many of `ids` existed."""
    events = {ENTRY_PREFIX + identifier: identifier for identifier in ids}
    evidence = await writer.evidence_of_events(events)
    entities = await writer.entities(ids)
    relationships = [found.state.key for found in await writer.relationships(ids)]
    known = {
        *(events[event.event_id] for event in evidence),
        *(entity.id for entity in entities),
        *(key.id for key in relationships),
    }
    if not known:
        return 0
    touched = _relationships_of(evidence).union(relationships)
    await writer.withdraw_events(event.event_id for event in evidence)
    gone: list[Statement] = []
    for entity in entities:
        gone += await _forget_entity(writer, entity)
    said = await writer.statements_of(relationships)
    await writer.drop_statements(relationships)
    await writer.drop_relationships(relationships)
    await writer.drop_spent_entries({statement.applied.event_id for statement in said})
    hollow = await _empty_what_states_nothing(writer, [*gone, *said])
    await _revise(writer, revision, losses_of([*evidence, *hollow]), touched | {statement.key for statement in gone})
    return len(known)


async def _empty_what_states_nothing(writer: GraphWriter, gone: Iterable[Statement]) -> list[EventEvidence]:
    """A person named both ends for the sake of the relationship alone: with the statement goes what it was evidence of.
    It stays known, so that a repetition that comes late states nothing."""
    by_hand = {
        item.applied.event_id
        for item in gone
        if item.applied.event_id.startswith(ENTRY_PREFIX) and not item.applied.sources
    }
    hollow = [event for event in await writer.evidence_of_events(sorted(by_hand)) if not event.relationships]
    await writer.empty_events(event.event_id for event in hollow)
    return hollow


async def _forget_entity(writer: GraphWriter, entity: EntityState) -> list[Statement]:
    """Forget it. Returns the statements of its relationships, which went with it: what they ended may hold again."""
    statements = await writer.statements_around(entity.id)
    keys = {statement.key for statement in statements}
    events = {*await writer.events_of_entity(entity.id), *(statement.applied.event_id for statement in statements)}
    await _forget_names(writer, entity)
    await writer.drop_statements(keys)
    await writer.drop_entity(entity.id)
    await writer.drop_spent_entries(events)
    return statements


async def _forget_names(writer: GraphWriter, entity: EntityState) -> None:
    """Take its names out of what events are kept to have said."""
    mentions = await writer.mentions_of(entity.id)
    keys = {name_key(name) for mention in mentions for name in (mention.name, *mention.aliases)}
    namings = await writer.namings_around([entity.id])
    left = {event_id: [one for one in said if not one.keys & keys] for event_id, said in namings.items()}
    await writer.set_namings({event_id: kept for event_id, kept in left.items() if len(kept) < len(namings[event_id])})


async def _revise(
    writer: GraphWriter, revision: Revision, losses: Mapping[str, Loss], relationships: set[RelationshipKey]
) -> None:
    await revision.rebuild_relationships(relationships)
    touched = await tell_apart_again(writer, revision, losses)
    await revision.rebuild_entities(sorted(touched))
