"""Which rules, preferences and findings answer a query, and how well. Pure.

One scale for all: a rule that a trigger calls up is worth 0.8 to 1, everything else up to 0.6, by its relevance to the
query. What always holds is returned also where it is not about the query, and marked: rules without triggers that
somebody set or that tell how to answer, and preferences on how to speak with the user and what to call them.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar, cast

from ragpp.learned import Finding
from ragpp.models import DEFAULT_PRIORITY, MAX_STANDING, STANDING, Filters, Memory, MemoryQuery, Preference, Rule
from ragpp.names import says_nothing
from ragpp.preference_values import tells_nothing
from ragpp.text.lexical import terms
from ragpp_services.procedural.holding import always_holds, shapes_every_answer, standing, told_once
from ragpp_services.procedural.naming import finding_line, preference_line

NEAR_COSINE: Final = 0.2
"""From here on a rule is about a query by its meaning alone. Chosen for all-MiniLM-L6-v2 on a small sample written for
the purpose, eight rules, a question for each and four that concern none: 0.2 found 7 of the 8 and 3 % of the other 88
pairs; 0.25 found 4 and 1 %. A rule that is missed costs more than one too many. Other models want another value."""

COSINE_SHARE: Final = 0.7
"""The cosine's share of a preference's relevance; the rest is the share of the query's words that it has."""

ABOUT: Final = COSINE_SHARE * NEAR_COSINE
"""From this relevance on a rule is about a query: as near as that, or with half of its words."""

RULE_SHARE: Final = 0.5
"""The largest part of an answer that rules take while there are preferences to fill the rest."""

FOR_A_HOUSEHOLD: Final = 4
"""Times as much of what always holds is answered to somebody by name: some of it may be others' wishes."""

FINDING_RELEVANCE: Final = 0.2
"""The least relevance of a finding that is returned, on the scale of a preference's: a user has hundreds, and most have
nothing to do with a query. Chosen for all-MiniLM-L6-v2 on a small sample written for the purpose, ten findings, a
question for each and four that concern none: 0.2 found 9 of the 10 and 2 % of the other 130 pairs; 0.25 found 7 and
none, 0.15 found all and 12 %."""

MAX_FINDINGS: Final = 5
"""The most findings in an answer: the interactions they were taken from are recalled by themselves."""

FINDING_SHARE: Final = 0.25
"""The largest part of an answer that findings take, rounded up."""

_WORD: Final = re.compile(r"[^\W_]+")


Item = TypeVar("Item", Rule, Preference, Finding)


@dataclass(frozen=True)
class Scored(Generic[Item]):
    """A rule, preference or finding with its cosine to the query, -1 to 1, or None without a query. `ended_in`: what
    the later ones rest on that may have ended a finding; `is_ended`: one surely has."""

    item: Item
    similarity: float | None
    ended_in: tuple[str, ...] = ()
    is_ended: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """The facts that triggers meet: the query's stems, and the names of what is being done. `asked`: the words of
    three letters and more, which what is known is compared with."""

    text: str
    stems: str
    asked: frozenset[str]
    labels: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, text: str, filters: Filters) -> "Situation":
        """The situation of a query's `text`."""
        labels = (filters.task_type, filters.domain, filters.channel)
        return cls(
            text=_folded(text),
            stems=_stems_of(text),
            asked=frozenset(word for word in words_of(text) if len(word) > 2),
            labels=frozenset(words_of(label) for label in labels if label),
        )

    def calls_up(self, triggers: Iterable[str]) -> bool:
        """True where one of them is a phrase of the text in any form of its words ("recipes" of "a recipe"), or is
        the task type, domain or channel."""
        for trigger in triggers:
            words = words_of(trigger)
            if not words:  # a sign or an emoji
                if not says_nothing(trigger) and _folded(trigger) in self.text:
                    return True
            elif words in self.labels or _stems_of(trigger) in self.stems:
                return True
        return False


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _stems_of(text: str) -> str:
    """The stems of a text in order, each between spaces; those of a phrase of it are a part of them."""
    return f" {' '.join(map(str, terms(text)))} "


