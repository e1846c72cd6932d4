"""Counts of what was learned."""

from collections.abc import Sequence

from ragpp.models import FindingEntry, Observation, PreferenceEntry
from ragpp.observability.metrics import learned


def count_taught(observations: Sequence[Observation], entries: Sequence[PreferenceEntry | FindingEntry]) -> None:
    """Count what messages taught."""
    learned("entity", sum(len(one.entities) for one in observations))
    learned("relationship", sum(len(one.relationships) for one in observations))
    for kind in ("preference", "finding"):
        learned(kind, sum(one.kind == kind for one in entries))
