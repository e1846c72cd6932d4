"""Whom each name means, told anew from what is left, after evidence is gone that may have decided it.

Names are told apart in the order in which they arrived: a name that was the same as another because of a message that
is forgotten now is another from then on. So whoever might be concerned is told apart again, message by message, and
where that comes to anything else, their evidence is moved.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ragpp_services.semantic.evidence.folding import fold_mentions
from ragpp_services.semantic.evidence.identity import IdentityIndex, the_same
from ragpp_services.semantic.records import (
    Applied,
    EntityState,
    Loss,
    Mention,
    Naming,
    RelationshipKey,
    Statement,
    hashed,
)
from ragpp_services.semantic.write.learning import Batch
from ragpp_services.semantic.write.records import MergeRecord, SaidName
from ragpp_services.semantic.write.revising import Revision
from ragpp_services.semantic.write.writer import GraphWriter


@dataclass(frozen=True, slots=True)
class Heard:
    """A name in an event, or all that it said of one entity. `was`: the entity that it was told to be then;
    `entity_id`: the one that this is part of now."""

    applied: Applied
    naming: Naming
    was: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class Circle:
    """Entities any of whose names could have meant another of them, with their evidence and merges."""

    states: Mapping[str, EntityState]
    mentions: Mapping[str, Sequence[Mention]]
    merges: Mapping[str, Sequence[MergeRecord]]

    def kept_apart(self) -> dict[str, frozenset[str]]:
        """The ids that a person split off, by id."""
        return {identifier: frozenset(state.kept_apart) for identifier, state in self.states.items()}

    def by_hand(self) -> list[tuple[str, str]]:
        """(kept, absorbed) of the merges that a person made."""
        return [
            (identifier, merge.id)
            for identifier, merges in self.merges.items()
            for merge in merges
            if merge.depth == 1 and not merge.automatic
        ]


async def tell_apart_again(writer: GraphWriter, revision: Revision, losses: Mapping[str, Loss]) -> set[str]:
    """Do so for entities that have lost evidence; returns all whose state is to be made anew."""
    merges = await writer.merges_of(losses)
    names = await writer.names_of(losses)
    # of what is one with others it always may have: which of two is kept depends on how often each was named
    shaken = {
        identifier
        for identifier, loss in losses.items()
        if identifier in merges or _is_shaken(loss, names.get(identifier, ()))
    }
    touched = set(losses)
    for around in await _circles(writer, shaken):
        circle = await _circle(writer, around)
        if circle is not None:
            told = Told(await _heard(writer, circle), circle)
            if not told.is_as_before():
                touched |= await _move(writer, revision, circle, told)
    return touched


def _is_shaken(loss: Loss, names: Sequence[SaidName]) -> bool:
    """Whether the evidence that is gone may have decided who somebody is: it brought a name that nothing earlier had
    said of the entity."""
    known = {hashed(key) for said in names if said.first < loss.first for key in said.keys}
    return not loss.keys <= known


async def _circles(writer: GraphWriter, ids: Collection[str]) -> list[list[EntityState]]:
    """All that share a name with them, directly or through others, in groups that share none."""
    groups: list[tuple[list[EntityState], set[tuple[str, str]]]] = []
    seen: set[str] = set()
    frontier = await writer.entities(sorted(ids))
    while frontier:
        seen |= {state.id for state in frontier}
        names = await writer.names_of(state.id for state in frontier)
        asked: set[str] = set()
        for state in frontier:
            keys = {state.key, *state.alias_keys, *(key for said in names.get(state.id, ()) for key in said.keys)}
            asked |= keys
            joined: tuple[list[EntityState], set[tuple[str, str]]] = ([state], {(state.label, key) for key in keys})
            apart = []
            for group in groups:
                if group[1] & joined[1]:
                    joined = (joined[0] + group[0], joined[1] | group[1])
                else:
                    apart.append(group)
            groups = [*apart, joined]
        said = set().union(*(group[1] for group in groups))
        found = {state.id: state for state in await writer.entities_by_keys(sorted(asked)) if state.id not in seen}
        frontier = [
            state
            for state in found.values()
            if any((state.label, key) in said for key in (state.key, *state.alias_keys))
        ]
    return [states for states, _ in groups]


async def _circle(writer: GraphWriter, around: Sequence[EntityState]) -> Circle | None:
    """The evidence of such a group; None where nobody can be anybody else: one alone that never had another name. Also
    as an alias: an event that says two names of one has the second among the first one's."""
    states = {state.id: state for state in around}
    merges = await writer.merges_of(states)
    if len(states) == 1 and not merges:
        (said,) = (await writer.names_of(states)).values() or ((),)
        if len({key for one in said for key in one.keys}) <= 1:
            return None
    mentions = {identifier: await writer.mentions_of(identifier) for identifier in states}
    return Circle(states, mentions, merges)


