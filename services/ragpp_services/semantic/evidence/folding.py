"""From evidence to state: pure, and independent of the order in which evidence arrives.

A relationship's confidence is 0.6 after the first mention; each further one adds 0.1 to what decay has left of it,
up to 1. `weight` counts mentions. One event counts once, however often it says the same thing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ragpp.fading import FADES, holds, rate_of
from ragpp.learned import Verdict
from ragpp.models import LISTED_SOURCES, EntityLabel
from ragpp_services.semantic.evidence.keys import name_key
from ragpp_services.semantic.evidence.timeline import ASSERTING, CONSENT, ENDING, SAID, Timeline, timelines
from ragpp_services.semantic.records import (
    AFTER_TIME,
    MICROSECONDS_PER_DAY,
    EntityState,
    Mention,
    RelationshipKey,
    RelationshipState,
    SourceRef,
    Statement,
)

KEPT_ALIASES: Final = 50
MAX_CONTEXT_CHARS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Belief:
    """How confidence grows and fades. `decay_per_day`: what a day leaves of what passes, in (0, 1]; of what lasts
    `ragpp.fading` tells."""

    decay_per_day: float = FADES
    first: float = 0.6
    step: float = 0.1

    def decayed(self, confidence: float, since: int, until: int, *, kind: str, lasting: bool) -> float:
        """confidence × rate^days; never more than `confidence`, also when `until` is before `since`."""
        rate = rate_of(kind, lasting=lasting, fades=self.decay_per_day)
        return confidence * float(rate ** (max(0, until - since) / MICROSECONDS_PER_DAY))

    def confidence(self, state: RelationshipState, until: int) -> float:
        """The state's confidence at `until`; the same whether its decay has been persisted or not."""
        if until < state.confidence_at:
            return self._of(state, state.believed, state.believed_at, until)
        return self._of(state, state.confidence, state.confidence_at, until)

    def _of(self, state: RelationshipState, confidence: float, since: int, until: int) -> float:
        return self.decayed(confidence, since, until, kind=state.key.type, lasting=state.lasting)

    def persisted(self, state: RelationshipState, now: int, floor: float) -> RelationshipState:
        """`state` with its decay up to `now` written down, and archived where that is below `floor`. What stays
        true without being said again and what a person confirmed is never archived."""
        confidence = self.confidence(state, now)
        kept = holds(state.key.type, lasting=state.lasting) or state.verdict is not None
        fades = confidence < floor and not kept
        return replace(state, confidence=confidence, confidence_at=now, archived_at=now if fades else state.archived_at)

    def fold(self, statements: Iterable[Statement]) -> RelationshipState | None:
        """The state that `statements`, all of one relationship, amount to; None without any."""
        return next(iter(self.fold_all(statements).values()), None)

    def fold_all(
        self, statements: Iterable[Statement], until: int = AFTER_TIME
    ) -> dict[RelationshipKey, RelationshipState]:
        """The states at `until` that `statements` amount to; those of an exclusive kind come with their rivals'."""
        states = {key: self._lived(life) for key, life in timelines(statements, until).items()}
        return {key: state for key, state in states.items() if state is not None}

    def _lived(self, life: Timeline) -> RelationshipState | None:
        """The state after a life: None when nothing that was said is left of it but a person's consent."""
        said = [item for item in life.own if item.act in SAID]
        if not said and not life.is_rejected:
            return None
        lasting = any(item.lasting for item in said)
        told = [item for item in said if item.act in ASSERTING] or said or list(life.own)
        shown = next((item for item in reversed(told) if not _asks(item.context)), told[-1])
        days = (said or life.own)[0].applied.occurred_at, (said or life.own)[-1].applied.occurred_at
        held = Held(believed=self.first, believed_at=days[0], since=days[0], until=days[0])
        spent = spent_verdicts(life.own)
        own = [item for item in life.own if item not in spent]
        for item in sorted((*own, *life.ended), key=lambda item: item.applied.order):
            if item.key == life.own[0].key:
                held = self._next(held, item, lasting=lasting)
            elif held.is_known:
                held = _ended(held, item)
        return RelationshipState(
            key=life.own[0].key,
            weight=sum(item.act != "mirrors" for item in said),
            believed=held.believed,
            believed_at=held.believed_at,
            confidence=held.believed,
            confidence_at=held.believed_at,
            lasting=lasting,
            first_mention=days[0],
            last_mention=days[1],
            context=shown.context,
            verb=shown.verb,
            sources=latest_sources(refs_of(said)),
            valid_from=held.since,
            valid_to=held.until,
            ended_by=held.ended_by,
            verdict="rejected" if life.is_rejected else _consent(held.verdict),
        )

    def _next(self, held: "Held", item: Statement, *, lasting: bool) -> "Held":
        """The belief after one more piece of own evidence. What begins again is believed no less than what is new."""
        at = item.applied.occurred_at
        faded = self.decayed(held.believed, held.believed_at, at, kind=item.key.type, lasting=lasting)
        if item.act == "says":
            believed = min(1.0, faded + self.step)
            if held.until is None:
                return replace(held, believed=believed, believed_at=at)
            believed = max(self.first, believed) if held.is_asserted or held.verdict == "confirmed" else self.first
            return Held(believed, at, at, None, verdict=held.verdict, is_known=True, is_asserted=True)
        if item.act in ENDING:
            return _ended(held if held.is_known else replace(held, since=at, until=None), item)
        if item.act == "confirmed":
            return replace(held, believed=1.0, believed_at=at, verdict="confirmed")
        if item.act == "restored":
            return replace(held, believed=max(self.first, faded), believed_at=at)
        return replace(held, verdict="rejected")

    def extend(self, state: RelationshipState, statement: Statement) -> RelationshipState | None:
        """`state` after one more statement; None when only a fold of all the evidence can tell: the statement is
        older than what is known, ends it, says that it holds again, or shows that the relationship lasts, which
        changes how it faded so far."""
        at = statement.applied.occurred_at
        if (
            statement.act not in ASSERTING
            or state.valid_to is not None
            or state.weight == 0
            or at < state.changed_at
            or (statement.lasting and not state.lasting)
        ):
            return None
        faded = self._of(state, state.believed, state.believed_at, at)
        believed = min(1.0, faded + self.step)
        is_shown = not _asks(statement.context) or _asks(state.context)
        return replace(
            state,
            weight=state.weight + 1,
            believed=believed,
            believed_at=at,
            confidence=believed,
            confidence_at=at,
            last_mention=at,
            context=statement.context if is_shown else state.context,
            verb=statement.verb if is_shown else state.verb,
            sources=latest_sources((*state.sources, *refs_of([statement]))),
            archived_at=None,
        )


