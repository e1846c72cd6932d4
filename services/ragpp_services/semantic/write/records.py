"""The values of write transactions, beside states, mentions and statements: events that are claimed, and what is read
of the evidence to decide by."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ragpp.models import EntityLabel
from ragpp.stores.forgetting import left_of
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.records import EntityState, Naming, RelationshipKey
from ragpp_services.semantic.rows import naming_text


@dataclass(frozen=True, slots=True)
class Claim:
    """The answer to claiming an event. `fresh`: it had not been applied; `same`: with the same content. `sources`:
    those that were not forgotten; None when it rests on a forgotten one."""

    sequence: int
    fresh: bool
    same: bool
    sources: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to claim. `marks`: of its sources, in their order. `namings`: every name in it, in the order in which
    they are told apart."""

    event_id: str
    hash: str
    occurred_at: int
    sources: tuple[str, ...]
    marks: tuple[str, ...]
    namings: tuple[Naming, ...] = ()

    def row(self) -> dict[str, object]:
        """As `claim` takes it."""
        return {
            "event_id": self.event_id,
            "hash": self.hash,
            "occurred_at": self.occurred_at,
            "sources": list(self.sources),
            "marks": list(self.marks),
            "namings": [naming_text(naming) for naming in self.namings] or None,
        }

    def left(self, forgotten: Collection[str]) -> tuple[str, ...] | None:
        """Its sources; None when any of them is of these marks."""
        gone = {source for source, mark in zip(self.sources, self.marks, strict=True) if mark in forgotten}
        return left_of(self.sources, gone)


@dataclass(frozen=True, slots=True)
class EventEvidence:
    """The things that an event is evidence of. `mentions`: (entity id, keys of the names it said of it)."""

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
    """An absorbed entity. `was`: its state, of its own evidence alone. `depth` 1: absorbed directly; `kept`: by whom.
    `automatic`: by evidence, not by a user. `at`: when it was last made, in microseconds. `after`: which place in the
    order of arrival came next, None where that was not noted. It brought former labels that `kept` has `gained`, and
    ids that this is kept `apart` from."""

    was: EntityState
    depth: int
    kept: str
    automatic: bool
    at: int
    after: int | None
    gained: Sequence[EntityLabel]
    apart: Sequence[str]

    @property
    def id(self) -> str:
        return self.was.id

    @property
    def label(self) -> EntityLabel:
        return self.was.label
