"""The graph's contents, as values: states that are read fast, and the evidence that they are made from.

Moments are integers, microseconds since 1970 in UTC, as in the graph.
"""

import hashlib
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, cast

from ragpp.clock import from_moment
from ragpp.fields import RESERVED
from ragpp.learned import Verdict
from ragpp.models import Entity, EntityLabel, Relationship
from ragpp_services.semantic.evidence.keys import name_key

MICROSECONDS_PER_DAY: Final = 86_400_000_000
ENTRY_PREFIX: Final = "e:"
OBSERVATION_PREFIX: Final = "o:"
"""Before the ids of (:Applied): entries and observations are numbered by different hands."""
END_SUFFIX: Final = f"{RESERVED}until"
"""Behind the id of what is stated: the entry that says when it ended, whose id nobody can choose."""
NAMING_PREFIX: Final = "n:"
"""And before those by which a person says what an entity is called."""
BEFORE_TIME: Final = -(2**63)
AFTER_TIME: Final = 2**63 - 1
"""The least and greatest integers of the graph."""
Act: TypeAlias = Literal["says", "ends", "mirrors", "confirmed", "rejected", "restored"]
"""The act of a piece of evidence. says: it holds; ends: it holds no longer; mirrors: an ending, said of the same from
its other end. The others are a person's: two verdicts, and bringing back what was archived."""


@dataclass(frozen=True, slots=True)
class SourceRef:
    """An interaction that something rests on, and when it was said."""

    id: str
    at: int


@dataclass(frozen=True, slots=True)
class EntityState:
    """A node. `named_at`: when its name was first said. `merged_from`: ids of entities absorbed directly.
    `sources`: the latest interactions that mention it, latest first. `kept_apart`: ids that a user split it from.
    `former_labels`: what it was taken for before a person said what it is, and by which it is still recognised."""

    id: str
    name: str
    label: EntityLabel
    aliases: tuple[str, ...]
    mentions: int
    first_mention: int
    last_mention: int
    named_at: int
    sources: tuple[SourceRef, ...]
    merged_from: tuple[str, ...] = ()
    kept_apart: tuple[str, ...] = ()
    former_labels: tuple[EntityLabel, ...] = ()

    @property
    def key(self) -> str:
        return name_key(self.name)

    @property
    def alias_keys(self) -> tuple[str, ...]:
        return tuple(name_key(alias) for alias in self.aliases)

    def to_model(self) -> Entity:
        """The entity as callers see it."""
        return Entity(
            id=self.id,
            name=self.name,
            label=self.label,
            aliases=self.aliases,
            mentions=self.mentions,
            first_mention=from_moment(self.first_mention),
            last_mention=from_moment(self.last_mention),
            sources=tuple(source.id for source in self.sources),
            merged_from=self.merged_from,
        )


@dataclass(frozen=True, slots=True)
class RelationshipKey:
    """The key that two mentions of the same relationship share; its id follows from it."""

    source_id: str
    type: str
    target_id: str

    @property
    def id(self) -> str:
        """32 hexadecimal digits; entity ids are unique over all users, so this is too."""
        joined = f"{self.source_id}\x1f{self.type}\x1f{self.target_id}"
        return hashlib.sha256(joined.encode()).hexdigest()[:32]

    @property
    def is_loop(self) -> bool:
        """Both ends became one entity: kept as evidence, for a split, and not shown."""
        return self.source_id == self.target_id


