"""Which entity a name means: pure, over the entities that the graph already has for the names of a batch.

1. the entity of that name and label; 2. the only one with that alias; 3. a new one.
A relative who was known by kinship alone ("Noor's mother") and is then named ("my mother Salma") was two entities
and becomes one: `resolve` reports a union, which the graph records and a user can undo. That happens only on plain
evidence: the kinship is one that a person has but one of, and exactly one entity is named by it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final
from uuid import uuid4

from ragpp.models import EntityLabel
from ragpp.text.kinship import CANONICAL, UNIQUE
from ragpp_services.semantic.evidence.keys import loose_key, name_key
from ragpp_services.semantic.records import EntityState

_OWNED: Final = re.compile(r"^.+?['’]s? (.+)$")


def is_bare_kinship(key: str) -> bool:
    """`key` is a kinship that a person has one of, without saying whose: `mom`, `my father`."""
    return CANONICAL.get(key.removeprefix("my ")) in UNIQUE


def is_kinship_of_someone(key: str) -> bool:
    """`key` is such a kinship and says whose: `noor's mother`."""
    owned = _OWNED.match(key)
    return owned is not None and CANONICAL.get(owned[1]) in UNIQUE


@dataclass(slots=True)
class Candidate:
    """An entity while a batch is resolved. `state` is None for one that the batch makes."""

    id: str
    name: str
    label: EntityLabel
    state: EntityState | None
    alias_keys: set[str] = field(default_factory=set)
    kept_apart: frozenset[str] = frozenset()
    former_labels: tuple[EntityLabel, ...] = ()

    @property
    def labels(self) -> tuple[EntityLabel, ...]:
        """The label that it has, and those that it was taken for before."""
        return (self.label, *self.former_labels)


@dataclass(frozen=True, slots=True)
class Union:
    """Two entities that the evidence says are one: `absorbed` becomes part of `kept`."""

    kept: str
    absorbed: str


class IdentityIndex:
    """The entities that the names of a batch may mean; grows with what the batch makes."""

    def __init__(
        self, known: Iterable[EntityState], kept_apart: Mapping[str, frozenset[str]] = MappingProxyType({})
    ) -> None:
        """`kept_apart`: for those that are made with an id, the ids that a person split off."""
        self.unions: list[Union] = []
        self._absorbed: dict[str, str] = {}
        self._kept_apart = kept_apart
        self._by_id: dict[str, Candidate] = {}
        self._by_name: dict[tuple[EntityLabel, str], Candidate] = {}
        self._by_alias: dict[tuple[EntityLabel, str], set[str]] = {}
        for state in known:
            candidate = Candidate(
                state.id,
                state.name,
                state.label,
                state,
                set(state.alias_keys),
                frozenset(state.kept_apart),
                state.former_labels,
            )
            self._add(candidate)

    def resolve(
        self,
        name: str,
        label: EntityLabel,
        aliases: Iterable[str] = (),
        *,
        known_as: str | None = None,
        made_as: str | None = None,
    ) -> Candidate:
        """The entity that `name` means, made if need be, with the id `made_as` unless another has it; `aliases` are
        added to it. `known_as`: the id of the one that it has just meant. May report a union."""
        key = name_key(name)
        found = None if known_as is None else self._by_id[self._part_of(known_as)]
        found = found or self._by_name.get((label, key)) or self._only_alias(label, key)
        if found is None:
            identifier = made_as if made_as is not None and made_as not in self._by_id else uuid4().hex
            found = Candidate(identifier, name, label, None, kept_apart=self._kept_apart.get(identifier, frozenset()))
            self._add(found)
        alias_keys = {name_key(alias) for alias in aliases}
        for alias_key in {key, *alias_keys} - {name_key(found.name)}:
            self._add_alias(found, alias_key)
        if not self._is_kin_named(found):
            relative = self._relative_named(label, alias_keys, found)
            if relative is not None:
                self._unite(found, relative)
        return found

    def _part_of(self, identifier: str) -> str:
        while identifier in self._absorbed:
            identifier = self._absorbed[identifier]
        return identifier

    def label_of(self, identifier: str) -> EntityLabel:
        """The label of one of the entities. Raises KeyError."""
        return self._by_id[identifier].label

    def states(self) -> dict[str, EntityState]:
        """Those of the entities that the graph had, by id."""
        return {identifier: item.state for identifier, item in self._by_id.items() if item.state is not None}

    def _add(self, candidate: Candidate) -> None:
        self._by_id[candidate.id] = candidate
        self._by_name[candidate.label, name_key(candidate.name)] = candidate
        for label in candidate.former_labels:  # of one that is that now, the name is its own
            self._add_key(label, name_key(candidate.name), candidate)
        for alias_key in candidate.alias_keys:
            self._add_alias(candidate, alias_key)

    def _add_alias(self, candidate: Candidate, alias_key: str) -> None:
        candidate.alias_keys.add(alias_key)
        for label in candidate.labels:
            self._add_key(label, alias_key, candidate)

    def _add_key(self, label: EntityLabel, key: str, candidate: Candidate) -> None:
        self._by_alias.setdefault((label, key), set()).add(candidate.id)

    def _only_alias(self, label: EntityLabel, key: str) -> Candidate | None:
        holders = self._by_alias.get((label, key), set())
        return self._by_id[next(iter(holders))] if len(holders) == 1 else None

    @staticmethod
    def _is_kin_named(candidate: Candidate) -> bool:
        key = name_key(candidate.name)
        return is_bare_kinship(key) or is_kinship_of_someone(key)

    def _relative_named(self, label: EntityLabel, alias_keys: set[str], named: Candidate) -> Candidate | None:
        """The one other entity whose name is a kinship among `alias_keys`; one that says whose decides alone."""
        owned = {key for key in alias_keys if is_kinship_of_someone(key)}
        keys = owned or {key for key in alias_keys if is_bare_kinship(key)}
        found = {
            relative.id: relative
            for key in keys
            if (relative := self._by_name.get((label, key))) is not None
            and relative.id != named.id
            and relative.id not in named.kept_apart
            and named.id not in relative.kept_apart
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def unite(self, kept: str, absorbed: str) -> None:
        """Let one of the entities be part of another from now on. Raises KeyError."""
        self._unite(self._by_id[kept], self._by_id[absorbed])

    def _unite(self, kept: Candidate, absorbed: Candidate) -> None:
        self.unions.append(Union(kept.id, absorbed.id))
        self._absorbed[absorbed.id] = kept.id
        kept.kept_apart |= absorbed.kept_apart - {kept.id}
        name = name_key(absorbed.name)
        del self._by_name[absorbed.label, name]
        for label in absorbed.labels:
            for alias_key in (name, *absorbed.alias_keys):
                self._by_alias.get((label, alias_key), set()).discard(absorbed.id)
        known = (kept.label, *kept.former_labels)
        kept.former_labels += tuple(label for label in absorbed.former_labels if label not in known)
        for label in kept.former_labels:
            self._add_key(label, name_key(kept.name), kept)
        for alias_key in (name, *absorbed.alias_keys, *kept.alias_keys):
            self._add_alias(kept, alias_key)


def the_same(
    known: Iterable[EntityState], may: Callable[[EntityState, EntityState], bool] = lambda *_: True
) -> list[Union]:
    """Which of all entities of a user are plainly one, by the evidence of their names: of one label, and

    - spelled alike (`loose_key`): "St. Mary's" and "St Marys", "José" and "Jose"; or
    - one bears as its name what is an alias of exactly one other, and that name is not a kinship that several people
      may have, nor a part of the other's: "sister", "Noor's cousin" and "David" for David Bowie prove nothing,
      "Noor's mother" does.

    Never two that a person has split, nor that `may` not become one. The one with a name of its own, mentioned more
    often, first, or named at more length is kept, and each entity takes part in one union.
    """
    states = sorted(
        known,
        key=lambda state: (
            is_kinship_of_someone(state.key),
            -state.mentions,
            state.named_at,
            -len(state.name.encode()),
            state.name,
            state.id,
        ),
    )
    spelled: dict[tuple[EntityLabel, str], list[EntityState]] = defaultdict(list)
    called: dict[tuple[EntityLabel, str], list[EntityState]] = defaultdict(list)
    for state in states:
        spelled[state.label, loose_key(state.name, state.label)].append(state)
        for alias in {loose_key(alias, state.label) for alias in state.aliases}:
            called[state.label, alias].append(state)
    rank = {state.id: position for position, state in enumerate(states)}
    unions: list[Union] = []
    taken: set[str] = set()
    for state in states:
        key = loose_key(state.name, state.label)
        alike = [other for other in spelled[state.label, key] if other.id != state.id]
        holders = [other for other in called[state.label, key] if other.id != state.id]
        if len(holders) == 1 and not _may_be_several(name_key(state.name)) and not _is_part_of(key, holders[0]):
            alike.append(holders[0])
        for other in alike:
            if not {state.id, other.id} & taken and not _kept_apart(state, other) and may(state, other):
                kept, absorbed = sorted((state, other), key=lambda one: rank[one.id])
                unions.append(Union(kept.id, absorbed.id))
                taken |= {state.id, other.id}
    return unions


def _kept_apart(one: EntityState, other: EntityState) -> bool:
    return other.id in one.kept_apart or one.id in other.kept_apart


def _is_part_of(key: str, whole: EntityState) -> bool:
    """A first name alone is not the same person: "David", a brother, and David Bowie."""
    return set(key.split()) < set(loose_key(whole.name, whole.label).split())


def _may_be_several(key: str) -> bool:
    """`key` is a kinship that a person may have several of, or does not say whose it is."""
    if key.removeprefix("my ") in CANONICAL:
        return True
    owned = _OWNED.match(key)
    return owned is not None and owned[1] in CANONICAL and CANONICAL[owned[1]] not in UNIQUE
