"""Whom each name means, told anew from what is left, after evidence is gone that may have decided it.

Names are told apart in the order in which they arrived: a name that was the same as another because of a message that
is forgotten now is another from then on. So whoever might be concerned is told apart again (`telling`), and where that
comes to anything else, their evidence is moved.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ragpp_services.semantic.evidence.timeline import SAID
from ragpp_services.semantic.records import (
    EntityState,
    Loss,
    Naming,
    RelationshipKey,
    Statement,
    hashed,
)
from ragpp_services.semantic.write.disambiguation import Circle, Disambiguation, Occurrence
from ragpp_services.semantic.write.records import MergeRecord, SaidName
from ragpp_services.semantic.write.revising import Revision
from ragpp_services.semantic.write.writer import GraphWriter


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
    for around in await _circles(writer, shaken, merges):
        circle = await _circle(writer, around, merges)
        if circle is not None:
            told = Disambiguation(await _occurrences(writer, circle), circle)
            if not told.is_as_before():
                touched |= await _move(writer, revision, circle, told)
    return touched


def _is_shaken(loss: Loss, names: Sequence[SaidName]) -> bool:
    """True where the evidence that is gone may have decided who somebody is: it brought a name that nothing earlier had
    said of the entity."""
    known = {hashed(key) for said in names if said.first < loss.first for key in said.keys}
    return not loss.keys <= known


async def _circles(
    writer: GraphWriter, ids: Collection[str], merges: dict[str, list[MergeRecord]]
) -> list[list[EntityState]]:
    """All that share a name with them, directly or through others, in groups that share none. `merges`: of `ids`; those
    of all others that are found are added."""
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
            meant = {(label, key) for label in _labels(state, merges) for key in keys}
            joined: tuple[list[EntityState], set[tuple[str, str]]] = ([state], meant)
            apart = []
            for group in groups:
                if group[1] & joined[1]:
                    joined = (joined[0] + group[0], joined[1] | group[1])
                else:
                    apart.append(group)
            groups = [*apart, joined]
        said = set().union(*(group[1] for group in groups))
        found = {state.id: state for state in await writer.entities_by_keys(sorted(asked)) if state.id not in seen}
        merges.update(await writer.merges_of(found))
        frontier = [
            state
            for state in found.values()
            if any((label, key) in said for label in _labels(state, merges) for key in (state.key, *state.alias_keys))
        ]
    return [states for states, _ in groups]


def _labels(state: EntityState, merges: Mapping[str, Sequence[MergeRecord]]) -> set[str]:
    """The labels that it has and was taken for, and those of what it absorbed."""
    return {state.label, *state.former_labels, *(merge.label for merge in merges.get(state.id, ()))}


async def _circle(
    writer: GraphWriter, around: Sequence[EntityState], known: Mapping[str, Sequence[MergeRecord]]
) -> Circle | None:
    """The evidence of such a group; None where nobody can be anybody else: one alone that never had another name. Also
    as an alias: an event that says two names of one has the second among the first one's."""
    states = {state.id: state for state in around}
    merges = {identifier: known[identifier] for identifier in states if identifier in known}
    if len(states) == 1 and not merges:
        (said,) = (await writer.names_of(states)).values() or ((),)
        if len({key for one in said for key in one.keys}) <= 1:
            return None
    mentions = {identifier: await writer.mentions_of(identifier) for identifier in states}
    return Circle(states, mentions, merges, await writer.consolidations())


async def _occurrences(writer: GraphWriter, circle: Circle) -> list[Occurrence]:
    """Every name that was said of the circle, in the order of arrival."""
    namings = await writer.namings_around(circle.states)
    labels = {identifier: state.label for identifier, state in circle.states.items()}
    labels |= {merge.id: merge.label for merges in circle.merges.values() for merge in merges}
    said_by: dict[str, list[Occurrence]] = {}
    for identifier, mentions in circle.mentions.items():
        for mention in mentions:
            was = mention.path[0] if mention.path else identifier
            said = Naming(labels.get(was, labels[identifier]), mention.name, mention.aliases)
            said_by.setdefault(mention.applied.event_id, []).append(Occurrence(mention.applied, said, was, identifier))
    events = sorted(said_by.items(), key=lambda event: event[1][0].applied.sequence)
    return [one for event_id, of_event in events for one in _of_event(of_event, namings.get(event_id, ()))]


def _of_event(of_entities: Sequence[Occurrence], namings: Sequence[Naming]) -> list[Occurrence]:
    """The names in an event with whom each was told to be: what is kept of that are all names of each entity."""
    occurrences: list[Occurrence] = []
    for naming in namings:
        fitting = [one for one in of_entities if one.naming.label == naming.label and naming.keys <= one.naming.keys]
        own = [one for one in fitting if one.naming.name == naming.name] or fitting
        occurrences += [replace(one, naming=naming) for one in own[:1]]
    told = {one.was for one in occurrences}
    return occurrences + [one for one in of_entities if one.was not in told]


async def _move(writer: GraphWriter, revision: Revision, circle: Circle, told: Disambiguation) -> set[str]:
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
    await revision.put_entities(states, unnamed={merging.absorbed for merging in told.mergings} | told.nameless)
    await writer.write_mentions(told.batch.mentions.values())
    await writer.write_statements(moved)
    await revision.rebuild_relationships(old_keys | {statement.key for statement in moved})
    by_hand = [one.applied for mentions in circle.mentions.values() for one in mentions if one.applied.by_hand]
    await writer.drop_spent_entries({applied.event_id for applied in (*by_hand, *(one.applied for one in statements))})
    for merging in told.mergings:
        kept, absorbed = merging.kept, merging.absorbed
        await revision.merge(kept, absorbed, automatic=merging.automatic, again=True, after=merging.after)
    return circle.states.keys() | {state.id for state in states}


async def _statements_around(writer: GraphWriter, circle: Circle) -> list[Statement]:
    found = [statement for identifier in circle.states for statement in await writer.statements_around(identifier)]
    return list(dict.fromkeys(found))


def _moved(statement: Statement, told: Disambiguation, circle: Circle) -> Statement | None:
    """The statement about whom its names mean; None for a verdict on somebody who is nobody any more, or somebody whom
    the person who gave it knew as another."""
    key, paths = statement.key, (statement.source_path, statement.target_path)
    ends: list[str] = []
    for identifier, path, name in zip(
        (key.source_id, key.target_id), paths, (statement.source_name, statement.target_name), strict=True
    ):
        if identifier not in circle.states:
            ends.append(identifier)
            continue
        found = told.end(statement, circle.states[identifier].label, name, path[0] if path else identifier)
        if found is None or (statement.act not in SAID and told.is_also_another(found, identifier, statement.applied)):
            return None
        ends.append(found)
    return replace(
        statement,
        key=RelationshipKey(ends[0], key.type, ends[1]),
        source_path=() if key.source_id in circle.states else statement.source_path,
        target_path=() if key.target_id in circle.states else statement.target_path,
    )
