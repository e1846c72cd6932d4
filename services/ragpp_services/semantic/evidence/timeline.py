"""The life of each relationship, in order of time: its own evidence, and what was said of others that ended it.

Pure, and independent of the order in which evidence arrives: a timeline is made from all the evidence there is.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ragpp_services.semantic.evidence.validity import EXCLUSIVE, supersedes
from ragpp_services.semantic.records import AFTER_TIME, Act, RelationshipKey, Statement

ASSERTING: Final[frozenset[Act]] = frozenset({"says"})
ENDING: Final[frozenset[Act]] = frozenset({"ends", "mirrors"})
SAID: Final[frozenset[Act]] = ASSERTING | ENDING
"""Acts that come from messages; the rest is a person's word about it."""
VERDICTS: Final[frozenset[Act]] = frozenset({"confirmed", "rejected"})
CONSENT: Final[frozenset[Act]] = frozenset({"confirmed", "restored"})
_WEIGHT_OF_ACTS: Final[Mapping[Act, int]] = {"says": 2, "ends": 1, "mirrors": 0}
"""Weights of acts: of an event that asserts and ends a relationship (two entities became one), the assertion counts."""


def weight_of(act: Act) -> int:
    """The greater counts where one event says several things of one relationship."""
    return _WEIGHT_OF_ACTS.get(act, 0)


@dataclass(frozen=True, slots=True)
class Timeline:
    """The life of one relationship. `own`: its evidence, each event once; `ended`: evidence of others that ended it;
    both by time. `is_rejected`: the last verdict, at whatever time it was given, says that it never held."""

    own: Sequence[Statement]
    ended: Sequence[Statement]
    is_rejected: bool


def timelines(statements: Iterable[Statement], until: int = AFTER_TIME) -> dict[RelationshipKey, Timeline]:
    """The lives up to `until` of all relationships that `statements` are about, where there is any by then.

    Evidence of an exclusive kind must come with that of its rivals: same source, same kind. A rejection counts
    whenever it was given: what a person says was never true was not true before they said so either.
    """
    everything: dict[RelationshipKey, list[Statement]] = defaultdict(list)
    for statement in statements:
        if not statement.key.is_loop:
            everything[statement.key].append(statement)
    lives = {key: _own(given, until) for key, given in everything.items()}
    rejected = {key for key, given in everything.items() if _is_rejected(given)}
    ended = _endings(lives, rejected)
    return {key: Timeline(own, ended.get(key, ()), key in rejected) for key, own in lives.items() if own}


def by_time(statements: Iterable[Statement]) -> list[Statement]:
    """By time, and by arrival within one moment."""
    return sorted(statements, key=lambda item: item.applied.order)


def _is_rejected(given: Iterable[Statement]) -> bool:
    verdicts = by_time(item for item in given if item.act in VERDICTS)
    return bool(verdicts) and verdicts[-1].act == "rejected"


def _own(given: Iterable[Statement], until: int) -> list[Statement]:
    """Those up to `until` by time; of several of one event the weightiest, whatever order they come in."""
    chosen: dict[str, Statement] = {}
    for item in sorted(given, key=lambda item: (weight_of(item.act), item.context, item.target_name)):
        if item.applied.occurred_at <= until:
            chosen[item.applied.event_id] = item
    return by_time(chosen.values())


@dataclass(frozen=True, slots=True)
class _Rival:
    key: RelationshipKey
    names: frozenset[str]
    assertions: Sequence[Statement]
    events: frozenset[str]


def _endings(
    lives: Mapping[RelationshipKey, Sequence[Statement]], rejected: set[RelationshipKey]
) -> dict[RelationshipKey, list[Statement]]:
    """By relationship, the assertions of others that end it."""
    groups: dict[tuple[str, str], list[_Rival]] = defaultdict(list)
    for key, own in lives.items():
        if key.type in EXCLUSIVE:
            assertions = [item for item in own if item.act in ASSERTING]
            names = frozenset(item.target_name for item in own if item.act in SAID)
            events = frozenset(item.applied.event_id for item in assertions)
            groups[key.source_id, key.type].append(_Rival(key, names, assertions, events))
    ended: dict[RelationshipKey, list[Statement]] = {}
    for rivals in groups.values():
        for one in rivals:
            ended[one.key] = by_time(
                later
                for other in rivals
                if other.key != one.key and other.key not in rejected and not one.events & other.events
                for later in other.assertions
                if supersedes(one.key.type, one.names, later, other.names)
            )
    return ended
