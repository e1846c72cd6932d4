"""The values that the store moves, and how they are read from rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal

import asyncpg
import orjson

from ragpp.learned import Finding, Reflection, Theme, Verdict
from ragpp.models import DateSpan, Preference, Rule, Vector
from ragpp_services.procedural.findings.evidence import Evidence
from ragpp_services.procedural.preferences.versions import NO_VERDICTS, Judgement, PreferenceVersion, Verdicts, fold
from ragpp_services.procedural.ranking import Scored

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
    aside: str | None
    version: int
    occurred_at: datetime
    embedding: Vector | None
    proposed: bool


@dataclass(frozen=True, slots=True)
class RuleVersion:
    """A version of a rule, with the rule's record. `acted`: a person made it; `written`: its text is a person's;
    `judged`: by it a person said whether the rule is followed."""

    version: int
    text: str
    triggers: tuple[str, ...]
    priority: int
    active: bool
    aside: str | None
    occurred_at: datetime
    acted: bool
    written: bool
    judged: bool
    activations: int
    outcomes: int
    successes: int


@dataclass(frozen=True, slots=True)
class RuleAct:
    """What a person did to a rule, beside its words; None where nothing. `at`: when, the last of it."""

    priority: int | None
    active: bool | None
    activations: int
    outcomes: int
    successes: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on one value of a preference."""

    preference_id: str
    value_hash: bytes
    verdict: Verdict
    judged_at: datetime


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
        valid_from=row["valid_from"],
        learned_at=row["learned_at"],
        verdict=row["verdict"],
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
        name=None if row["category"] is None else (row["category"], row["key"]),
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
        aside=row["aside"],
        proposed=row["proposed"],
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


def folded(rows: Sequence[asyncpg.Record], verdicts: Mapping[str, Verdicts]) -> list[Scored[Preference]]:
    """The preferences that rows of versions amount to, with the cosine of the version whose value is current; without
    rejected ones."""
    found = []
    for identifier, group in groupby(rows, key=lambda row: str(row["preference_id"])):
        written = list(group)
        current = fold([version_of(row) for row in written], verdicts.get(identifier, NO_VERDICTS))
        if current.verdict == "rejected":
            continue
        similarity = next(cosine_of(row) for row in written if row["version"] == current.value_version)
        preference = current.preference(identifier, written[0]["of_category"], written[0]["of_key"])
        found.append(Scored(preference, similarity))
    return found


def verdicts_as_of(judged: Sequence[Judged], as_of: datetime | None) -> dict[str, Verdicts]:
    """The verdicts by preference. A rejection says that something never was so, and counts whenever it was given; a
    confirmation counts from when it was given."""
    found: dict[str, dict[bytes, Judgement]] = {}
    for one in judged:
        if as_of is None or one.verdict == "rejected" or one.judged_at <= as_of:
            found.setdefault(one.preference_id, {})[one.value_hash] = Judgement(one.verdict, one.judged_at)
    return dict(found)


def span_of(row: asyncpg.Record) -> DateSpan | None:
    """The interval in the row's columns."""
    if row["when_start"] is None:
        return None
    return DateSpan(
        start=row["when_start"], end=row["when_end"], precision=row["when_precision"], text=row["when_text"]
    )


def span_columns(when: DateSpan | None) -> tuple[object, ...]:
    """The interval as four columns."""
    return (None, None, None, None) if when is None else (when.start, when.end, when.precision, when.text)


def finding_of(row: asyncpg.Record) -> Finding:
    sources = tuple(row["sources"])
    return Finding(
        id=row["id"],
        finding=row["finding"],
        text=row["text"],
        confidence=row["confidence"],
        support=len(sources),
        when=span_of(row),
        first_at=row["first_at"],
        last_at=row["last_at"],
        sources=sources,
        details=orjson.loads(row["details"]),
    )


def evidence_of(row: asyncpg.Record) -> Evidence:
    return Evidence(
        number=row["number"],
        text=row["text"],
        confidence=row["confidence"],
        when=span_of(row),
        occurred_at=row["occurred_at"],
        sources=tuple(row["sources"]),
        details=orjson.loads(row["details"]),
    )


def reflection_of(row: asyncpg.Record) -> Reflection:
    return Reflection.model_validate_json(row["report"])


def sources_of(themes: Sequence[Theme]) -> list[str]:
    """The interactions that any of `themes` rests on."""
    return sorted({source for theme in themes for source in theme.sources})
