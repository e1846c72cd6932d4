"""Behavioural rules: what a user's instructions amount to, and what regular requests call for. Pure.

A standing instruction ("please always answer in French", "when I ask for code, skip the explanation") is a rule at
once. One for the moment ("no bullet points") becomes one when it has to be said again: on LEAST_TIMES occasions, or
once with the word that it had been said before ("again, no bullet points"). It is only proposed while no instruction of
it was said plainly.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.learned import LEARNED_RULE
from ragpp.text.english import word_set
from ragpp_services.workers.learning.instructions import Instruction
from ragpp_services.workers.learning.patterns import Pattern
from ragpp_services.workers.learning.texts import content_stems

LEAST_TIMES: Final = 2
PATTERN_DAYS: Final = 3
FIRST_PRIORITY: Final = 5
HIGHEST_PRIORITY: Final = 8
"""The highest priority of a learned rule: what a person sets to 9 or 10 stays above anything learned."""
SOURCES: Final = 50
_SITUATED: Final = re.compile(r"(?:before|after|once|unless|until|as soon as|for|in|on|with|at|to)\b", re.IGNORECASE)
"""Situations that say themselves how they stand to what is to be done."""
_WHO_DOES: Final = word_set("i we you u i'm im we're you're")
_FOR_NOW: Final = re.compile(
    r"\b(?:yet|now|today|tonight|tomorrow|this time|for now|just this once|once)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A rule to be learned. `told_at`: when it was last said or seen; `proposed`: never plainly."""

    id: str
    text: str
    triggers: tuple[str, ...]
    priority: int
    told_at: datetime
    first_at: datetime
    sources: tuple[str, ...]
    proposed: bool = False


def rules_told(instructions: Sequence[Instruction]) -> list[RuleDraft]:
    """The rules that `instructions` amount to, by id: standing ones, and what had to be said more than once."""
    by_rule: dict[str, list[Instruction]] = defaultdict(list)
    for instruction in instructions:
        if not (instruction.standing == "once" and _FOR_NOW.search(instruction.does)):
            by_rule[instruction.rule_id].append(instruction)
    drafts = []
    for identifier, told in sorted(by_rule.items()):
        plain = [one for one in told if one.plain]
        # a plain one is never beyond SOURCES, so that the rule goes with it
        sources = tuple(dict.fromkeys(one.source for one in (*plain, *told)))
        if all(one.standing == "once" for one in told) and len(sources) < LEAST_TIMES:
            continue
        latest = max(told, key=lambda one: (one.at, one.source))
        first = (plain or told)[0]
        drafts.append(
            RuleDraft(
                id=identifier,
                text=rule_text(first),
                triggers=_triggers(first.trigger),
                priority=min(HIGHEST_PRIORITY, FIRST_PRIORITY + len(sources) - 1),
                told_at=latest.at,
                first_at=told[0].at,
                sources=sources[:SOURCES],
                proposed=not plain,
            )
        )
    return drafts


def rule_text(instruction: Instruction) -> str:
    """The rule as it is shown: "When I ask for code: do not use comments."."""
    does = instruction.does.strip().rstrip(".")
    if instruction.refuses:
        does = f"do not {does}" if not does.split()[0].endswith("ing") else f"avoid {does}"
    situation = instruction.trigger
    if situation and not _SITUATED.match(situation):
        situation = f"when {situation}"
    said = f"{situation}: {does}" if situation else does
    return f"{said[:1].upper()}{said[1:]}."


def _triggers(trigger: str) -> tuple[str, ...]:
    """The words of a situation by which a query calls the rule up: all of them, and each thing of it ("gym" of "I
    mention the gym": what is done with it says little); none for a rule that always holds."""
    words = [word.strip("'\".,") for word in trigger.lower().split()]
    kept = [(place, word) for place, word in enumerate(words) if content_stems(word)]
    things = [word for place, word in kept if place == 0 or words[place - 1] not in _WHO_DOES] or [w for _, w in kept]
    phrase = " ".join(word for _, word in kept)
    return (phrase[:100], *dict.fromkeys(word[:100] for word in things if len(word) > 2)) if kept else ()


def rules_seen(patterns: Sequence[Pattern]) -> list[RuleDraft]:
    """The rules that regular requests call for: to have a thing ready at its time, or to offer what always follows."""
    drafts = []
    for pattern in patterns:
        days = pattern.details.get("days")
        if not pattern.strong or not isinstance(days, int) or days < PATTERN_DAYS:
            continue
        if pattern.then:
            text = f"After {pattern.topic}, offer {pattern.then} as well: it is what is asked for next."
            triggers: tuple[str, ...] = (pattern.topic,)
        else:
            text = f"Have {pattern.topic} ready {pattern.when.split(',')[0]}: it is asked for then."
            triggers = (pattern.topic,)
        drafts.append(
            RuleDraft(
                id=f"{LEARNED_RULE}{hashlib.sha256(repr(('seen', pattern.key)).encode()).hexdigest()[:32]}",
                text=text,
                triggers=tuple(trigger[:100] for trigger in triggers if trigger),
                priority=FIRST_PRIORITY - 1,
                told_at=pattern.last_at,
                first_at=pattern.last_at,
                sources=pattern.sources[-SOURCES:],
            )
        )
    return drafts
