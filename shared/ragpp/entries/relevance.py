"""How much an entry matters for a message, term by term."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

HOURS: Final = 168.0
"""A week: after so long recency counts 1/e of what it did. Document 000 calls it a half-life; its formula is this."""
MOST_PRIORITY: Final = 10


@dataclass(frozen=True, slots=True)
class RelevanceWeights:
    """The weight of each term, 0 to 1; the defaults are those of document 000."""

    recency: float = 0.3
    tags: float = 0.4
    same_agent: float = 0.2
    priority: float = 0.1


@dataclass(frozen=True, slots=True)
class ScoreWeights:
    """The weights of relevance, the search's score and the learned value in a score; 0 or more, and not all 0. Without
    a search, or a value that was learned, the others share what it would count."""

    relevance: float = 0.4
    search: float = 0.4
    value: float = 0.2


@dataclass(frozen=True, slots=True)
class Scorable:
    """The scored part of an entry. `occurred_at`: with a zone; `agent`: who contributed it; `priority`: 0 to 10;
    `search`: of the search that found it, 0 to 1; `value`: learned for the goal at hand, 0 to 1; None where there is
    none."""

    tags: Collection[str]
    occurred_at: datetime
    priority: float
    agent: str | None = None
    search: float | None = None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """`relevance` and `score`, 0 to 1; `terms`: what each is the sum of, by name, which `explain` shows."""

    relevance: float
    score: float
    terms: dict[str, float] = field(default_factory=dict)


_REASONS: Final = {
    "score.search": "answers the message",
    "tags": "shares its tags",
    "score.value": "proved useful before",
    "same_agent": "the agent's own",
    "recency": "is recent",
    "priority": "is important",
}


def reason(terms: Mapping[str, float]) -> str:
    """Why an entry is worth reading: the two terms of its score that count most, in words."""
    best = sorted((name for name in terms if name in _REASONS and terms[name] > 0), key=lambda name: -terms[name])
    return ", ".join(_REASONS[name] for name in best[:2]) or "is in the catalog"


def relevance_terms(
    entry: Scorable,
    *,
    now: datetime,
    message_tags: Collection[str],
    agent: str | None,
    weights: RelevanceWeights,
) -> dict[str, float]:
    """Each term's part in the relevance of an entry for a message with these tags, to an agent.

    recency · exp(-age / HOURS) + tags · |tags of both| / max(|the entry's|, 1) + same_agent + priority · priority / 10

    What is of a later moment than `now` is as recent as can be. Source: document 000, "Relevance Scoring".
    """
    hours = max(0.0, (now - entry.occurred_at).total_seconds() / 3_600)
    own = set(entry.tags)
    return {
        "recency": weights.recency * math.exp(-hours / HOURS),
        "tags": weights.tags * len(own & set(message_tags)) / max(len(own), 1),
        "same_agent": weights.same_agent * (agent is not None and entry.agent == agent),
        "priority": weights.priority * min(max(entry.priority, 0.0), MOST_PRIORITY) / MOST_PRIORITY,
    }


def scored(
    entry: Scorable,
    *,
    now: datetime,
    message_tags: Collection[str],
    agent: str | None,
    relevance: RelevanceWeights = RelevanceWeights(),
    score: ScoreWeights = ScoreWeights(),
) -> Scored:
    """An entry's relevance, at most 1, and its score: the mean of relevance, search and value by their weights.

    Raises ValueError where nothing that there is of the entry has a weight.
    """
    terms = relevance_terms(entry, now=now, message_tags=message_tags, agent=agent, weights=relevance)
    whole = min(sum(terms.values()), 1.0)
    parts = [
        ("relevance", score.relevance, whole),
        ("search", score.search, entry.search),
        ("value", score.value, entry.value),
    ]
    counted = [(name, weight, value) for name, weight, value in parts if value is not None]
    weight_of_all = sum(weight for _, weight, _ in counted)
    if weight_of_all <= 0:
        raise ValueError("no term that there is has a weight")
    shares = {f"score.{name}": weight * value / weight_of_all for name, weight, value in counted}
    return Scored(whole, min(sum(shares.values()), 1.0), {**terms, **shares})
