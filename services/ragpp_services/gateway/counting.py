"""What of a recall is counted."""

from ragpp.api import RecallResponse
from ragpp.observability import metrics


def count_recall(answer: RecallResponse, budget: int) -> None:
    """Count an answer whose context had `budget` tokens."""
    relevance = answer.relevance or "unknown"
    metrics.recalled(answer.status, relevance, answer.elapsed_ms / 1_000, tokens=answer.tokens, budget=budget)
    for name, tier in answer.tiers.items():
        metrics.tier_asked(name, tier.status, tier.ms / 1_000, tier.hits)
    for section in answer.sections:
        metrics.section_packed(section.title, section.tokens)
