"""Validity: since when a finding holds no more. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.learned import BY_HAND_DETAIL, PAST_DETAIL, VERBATIM_DETAIL, Finding
from ragpp.models import FindingKind

PAST: Final = 0.6
"""Odds from which on it was over when it was said. On five lives three of 33 outdated facts are held less with it, and
three of 126 others count no more as current."""
_STATES: Final[frozenset[FindingKind]] = frozenset({"residence", "work", "pattern", "plan", "possession", "taste"})
"""Kinds of which what was is no more; of others what happened, and what somebody had, stays true."""
_OF_A_DAY: Final[frozenset[FindingKind]] = frozenset({"plan", "event"})
"""Kinds that are over when their day is."""
_BEGINS: Final = re.compile(r"\b(?:start(?:s|ing|ed)?|begin(?:s|ning)?|began)\b", re.IGNORECASE)
_FIRST: Final = re.compile(r"(?:since|from)\b", re.IGNORECASE)
"""Words by which the day that is named is the first one; the second of them stands in its own words."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The moment when a later finding said that one holds no more, and that finding's id."""

    at: datetime
    by: str


def with_validity(found: Finding, ended: Ended | None, now: datetime) -> Finding:
    """`found` with when it ceased to hold, where it has by `now`: the earliest of what is said of it later, the end of
    its day, and when it was said, if that was over."""
    said_later = None if ended is None else ended.at
    moments = [one for one in (_over_when_said(found), _day_gone_by(found, now), said_later) if one is not None]
    if not moments:
        return found
    return found.model_copy(update={"valid_to": min(moments), "ended_by": None if ended is None else ended.by})


def _over_when_said(found: Finding) -> datetime | None:
    past = found.details.get(PAST_DETAIL)
    is_over = found.finding in _STATES and isinstance(past, float | int) and past >= PAST
    if not is_over:
        return None
    return found.first_at if BY_HAND_DETAIL in found.details else found.last_at


def _day_gone_by(found: Finding, now: datetime) -> datetime | None:
    """The end of the day that was ahead when it was said; what was over then, or of that day, says so itself."""
    when, said = found.when, found.details.get(VERBATIM_DETAIL)
    if when is None or found.finding not in _OF_A_DAY or when.end > now or when.start <= found.first_at:
        return None
    is_first = _FIRST.match(when.text) or (isinstance(said, str) and _BEGINS.search(said))
    return None if is_first else when.end
