"""Lessons to be taken into the graph: an entry, or what one interaction said."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import orjson

from ragpp.clock import to_moment
from ragpp.models import EntityEntry, Observation, RelationshipEntry, Vector
from ragpp_services.semantic.records import ENTRY_PREFIX, OBSERVATION_PREFIX, Naming
from ragpp_services.semantic.write.records import EventEvidence, NewEvent

_NOT_CONTENT: Final = {"id", "embedding"}


@dataclass(frozen=True, slots=True)
class Lesson:
    """One event's worth of entities and relationships. `hash` tells other content under the same id."""

    event_id: str
    hash: str
    occurred_at: int
    sources: tuple[str, ...]
    entities: tuple[EntityEntry, ...]
    relationships: tuple[RelationshipEntry, ...]

    @classmethod
    def of_entry(cls, entry: EntityEntry | RelationshipEntry) -> "Lesson":
        """An entry, to be applied once by its own id."""
        said = entry.model_dump(mode="json", exclude=_NOT_CONTENT)
        if not said.get("ends"):
            said.pop("ends", None)  # the hash of an entry of the time before there were endings must stay what it was
        if not said.get("verb"):
            said.pop("verb", None)  # nor of before there were verbs
        content = orjson.dumps(said, option=orjson.OPT_SORT_KEYS)
        return cls(
            event_id=ENTRY_PREFIX + entry.id,
            hash=hashlib.sha256(content).hexdigest(),
            occurred_at=to_moment(entry.occurred_at),
            sources=entry.sources,
            entities=(entry,) if isinstance(entry, EntityEntry) else (),
            relationships=(entry,) if isinstance(entry, RelationshipEntry) else (),
        )

    @classmethod
    def of_observation(cls, observation: Observation) -> "Lesson":
        """An observation, to be applied once by its event's id; all of it was said by one interaction."""
        return cls(
            event_id=OBSERVATION_PREFIX + observation.event_id,
            hash="",
            occurred_at=to_moment(observation.occurred_at),
            sources=(observation.interaction_id,),
            entities=observation.entities,
            relationships=observation.relationships,
        )

    def namings(self) -> tuple[Naming, ...]:
        """Every name as it is said, in order, each once."""
        said = [Naming(entry.label, entry.name, entry.aliases) for entry in self.entities]
        for entry in self.relationships:
            said += [Naming(entry.source_label, entry.source), Naming(entry.target_label, entry.target)]
        return tuple(dict.fromkeys(said))

    def names(self) -> set[str]:
        """Every name under which one of its entities may have to be made."""
        return {naming.name for naming in self.namings()}

    def keys(self) -> set[str]:
        """Every key under which one of its entities may be known."""
        return {key for naming in self.namings() for key in naming.keys}


def vectors_given(lessons: Iterable[Lesson]) -> dict[str, Vector]:
    """The embeddings that came with entries, by name."""
    return {
        entry.name: entry.embedding for lesson in lessons for entry in lesson.entities if entry.embedding is not None
    }


def event_of(lesson: Lesson, mark_of: Callable[[str], str], known: EventEvidence | None = None) -> NewEvent:
    """The event with which a lesson is claimed; of one that is `known` only names that it still has."""
    marks = tuple(mark_of(source) for source in lesson.sources)
    namings = lesson.namings()
    if known is not None:
        keys = frozenset[str]().union(*(keys for _, keys in known.mentions))
        namings = tuple(naming for naming in namings if naming.keys & keys)
    return NewEvent(lesson.event_id, lesson.hash, lesson.occurred_at, lesson.sources, marks, namings)
