"""What a write transaction reads of the evidence to decide by, beside states, mentions and statements."""

from dataclasses import dataclass

from ragpp.models import EntityLabel
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.records import RelationshipKey


@dataclass(frozen=True, slots=True)
class EventEvidence:
    """What an event is evidence of. `mentions`: (entity id, keys of the names it said of it)."""

    event_id: str
    sequence: int
    mentions: tuple[tuple[str, frozenset[str]], ...]
    relationships: frozenset[RelationshipKey]


@dataclass(frozen=True, slots=True)
class SaidName:
    """A name with its aliases as mentions have it. `first`: the sequence of the earliest of them."""

    name: str
    aliases: tuple[str, ...]
    first: int

    @property
    def keys(self) -> frozenset[str]:
        """The keys of all names in it."""
        return frozenset(map(name_key, (self.name, *self.aliases)))


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """An absorbed entity. `depth` 1: absorbed directly. `automatic`: by evidence, not by a user."""

    id: str
    name: str
    label: EntityLabel
    aliases: tuple[str, ...]
    depth: int
    automatic: bool
