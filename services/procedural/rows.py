"""The values that the store moves, and how they are read from rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal

import asyncpg

from ragpp.models import Preference, Rule, Vector
from services.procedural.ranking import Scored
from services.procedural.versions import PreferenceVersion, fold

SubjectKind = Literal["preference", "rule"]


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of an entry. `subject_id` and `content_hash` are None once it was forgotten."""

    entry_id: str
    kind: SubjectKind
    subject_id: str | None
    content_hash: bytes | None
    event_id: int | None


@dataclass(frozen=True, slots=True)
class RuleChange:
    """The next version of a rule; `embedding` None keeps the vector."""

    text: str
    triggers: tuple[str, ...]
    priority: int
    active: bool
    version: int
    occurred_at: datetime
    embedding: Vector | None


def preference_of(row: asyncpg.Record) -> Preference:
    return Preference(
        id=row["id"],
        category=row["category"],
        key=row["key"],
        value=row["value"],
        confidence=row["confidence"],
        stated=row["stated"],
        version=row["version"],
        updated_at=row["updated_at"],
        occurred_at=row["occurred_at"],
        sources=tuple(row["sources"]),
        waiting=row["waiting"],
        waiting_confidence=row["waiting_confidence"],
    )


def version_of(row: asyncpg.Record) -> PreferenceVersion:
    return PreferenceVersion(
        version=row["version"],
        entry_id=row["entry_id"],
        value=row["value"],
        confidence=row["confidence"],
        stated=row["stated"],
        occurred_at=row["occurred_at"],
        recorded_at=row["recorded_at"],
        sources=tuple(row["sources"]),
    )


def rule_of(row: asyncpg.Record) -> Rule:
    """The success rate is the running mean rₙ = rₙ₋₁ + (xₙ − rₙ₋₁) / n of the outcomes xₙ (1 or 0), kept as the counts
    that it is the quotient of, so that it is exact in whatever order they come."""
    outcomes = row["outcomes"]
    return Rule(
        id=row["id"],
        text=row["text"],
        triggers=tuple(row["triggers"]),
        priority=row["priority"],
        active=row["active"],
        activations=row["activations"],
        outcomes=outcomes,
        success_rate=row["successes"] / outcomes if outcomes else None,
        version=row["version"],
        updated_at=row["updated_at"],
        occurred_at=row["occurred_at"],
        sources=tuple(row["sources"]),
    )


def cosine_of(row: asyncpg.Record) -> float | None:
    """The row's similarity; None without a query, 0 where a vector is so short that half precision made it zero."""
    value: float | None = row["similarity"]
    if value is None:
        return None
    return 0.0 if math.isnan(value) else max(-1.0, min(1.0, value))


def folded(rows: Sequence[asyncpg.Record]) -> list[Scored[Preference]]:
    """The preferences that rows of versions amount to, with the cosine of the version whose value is current."""
    found = []
    for identifier, group in groupby(rows, key=lambda row: str(row["preference_id"])):
        written = list(group)
        current = fold([version_of(row) for row in written])
        similarity = next(cosine_of(row) for row in written if row["version"] == current.value_version)
        found.append(Scored(current.preference(identifier, written[0]["category"], written[0]["key"]), similarity))
    return found
