"""The state that a preference's versions amount to: a pure fold over what was written, by the time it was said."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from ragpp.learned import Verdict
from ragpp.models import Preference
from ragpp_services.procedural.confidence import combined, independent
from ragpp_services.procedural.naming import value_hash


@dataclass(frozen=True, slots=True)
class Judgement:
    """A person's verdict on a value, and when; by the clock, not in the time of the conversations."""

    verdict: Verdict
    at: datetime


Verdicts = Mapping[bytes, Judgement]
"""The last judgement of values, by their hash (`naming.value_hash`)."""
NO_VERDICTS: Final[Verdicts] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PreferenceVersion:
    """One write to a preference, as it was written.

    `entry_id`: the entry that brought the value; a restored version has that of the version it restores. `name`:
    (category, key) that it was said under, where that was of a preference which was merged into this one.
    """

    version: int
    entry_id: str
    value: JsonValue
    confidence: float
    stated: bool
    occurred_at: datetime
    recorded_at: datetime
    sources: tuple[str, ...]
    name: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Current:
    """The state after a number of versions. `value_version` is the one that brought the value; `version` counts all of
    them. `verdict`: on the value; a preference all of whose values were rejected shows the last of them."""

    value: JsonValue
    value_version: int
    confidence: float
    stated: bool
    occurred_at: datetime
    sources: tuple[str, ...]
    version: int
    updated_at: datetime
    valid_from: datetime
    learned_at: datetime
    verdict: Verdict | None = None
    waiting: JsonValue = None
    waiting_confidence: float | None = None

    def preference(self, identifier: str, category: str, key: str) -> Preference:
        """As the preference of that id and name."""
        return Preference(
            id=identifier,
            category=category,
            key=key,
            value=self.value,
            confidence=self.confidence,
            stated=self.stated,
            version=self.version,
            updated_at=self.updated_at,
            occurred_at=self.occurred_at,
            valid_from=self.valid_from,
            learned_at=self.learned_at,
            verdict=self.verdict,
            sources=self.sources,
            waiting=self.waiting,
            waiting_confidence=self.waiting_confidence,
        )


@dataclass(slots=True)
class _Run:
    """A stretch of time through which one value held, or waited: the versions that brought and confirmed it.

    `carried`: a confidence that it starts from; see `fold`. `winner`: the version whose words are shown.
    """

    versions: list[PreferenceVersion]
    winner: PreferenceVersion
    stated: bool
    confirmed: bool
    carried: float = 0.0

    @classmethod
    def of(cls, version: PreferenceVersion, *, confirmed: bool, carried: float = 0.0) -> "_Run":
        return cls([version], version, version.stated or confirmed, confirmed, carried)

    def add(self, version: PreferenceVersion) -> None:
        self.versions.append(version)
        if version.stated or not self.winner.stated:
            self.winner = version
        self.stated = self.stated or version.stated

    @property
    def hash(self) -> bytes:
        return value_hash(self.winner.value)

    @property
    def confidence(self) -> float:
        if self.confirmed:
            return 1.0
        evidence = [(version.sources, version.confidence) for version in self.versions]
        return combined(independent([*evidence, ((), self.carried)] if self.carried else evidence))

    @property
    def sources(self) -> tuple[str, ...]:
        return united(*(version.sources for version in self.versions))


@dataclass(slots=True)
class _History:
    """All runs, oldest first, and the one that waits beside the last."""

    runs: list[_Run] = field(default_factory=list)
    waiting: _Run | None = None

    def add(self, version: PreferenceVersion, confirmation: Judgement | None) -> None:
        current = self.runs[-1] if self.runs else None
        confirmed = confirmation is not None
        held_against = current is not None and current.stated
        known_then = confirmation is not None and version.recorded_at <= confirmation.at
        stated = version.stated or (confirmed and (known_then or not held_against))
        if current is not None and value_hash(version.value) == current.hash:
            current.add(version)
            if version.stated or not current.stated:
                self.waiting = None
        elif current is not None and current.stated and not stated:
            if self.waiting is not None and value_hash(version.value) == self.waiting.hash:
                self.waiting.add(version)
            else:
                self.waiting = _Run.of(version, confirmed=False)
        else:
            carried = current.confidence if current is not None and not version.sources else 0.0
            self.runs.append(_Run.of(version, confirmed=confirmed, carried=carried))
            self.waiting = None