@dataclass(frozen=True, slots=True)
class RelationshipState:
    """An edge. The evidence left `believed` at `believed_at`; from there it decays. Decay is persisted by moving
    `confidence` and `confidence_at` alone, so that nothing learned later depends on when that was done.

    It held from `valid_from` until `valid_to`, None while it holds. `weight`: how many messages say something of it; 0
    for what is known only to have ended from its other end. `archived_at`: when it had faded; None while it is shown.
    """

    key: RelationshipKey
    weight: int
    believed: float
    believed_at: int
    confidence: float
    confidence_at: int
    lasting: bool
    first_mention: int
    last_mention: int
    context: str
    sources: tuple[SourceRef, ...]
    valid_from: int
    valid_to: int | None = None
    ended_by: str | None = None
    archived_at: int | None = None
    verdict: Verdict | None = None
    verb: str = ""

    @property
    def changed_at(self) -> int:
        """The last moment of its own evidence; before it, only that evidence tells what it was."""
        return max(self.last_mention, self.believed_at)

    @property
    def shown_until(self) -> int | None:
        """From when on it is not current: ended, archived, or rejected (then at no time); None while it is."""
        if self.verdict == "rejected":
            return BEFORE_TIME
        return min([at for at in (self.valid_to, self.archived_at) if at is not None], default=None)

    def at(self, until: int) -> "RelationshipState":
        """As it was at `until`, which is not before `changed_at`: what ended or faded later had not."""
        later_end = self.valid_to is not None and self.valid_to > until
        return replace(
            self,
            valid_to=None if later_end else self.valid_to,
            ended_by=None if later_end else self.ended_by,
            archived_at=None if self.archived_at is not None and self.archived_at > until else self.archived_at,
        )

    def to_model(self, source: str, target: str, confidence: float) -> Relationship:
        """The relationship as callers see it, its ends named and its confidence decayed."""
        return Relationship(
            id=self.key.id,
            source_id=self.key.source_id,
            source=source,
            type=self.key.type,
            target_id=self.key.target_id,
            target=target,
            weight=float(self.weight),
            confidence=confidence,
            believed=self.believed,
            lasting=self.lasting,
            context=self.context,
            verb=self.verb,
            first_mention=from_moment(self.first_mention),
            last_mention=from_moment(self.last_mention),
            valid_from=from_moment(self.valid_from),
            valid_to=from_moment(self.valid_to) if self.valid_to is not None else None,
            learned_at=from_moment(self.valid_from),
            ended_by=self.ended_by,
            archived=self.archived_at is not None,
            verdict=self.verdict,
            sources=tuple(source_ref.id for source_ref in self.sources),
        )


@dataclass(frozen=True, slots=True)
class Applied:
    """An observation or entry that was applied. `sequence`: its place in the order of arrival.
    `sources`: the interactions it came from; an entry may have none or several."""

    event_id: str
    occurred_at: int
    sequence: int
    sources: tuple[str, ...]

    @property
    def by_hand(self) -> bool:
        """True where a person says by it what an entity is called, and nobody mentioned it."""
        return self.event_id.startswith(NAMING_PREFIX)

    @property
    def order(self) -> tuple[int, int]:
        """By time, and by arrival within one moment."""
        return self.occurred_at, self.sequence


@dataclass(frozen=True, slots=True)
class Naming:
    """A name as an event said it, before anybody knew whose it is."""

    label: EntityLabel
    name: str
    aliases: tuple[str, ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        """The keys of all names in it."""
        return frozenset(map(name_key, (self.name, *self.aliases)))


@dataclass(frozen=True, slots=True)
class Loss:
    """Evidence that an entity has lost. `first`: the sequence of the earliest; `keys`: hashes of the names in it."""

    first: int
    keys: frozenset[str]

    def __or__(self, other: "Loss") -> "Loss":
        return Loss(min(self.first, other.first), self.keys | other.keys)


@dataclass(frozen=True, slots=True)
class Mention:
    """Evidence of an entity. `path`: the entities that were absorbed on its way here, the first named first."""

    applied: Applied
    entity_id: str
    name: str
    aliases: tuple[str, ...]
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """Evidence of a relationship; names as they were said, paths as in Mention."""

    applied: Applied
    key: RelationshipKey
    source_name: str
    target_name: str
    lasting: bool
    context: str
    source_path: tuple[str, ...] = ()
    target_path: tuple[str, ...] = ()
    act: Act = "says"
    verb: str = ""


def hashed(key: str) -> str:
    """A name's key without the name, to be compared with others."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def label_of(value: object) -> EntityLabel:
    """A label read from the graph, which only ever gets those of EntityLabel."""
    return cast("EntityLabel", value)


def act_of(value: object) -> Act:
    """An act read from the graph, where the commonest is left out."""
    return cast("Act", value or "says")


def verdict_of(value: object) -> Verdict | None:
    """A verdict read from the graph."""
    return cast("Verdict | None", value)
