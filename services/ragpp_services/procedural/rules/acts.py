"""What a person did to a rule, read from its versions, oldest first. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from ragpp_services.procedural.rows import RuleAct, RuleVersion


def act_of(history: Sequence[RuleVersion]) -> RuleAct | None:
    """What a person did to the rule, beside its words: the last of each."""
    priority = active = None
    at = history[-1].occurred_at
    for before, version in pairwise(history):
        if version.acted and version.priority != before.priority:
            priority, at = version.priority, version.occurred_at
        if version.judged or (version.acted and version.active != before.active):
            active, at = version.active, version.occurred_at
    last = history[-1]
    if priority is None and active is None and not last.activations:
        return None
    return RuleAct(priority, active, last.activations, last.outcomes, last.successes, at)


def judgement_of(history: Sequence[RuleVersion]) -> bool | None:
    """Whether a person said that the rule is followed, the last time; None where nobody said."""
    act = act_of(history)
    return None if act is None else act.active
