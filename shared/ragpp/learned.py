"""Things learned beside entities, relationships and preferences: findings, reflections, and what waits for review."""

import re
from datetime import date, datetime
from typing import Final, Literal

from pydantic import Field, JsonValue

from ragpp.models import DateSpan, Entity, FindingKind, Preference, Relationship, Rule, Value

Verdict = Literal["confirmed", "rejected"]
"""A person's verdict on something learned; a rejection is remembered and what it rejected not learned again."""
RelationshipState = Literal["current", "ended", "archived", "rejected", "all"]
ReflectionKind = Literal["daily", "incremental"]
ReflectionStatus = Literal["completed", "no_interactions"]
Analysis = Literal["themes", "relationships", "preferences", "rules"]
LEARNED_RULE: Final = "learned-"
"""The ids of rules that were learned begin with it, """
SUGGESTED_RULE: Final = f"{LEARNED_RULE}m-"
"""and with this those that a language model suggested."""
HABIT_ENTRY: Final = "habit-"
"""The ids of entries begin with it by which a pattern became a preference, """
READ_ENTRY: Final = "model-"
"""and with this those of what a language model read in a window."""
FOUND: Final = "found-"
"""The ids of findings of single messages begin with it."""
OWN_ENTRY: Final = "own-"
"""And with this those of what an agent set for itself: another agent may choose the same id."""
PREFERENCE: Final = "pref-"
"""The ids of preferences begin with it."""
_OWNS: Final = "'s "
_MADE: Final = re.compile(
    rf"(?:{LEARNED_RULE}|{HABIT_ENTRY}|{READ_ENTRY}|{FOUND}|{OWN_ENTRY}|{PREFERENCE}).*|\d+\.p\d+", re.DOTALL
)
"""Ids that the memory makes, also those of what it read in an event."""
COUNTED_DETAIL: Final = "times"
"""A detail that every pattern has which was found in windows of messages, and no finding of a single message."""
VERBATIM_DETAIL: Final = "verbatim"
"""A detail of findings of single messages: the words that say it."""
PAST_DETAIL: Final = "past"
"""A detail of findings: the odds, 0 to 1, that it was over when it was said."""
BY_HAND_DETAIL: Final = "by_hand"
"""A detail of what a person said of a finding: `confirmed`, or `corrected`."""
READ_DETAIL: Final = "read_by"
"""A detail of findings that a language model read in a window: its name."""


def chosen(identifier: str) -> str:
    """`identifier` itself; ValueError for one that only the memory makes, so that nobody takes it beforehand."""
    if _MADE.fullmatch(identifier):
        raise ValueError("is of a form that the memory keeps for what it learns; choose another")
    return identifier


def owned_key(owner: str | None, key: str) -> str:
    """The key of a preference that `owner` has, since several people may speak in one memory: `Maria's answers`. The
    key itself where who spoke has no name, or it says so already."""
    return f"{owner}{_OWNS}{key}" if owner and owner_of(key) != owner else key


def owner_of(key: str) -> str | None:
    """Whose preference a key says that it is; None for one that names nobody."""
    owner, owns, _rest = key.partition(_OWNS)
    return owner if owner and owns else None


class Finding(Value):
    """A finding. `support`: how many interactions it rests on. `valid_to`: since when it holds no more, None while it
    does: a later one says so, which is `ended_by`, its day has gone by, or it was over when it was said."""

    id: str
    finding: FindingKind
    text: str
    confidence: float
    support: int
    when: DateSpan | None = None
    first_at: datetime
    last_at: datetime
    valid_to: datetime | None = None
    ended_by: str | None = None
    sources: tuple[str, ...] = ()
    details: dict[str, JsonValue] = Field(default_factory=dict)


class Theme(Value):
    """The theme of a day: `text` names it; `share` of the day's interactions, 0 to 1."""

    text: str
    share: float = Field(ge=0, le=1)
    interactions: int = Field(ge=0)
    sources: tuple[str, ...] = ()


class RuleConflict(Value):
    """Two rules that cannot both be followed, which was put aside, and why."""

    kept_id: str
    aside_id: str
    reason: str


class Reflection(Value):
    """The dated report of one reflection. An analysis in `failed` counted 0 and stopped none of the others."""

    id: str
    kind: ReflectionKind
    date: date
    status: ReflectionStatus
    interactions_analyzed: int = Field(default=0, ge=0)
    themes_identified: int = Field(default=0, ge=0)
    relationships_updated: int = Field(default=0, ge=0)
    preferences_updated: int = Field(default=0, ge=0)
    new_rules_learned: int = Field(default=0, ge=0)
    duration_ms: float = Field(default=0, ge=0)
    created_at: datetime
    themes: tuple[Theme, ...] = ()
    new_rules: tuple[str, ...] = ()
    conflicts: tuple[RuleConflict, ...] = ()
    entities_merged: int = Field(default=0, ge=0)
    relationships_archived: int = Field(default=0, ge=0)
    failed: dict[Analysis, str] = Field(default_factory=dict)


class ProceduralText(Value):
    """The words of one row of a preference, a rule, a finding, one of their versions or pieces of evidence, or a
    report, by the name that each has there. `number`: of the version or the evidence, else 0."""

    kind: Literal["preference", "preference_version", "rule", "rule_version", "finding", "finding_evidence", "report"]
    id: str
    number: int = 0
    words: dict[str, JsonValue]


class Consolidated(Value):
    """The changes by consolidating a user's graph: how many relationships had their decay persisted, were archived, and
    which entities were found to be the same and merged."""

    updated: int = Field(default=0, ge=0)
    archived: int = Field(default=0, ge=0)
    merged: tuple[Entity, ...] = ()


class Quote(Value):
    """A message's words about something that was learned from it. `text`: the part that is nearest to it."""

    interaction_id: str
    session_id: str
    said_by: str | None = None
    occurred_at: datetime
    text: str


class ProposedRule(Value):
    """A rule that nobody said plainly, and what it was read from, the latest first."""

    rule: Rule
    quotes: tuple[Quote, ...] = ()


class ReviewList(Value):
    """The things that are not sure enough and wait for a person to confirm or reject them."""

    relationships: tuple[Relationship, ...] = ()
    preferences: tuple[Preference, ...] = ()
    rules: tuple[ProposedRule, ...] = ()
