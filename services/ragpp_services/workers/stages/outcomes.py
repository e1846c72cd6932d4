"""Answers of extraction and reflection: ids and numbers alone, for content would outlive what it repeats. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pydantic import JsonValue

from ragpp.learned import Finding, Reflection
from ragpp.models import FindingKind, Preference, Relationship
from ragpp_services.workers.learning.patterns import Pattern

NUMBERS: Final = {
    *("kind", "date", "status", "duration_ms", "created_at"),
    *("interactions_analyzed", "themes_identified", "relationships_updated", "relationships_archived"),
    *("entities_merged", "preferences_updated", "new_rules_learned"),
}
"""The parts of a report that hold no content."""


def counted(findings: Sequence[Finding]) -> dict[str, JsonValue]:
    """How many findings there are of each kind but patterns."""
    kinds: tuple[FindingKind, ...] = ("decision", "insight", "error", "plan", "event")
    return {kind: sum(one.finding == kind for one in findings) for kind in kinds}


def pattern_out(identifier: str, pattern: Pattern) -> dict[str, JsonValue]:
    """The pattern by its id, with what holds no content; as the following."""
    return {
        "id": identifier,
        "confidence": pattern.confidence,
        "support": len(pattern.sources),
    }


def preference_out(one: Preference) -> dict[str, JsonValue]:
    """See `pattern_out`."""
    return {
        "id": one.id,
        "confidence": round(one.confidence, 4),
        "stated": one.stated,
        "evidence": len(one.sources),
    }


def relationship_out(one: Relationship) -> dict[str, JsonValue]:
    """See `pattern_out`."""
    return {
        "id": one.id,
        "confidence": round(one.confidence, 4),
        "valid_to": iso(one.valid_to),
    }


def iso(moment: datetime | None) -> str | None:
    """The moment as ISO 8601."""
    return moment.isoformat() if moment is not None else None


def outcome_of(report: Reflection) -> dict[str, JsonValue]:
    """The report's id and numbers."""
    return {
        "reflection_id": report.id,
        **report.model_dump(mode="json", include=NUMBERS),
        "conflicts": len(report.conflicts),
        "failed": {name: text[:7] if text.startswith("MEM-") else "unexpected" for name, text in report.failed.items()},
    }