async def _heard(writer: GraphWriter, circle: Circle) -> list[Heard]:
    """Every name that was said of the circle, in the order of arrival."""
    namings = await writer.namings_around(circle.states)
    labels = {identifier: state.label for identifier, state in circle.states.items()}
    labels |= {merge.id: merge.label for merges in circle.merges.values() for merge in merges}
    said_by: dict[str, list[Heard]] = {}
    for identifier, mentions in circle.mentions.items():
        for mention in mentions:
            was = mention.path[0] if mention.path else identifier
            said = Naming(labels.get(was, labels[identifier]), mention.name, mention.aliases)
            said_by.setdefault(mention.applied.event_id, []).append(Heard(mention.applied, said, was, identifier))
    events = sorted(said_by.items(), key=lambda event: event[1][0].applied.sequence)
    return [one for event_id, of_event in events for one in _of_event(of_event, namings.get(event_id, ()))]


def _of_event(of_entities: Sequence[Heard], namings: Sequence[Naming]) -> list[Heard]:
    """The names in an event with whom each was told to be: what is kept of that are all names of each entity."""
    heard: list[Heard] = []
    for naming in namings:
        fitting = [one for one in of_entities if one.naming.label == naming.label and naming.keys <= one.naming.keys]
        own = [one for one in fitting if one.naming.name == naming.name] or fitting
        heard += [replace(one, naming=naming) for one in own[:1]]
    told = {one.was for one in heard}
    return heard + [one for one in of_entities if one.was not in told]


@dataclass(frozen=True, slots=True)
class Merging:
    """An entity that becomes part of another."""

    kept: str
    absorbed: str
    automatic: bool = True


class Told:
    """What telling apart again comes to: the evidence in `batch`, of entities some of which become one."""

    def __init__(self, heard: Sequence[Heard], circle: Circle) -> None:
        """Tell `heard` apart as if nothing had been known before."""
        self._circle, self._kept_apart = circle, circle.kept_apart()
        self.batch = Batch(IdentityIndex((), self._kept_apart))
        self._by_name: dict[tuple[str, str, str], str] = {}
        self._by_old: dict[str, str] = {}
        self._meant: list[tuple[Heard, str]] = []
        early: dict[str, list[Heard]] = {}
        for one in heard:
            if one.applied.by_hand and one.was not in self._by_old:
                early.setdefault(one.was, []).append(one)
                continue
            self._tell(one)
            for given in early.pop(one.was, ()):
                self._tell(given)
        self.mergings = [Merging(union.kept, union.absorbed) for union in self.batch.index.unions]
        self._add_spelled_alike({one.was: one.entity_id for one in heard})
        self._add_by_hand()

    def _tell(self, one: Heard) -> None:
        """What a person calls somebody is said of whoever that was, who is known by something that is left."""
        known_as = self._by_old.get(one.was) if one.applied.by_hand else None
        identifier = self.batch.mention(one.applied, one.naming, one.was, known_as).id
        self._meant.append((one, identifier))
        self._by_name.setdefault((one.applied.event_id, one.naming.label, one.naming.name), identifier)
        self._by_old.setdefault(one.was, identifier)

    def _add_spelled_alike(self, part_of: Mapping[str, str]) -> None:
        """The merges of the nightly consolidation that still hold. `part_of`: what everybody was part of."""
        while True:
            unions = [
                union
                for union in the_same(self.states())
                if part_of.get(union.kept, union.kept) == part_of.get(union.absorbed, union.absorbed)
            ]
            if not unions:
                return
            self.mergings += [Merging(union.kept, union.absorbed) for union in unions]

    def _add_by_hand(self) -> None:
        known = {identifier for _, identifier in self._meant}
        for kept, absorbed in self._circle.by_hand():
            roots = self.roots()
            pair = roots.get(kept, kept), roots.get(absorbed, absorbed)
            if {kept, absorbed} <= known and pair[0] != pair[1]:
                self.mergings.append(Merging(*pair, automatic=False))

    def roots(self) -> dict[str, str]:
        """What each that becomes part of another is part of in the end."""
        parents = {merging.absorbed: merging.kept for merging in self.mergings}

        def root(identifier: str) -> str:
            while identifier in parents:
                identifier = parents[identifier]
            return identifier

        return {absorbed: root(absorbed) for absorbed in parents}

    def states(self, *, merged: bool = True) -> list[EntityState]:
        """The entities, after or before some become part of others."""
        roots = self.roots() if merged else {}
        groups: dict[str, list[Mention]] = {}
        for mention in self.batch.mentions.values():
            root = roots.get(mention.entity_id, mention.entity_id)
            path = () if root == mention.entity_id else (mention.entity_id,)
            groups.setdefault(root, []).append(replace(mention, path=path))
        folded = [fold_mentions(root, self.batch.index.label_of(root), found) for root, found in groups.items()]
        return [replace(one, kept_apart=tuple(self._kept_apart.get(one.id, ()))) for one in folded if one is not None]

    def is_as_before(self) -> bool:
        """Whether every name means whom it meant."""
        roots = self.roots()
        return all(
            identifier == one.was and roots.get(identifier, identifier) == one.entity_id
            for one, identifier in self._meant
        )

    def end(self, statement: Statement, label: str, name: str, old_id: str) -> str | None:
        """Whom the end of a statement, which was `old_id`, is by now; None for nobody."""
        return self._by_name.get((statement.applied.event_id, label, name)) or self._by_old.get(old_id)


