"""Validity: since when a finding holds no more. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.learned import VERBATIM_DETAIL, Finding

PAST: Final = 0.6
"""Odds from which on it was over when it was said. On five lives three of 33 outdated facts are held less with it, and
three of 126 others count no more as current."""
_OF_A_DAY: Final = frozenset({"plan", "event"})
"""Kinds that are over when their day is."""
_BEGINS: Final = re.compile(r"\b(?:since|from|as of|start(?:s|ing|ed)?|begin(?:s|ning)?|began)\b", re.IGNORECASE)
"""Words by which the day that is named is the first one."""


@dataclass(frozen=True, slots=True)
class Ended:
    """When a later finding said that one holds no more, which, and in what messages it was `said_in`."""

    at: datetime
    by: str
    said_in: tuple[str, ...]


def with_validity(found: Finding, ended: Ended | None, now: datetime) -> Finding:
    """`found` with when it ceased to hold, where it has by `now`: the earliest of what is said of it later, the end of
    its day, and when it was said, if that was over."""
    said_later = None if ended is None else ended.at
    moments = [one for one in (_over_when_said(found), _day_gone_by(found, now), said_later) if one is not None]
    if not moments:
        return found
    return found.model_copy(update={"valid_to": min(moments), "ended_by": None if ended is None else ended.by})


def _over_when_said(found: Finding) -> datetime | None:
    past = found.details.get("past")
    return found.last_at if isinstance(past, float | int) and past >= PAST else None


def _day_gone_by(found: Finding, now: datetime) -> datetime | None:
    if found.when is None or found.finding not in _OF_A_DAY or found.when.end > now:
        return None
    if found.when.end <= found.first_at:
        return None  # what was over when it was said says so itself, or its day was read wrongly
    said = found.details.get(VERBATIM_DETAIL)
    return None if isinstance(said, str) and _BEGINS.search(said) else found.when.end