def words_of(text: str) -> tuple[str, ...]:
    """Letters and digits, in lower case; `code_review` is two words."""
    return tuple(_WORD.findall(_folded(text)))


def rule_memory(scored: Scored[Rule], situation: Situation, *, called: bool) -> Memory | None:
    """The rule with its score; None where it does not concern the query. `called`: a trigger of it matches, and then
    priority and nearness count alike; else its relevance does, weighted by half with how far it may be trusted."""
    rule, similarity = scored.item, scored.similarity
    if called:
        return _rule_memory(rule, 0.8 + 0.1 * (rule.priority / 10 + max(0.0, similarity or 0.0)), similarity)
    relevance = relevance_of(rule.text, similarity, situation)
    memory = _rule_memory(rule, 0.6 * relevance * (1 + rule_confidence(rule)) / 2, similarity)
    if always_holds(rule):
        return standing(memory)
    return memory if relevance >= ABOUT else None


def preference_memory(scored: Scored[Preference], situation: Situation, asker: str | None = None) -> Memory:
    """The preference, its score 0 to 0.6: the relevance, weighted by half with the confidence. `asker`: the name of who
    asks; how another wants to be answered does not always hold for them."""
    preference, similarity = scored.item, scored.similarity
    line = preference_line(preference.category, preference.key, preference.value)
    relevance = relevance_of(line, similarity, situation)
    memory = _preference_memory(preference, 0.6 * relevance * (1 + preference.confidence) / 2, similarity)
    return standing(memory) if shapes_every_answer(preference, asker) else memory


def finding_score(finding: Finding, similarity: float | None, situation: Situation) -> float | None:
    """As a preference's, or None for a finding that does not concern the query."""
    relevance = relevance_of(finding_line(finding.text, finding.when), similarity, situation)
    return 0.6 * relevance * (1 + finding.confidence) / 2 if relevance >= FINDING_RELEVANCE else None


def relevance_of(line: str, similarity: float | None, situation: Situation) -> float:
    """0 to 1: 0.7 × cosine + 0.3 × share of the query's words of three letters and more that `line` has."""
    asked = situation.asked
    overlap = len(asked.intersection(words_of(line))) / len(asked) if asked else 0.0
    return min(1.0, COSINE_SHARE * max(0.0, similarity or 0.0) + (1 - COSINE_SHARE) * overlap)


def rule_confidence(rule: Rule) -> float:
    """How far a rule may be trusted: (successes + 1) / (outcomes + 1), so 1 before the first outcome, and near its
    success rate after many."""
    successes = (rule.success_rate or 0.0) * rule.outcomes
    return min(1.0, (successes + 1) / (rule.outcomes + 1))


def rank(
    query: MemoryQuery,
    rules: Sequence[Scored[Rule]],
    preferences: Sequence[Scored[Preference]],
    findings: Sequence[Scored[Finding]] = (),
) -> list[Memory]:
    """At most `query.limit` memories, best first, and behind them what ended, where that is wanted
    (`MemoryQuery.rejected`); `tokens` are left 0."""
    situation, filters = Situation.of(query.text, query.filters), query.filters
    surrounding = Situation.of(query.situation, filters) if query.situation else situation
    ruled: list[Memory] = []
    for rule in rules:
        one = rule.item
        called = situation.calls_up(one.triggers) or surrounding.calls_up(one.triggers)
        memory = rule_memory(rule, situation, called=called)
        if memory is None or not _wanted(one.id, memory.confidence, one.occurred_at, filters):
            continue
        if called or _similar(rule.similarity, filters):
            ruled.append(memory)
    liked = [
        preference_memory(scored, situation, query.asker)
        for scored in preferences
        if not tells_nothing(scored.item.value)
        and _wanted(scored.item.id, scored.item.confidence, scored.item.occurred_at, filters)
        and _similar(scored.similarity, filters)
    ]
    always = sorted(told_once([one for one in (*ruled, *liked) if STANDING in one.metadata]), key=_most_urgent)
    about = sorted((one for one in ruled if STANDING not in one.metadata), key=_best_first)
    rest = [one for one in liked if STANDING not in one.metadata] + _best_findings(query, situation, findings)
    most = query.limit // 2 if about or rest else query.limit
    always = always[: min(MAX_STANDING * (FOR_A_HOUSEHOLD if query.asker else 1), most)]
    rest.sort(key=_best_first)
    left = query.limit - len(always)
    share = max(math.ceil(left * RULE_SHARE), left - len(rest))
    found = sorted((*about[:share], *rest), key=_best_first)[:left]
    return [*sorted((*found, *always), key=_best_first), *_ended_findings(query, situation, findings)]


