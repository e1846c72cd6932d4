"""The node of a turn that tells the memory which rules its answer was given under, and what came of the answer before.
Pure, as the others are.

A rule fires in the answer whose prompt it stands in: what ends an exchange, once, however many tools were called for
it. Whether that worked is known when somebody says so, in the `feedback` of a later event.
"""

from ragpp_services.governor.rule_values import FiredRule
from ragpp_services.governor.turn import RulesTold, Turn


def ask_what_came_of_rules(turn: Turn) -> RulesTold | None:
    """The activations of this answer's rules, and the outcomes of those before; None where there are neither."""
    fired = tuple(dict.fromkeys(memory.id for memory in turn.used if memory.kind == "rule"))
    outcomes = {rule.id: rule.success for rule in rules_before(turn) if rule.success is not None}
    if not fired and not outcomes:
        return None
    activation = turn.asked.id or turn.message_id
    return RulesTold(user=turn.invocation.event.user_id, activation=activation, fired=fired, outcomes=outcomes)


def rules_before(turn: Turn) -> tuple[FiredRule, ...]:
    """The rules of the answer before, each with what is known by now of how that worked."""
    feedback = turn.invocation.event.feedback
    before = turn.invocation.state.rules
    return before if feedback is None else tuple(rule.model_copy(update={"success": feedback}) for rule in before)


def rules_fired(turn: Turn) -> tuple[FiredRule, ...]:
    """The rules of this answer, with their records as the memory answered them; none before there is an answer."""
    if not tells_rules(turn):
        return ()
    fired = {
        memory.id: FiredRule(id=memory.id, text=memory.text, score=memory.score, followed=memory.cited)
        for memory in turn.used
        if memory.kind == "rule"
    }
    return tuple(_with_record(turn, rule) for rule in fired.values())


def rules_judged(turn: Turn) -> tuple[FiredRule, ...]:
    """The rules of the answer before of which this turn told the memory how they worked."""
    if not tells_rules(turn):
        return ()
    return tuple(_with_record(turn, rule) for rule in rules_before(turn) if rule.success is not None)


def rules_kept(turn: Turn) -> tuple[FiredRule, ...]:
    """The rules that the next event's feedback is about: of this answer, or, where there is none yet, of the one
    before."""
    return rules_fired(turn) if tells_rules(turn) else rules_before(turn)


def tells_rules(turn: Turn) -> bool:
    """True once the turn has passed the node; a turn that was recorded before there was one has not."""
    return turn.mode == "recall" and any(step.node == "judge" for step in turn.transitions)


def _with_record(turn: Turn, rule: FiredRule) -> FiredRule:
    answer = turn.answers.get("judge")
    known = next((one for one in answer.rules or () if one.id == rule.id), None) if answer is not None else None
    if known is None:
        return rule
    record = {name: getattr(known, name) for name in ("activation_count", "outcomes", "success_rate")}
    return rule.model_copy(update=record)
