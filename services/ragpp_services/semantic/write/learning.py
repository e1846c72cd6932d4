"""Lessons, taken into the graph: each event once, in one transaction, under the user's lock."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ragpp.errors import Conflict
from ragpp.models import EntityLabel, Vector
from ragpp_services.semantic.evidence.folding import MAX_CONTEXT_CHARS, Belief, extend_entity, fold_mentions
from ragpp_services.semantic.evidence.identity import Candidate, IdentityIndex
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.evidence.timeline import weight_of
from ragpp_services.semantic.evidence.validity import EXCLUSIVE, SYMMETRIC
from ragpp_services.semantic.records import (
    Applied,
    EntityState,
    Mention,
    Naming,
    RelationshipKey,
    RelationshipState,
    Statement,
)
from ragpp_services.semantic.write.lessons import Lesson, event_of
from ragpp_services.semantic.write.records import Claim, EventEvidence
from ragpp_services.semantic.write.revising import Revision
from ragpp_services.semantic.write.writer import GraphWriter


async def learn(
    writer: GraphWriter,
    revision: Revision,
    lessons: Sequence[Lesson],
    *,
    belief: Belief,
    vectors: Mapping[str, Vector],
    mark_of: Callable[[str], str],
    now: int,
    again: Mapping[str, EventEvidence] | None = None,
) -> list[Claim]:
    """Apply each of `lessons` that is new; what claiming each one answered, in order. One that rests on a forgotten
    source counts as applied, and teaches nothing. `again`: all are applied, those of events that were applied before,
    by their ids, only as far as these were evidence of it until now: what a person deleted is not said anew.

    `vectors` has the embedding of every name in them; `mark_of` a source is what it is known by once it is forgotten.
    Raises Conflict, with the positions in `details["indexes"]`, when an id is known with other content; Outdated.
    """
    known = again or {}
    events = [event_of(lesson, mark_of, known.get(lesson.event_id)) for lesson in lessons]
    claims = await writer.claim(events, now=now, again=again is not None)
    conflicts = [position for position, claim in enumerate(claims) if not claim.same]
    if conflicts:
        raise Conflict("an id is known with other content", details={"indexes": conflicts})
    fresh = [
        (lesson, Applied(lesson.event_id, lesson.occurred_at, claim.sequence, claim.sources))
        for lesson, claim in zip(lessons, claims, strict=True)
        if claim.fresh and claim.sources is not None
    ]
    if not fresh:
        return claims
    keys = set().union(*(lesson.keys() for lesson, _ in fresh))
    batch = Batch(IdentityIndex(await writer.entities_by_keys(keys) if keys else ()))
    for lesson, applied in fresh:
        batch.read(lesson, applied)
        if lesson.event_id in known:
            batch.keep(known[lesson.event_id])
    await _write(writer, revision, batch, belief, vectors)
    return claims


async def _write(
    writer: GraphWriter, revision: Revision, batch: "Batch", belief: Belief, vectors: Mapping[str, Vector]
) -> None:
    if not batch.mentions:
        return
    states = batch.entity_states()
    new = states.keys() - batch.index.states().keys()
    absorbed = {union.absorbed for union in batch.index.unions}
    if absorbed:
        await writer.free_names(absorbed)
    created = {identifier: vectors[states[identifier].name] for identifier in new}
    await writer.write_entities(states.values(), created, unnamed=absorbed)
    await writer.write_mentions(batch.mentions.values())
    if batch.statements:
        known = await writer.rivals(batch.groups())
        known += [found.state for found in await writer.relationships(batch.keys())]
        edges, stale = batch.relationship_states({state.key: state for state in known}, belief)
        await writer.write_relationships(edges.values())
        await writer.write_statements(batch.statements.values())
        await revision.rebuild_relationships(stale)
    for union in batch.index.unions:
        await revision.merge(union.kept, union.absorbed, automatic=True)


class Batch:
    """The evidence of the new lessons, with names resolved to entities; one event counts once for each thing."""

    def __init__(self, index: IdentityIndex) -> None:
        self.index = index
        self.mentions: dict[tuple[str, str], Mention] = {}
        self.statements: dict[tuple[str, RelationshipKey, str, str], Statement] = {}
        self._meant: dict[tuple[str, EntityLabel, str], str] = {}

    def read(self, lesson: Lesson, applied: Applied) -> None:
        for entity in lesson.entities:
            self.mention(applied, Naming(entity.label, entity.name, entity.aliases))
        for relationship in lesson.relationships:
            source = self.mention(applied, Naming(relationship.source_label, relationship.source))
            target = self.mention(applied, Naming(relationship.target_label, relationship.target))
            key = RelationshipKey(source.id, relationship.type, target.id)
            statement = Statement(
                applied=applied,
                key=key,
                source_name=relationship.source,
                target_name=relationship.target,
                lasting=relationship.lasting,
                context=relationship.context[:MAX_CONTEXT_CHARS],
                verb=relationship.verb,
                act="ends" if relationship.ends else "says",
            )
            self._state(statement)
            if relationship.ends and key.type in SYMMETRIC:
                self._state(_mirrored(statement))

    def keep(self, evidence: EventEvidence) -> None:
        """Leave out of what an event says whatever it was no evidence of."""
        event_id, mentioned = evidence.event_id, {identifier for identifier, _ in evidence.mentions}
        self.mentions = {
            slot: mention for slot, mention in self.mentions.items() if slot[0] != event_id or slot[1] in mentioned
        }
        self.statements = {
            slot: said
            for slot, said in self.statements.items()
            if slot[0] != event_id or said.key in evidence.relationships
        }

    def _state(self, statement: Statement) -> None:
        """Keep it, unless the same event has said so in the same names more weightily. In others it may be about
        somebody else one day."""
        slot = (statement.applied.event_id, statement.key, statement.source_name, statement.target_name)
        known = self.statements.get(slot)
        if known is None or weight_of(statement.act) >= weight_of(known.act):
            self.statements[slot] = statement

    def mention(
        self, applied: Applied, said: Naming, made_as: str | None = None, known_as: str | None = None
    ) -> Candidate:
        """Whom `said` means; see `IdentityIndex.resolve`. Within one event a name goes on meaning the same."""
        name, aliases = said.name, said.aliases
        place = (applied.event_id, said.label, name_key(name))
        known_as = known_as or self._meant.get(place)
        candidate = self.index.resolve(name, said.label, aliases, known_as=known_as, made_as=made_as)
        self._meant[place] = candidate.id
        slot = (applied.event_id, candidate.id)
        known = self.mentions.get(slot)
        if known is None:
            self.mentions[slot] = Mention(applied, candidate.id, name, aliases)
        elif name != known.name or aliases:
            others = dict.fromkeys((*known.aliases, name, *aliases))
            self.mentions[slot] = Mention(
                applied, candidate.id, known.name, tuple(alias for alias in others if alias != known.name)
            )
        return candidate

    def entity_states(self) -> dict[str, EntityState]:
        """The states of all that was mentioned, by id."""
        states = self.index.states()
        touched: dict[str, EntityState] = {}
        for mention in self.mentions.values():
            identifier = mention.entity_id
            state = touched.get(identifier) or states.get(identifier)
            if state is not None:
                touched[identifier] = extend_entity(state, mention)
            else:
                made = fold_mentions(identifier, self.index.label_of(identifier), [mention])
                if made is not None:
                    touched[identifier] = made
        return touched

    def groups(self) -> set[tuple[str, str]]:
        """The sources and types of which one relationship may end another."""
        keys = {statement.key for statement in self.statements.values()}
        return {(key.source_id, key.type) for key in keys if key.type in EXCLUSIVE}

    def keys(self) -> set[str]:
        """The ids of the relationships that are stated."""
        return {statement.key.id for statement in self.statements.values()}

    def relationship_states(
        self, known: Mapping[RelationshipKey, RelationshipState], belief: Belief
    ) -> tuple[dict[RelationshipKey, RelationshipState], set[RelationshipKey]]:
        """The states of all that was stated, and the keys of those that only all their evidence can tell. `known`:
        their states so far, and those of their rivals."""
        states = dict(known)
        touched: dict[RelationshipKey, RelationshipState] = {}
        stale: set[RelationshipKey] = set()
        told: set[tuple[str, RelationshipKey]] = set()
        for statement in self.statements.values():
            key, state = statement.key, states.get(statement.key)
            extended = belief.extend(state, statement) if state is not None else belief.fold([statement])
            twice = (statement.applied.event_id, key) in told
            told.add((statement.applied.event_id, key))
            if extended is None or twice or self._may_end(key, statement, states):
                stale.add(key)
            if extended is not None:
                touched[key] = states[key] = extended
        return {key: state for key, state in touched.items() if key not in stale}, stale

    @staticmethod
    def _may_end(
        key: RelationshipKey, statement: Statement, states: Mapping[RelationshipKey, RelationshipState]
    ) -> bool:
        """Another of its source and exclusive type holds, or was spoken of later: then all of them are told anew."""
        return key.type in EXCLUSIVE and any(
            other.valid_to is None or other.changed_at > statement.applied.occurred_at
            for rival, other in states.items()
            if (rival.source_id, rival.type) == (key.source_id, key.type)
            and rival != key
            and other.verdict != "rejected"
        )


def _mirrored(statement: Statement) -> Statement:
    """The same ending, said of the relationship from its other end."""
    key = RelationshipKey(statement.key.target_id, statement.key.type, statement.key.source_id)
    return replace(
        statement, key=key, source_name=statement.target_name, target_name=statement.source_name, act="mirrors"
    )
