"""Behavioural rules: what a user tells an assistant to do from now on, and what regular requests call for. Pure.

A standing instruction ("please always answer in French", "when I ask for code, skip the explanation") is a rule at
once. One for the moment ("no bullet points") becomes one when it has to be said again: on LEAST_TIMES occasions, or
once with the word that it had been said before ("again, no bullet points").
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from ragpp.extraction.sentences import clean, split
from ragpp.learned import LEARNED_RULE
from ragpp.models import Interaction
from ragpp.own_words import own_text
from services.workers.learning.doings import assisted_sessions
from services.workers.learning.patterns import Pattern
from services.workers.learning.texts import content_stems, stem

LEAST_TIMES: Final = 2
LONGEST: Final = 240
"""Characters of a sentence that may be an instruction."""
PATTERN_DAYS: Final = 3
"""The ids of rules that were learned begin with it."""
FIRST_PRIORITY: Final = 5
HIGHEST_PRIORITY: Final = 8
"""What a person sets to 9 or 10 stays above anything learned."""
SOURCES: Final = 50

_DO: Final = (
    "answer|reply|respond|use|write|show|give|call|address|explain|summari[sz]e|format|include|send|remind|translate|"
    "speak|list|cite|ask|tell|confirm|add|put|keep|make|start|begin|end|check|mention|suggest|recommend|repeat|"
    "apologi[sz]e|interrupt|assume|skip|leave out|avoid|stick to|run|save|round|quote|link|sign|draft|talk|say|be|"
    "schedule|book|order"
)
_AGAIN: Final = re.compile(
    r"^(?:(?:once )?again[,:]|like i said[,:]?|as i (?:said|told you|mentioned)(?: before| already)?[,:]?|"
    r"i(?:'ve| have)? (?:already )?(?:told|asked) you (?:before |already |again )?(?:to |not to |that )?|"
    r"how (?:many times|often) (?:do|must) i [^,:]{0,40}[,:]?|i said[,:]?) *(?P<rest>.+)$",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"^(?:(?:and|but|so|also|ok(?:ay)?|hey|yes|thanks|thank you|great|good|hi|hello|sorry|actually|well|oh|hmm)"
    r"[,.!]? +){0,3}"
    r"(?:please,? +|kindly +)?",
    re.IGNORECASE,
)
_HENCE: Final = re.compile(
    r"^(?:from now on|in (?:the )?future|going forward|as a rule|by default|every time|next time)[,:]? +"
    r"(?:please,? +)?",
    re.IGNORECASE,
)
_HENCE_LAST: Final = re.compile(r",? (?:from now on|in (?:the )?future|going forward|from here on)$", re.IGNORECASE)
_PLEASE_LAST: Final = re.compile(r",? please$", re.IGNORECASE)
_WHEN: Final = re.compile(
    r"^(?:when(?:ever)?|every time|each time|any time|if) "
    r"(?P<trigger>(?:i|we|you|it|there|the|a|my|someone|something)\b[^,]{3,80}),"
    r" +(?:then +)?(?:please,? +)?(?P<rest>.+)$",
    re.IGNORECASE,
)
_WHEN_LAST: Final = re.compile(
    r"^(?P<rest>.+?) (?:when(?:ever)?|every time|each time) (?P<trigger>(?:i|we|you)\b[^,]{3,80})$", re.IGNORECASE
)
_ALWAYS: Final = re.compile(
    rf"^(?:you (?:should|must|need to|have to|can) )?always +(?:please +)?(?P<do>(?:{_DO})\b.*)$", re.IGNORECASE
)
_NEVER: Final = re.compile(
    rf"^(?:you (?:should|must) )?(?:never|do(?:n't| not) ever) +(?P<do>(?:{_DO})\b.*)$", re.IGNORECASE
)
_DONT: Final = re.compile(rf"^(?:do not|don't|stop|no need to) (?P<do>(?:{_DO}|\w+ing)\b.*)$", re.IGNORECASE)
_NO_MORE: Final = re.compile(
    r"^(?:no(?: more)?|without|skip|drop|enough with) (?:the |any |all the )?(?P<what>[a-z][\w -]{2,50})$",
    re.IGNORECASE,
)
_PLAIN: Final = re.compile(rf"^(?P<do>(?:{_DO})\b.*)$", re.IGNORECASE)
_FOR_NOW: Final = re.compile(
    r"\b(?:yet|now|today|tonight|tomorrow|this time|for now|just this once|once)\b", re.IGNORECASE
)
Standing = Literal["standing", "repeated", "once"]


@dataclass(frozen=True, slots=True)
class Instruction:
    """One time that an assistant was told how to behave. `does`: the behaviour as an imperative. `trigger`: the
    situation it is for, empty for any. `standing`: said as a rule, said to be a repetition, or for the moment."""

    does: str
    trigger: str
    refuses: bool
    standing: Standing
    at: datetime
    session_id: str
    source: str

    @property
    def rule_id(self) -> str:
        """The same for the same behaviour in the same situation, in whatever form."""
        return rule_id(self.trigger, self.does, refuses=self.refuses)


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A rule to be learned. `told_at`: when it was last said or seen."""

    id: str
    text: str
    triggers: tuple[str, ...]
    priority: int
    told_at: datetime
    first_at: datetime
    sources: tuple[str, ...]