def _ended_findings(query: MemoryQuery, situation: Situation, findings: Sequence[Scored[Finding]]) -> list[Memory]:
    """Those that concern the query and may have ended, as no memories to show."""
    memories = list[Memory]()
    for one in (each for each in findings if each.ended_in and query.rejected):
        if (score := finding_score(one.item, one.similarity, situation)) is not None:
            told = {"confidence": 0.0, "metadata": {"verdict": "ended", "ended_in": list(one.ended_in)}}
            memories.append(_finding_memory(one.item, score, one.similarity).model_copy(update=told))
    return memories


def _best_findings(query: MemoryQuery, situation: Situation, findings: Sequence[Scored[Finding]]) -> list[Memory]:
    """The few that concern the query and hold."""
    found = []
    for finding, similarity in ((one.item, one.similarity) for one in findings if not one.is_ended):
        score = finding_score(finding, similarity, situation)
        wanted = _wanted(finding.id, finding.confidence, finding.last_at, query.filters)
        if score is not None and wanted and _similar(similarity, query.filters):
            found.append(_finding_memory(finding, score, similarity))
    found.sort(key=_best_first)
    return found[: min(MAX_FINDINGS, math.ceil(query.limit * FINDING_SHARE))]


def _wanted(identifier: str, confidence: float, occurred_at: datetime, filters: Filters) -> bool:
    """True where exclusions, the confidence floor and the time range let it through."""
    if identifier in filters.exclude or confidence < (filters.min_confidence or 0.0):
        return False
    span = filters.time_range
    if span is None:
        return True
    return (span.start is None or occurred_at >= span.start) and (span.end is None or occurred_at < span.end)


def _similar(similarity: float | None, filters: Filters) -> bool:
    """True where it is as near as was asked for; without a query nothing is."""
    return filters.similarity_threshold is None or (similarity or 0.0) >= filters.similarity_threshold


def _best_first(memory: Memory) -> tuple[float, str, float, str]:
    """A key to sort by: score, text, then the latest: two users who said the same are answered the same."""
    said = memory.occurred_at.timestamp() if memory.occurred_at else 0.0
    return -memory.score, memory.text, -said, memory.id


def _most_urgent(memory: Memory) -> tuple[int, float, str, float, str]:
    """Rules of a high priority before others and before preferences, then by the rest."""
    return -cast("int", memory.metadata.get("priority", DEFAULT_PRIORITY)), *_best_first(memory)


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


def _finding_memory(finding: Finding, score: float, similarity: float | None) -> Memory:
    when = finding.when
    return Memory(
        id=finding.id,
        tier="procedural",
        kind="finding",
        text=f"{finding.finding}: {finding_line(finding.text, when)}",
        score=score,
        similarity=similarity,
        confidence=finding.confidence,
        occurred_at=finding.last_at,
        sources=finding.sources,
        metadata={
            "finding": finding.finding,
            "support": finding.support,
            "when": when.model_dump(mode="json") if when else None,
        },
    )
