"""The memory's records of rules, as the governor tells of them: each call under the deadline, all at once."""

import asyncio
from collections.abc import Awaitable
from typing import Final, Protocol, runtime_checkable

from ragpp.api import ActivationIn, Outcome
from ragpp.models import Rule
from ragpp_services.governor.deadlines import within
from ragpp_services.governor.turn import RulesTold
from ragpp_services.governor.values import Answer, Limits, StepOutcome

_WORST_FIRST: Final[tuple[StepOutcome, ...]] = ("refused", "unavailable", "late")


@runtime_checkable
class MemoryRules(Protocol):
    """The two methods of `ragpp.client.AsyncMemoryClient` that count what came of rules."""

    async def record_activation(self, rule_id: str, activation: ActivationIn) -> Rule:
        """Count that a rule was activated, once for the activation's id."""
        ...

    async def record_outcome(self, rule_id: str, outcome: Outcome) -> Rule:
        """Count whether following it worked."""
        ...


class RulesAsker:
    """Tells a memory what came of rules; it never raises. A memory that keeps no records of rules is told nothing.

    What it does not take in time is told again only with the same event, and counts once.
    """

    def __init__(self, memory: object, limits: Limits) -> None:
        self._rules = memory if isinstance(memory, MemoryRules) else None
        self._limits = limits

    async def perform(self, ask: RulesTold) -> Answer:
        """The rules' records by then: of one that both fired and was judged the later is answered last."""
        if self._rules is None:
            return Answer(outcome="skipped", detail="the memory keeps no records of rules")
        judged = {
            rule_id: self._counted(
                self._rules.record_outcome(rule_id, Outcome(user_id=ask.user, success=success, id=ask.activation))
            )
            for rule_id, success in ask.outcomes.items()
        }
        outcomes = await asyncio.gather(*judged.values())
        activation = ActivationIn(user_id=ask.user, id=ask.activation)
        fired = [self._counted(self._rules.record_activation(rule_id, activation)) for rule_id in ask.fired]
        activations = await asyncio.gather(*fired)
        known = {rule.id: rule for one in (*outcomes, *activations) for rule in one.rules or ()}
        told = zip((*judged, *ask.fired), (*outcomes, *activations), strict=True)
        failed = [(rule_id, one) for rule_id, one in told if one.outcome != "ok"]
        if not failed:
            return Answer(rules=tuple(known.values()))
        worst = min((one.outcome for _, one in failed), key=_WORST_FIRST.index)
        why = "; ".join(f"rule {rule_id}: {one.outcome}, {one.detail}" for rule_id, one in failed)
        return Answer(outcome=worst, detail=why, rules=tuple(known.values()))

    async def _counted(self, call: Awaitable[Rule]) -> Answer:
        return await within(self._limits.deadline_ms, _answered(call))


async def _answered(call: Awaitable[Rule]) -> Answer:
    return Answer(rules=(await call,))
