"""The names and numbers that tell one memory from another of the same words, and what they become for another user."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

import orjson

from benchmarks.seeding.binary import number_of
from benchmarks.seeding.reading import Memory
from ragpp.models import Scope
from ragpp.stores.neo4j import scope_key
from ragpp_services.procedural.naming import preference_id
from ragpp_services.semantic.records import RelationshipKey

ID: Final = re.compile(r"pref-[0-9a-f]{32}|[0-9a-f]{32}")
"""Ids of entities, relationships and preferences in a text."""
LED: Final = re.compile(r"^(?P<before>o:|incremental:|earlier:|again:|)(?P<event>\d+)(?P<after>\..*|)$")
"""A text that has an event's id: an entry that an event led to, an observation, what was asked for after it."""
ENTITIES: Final = frozenset({"Entity", "Merge"})


@dataclass(frozen=True)
class Names:
    """The names and numbers of one memory. `ordinals` and `events`: ascending. `entities`: ids, by label and name.
    `relationships`: each id with source, type and target. `preferences`: each id with category and key."""

    scope: Scope
    ordinals: tuple[int, ...]
    events: tuple[int, ...]
    entities: tuple[str, ...]
    relationships: Mapping[str, tuple[str, str, str]]
    preferences: Mapping[str, tuple[str, str]]


@dataclass(frozen=True)
class Renaming:
    """Another memory's names and numbers by those of one."""

    scope: Scope
    before: Scope
    ordinals: Mapping[int, int]
    events: Mapping[int, int]
    ids: Mapping[str, str]

    def ordinal(self, number: int) -> int:
        """An interaction's number; 0, which is none's, stays."""
        return self.ordinals[number] if number else 0

    def text(self, text: str) -> str:
        """A text with the ids of the other."""
        return ID.sub(lambda found: self.ids.get(found[0], found[0]), text)

    def led(self, text: str) -> str:
        """A text that may have an event's id, with that of the other."""
        found = LED.match(text)
        if found is None or int(found["event"]) not in self.events:
            return text
        return f"{found['before']}{self.events[int(found['event'])]}{found['after']}"

    def line(self, value: object) -> object:
        """A line of the graph, or anything in it, with the other's names."""
        match value:
            case str():
                if value == scope_key(self.before):
                    return scope_key(self.scope)
                return self.ids.get(value) or self.led(value)
            case [float(), *_]:
                return value
            case list():
                return [self.line(one) for one in value]
            case dict():
                return {key: self.line(one) for key, one in value.items()}
        return value


def names_of(memory: Memory) -> Names:
    """The names of a memory. ValueError where an id is none that the tiers would make for its user."""
    entities, relationships = _of_graph(memory)
    for identifier, key in relationships.items():
        if RelationshipKey(*key).id != identifier:
            raise ValueError(f"relationship {identifier} of {memory.scope.user_id} is not that of {key}")
    preferences: dict[str, tuple[str, str]] = {}
    for identifier, category, name in _texts(memory, "procedural.preferences", "id", "category", "key"):
        if preference_id(memory.scope, category, name) != identifier:
            raise ValueError(f"{identifier} of {memory.scope.user_id} is not that of {category}: {name}")
        preferences[identifier] = (category, name)
    return Names(
        scope=memory.scope,
        ordinals=_numbers(memory, "episodic.interactions", "ordinal"),
        events=_numbers(memory, "ledger.events", "event_id"),
        entities=entities,
        relationships=relationships,
        preferences=dict(sorted(preferences.items(), key=lambda one: one[1])),
    )


def renaming(names: Names, scope: Scope, first_ordinal: int, first_event: int) -> Renaming:
    """The names of the same memory for another user, whose numbers begin there. Ids of entities, which the tier draws,
    follow from the user and the entity's place."""
    entities = {
        one: hashlib.blake2b(orjson.dumps([*scope.user_key, place]), digest_size=16).hexdigest()
        for place, one in enumerate(names.entities)
    }
    ids = dict(entities)
    for identifier, (source, kind, target) in names.relationships.items():
        ids[identifier] = RelationshipKey(entities[source], kind, entities[target]).id
    for identifier, (category, key) in names.preferences.items():
        ids[identifier] = preference_id(scope, category, key)
    return Renaming(
        scope=scope,
        before=names.scope,
        ordinals={one: first_ordinal + place for place, one in enumerate(names.ordinals)},
        events={one: first_event + place for place, one in enumerate(names.events)},
        ids=ids,
    )


def _of_graph(memory: Memory) -> tuple[tuple[str, ...], dict[str, tuple[str, str, str]]]:
    entities: dict[str, tuple[str, ...]] = {}
    relationships: dict[str, tuple[str, str, str]] = {}
    for line in memory.graph:
        match line:
            case ["n", str(label), dict(properties)] if label in ENTITIES:
                named = (label, *(str(properties.get(name)) for name in ("label", "name_key", "name", "first_mention")))
                entities[str(properties["id"])] = named
            case ["r", _, "RELATES_TO", _, str(source), _, str(target), dict(properties)]:
                relationships[str(properties["id"])] = (source, str(properties["type"]), target)
            case ["r", _, "STATES", _, _, _, str(source), dict(properties)]:
                key = (source, str(properties["type"]), str(properties["target"]))
                relationships.setdefault(str(properties["relationship"]), key)
    return tuple(sorted(entities, key=lambda one: entities[one])), relationships


def _numbers(memory: Memory, table: str, column: str) -> tuple[int, ...]:
    found = memory.tables[table]
    place = found.columns.index(column)
    return tuple(sorted(number_of(cast("bytes", row[place])) for row in found.rows))


def _texts(memory: Memory, table: str, *columns: str) -> Iterator[tuple[str, ...]]:
    if table in memory.tables:
        found = memory.tables[table]
        places = [found.columns.index(column) for column in columns]
        for row in found.rows:
            yield tuple(cast("bytes", row[place]).decode() for place in places)
