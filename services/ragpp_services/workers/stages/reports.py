"""What a reflection answers: its report's id and numbers alone. Pure."""

from typing import Final

from pydantic import JsonValue

from ragpp.learned import Reflection

NUMBERS: Final = {
    *("kind", "date", "status", "duration_ms", "created_at"),
    *("interactions_analyzed", "themes_identified", "relationships_updated", "relationships_archived"),
    *("entities_merged", "preferences_updated", "new_rules_learned"),
}
"""What of a report holds no content."""


def outcome_of(report: Reflection) -> dict[str, JsonValue]:
    """The report's id and numbers, without any content: it would outlive what it repeats."""
    return {
        "reflection_id": report.id,
        **report.model_dump(mode="json", include=NUMBERS),
        "conflicts": len(report.conflicts),
        "failed": {name: text[:7] if text.startswith("MEM-") else "unexpected" for name, text in report.failed.items()},
    }