async def _move(writer: GraphWriter, revision: Revision, circle: Circle, told: Told) -> set[str]:
    """Move the evidence of the circle to whom it means; returns the entities of it, old and new."""
    statements = await _statements_around(writer, circle)
    old_keys = {statement.key for statement in statements}
    for merges in circle.merges.values():
        for merge in merges:
            await writer.drop_merge(merge.id)
    await writer.drop_mentions(mention for mentions in circle.mentions.values() for mention in mentions)
    await writer.drop_statements(old_keys)
    states = told.states(merged=False)
    moved = [found for statement in statements if (found := _moved(statement, told, circle)) is not None]
    for identifier in sorted(circle.states.keys() - {state.id for state in states}):
        await writer.drop_entity(identifier)
    await writer.free_names(circle.states)
    await revision.put_entities(states, unnamed={merging.absorbed for merging in told.mergings})
    await writer.write_mentions(told.batch.mentions.values())
    await writer.write_statements(moved)
    await revision.rebuild_relationships(old_keys | {statement.key for statement in moved})
    await writer.drop_spent_entries({statement.applied.event_id for statement in statements})
    for merging in told.mergings:
        await revision.merge(merging.kept, merging.absorbed, automatic=merging.automatic)
    return circle.states.keys() | {state.id for state in states}


async def _statements_around(writer: GraphWriter, circle: Circle) -> list[Statement]:
    found = [statement for identifier in circle.states for statement in await writer.statements_around(identifier)]
    return list(dict.fromkeys(found))


def _moved(statement: Statement, told: Told, circle: Circle) -> Statement | None:
    """The statement about whom its names mean; None for a verdict on somebody who is nobody any more."""
    key, paths = statement.key, (statement.source_path, statement.target_path)
    ends: list[str] = []
    for identifier, path, name in zip(
        (key.source_id, key.target_id), paths, (statement.source_name, statement.target_name), strict=True
    ):
        if identifier not in circle.states:
            ends.append(identifier)
        elif found := told.end(statement, circle.states[identifier].label, name, path[0] if path else identifier):
            ends.append(found)
        else:
            return None
    return replace(
        statement,
        key=RelationshipKey(ends[0], key.type, ends[1]),
        source_path=() if key.source_id in circle.states else statement.source_path,
        target_path=() if key.target_id in circle.states else statement.target_path,
    )
