"""Which rules and preferences answer a query, and how well. Pure.

One scale for both, in bands, so that the best come first: a rule that a trigger calls up is worth 0.8 to 1, a rule
that is near in meaning or that has no trigger 0.6 to 0.8, a preference up to 0.6.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from ragpp.models import Filters, Memory, MemoryQuery, Preference, Rule
from services.procedural.naming import preference_line

NEAR_COSINE: Final = 0.2
"""From here on a rule is near in meaning. Chosen for all-MiniLM-L6-v2 on a small sample written for the purpose, eight
rules, a question for each and four that concern none: 0.2 found 7 of the 8 and 3 % of the other 88 pairs; 0.25 found 4
and 1 %. A rule that is missed costs more than one too many. Other models want another value."""

ALWAYS_RELEVANT: Final = frozenset({"communication", "identity"})
"""Categories of preferences that shape every answer: what to call the user, and how to speak with them."""

ALWAYS_RELEVANCE: Final = 0.15
"""The least relevance of one of them: above what has nothing to do with the query, below what answers it. In a sample
of six preferences and four questions the former had at most 0.11, the latter at least 0.2."""

COSINE_SHARE: Final = 0.7
"""Of a preference's relevance; the rest is the share of the query's words that it has."""

RULE_SHARE: Final = 0.5
"""The largest part of an answer that rules take while there are preferences to fill the rest."""

_WORD: Final = re.compile(r"[^\W_]+")


Item = TypeVar("Item", Rule, Preference)


@dataclass(frozen=True)
class Scored(Generic[Item]):
    """A rule or preference with its cosine to the query, -1 to 1, or None without a query."""

    item: Item
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Situation:
    """What triggers are compared with: the query's words, and the names of what is being done."""

    text: str
    words: tuple[str, ...]
    labels: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, text: str, filters: Filters) -> "Situation":
        """The situation of a query."""
        labels = (filters.task_type, filters.domain, filters.channel)
        return cls(
            text=_folded(text), words=words_of(text), labels=frozenset(words_of(label) for label in labels if label)
        )

    def calls_up(self, triggers: Iterable[str]) -> bool:
        """Whether one of `triggers` is a phrase of the text, or is the task type, domain or channel."""
        haystack = f" {' '.join(self.words)} "
        for trigger in triggers:
            words = words_of(trigger)
            if not words:  # a sign or an emoji
                if _folded(trigger) in self.text:
                    return True
            elif words in self.labels or f" {' '.join(words)} " in haystack:
                return True
        return False


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def words_of(text: str) -> tuple[str, ...]:
    """Letters and digits, in lower case; `code_review` is two words."""
    return tuple(_WORD.findall(_folded(text)))


def rule_score(rule: Rule, similarity: float | None, situation: Situation) -> float | None:
    """0.6 to 1, or None for a rule that does not concern the situation. A rule without triggers has no condition, so
    it always does. Within a band priority and nearness count alike."""
    near = max(0.0, similarity or 0.0)
    strength = (rule.priority / 10 + near) / 2
    if rule.triggers and situation.calls_up(rule.triggers):
        return 0.8 + 0.2 * strength
    if not rule.triggers or near >= NEAR_COSINE:
        return 0.6 + 0.2 * strength
    return None


def preference_score(preference: Preference, similarity: float | None, situation: Situation) -> float:
    """0 to 0.6: 0.7 × cosine + 0.3 × share of the query's words, weighted by half with the confidence."""
    line = set(words_of(preference_line(preference.category, preference.key, preference.value)))
    asked = {word for word in situation.words if len(word) > 2}
    overlap = len(asked & line) / len(asked) if asked else 0.0
    relevance = COSINE_SHARE * max(0.0, similarity or 0.0) + (1 - COSINE_SHARE) * overlap
    if preference.category.casefold() in ALWAYS_RELEVANT:
        relevance = max(relevance, ALWAYS_RELEVANCE)
    return 0.6 * min(1.0, relevance) * (1 + preference.confidence) / 2


def rule_confidence(rule: Rule) -> float:
    """How far a rule may be trusted: (successes + 1) / (outcomes + 1), so 1 before the first outcome, and near its
    success rate after many."""
    successes = (rule.success_rate or 0.0) * rule.outcomes
    return min(1.0, (successes + 1) / (rule.outcomes + 1))


def rank(query: MemoryQuery, rules: Sequence[Scored[Rule]], preferences: Sequence[Scored[Preference]]) -> list[Memory]:
    """At most `query.limit` memories, best first; `tokens` are left 0."""
    situation, filters = Situation.of(query.text, query.filters), query.filters
    found = []
    for rule, similarity in ((scored.item, scored.similarity) for scored in rules):
        score = rule_score(rule, similarity, situation)
        if score is None or not _wanted(rule, rule_confidence(rule), filters):
            continue
        if situation.calls_up(rule.triggers) or _similar(similarity, filters):
            found.append(_rule_memory(rule, score, similarity))
    liked = [
        _preference_memory(scored.item, preference_score(scored.item, scored.similarity, situation), scored.similarity)
        for scored in preferences
        if _wanted(scored.item, scored.item.confidence, filters) and _similar(scored.similarity, filters)
    ]
    found.sort(key=_best_first)
    liked.sort(key=_best_first)
    share = max(math.ceil(query.limit * RULE_SHARE), query.limit - len(liked))
    return [*found[:share], *liked][: query.limit]


def _wanted(item: Rule | Preference, confidence: float, filters: Filters) -> bool:
    """Whether exclusions, the confidence floor and the time range let it through."""
    if item.id in filters.exclude or confidence < (filters.min_confidence or 0.0):
        return False
    span = filters.time_range
    if span is None:
        return True
    return (span.start is None or item.occurred_at >= span.start) and (span.end is None or item.occurred_at < span.end)


def _similar(similarity: float | None, filters: Filters) -> bool:
    """Whether it is as near as was asked for; without a query nothing is."""
    return filters.similarity_threshold is None or (similarity or 0.0) >= filters.similarity_threshold


def _best_first(memory: Memory) -> tuple[float, float, str]:
    said = memory.occurred_at.timestamp() if memory.occurred_at else 0.0
    return -memory.score, -said, memory.id


def _rule_memory(rule: Rule, score: float, similarity: float | None) -> Memory:
    return Memory(
        id=rule.id,
        tier="procedural",
        kind="rule",
        text=rule.text,
        score=score,
        similarity=similarity,
        confidence=rule_confidence(rule),
        occurred_at=rule.occurred_at,
        sources=rule.sources,
        metadata={"priority": rule.priority, "triggers": list(rule.triggers), "version": rule.version},
    )


def _preference_memory(preference: Preference, score: float, similarity: float | None) -> Memory:
    return Memory(
        id=preference.id,
        tier="procedural",
        kind="preference",
        text=preference_line(preference.category, preference.key, preference.value),
        score=score,
        similarity=similarity,
        confidence=preference.confidence,
        occurred_at=preference.occurred_at,
        sources=preference.sources,
        metadata={
            "category": preference.category,
            "key": preference.key,
            "value": preference.value,
            "stated": preference.stated,
            "version": preference.version,
        },
    )
