"""The time of a finding among the dates that its words name."""

from collections.abc import Sequence
from datetime import datetime

from ragpp.extraction.port import DateMention
from ragpp.extraction.times.temporal import find_dates
from ragpp.models import DateSpan, FindingKind


def time_of(finding: FindingKind, text: str, said_at: datetime) -> DateSpan | None:
    """The time that `text`, said at a moment, speaks of as such a finding; None without one."""
    return time_among(finding, list(find_dates(text, said_at)), said_at)


def time_among(finding: FindingKind, dates: Sequence[DateMention], said_at: datetime | None) -> DateSpan | None:
    """The time that fits the kind: a plan lies ahead, an event behind; a habit has none."""
    if finding == "pattern" or not dates:
        return None
    if said_at is not None and finding in {"plan", "event"}:
        ahead = finding == "plan"
        fitting = [found for found in dates if (found.span.end > said_at if ahead else found.span.start <= said_at)]
        return fitting[0].span if fitting else None
    return dates[0].span
