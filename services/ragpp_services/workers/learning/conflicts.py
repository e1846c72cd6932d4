"""Rules that cannot both be followed, and which of them gives way. Pure."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.learned import LEARNED_RULE, RuleConflict
from ragpp.models import Rule
from ragpp.text.lexical import words
from ragpp_services.workers.learning.texts import content_stems, stem

SAME_WORDS: Final = 0.6
"""Share of the content words of both that two rules have in common, from which on they are about the same."""
SAME_COSINE: Final = 0.8
"""Or so near in meaning, with all-MiniLM-L6-v2, whose vectors hardly see a negation."""
SAME_TRIGGER: Final = 0.5
"""Share of the smaller one's trigger words, from which on two rules are for the same situation."""

_NEGATIONS: Final = frozenset({"not", "don't", "never", "no", "without", "avoid", "stop", "skip", "cannot"})
_OPPOSITES: Final = (
    ("short", "long"),
    ("short", "detailed"),
    ("brief", "long"),
    ("brief", "detailed"),
    ("concise", "long"),
    ("concise", "detailed"),
    ("formal", "informal"),
    ("formal", "casual"),
    ("simple", "technical"),
    ("metric", "imperial"),
    ("celsius", "fahrenheit"),
    ("more", "less"),
    ("more", "fewer"),
    ("before", "after"),
    ("first", "last"),
    ("public", "private"),
    ("quick", "thorough"),
)
_OPPOSED: Final = frozenset(pair for one, other in _OPPOSITES for pair in ((one, other), (other, one)))
_LANGUAGES: Final = (
    "english|french|german|spanish|portuguese|italian|dutch|danish|swedish|norwegian|finnish|polish|czech|russian|"
    "ukrainian|arabic|hebrew|hindi|bengali|urdu|chinese|mandarin|japanese|korean|turkish|greek|romanian|hungarian"
)
_SLOTS: Final = (
    re.compile(rf"\b(?:answer|reply|respond|write|speak|talk)\b(?: \w+){{0,3}} (?:in )?(?P<value>{_LANGUAGES})\b"),
    re.compile(r"\bcall me (?P<value>[\w' -]{2,40})"),
    re.compile(r"\baddress me (?:as|with|by) (?P<value>[\w' -]{2,40})"),
)
"""The things that have one value at a time: the language of answers, the user's name."""

Vectors = Mapping[str, npt.NDArray[np.float32]]


def conflicts_of(rules: Sequence[Rule], told_at: Mapping[str, datetime], vectors: Vectors) -> list[RuleConflict]:
    """The conflicts among active `rules`, each with the one that is put aside; one put aside conflicts no further.

    `told_at`: when a rule was last told or seen, where that is known better than by the rule itself. `vectors`: of the
    rules' texts, of unit length. What a person wrote stays before what was learned; else the one told later stays, for
    a mind that changed; else the one of higher priority.
    """
    standing = sorted((rule for rule in rules if rule.active), key=lambda rule: rule.id)
    aside: set[str] = set()
    found = []
    for index, one in enumerate(standing):
        for other in standing[index + 1 :]:
            if one.id in aside or other.id in aside:
                continue
            clash = _clash(one, other, vectors)
            if clash:
                kept, gone, why = _settle(one, other, told_at)
                aside.add(gone.id)
                found.append(RuleConflict(kept_id=kept.id, aside_id=gone.id, reason=f"{clash} “{kept.text}”, {why}"))
    return found


def _clash(one: Rule, other: Rule, vectors: Vectors) -> str | None:
    """How two rules contradict each other, or None."""
    if not _same_situation(one, other):
        return None
    first, second = words(one.text), words(other.text)
    if any(_slot(slot, one.text, other.text) for slot in _SLOTS):
        return "says another value than"
    refuses = bool(_NEGATIONS & set(first)), bool(_NEGATIONS & set(second))
    if refuses[0] != refuses[1]:
        return "says the opposite of" if _same_subject(one, other, vectors) else None
    opposed = [(a, b) for a in map(_base, first) for b in map(_base, second) if (a, b) in _OPPOSED]
    if opposed:
        rest = content_stems(one.text) - _stems_like(first, opposed, 0)
        other_rest = content_stems(other.text) - _stems_like(second, opposed, 1)
        shared = rest & other_rest
        if not rest or not other_rest or len(shared) >= SAME_TRIGGER * min(len(rest), len(other_rest)):
            return "says the opposite of"
    return None


def _same_situation(one: Rule, other: Rule) -> bool:
    """True where both hold in the same situation. A rule for one situation is an exception to one that always holds."""
    if not one.triggers or not other.triggers:
        return not one.triggers and not other.triggers
    first = {stem(word) for trigger in one.triggers for word in words(trigger)}
    second = {stem(word) for trigger in other.triggers for word in words(trigger)}
    return len(first & second) >= SAME_TRIGGER * min(len(first), len(second))


def _same_subject(one: Rule, other: Rule, vectors: Vectors) -> bool:
    negations = {stem(word) for word in _NEGATIONS}
    first, second = content_stems(one.text) - negations, content_stems(other.text) - negations
    if not first or not second:
        return False
    if len(first & second) >= SAME_WORDS * len(first | second):
        return True
    left, right = vectors.get(one.text), vectors.get(other.text)
    return bool(first & second) and left is not None and right is not None and float(left @ right) >= SAME_COSINE


def _slot(slot: re.Pattern[str], one: str, other: str) -> bool:
    first, second = slot.search(one.lower()), slot.search(other.lower())
    return first is not None and second is not None and first["value"].strip() != second["value"].strip()


def _base(word: str) -> str:
    """An adjective without its comparative or adverb ending, where that makes a word of the list."""
    known = {one for pair in _OPPOSITES for one in pair}
    for ending in ("", "er", "r", "ly"):
        if word.endswith(ending) and word[: len(word) - len(ending)] in known:
            return word[: len(word) - len(ending)]
    return word


def _stems_like(spoken: Sequence[str], opposed: Sequence[tuple[str, str]], side: int) -> set[int]:
    wanted = {pair[side] for pair in opposed}
    return {stem(word) for word in spoken if _base(word) in wanted}


def _settle(one: Rule, other: Rule, told_at: Mapping[str, datetime]) -> tuple[Rule, Rule, str]:
    """The rule that stays, the one that gives way, and why."""
    if one.id.startswith(LEARNED_RULE) != other.id.startswith(LEARNED_RULE):
        kept, gone = (other, one) if one.id.startswith(LEARNED_RULE) else (one, other)
        return kept, gone, "which a person wrote"
    moments = told_at.get(one.id, one.occurred_at), told_at.get(other.id, other.occurred_at)
    if moments[0] != moments[1]:
        kept, gone = (one, other) if moments[0] > moments[1] else (other, one)
        return kept, gone, f"which was said later ({max(moments):%Y-%m-%d})"
    kept, gone = sorted((one, other), key=lambda rule: (-rule.priority, rule.id))
    return kept, gone, "which has the higher priority" if kept.priority > gone.priority else "which was there first"