def _asks(context: str) -> bool:
    """True of a question, which takes for known what others have said: it is not shown where one of them is."""
    return context.rstrip().endswith("?")


def spent_verdicts(evidence: Iterable[Statement]) -> list[Statement]:
    """A person's consent to what nobody is known to have said by then, with the rejections that it took back: what it
    was given to is forgotten, and whoever says the same later is not confirmed by it. `evidence`: all that there is of
    each relationship."""
    first: dict[RelationshipKey, int] = {}
    given = list(evidence)
    for item in given:
        if item.act in SAID:
            first[item.key] = min(item.applied.sequence, first.get(item.key, item.applied.sequence))
    spent = [item for item in given if item.act in CONSENT and item.applied.sequence < first.get(item.key, 0)]
    confirmed = [item for item in spent if item.act == "confirmed"]
    taken_back = [
        item
        for item in given
        if item.act == "rejected"
        and any(item.key == later.key and item.applied.order < later.applied.order for later in confirmed)
    ]
    return [*spent, *taken_back]


@dataclass(frozen=True, slots=True)
class Held:
    """The belief in a relationship while its life is read: since when it holds, and until when, None while it holds.
    `is_known`: it was said to hold or to have ended; `is_asserted`: that it holds."""

    believed: float
    believed_at: int
    since: int
    until: int | None
    ended_by: str | None = None
    verdict: Verdict | None = None
    is_asserted: bool = False
    is_known: bool = False


