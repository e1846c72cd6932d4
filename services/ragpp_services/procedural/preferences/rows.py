"""Rows of preferences: what they are, their versions, verdicts on their values, and names that stand for others."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

import asyncpg

from ragpp.learned import Verdict
from ragpp.models import Preference, TimeRange, Vector
from ragpp_services.procedural.preferences.versions import (
    NO_VERDICTS,
    Current,
    Judgement,
    PreferenceVersion,
    Verdicts,
    fold,
)
from ragpp_services.procedural.ranking import Scored
from ragpp_services.procedural.statements import MAX_CANDIDATES, Statements, cosine_of, half


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on one value of a preference."""

    preference_id: str
    value_hash: bytes
    verdict: Verdict
    judged_at: datetime


class PreferenceRows:
    """One user's preferences."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def find(self, identifier: str) -> Preference | None:
        row = await self._run.fetchrow("preference", identifier)
        return preference_of(row) if row else None

    async def page(self, category: str | None, after: tuple[str, str] | None, limit: int) -> list[Preference]:
        rows = await self._run.fetch("preferences_page", category, *(after or (None, None)), limit)
        return [preference_of(row) for row in rows]

    async def to_review(self, below: float, limit: int) -> list[Preference]:
        return [preference_of(row) for row in await self._run.fetch("preferences_to_review", below, limit)]

    async def versions(self, identifiers: Collection[str]) -> dict[str, list[PreferenceVersion]]:
        """The versions of each, oldest first; what has none is left out."""
        found: dict[str, list[PreferenceVersion]] = {}
        for row in await self._run.fetch("preference_versions", list(identifiers)):
            found.setdefault(row["preference_id"], []).append(version_of(row))
        return found

    async def names(self, identifiers: Collection[str]) -> dict[str, tuple[str, str]]:
        """(category, key) by id."""
        rows = await self._run.fetch("preference_names", list(identifiers))
        return {row["id"]: (row["category"], row["key"]) for row in rows}

    async def add_version(self, identifier: str, version: PreferenceVersion, embedding: Vector) -> None:
        await self._run.execute(
            "add_preference_version",
            identifier,
            version.version,
            version.entry_id,
            json.dumps(version.value),
            version.confidence,
            version.stated,
            version.occurred_at,
            version.recorded_at,
            list(version.sources),
            half(embedding),
            *(version.name or (None, None)),
        )

    async def copy_version(
        self, identifier: str, earlier: int, version: int, occurred_at: datetime, now: datetime
    ) -> None:
        await self._run.execute("copy_preference_version", identifier, earlier, version, occurred_at, now)

    async def put(self, identifier: str, category: str, key: str, current: Current) -> None:
        await self._run.execute(
            "put_preference",
            identifier,
            category,
            key,
            json.dumps(current.value),
            current.confidence,
            current.stated,
            current.version,
            current.occurred_at,
            current.updated_at,
            list(current.sources),
            None if current.waiting_confidence is None else json.dumps(current.waiting),
            current.waiting_confidence,
            current.value_version,
            current.valid_from,
            current.learned_at,
            current.verdict,
        )

    async def of_sources(self, interaction_ids: Collection[str]) -> list[str]:
        rows = await self._run.fetch("preferences_of_sources", list(interaction_ids))
        return [row["preference_id"] for row in rows]

    async def of_entries(
        self, beginning: str, interaction_ids: Collection[str], span: TimeRange | None = None
    ) -> set[tuple[str, str]]:
        """(preference, entry) of the entries whose ids begin so and which rest on any of these interactions, or are of
        that time."""
        start, end = (span.start, span.end) if span is not None else (None, None)
        rows = await self._run.fetch("preferences_of_entries", beginning, list(interaction_ids), start, end)
        return {(row["preference_id"], row["entry_id"]) for row in rows}

    async def delete_versions(self, identifier: str, versions: Collection[int]) -> None:
        await self._run.execute("delete_preference_versions", identifier, list(versions))

    async def delete(self, identifiers: Collection[str]) -> list[str]:
        """Delete these with every version and with the names that stand for them, and bury their entries; returns the
        ids that existed. Verdicts stay."""
        await self._run.execute("delete_all_preference_versions", list(identifiers))
        await self._run.execute("bury_subjects", "preference", list(identifiers))
        await self._run.execute("delete_aliases", list(identifiers))
        return [row["id"] for row in await self._run.fetch("delete_preferences", list(identifiers))]

    async def judged(self, identifiers: Collection[str] | None = None) -> list[Judged]:
        """Every verdict on a value of these preferences, or of all."""
        rows = await self._run.fetch("verdicts", None if identifiers is None else list(identifiers))
        return [Judged(**row) for row in rows]

    async def verdicts(self, identifier: str) -> Verdicts:
        """The verdicts that count now for this preference."""
        return verdicts_as_of(await self.judged([identifier]), None).get(identifier, NO_VERDICTS)

    async def put_verdict(self, judged: Judged) -> None:
        await self._run.execute(
            "put_verdict", judged.preference_id, judged.value_hash, judged.verdict, judged.judged_at
        )

    async def copy_verdicts(self, identifier: str, to: str) -> None:
        await self._run.execute("copy_verdicts", identifier, to)

    async def lift_verdicts(self, identifier: str, value_hashes: Collection[bytes], verdict: Verdict) -> None:
        """Let nobody have said that of these values."""
        if value_hashes:
            await self._run.execute("lift_verdicts", identifier, list(value_hashes), verdict)

    async def delete_verdicts(self, identifiers: Collection[str]) -> None:
        await self._run.execute("delete_verdicts", list(identifiers))

    async def aliases(self, identifiers: Collection[str]) -> dict[str, str]:
        """The preference that each of `identifiers` stands for that was merged into another."""
        if not identifiers:
            return {}
        return {row["alias_id"]: row["preference_id"] for row in await self._run.fetch("aliases", list(identifiers))}

    async def add_alias(self, alias: str, identifier: str) -> None:
        """Let `alias`, and what stood for it, stand for `identifier`."""
        await self._run.execute("redirect_aliases", alias, identifier)
        await self._run.execute("add_alias", alias, identifier)

    async def delete_aliases(self, identifiers: Collection[str]) -> None:
        """Let no name stand for these any more."""
        await self._run.execute("delete_aliases", list(identifiers))

    async def move_versions(self, identifier: str, to: str, versions: Mapping[int, PreferenceVersion]) -> None:
        """Give each version, by its old number, the number and the name of the new one, under the preference `to`."""
        await self._run.execute_many(
            "move_preference_version",
            [
                (identifier, number, to, version.version, *(version.name or (None, None)))
                for number, version in versions.items()
            ],
        )
        if to != identifier:
            await self._run.execute("move_applied", [version.entry_id for version in versions.values()], to)

    async def delete_rows(self, identifiers: Collection[str]) -> None:
        """Their versions have moved to others."""
        await self._run.execute("delete_preference_rows", list(identifiers))

    async def rank(
        self, embedding: Vector | None, as_of: datetime | None, category: str | None = None
    ) -> list[Scored[Preference]]:
        """The preferences without rejected ones, as they are or as they were at `as_of`, with their cosine to
        `embedding`; `category` narrows what was then."""
        if as_of is not None:
            rows = await self._run.fetch("rank_preference_versions", half(embedding), as_of, category)
            return folded(rows, verdicts_as_of(await self.judged(), as_of))
        rows = await self._run.fetch("rank_preferences", half(embedding), MAX_CANDIDATES)
        return [Scored(preference_of(row), cosine_of(row)) for row in rows]


def preference_of(row: asyncpg.Record) -> Preference:
    return Preference(
        id=row["id"],
        category=row["category"],
        key=row["key"],
        value=json.loads(row["value"]),
        confidence=row["confidence"],
        stated=row["stated"],
        version=row["version"],
        updated_at=row["updated_at"],
        occurred_at=row["occurred_at"],
        valid_from=row["valid_from"],
        learned_at=row["learned_at"],
        verdict=row["verdict"],
        sources=tuple(row["sources"]),
        waiting=None if row["waiting"] is None else json.loads(row["waiting"]),
        waiting_confidence=row["waiting_confidence"],
    )


def version_of(row: asyncpg.Record) -> PreferenceVersion:
    return PreferenceVersion(
        version=row["version"],
        entry_id=row["entry_id"],
        value=json.loads(row["value"]),
        confidence=row["confidence"],
        stated=row["stated"],
        occurred_at=row["occurred_at"],
        recorded_at=row["recorded_at"],
        sources=tuple(row["sources"]),
        name=None if row["category"] is None else (row["category"], row["key"]),
    )


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