def _history(said: Iterable[PreferenceVersion], verdicts: Verdicts) -> _History:
    history = _History()
    for version in sorted(said, key=_by_time):
        judgement = verdicts.get(value_hash(version.value))
        history.add(version, judgement if judgement and judgement.verdict == "confirmed" else None)
    return history


def _accepted(versions: Iterable[PreferenceVersion], verdicts: Verdicts) -> list[PreferenceVersion]:
    """Those whose value nobody has rejected."""
    return [version for version in versions if verdict_on(version.value, verdicts) != "rejected"]


def verdict_on(value: JsonValue, verdicts: Verdicts) -> Verdict | None:
    """A person's verdict on the value; None without one."""
    judgement = verdicts.get(value_hash(value))
    return judgement.verdict if judgement else None


def fold(versions: Sequence[PreferenceVersion], verdicts: Verdicts = NO_VERDICTS) -> Current:
    """The preference that `versions` amount to; ValueError when there are none.

    Versions count in the order in which they were said (`occurred_at`, then version), so that the order in which
    they arrived makes no difference. Each brings its value; an inferred value never replaces a stated one: another
    value waits beside it, until the user states something again; the same value confirms it. Two values are the same
    when they differ in case, white space and closing punctuation alone, or are the same JSON.

    A rejected value counts as never said; when no other is left, it is what is shown, with its verdict. A confirmed
    value counts as stated, with a confidence of 1; but when the user has stated another since, what is inferred after
    the confirmation does not bring it back.

    Confidence is that of the independent evidence since the value began to hold (`evidence.combined`,
    `evidence.independent`), so a value that changed begins with its own. What has no sources was written by hand: then
    the greater of its confidence and the one before is kept. The sources are those of the versions that brought or
    confirmed the value.
    """
    if not versions:
        raise ValueError("a preference has at least one version")
    accepted = _accepted(versions, verdicts)
    said = accepted or versions
    history = _history(said, verdicts if accepted else NO_VERDICTS)
    run, waiting = history.runs[-1], history.waiting
    return Current(
        value=run.winner.value,
        value_version=run.winner.version,
        confidence=run.confidence,
        stated=run.stated,
        occurred_at=run.winner.occurred_at,
        sources=run.sources,
        version=max(version.version for version in versions),
        updated_at=max(version.recorded_at for version in versions),
        valid_from=run.versions[0].occurred_at,
        learned_at=min(version.occurred_at for version in said if value_hash(version.value) == run.hash),
        verdict=verdict_on(run.winner.value, verdicts),
        waiting=waiting.winner.value if waiting else None,
        waiting_confidence=waiting.confidence if waiting else None,
    )


def united(*several: Iterable[str]) -> tuple[str, ...]:
    """All of them, in order, each once."""
    return tuple(dict.fromkeys(item for one in several for item in one))


def all_as_written(
    identifier: str, category: str, key: str, versions: Sequence[PreferenceVersion], verdicts: Verdicts = NO_VERDICTS
) -> list[Preference]:
    """Every version shown as the preference that it wrote, newest first.

    Its value held from when it was said until another took its place; one that never held, because a stated value
    stood against it or a person rejected it, ends where it begins.
    """
    accepted = _accepted(versions, verdicts)
    runs = _history(accepted, verdicts).runs
    ends: dict[int, datetime | None] = {}
    for run, following in zip_longest(runs, runs[1:]):
        end = following.versions[0].occurred_at if following else None
        ends |= {version.version: end for version in run.versions}
    first: dict[bytes, datetime] = {}
    for version in sorted(versions, key=_by_time):
        first.setdefault(value_hash(version.value), version.occurred_at)
    return [
        Preference(
            id=identifier,
            category=category,
            key=key,
            value=version.value,
            confidence=version.confidence,
            stated=version.stated,
            version=version.version,
            updated_at=version.recorded_at,
            occurred_at=version.occurred_at,
            valid_from=version.occurred_at,
            valid_to=ends.get(version.version, version.occurred_at),
            learned_at=first[value_hash(version.value)],
            verdict=verdict_on(version.value, verdicts),
            sources=version.sources,
        )
        for version in sorted(versions, key=lambda version: -version.version)
    ]


def _by_time(version: PreferenceVersion) -> tuple[datetime, int]:
    return version.occurred_at, version.version