def _ended(held: Held, by: Statement) -> Held:
    """Ended by a message, unless it had ended before."""
    if held.until is not None:
        return held
    source = by.applied.sources[0] if by.applied.sources else None
    return replace(held, until=by.applied.occurred_at, ended_by=source, is_known=True)


def as_archived(state: RelationshipState, before: RelationshipState) -> RelationshipState:
    """`state`, folded anew, archived as it was `before` unless it has been mentioned, confirmed or restored since."""
    if before.archived_at is None or state.weight > before.weight or state.believed_at >= before.archived_at:
        return state
    return replace(state, archived_at=before.archived_at)


def _consent(verdict: Verdict | None) -> Verdict | None:
    """A verdict up to some moment, when the last of all is no rejection."""
    return verdict if verdict == "confirmed" else None


def refs_of(evidence: Iterable[Mention | Statement]) -> list[SourceRef]:
    """The interactions that `evidence` came from."""
    return [SourceRef(source, item.applied.occurred_at) for item in evidence for source in item.applied.sources]


def latest_sources(refs: Iterable[SourceRef]) -> tuple[SourceRef, ...]:
    """The latest LISTED_SOURCES of them, latest first, each interaction once."""
    latest: dict[str, SourceRef] = {}
    for ref in refs:
        if ref.id not in latest or latest[ref.id].at < ref.at:
            latest[ref.id] = ref
    return tuple(sorted(latest.values(), key=lambda ref: (-ref.at, ref.id))[:LISTED_SOURCES])


def with_names(aliases: Sequence[str], said: Iterable[str], key: str) -> tuple[str, ...]:
    """`aliases` and what else was `said`, each once by its key, without the name whose key is `key`; at most 50."""
    kept = {name_key(alias): alias for alias in aliases}
    for name in said:
        kept.setdefault(name_key(name), name)
    kept.pop(key, None)
    return tuple(list(kept.values())[:KEPT_ALIASES])


def choose_name(mentions: Sequence[Mention], taken: frozenset[str] = frozenset()) -> str | None:
    """The entity's name: the last that a person gave it; else the one said first, in order of arrival, that was not
    said of an entity absorbed later, or else the first of any; None when all names are `taken` (keys)."""
    given = [item for item in mentions if item.applied.by_hand and name_key(item.name) not in taken]
    if given:
        return max(given, key=lambda item: (not item.path, item.applied.sequence)).name
    arrived = sorted(mentions, key=lambda item: (bool(item.path), *_arrival(item)))
    return next((item.name for item in arrived if name_key(item.name) not in taken), None)


def _arrival(mention: Mention) -> tuple[int, str, tuple[str, ...]]:
    """Those of one event, of entities that became one, have no order of their own but their names'."""
    return mention.applied.sequence, mention.name, mention.aliases


def fold_mentions(
    entity_id: str, label: EntityLabel, mentions: Sequence[Mention], *, taken: frozenset[str] = frozenset()
) -> EntityState | None:
    """The state that `mentions`, all of one entity, amount to, without merges; None without any, or when every name
    in them is `taken`. What a person calls it is no mention, and holds for all time."""
    name = choose_name(mentions, taken)
    if name is None:
        return None
    key = name_key(name)
    arrived = sorted(mentions, key=_arrival)
    said = [item for item in mentions if not item.applied.by_hand] or mentions
    times = [item.applied.occurred_at for item in said]
    named = [item.applied for item in mentions if name_key(item.name) == key]
    return EntityState(
        id=entity_id,
        name=name,
        label=label,
        aliases=with_names((), (said for item in arrived for said in (item.name, *item.aliases)), key),
        mentions=len({item.applied.event_id for item in said}),
        first_mention=min(times),
        last_mention=max(times),
        named_at=min(times) if any(one.by_hand for one in named) else min(one.occurred_at for one in named),
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
