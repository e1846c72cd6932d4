"""The evidence of a finding, and what it amounts to. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import JsonValue

from ragpp.learned import BY_HAND_DETAIL, COUNTED_DETAIL, READ_DETAIL, Finding
from ragpp.models import DateSpan, FindingEntry, FindingKind
from ragpp_services.procedural.preferences.versions import united


@dataclass(frozen=True, slots=True)
class Evidence:
    """One time that a finding was made, from other interactions than before. `number`: in the order of arrival."""

    number: int
    text: str
    confidence: float
    when: DateSpan | None
    occurred_at: datetime
    sources: tuple[str, ...]
    details: Mapping[str, JsonValue]

    @property
    def is_by_hand(self) -> bool:
        """True of what a person said of the finding."""
        return BY_HAND_DETAIL in self.details

    @property
    def is_correction(self) -> bool:
        """True of the words that a person put in place of what was found. They rest on no interaction."""
        return self.details.get(BY_HAND_DETAIL) == "corrected"


def without_what_was_read(
    known: Mapping[str, tuple[FindingKind, Sequence[Evidence]]],
) -> dict[str, tuple[FindingKind, Sequence[Evidence]]]:
    """Those of the findings, by their ids with their evidence, that are shown: where a language model read something in
    every message that one rests on, its reading stands in place of what was found there without it. What a person said
    of it stays, and so does what was counted in windows."""
    read = {
        source
        for _, evidence in known.values()
        for one in evidence
        if READ_DETAIL in one.details
        for source in one.sources
    }
    return {identifier: of_it for identifier, of_it in known.items() if not read or not _is_read_over(of_it[1], read)}


def _is_read_over(evidence: Sequence[Evidence], read: Collection[str]) -> bool:
    shows = {detail for one in evidence for detail in one.details}
    return shows.isdisjoint((READ_DETAIL, BY_HAND_DETAIL, COUNTED_DETAIL)) and all(
        source in read for one in evidence for source in one.sources
    )


def evidence_of_entry(entry: FindingEntry, number: int) -> Evidence:
    """The entry as evidence of that number."""
    return Evidence(number, entry.text, entry.confidence, entry.when, entry.occurred_at, entry.sources, entry.details)


@dataclass(frozen=True, slots=True)
class Folded:
    """A finding, and the number of the evidence whose text it shows."""

    finding: Finding
    shown: int


def fold(identifier: str, kind: FindingKind, evidence: Sequence[Evidence]) -> Folded:
    """The finding that `evidence` amounts to; ValueError when there is none.

    Text, time and details are those of the latest; the greatest confidence is kept, and every source. The order of
    arrival matters only between what occurred at one moment. What a person corrected is as the last correction says,
    whatever is found later, and rests on nothing else.
    """
    if not evidence:
        raise ValueError("a finding has at least one piece of evidence")
    made = sorted(evidence, key=_by_time)
    since = made[0].occurred_at
    made = [one for one in made if one.is_correction][-1:] or made
    latest = made[-1]
    sources = united(*(one.sources for one in made))
    finding = Finding(
        id=identifier,
        finding=kind,
        text=latest.text,
        confidence=max(one.confidence for one in made),
        support=len(sources),
        when=next((one.when for one in reversed(made) if one.when is not None), None),
        first_at=since,
        last_at=latest.occurred_at,
        sources=sources,
        details=dict(latest.details),
    )
    return Folded(finding, latest.number)


def add(evidence: Sequence[Evidence], new: Evidence) -> list[Evidence]:
    """`evidence` with `new`, or as it is when it holds the same already: the same interactions at the same moment.

    What rests on nothing but what later evidence, as sure, rests on as well is left out, so that a pattern that is
    found again every night does not grow without end; the first stays, for it says since when the finding is known.
    What is left does not depend on the order of arrival, but for the words of what has the same moment and sources.
    What a person said of it stays, and takes the place of nothing.
    """
    for position, one in enumerate(evidence):
        if (one.occurred_at, set(one.sources)) == (new.occurred_at, set(new.sources)):
            surer = replace(one, confidence=max(one.confidence, new.confidence))
            return _without_covered([*evidence[:position], surer, *evidence[position + 1 :]])
    return _without_covered([*evidence, new])


def _without_covered(evidence: Sequence[Evidence]) -> list[Evidence]:
    made = sorted(evidence, key=_by_time)
    kept = [
        one
        for position, one in enumerate(made)
        if not position or not any(_covers(later, one) for later in made[position + 1 :])
    ]
    return sorted(kept, key=lambda one: one.number)


def _covers(later: Evidence, one: Evidence) -> bool:
    if one.is_by_hand or later.is_by_hand:
        return False
    return bool(one.sources) and set(one.sources) <= set(later.sources) and one.confidence <= later.confidence


def _by_time(one: Evidence) -> tuple[datetime, int]:
    return one.occurred_at, one.number
