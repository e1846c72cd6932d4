"""A rule's versions, and what a person did to it, read from them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from ragpp.models import Vector


@dataclass(frozen=True, slots=True)
class RuleChange:
    """The next version of a rule; `embedding` None keeps the vector."""

    text: str
    triggers: tuple[str, ...]
    priority: int
    active: bool
    aside: str | None
    version: int
    occurred_at: datetime
    embedding: Vector | None
    proposed: bool


@dataclass(frozen=True, slots=True)
class RuleVersion:
    """A version of a rule, with the rule's record. `acted`: a person made it; `written`: its text is a person's;
    `judged`: by it a person said whether the rule is followed."""

    version: int
    text: str
    triggers: tuple[str, ...]
    priority: int
    active: bool
    aside: str | None
    occurred_at: datetime
    acted: bool
    written: bool
    judged: bool
    activations: int
    outcomes: int
    successes: int


@dataclass(frozen=True, slots=True)
class RuleAct:
    """The last acts of a person on a rule, beside its words; None where there was none. `at`: when the last was."""

    priority: int | None
    active: bool | None
    activations: int
    outcomes: int
    successes: int
    at: datetime


def act_of(history: Sequence[RuleVersion]) -> RuleAct | None:
    """A person's last acts on the rule of these versions, oldest first, beside its words; None where there are none."""
    priority = active = None
    at = history[-1].occurred_at
    for before, version in pairwise(history):
        if version.acted and version.priority != before.priority:
            priority, at = version.priority, version.occurred_at
        if version.judged or (version.acted and version.active != before.active):
            active, at = version.active, version.occurred_at
    last = history[-1]
    if priority is None and active is None and not (last.activations or last.outcomes):
        return None
    return RuleAct(priority, active, last.activations, last.outcomes, last.successes, at)


def judgement_of(history: Sequence[RuleVersion]) -> bool | None:
    """True where a person said last that the rule is followed, False where that it is not; None where nobody said."""
    act = act_of(history)
    return None if act is None else act.active
