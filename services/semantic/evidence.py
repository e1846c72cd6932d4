"""From evidence to state: pure, and independent of the order in which evidence arrives.

A relationship's confidence is 0.6 after the first mention; each further one adds 0.1 to what decay has left of it,
up to 1. `weight` counts mentions. One event counts once, however often it says the same thing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ragpp.models import EntityLabel
from services.semantic.keys import name_key
from services.semantic.records import (
    MICROSECONDS_PER_DAY,
    EntityState,
    Mention,
    RelationshipState,
    SourceRef,
    Statement,
)

KEPT_SOURCES: Final = 20
"""The latest interactions listed on a node or edge, for reading; the evidence itself is complete."""
KEPT_ALIASES: Final = 50
MAX_CONTEXT_CHARS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Belief:
    """How confidence grows and fades. Rates are per day, in (0, 1]."""

    decay_per_day: float = 0.95
    lasting_decay_per_day: float = 0.999
    first: float = 0.6
    step: float = 0.1

    def decayed(self, confidence: float, since: int, until: int, *, lasting: bool) -> float:
        """confidence × rate^days; never more than `confidence`, also when `until` is before `since`."""
        rate = self.lasting_decay_per_day if lasting else self.decay_per_day
        return confidence * float(rate ** (max(0, until - since) / MICROSECONDS_PER_DAY))

    def confidence(self, state: RelationshipState, until: int) -> float:
        """The state's confidence at `until`."""
        return self.decayed(state.confidence, state.confidence_at, until, lasting=state.lasting)

    def fold(self, statements: Iterable[Statement]) -> RelationshipState | None:
        """The state that `statements`, all of one relationship, amount to; None without any."""
        ordered = list({item.applied.event_id: item for item in _by_time(statements)}.values())
        if not ordered:
            return None
        lasting = any(item.lasting for item in ordered)
        confidence, at = self.first, ordered[0].applied.occurred_at
        for item in ordered[1:]:
            faded = self.decayed(confidence, at, item.applied.occurred_at, lasting=lasting)
            confidence, at = min(1.0, faded + self.step), item.applied.occurred_at
        return RelationshipState(
            key=ordered[0].key,
            weight=len(ordered),
            confidence=confidence,
            confidence_at=at,
            lasting=lasting,
            first_mention=ordered[0].applied.occurred_at,
            last_mention=at,
            context=ordered[-1].context,
            sources=latest_sources(refs_of(ordered)),
        )

    def extend(self, state: RelationshipState, statement: Statement) -> RelationshipState | None:
        """`state` after one more statement; None when only a fold of all the evidence can tell: the statement is
        older than what is known, or shows that the relationship lasts, which changes how it faded so far."""
        at = statement.applied.occurred_at
        if at < max(state.last_mention, state.confidence_at) or (statement.lasting and not state.lasting):
            return None
        faded = self.decayed(state.confidence, state.confidence_at, at, lasting=state.lasting)
        return replace(
            state,
            weight=state.weight + 1,
            confidence=min(1.0, faded + self.step),
            confidence_at=at,
            last_mention=at,
            context=statement.context,
            sources=latest_sources((*state.sources, *refs_of([statement]))),
        )


def _by_time(statements: Iterable[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda item: item.applied.order)


def refs_of(evidence: Iterable[Mention | Statement]) -> list[SourceRef]:
    """The interactions that `evidence` came from."""
    return [SourceRef(source, item.applied.occurred_at) for item in evidence for source in item.applied.sources]


def latest_sources(refs: Iterable[SourceRef]) -> tuple[SourceRef, ...]:
    """The latest KEPT_SOURCES of them, latest first, each interaction once."""
    latest: dict[str, SourceRef] = {}
    for ref in refs:
        if ref.id not in latest or latest[ref.id].at < ref.at:
            latest[ref.id] = ref
    return tuple(sorted(latest.values(), key=lambda ref: (-ref.at, ref.id))[:KEPT_SOURCES])


def with_names(aliases: Sequence[str], said: Iterable[str], key: str) -> tuple[str, ...]:
    """`aliases` and what else was `said`, each once by its key, without the name whose key is `key`; at most 50."""
    kept = {name_key(alias): alias for alias in aliases}
    for name in said:
        kept.setdefault(name_key(name), name)
    kept.pop(key, None)
    return tuple(list(kept.values())[:KEPT_ALIASES])


def choose_name(mentions: Sequence[Mention], taken: frozenset[str] = frozenset()) -> str | None:
    """The entity's name: the one said first, in order of arrival, that was not said of an entity absorbed later,
    or else the first of any; None when all names are `taken` (keys)."""
    arrived = sorted(mentions, key=lambda item: (bool(item.path), item.applied.sequence))
    return next((item.name for item in arrived if name_key(item.name) not in taken), None)


def fold_mentions(
    entity_id: str, label: EntityLabel, mentions: Sequence[Mention], *, taken: frozenset[str] = frozenset()
) -> EntityState | None:
    """The state that `mentions`, all of one entity, amount to, without merges; None without any, or when every name
    in them is `taken`."""
    name = choose_name(mentions, taken)
    if name is None:
        return None
    key = name_key(name)
    arrived = sorted(mentions, key=lambda item: item.applied.sequence)
    times = [item.applied.occurred_at for item in mentions]
    return EntityState(
        id=entity_id,
        name=name,
        label=label,
        aliases=with_names((), (said for item in arrived for said in (item.name, *item.aliases)), key),
        mentions=len({item.applied.event_id for item in mentions}),
        first_mention=min(times),
        last_mention=max(times),
        named_at=min(item.applied.occurred_at for item in mentions if name_key(item.name) == key),
        sources=latest_sources(refs_of(mentions)),
    )


def extend_entity(state: EntityState, mention: Mention) -> EntityState:
    """`state` after one more mention of an event that had none of it yet."""
    at = mention.applied.occurred_at
    return replace(
        state,
        aliases=with_names(state.aliases, (mention.name, *mention.aliases), state.key),
        mentions=state.mentions + 1,
        first_mention=min(state.first_mention, at),
        last_mention=max(state.last_mention, at),
        named_at=min(state.named_at, at) if name_key(mention.name) == state.key else state.named_at,
        sources=latest_sources((*state.sources, *refs_of([mention]))),
    )
