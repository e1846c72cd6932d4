"""What a preference's versions amount to: a pure fold over what was written, by the time it was said."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ragpp.models import Preference


@dataclass(frozen=True, slots=True)
class PreferenceVersion:
    """One write to a preference, as it was written. `entry_id`: the entry that brought the value; a restored version
    has that of the version it restores."""

    version: int
    entry_id: str
    value: str
    confidence: float
    stated: bool
    occurred_at: datetime
    recorded_at: datetime
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Current:
    """What holds after a number of versions. `value_version` is the one that brought the value; `version` counts
    all of them."""

    value: str
    value_version: int
    confidence: float
    stated: bool
    occurred_at: datetime
    sources: tuple[str, ...]
    version: int
    updated_at: datetime
    waiting: str | None = None
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
            sources=self.sources,
            waiting=self.waiting,
            waiting_confidence=self.waiting_confidence,
        )


def fold(versions: Sequence[PreferenceVersion]) -> Current:
    """The preference that `versions` amount to; ValueError when there are none.

    Versions count in the order in which they were said (`occurred_at`, then version), so that the order in which
    they arrived makes no difference. Each brings its value, and the greater confidence is kept. An inferred value
    never replaces a stated one: another value waits beside it, until the user states something again; the same
    value confirms it. The sources are those of the versions that brought or confirmed the value.
    """
    if not versions:
        raise ValueError("a preference has at least one version")
    said = sorted(versions, key=lambda version: (version.occurred_at, version.version))
    winner, confidence, sources = said[0], said[0].confidence, said[0].sources
    waiting: PreferenceVersion | None = None
    waiting_confidence: float | None = None
    for version in said[1:]:
        if winner.stated and not version.stated and version.value != winner.value:
            repeated = waiting is not None and waiting.value == version.value
            waiting_confidence = max(version.confidence, waiting_confidence or 0.0) if repeated else version.confidence
            waiting = version
            continue
        confidence = max(confidence, version.confidence)
        sources = united(sources, version.sources) if version.value == winner.value else version.sources
        if version.stated or not winner.stated:
            winner, waiting, waiting_confidence = version, None, None
    return Current(
        value=winner.value,
        value_version=winner.version,
        confidence=confidence,
        stated=winner.stated,
        occurred_at=winner.occurred_at,
        sources=sources,
        version=max(version.version for version in versions),
        updated_at=max(version.recorded_at for version in versions),
        waiting=waiting.value if waiting else None,
        waiting_confidence=waiting_confidence,
    )


def united(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    """Both, in order, each once."""
    return tuple(dict.fromkeys((*first, *second)))


def as_written(identifier: str, category: str, key: str, version: PreferenceVersion) -> Preference:
    """A version shown as the preference that it wrote."""
    return Preference(
        id=identifier,
        category=category,
        key=key,
        value=version.value,
        confidence=version.confidence,
        stated=version.stated,
        version=version.version,
        updated_at=version.recorded_at,
        occurred_at=version.occurred_at,
        sources=version.sources,
    )