def rule_id(trigger: str, does: str, *, refuses: bool) -> str:
    """The id of a learned rule."""
    said = [sorted(content_stems(trigger)), sorted(content_stems(does) or {stem(does)}), refuses]
    return f"{LEARNED_RULE}{hashlib.sha256(repr(said).encode()).hexdigest()[:32]}"


def instructions_of(items: Sequence[Interaction]) -> list[Instruction]:
    """What users tell assistants in `items`, by time; nothing from what people say to one another."""
    addressed = assisted_sessions(items)
    found: list[Instruction] = []
    for item in sorted(items, key=lambda item: (item.occurred_at, item.id)):
        if item.role == "user" and item.session_id in addressed:
            found += instructions_in(own_text(item), item)
    return found


def instructions_in(text: str, item: Interaction) -> Iterator[Instruction]:
    """The instructions of one message's `text`."""
    for sentence in split(clean(text)):
        if len(sentence.text) <= LONGEST and not sentence.asks:
            read = _read(sentence.text.rstrip(".!… "))
            if read is not None:
                does, trigger, refuses, standing = read
                yield Instruction(does, trigger, refuses, standing, item.occurred_at, item.session_id, item.id)


def _read(sentence: str) -> tuple[str, str, bool, Standing] | None:
    standing: Standing = "once"
    again = _AGAIN.match(sentence)
    if again:
        sentence, standing = again["rest"], "repeated"
    sentence = _POLITE.sub("", sentence, count=1)
    sentence = _PLEASE_LAST.sub("", sentence)
    hence = _HENCE_LAST.sub("", _HENCE.sub("", sentence, count=1))
    if hence != sentence:
        sentence, standing = hence, "standing"
    trigger = ""
    when = _WHEN.match(sentence) or _WHEN_LAST.match(sentence)
    if when:
        trigger, sentence, standing = when["trigger"].strip(), when["rest"].strip(), "standing"
    return _behaviour(_POLITE.sub("", sentence, count=1), trigger, standing)


def _behaviour(sentence: str, trigger: str, standing: Standing) -> tuple[str, str, bool, Standing] | None:
    always, never = _ALWAYS.match(sentence), _NEVER.match(sentence)
    if always:
        return always["do"], trigger, False, "standing"
    if never:
        return never["do"], trigger, True, "standing"
    refused = _DONT.match(sentence)
    if refused:
        return refused["do"], trigger, True, standing
    unwanted = _NO_MORE.match(sentence)
    if unwanted and content_stems(unwanted["what"]):
        return f"use {unwanted['what']}", trigger, True, standing
    plain = _PLAIN.match(sentence)
    # an order for the moment is no rule, however often a user says "show me …": that is a pattern
    if plain and standing != "once" and content_stems(sentence):
        return plain["do"], trigger, False, standing
    return None


def rules_told(instructions: Sequence[Instruction]) -> list[RuleDraft]:
    """The rules that `instructions` amount to, by id: standing ones, and what had to be said more than once."""
    by_rule: dict[str, list[Instruction]] = defaultdict(list)
    for instruction in instructions:
        if not (instruction.standing == "once" and _FOR_NOW.search(instruction.does)):
            by_rule[instruction.rule_id].append(instruction)
    drafts = []
    for identifier, told in sorted(by_rule.items()):
        sources = tuple(dict.fromkeys(one.source for one in told))
        if all(one.standing == "once" for one in told) and len(sources) < LEAST_TIMES:
            continue
        latest = max(told, key=lambda one: (one.at, one.source))
        drafts.append(
            RuleDraft(
                id=identifier,
                text=rule_text(told[0]),
                triggers=_triggers(told[0].trigger),
                priority=min(HIGHEST_PRIORITY, FIRST_PRIORITY + len(sources) - 1),
                told_at=latest.at,
                first_at=told[0].at,
                sources=sources[:SOURCES],
            )
        )
    return drafts


def rule_text(instruction: Instruction) -> str:
    """The rule as it is shown: "When I ask for code: do not use comments."."""
    does = instruction.does.strip().rstrip(".")
    if instruction.refuses:
        does = f"do not {does}" if not does.split()[0].endswith("ing") else f"avoid {does}"
    said = f"When {instruction.trigger}: {does}" if instruction.trigger else does[:1].upper() + does[1:]
    return f"{said}."


def _triggers(trigger: str) -> tuple[str, ...]:
    """The words of a situation by which a query calls the rule up; none for a rule that always holds."""
    words = [word.strip("'\".,") for word in trigger.lower().split()]
    kept = [word for word in words if content_stems(word)]
    return (" ".join(kept)[:100], *dict.fromkeys(word[:100] for word in kept if len(word) > 3)) if kept else ()


def rules_seen(patterns: Sequence[Pattern]) -> list[RuleDraft]:
    """What regular requests call for: to have a thing ready at its time, or to offer what always follows."""
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
