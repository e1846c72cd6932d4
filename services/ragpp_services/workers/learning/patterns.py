"""Behavioural patterns: what is done repeatedly, when, and in what order. Pure.

A pattern needs MIN_SUPPORT occurrences on MIN_DAYS days; that it has a time, a weekday or an order is said only where
chance would hardly show it (`chance`). What is asked for in other words is the same by vectors or by shared words.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import permutations
from typing import Final

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from ragpp.text.english import WEEKDAYS
from ragpp_services.workers.learning import chance
from ragpp_services.workers.learning.doings import REQUEST_WORDS, Doing
from ragpp_services.workers.learning.texts import content_stems, label_of, stem

MIN_SUPPORT: Final = 3
MIN_DAYS: Final = 2
ALIKE_COSINE: Final = 0.62
"""From here on two requests ask for the same: chosen for all-MiniLM-L6-v2, where unrelated questions stay under 0.4."""
ALIKE_WORDS: Final = 0.6
"""Share of the content words of both that two requests have in common, from which on they are the same."""
PART_COSINE: Final = 0.5
"""Or from here on, when all content words of one are in the other ("the traffic?", "how is the traffic in town?")."""
SOON: Final = timedelta(hours=2)
"""The time within which one thing follows another in a session."""
MOST_REQUESTS: Final = 400
"""Requests of one speaker, the latest, that are compared with each other: the cost grows with their square."""
SOURCES: Final = 100
"""The latest interactions that a pattern names as its evidence."""

_REQUEST_STEMS: Final = frozenset(map(stem, REQUEST_WORDS))


@dataclass(frozen=True)
class Pattern:
    """`key` names it for good, while `text` and `details` change with what is known of it. `strong`: regular enough to
    act on. `topic`: what it is about, in words. `then`: what follows, for an order; `when`: its time, in words.
    `activity`: it is something done, not asked for; `day_sources`: the first evidence of each of its days."""

    key: tuple[str, ...]
    who: str
    text: str
    topic: str
    confidence: float
    last_at: datetime
    sources: tuple[str, ...]
    details: Mapping[str, JsonValue]
    strong: bool = False
    then: str = ""
    when: str = ""
    activity: bool = False
    day_sources: tuple[tuple[datetime, str], ...] = ()


@dataclass(frozen=True)
class _Group:
    """One thing that somebody does, with all its occurrences by time."""

    kind: str
    who: str
    label: str
    doings: tuple[Doing, ...]

    @property
    def days(self) -> list[date]:
        return sorted({doing.at.date() for doing in self.doings})

    @property
    def key(self) -> tuple[str, ...]:
        return self.kind, self.who, *sorted({str(one) for one in content_stems(self.label)} or {self.label})


def find_patterns(
    doings: Sequence[Doing],
    vectors: Mapping[str, npt.NDArray[np.float32]],
    active: Mapping[str, Collection[date]],
) -> list[Pattern]:
    """The patterns in `doings`, the surest first. `vectors`: of the texts of requests, of unit length; a text without
    one is compared by its words. `active`: the days on which each speaker said anything."""
    groups = [
        group
        for group in (*_activities(doings), *_requests(doings, vectors))
        if len(group.doings) >= MIN_SUPPORT and len(group.days) >= MIN_DAYS
    ]
    found = [_pattern(group, active.get(group.who, group.days)) for group in groups]
    found += _orders([group for group in groups if group.kind == "asks"], doings)
    return sorted(found, key=lambda pattern: (-pattern.confidence, pattern.key))


def _activities(doings: Sequence[Doing]) -> list[_Group]:
    """Once a message: the same activity told of in a session is one occurrence a day."""
    grouped: dict[tuple[str, str], dict[date, Doing]] = defaultdict(dict)
    for doing in doings:
        if doing.kind == "does":
            grouped[doing.who, doing.text].setdefault(doing.at.date(), doing)
    return [_Group("does", who, text, tuple(by_day.values())) for (who, text), by_day in grouped.items()]


def _requests(doings: Sequence[Doing], vectors: Mapping[str, npt.NDArray[np.float32]]) -> list[_Group]:
    by_speaker: dict[str, list[Doing]] = defaultdict(list)
    for doing in doings:
        if doing.kind == "asks":
            by_speaker[doing.who].append(doing)
    groups = []
    for who, asked in by_speaker.items():
        for cluster in _clusters(asked[-MOST_REQUESTS:], vectors):
            texts = [doing.text for doing in cluster]
            label = label_of(texts, _typical(texts), leave=REQUEST_WORDS)
            if label:
                groups.append(_Group("asks", who, label, tuple(cluster)))
    return _united(groups)


def _clusters(asked: Sequence[Doing], vectors: Mapping[str, npt.NDArray[np.float32]]) -> list[list[Doing]]:
    """Each request joins the cluster that has the request it is most like, or begins one."""
    clusters: list[list[Doing]] = []
    known: list[tuple[int, frozenset[int], npt.NDArray[np.float32] | None]] = []
    for doing in asked:
        stems = content_stems(doing.text) - _REQUEST_STEMS
        if not stems:
            continue
        vector = vectors.get(doing.text)
        scores = [_likeness(stems, vector, other, other_vector) for _, other, other_vector in known]
        best = max(range(len(scores)), key=scores.__getitem__, default=-1)
        if best >= 0 and scores[best] >= 1:
            place = known[best][0]
            clusters[place].append(doing)
        else:
            place = len(clusters)
            clusters.append([doing])
        known.append((place, stems, vector))
    return clusters


def _likeness(
    stems: frozenset[int],
    vector: npt.NDArray[np.float32] | None,
    other: frozenset[int],
    other_vector: npt.NDArray[np.float32] | None,
) -> float:
    """At least 1 when both ask for the same."""
    both = stems & other
    either = len(stems | other)
    shared = len(both) / either / ALIKE_WORDS
    if vector is None or other_vector is None:
        return 1.0 if both in (stems, other) and both and either - len(both) == 1 else shared
    cosine = float(vector @ other_vector)
    wanted = ALIKE_COSINE
    if not both:
        wanted += 0.1  # without a word in common they must be nearer
    elif both in (stems, other):
        wanted = PART_COSINE
    return max(shared, cosine / wanted)


def _typical(texts: Sequence[str]) -> str:
    """The text that shares most words with the others; the shorter of equals."""
    stems = [content_stems(text) for text in texts]
    return max(
        zip(texts, stems, strict=True),
        key=lambda item: (sum(len(item[1] & other) for other in stems) / (1 + len(item[1])), -len(item[0]), item[0]),
    )[0]


def _united(groups: Sequence[_Group]) -> list[_Group]:
    """Clusters that come out with the same label are one."""
    by_key: dict[tuple[str, ...], _Group] = {}
    for group in groups:
        known = by_key.get(group.key)
        doings = (*known.doings, *group.doings) if known else group.doings
        doings = tuple(sorted(doings, key=lambda doing: (doing.at, doing.source)))
        by_key[group.key] = _Group(group.kind, group.who, known.label if known else group.label, doings)
    return list(by_key.values())


def _pattern(group: _Group, active: Collection[date]) -> Pattern:
    days = group.days
    hours: dict[date, set[int]] = defaultdict(set)
    for doing in group.doings:
        hours[doing.at.date()].add(doing.at.hour)
    # what was told of was done at another hour: only a request has a time of its own
    hour = chance.regular_hour(list(hours.values())) if group.kind == "asks" else None
    weekday = chance.regular_weekday([day.weekday() for day in days]) if group.kind == "asks" else None
    of_days = sum(days[0] <= day <= days[-1] for day in active)
    when = _when(hour, weekday)
    what = f"asks about {group.label}" if group.kind == "asks" else f"goes {group.label}"
    counted = f"on {hour.hits} of {hour.days} days" if hour else f"on {len(days)} of {of_days} days"
    often = "usually" if when else "often"
    details: dict[str, JsonValue] = {"times": len(group.doings), "days": len(days), "of_days": of_days}
    if hour:
        details |= {"hour": hour.start, "hours": hour.width, "in_hours": hour.hits, "chance": round(hour.chance, 5)}
    if weekday:
        details |= {"weekday": weekday.start, "on_weekday": weekday.hits}
    return Pattern(
        key=("pattern", *group.key),
        who=group.who,
        text=_said(group.who, f"{often} {what}{f' {when}' if when else ''} ({counted})"),
        topic=group.label,
        confidence=_confidence(len(days)),
        last_at=group.doings[-1].at,
        sources=_sources(group.doings),
        details=details,
        strong=bool(when) and len(days) >= MIN_SUPPORT,
        when=when,
        activity=group.kind == "does",
        day_sources=_first_of_each_day(group.doings),
    )


def _first_of_each_day(doings: Sequence[Doing]) -> tuple[tuple[datetime, str], ...]:
    first: dict[date, tuple[datetime, str]] = {}
    for doing in doings:
        first.setdefault(doing.at.date(), (doing.at, doing.source))
    return tuple(first.values())


def _said(who: str, what: str) -> str:
    return f"{who} {what}" if who else what


def _confidence(days: int) -> float:
    """0.57 for two days, 0.67 for three, 0.77 for five; never certain."""
    return round(min(0.95, days / (days + 1.5)), 4)


def _sources(doings: Sequence[Doing]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(doing.source for doing in doings))[-SOURCES:]


def _when(hour: chance.Regular | None, weekday: chance.Regular | None) -> str:
    parts = []
    if weekday:
        parts.append(f"on {WEEKDAYS[weekday.start]}s")
    if hour:
        end = (hour.start + hour.width) % 24
        parts.append(f"{_part_of_day(hour)}, {hour.start:02}:00–{end:02}:00")
    return " ".join(parts)


def _part_of_day(hour: chance.Regular) -> str:
    middle = (hour.start + hour.width // 2) % 24
    if 5 <= middle < 12:
        return "in the morning"
    if 12 <= middle < 17:
        return "in the afternoon"
    return "in the evening" if 17 <= middle < 22 else "at night"


def _orders(groups: Sequence[_Group], doings: Sequence[Doing]) -> list[Pattern]:
    """The requests that come soon after something else, in the same session, by the same speaker."""
    sessions = {doing.session_id for doing in doings}
    found = []
    pairs = [(first, second) for first, second in permutations(groups, 2) if first.who == second.who]
    for first, second in pairs:
        followed = {
            one.session_id: (one, other)
            for one in first.doings
            for other in second.doings
            if other.session_id == one.session_id and timedelta(0) < other.at - one.at <= SOON
        }
        days = {one.at.date() for one, _ in followed.values()}
        of_first = len({doing.session_id for doing in first.doings})
        of_second = len({doing.session_id for doing in second.doings})
        by_chance = chance.follows(len(followed), of_first, of_second, len(sessions), len(pairs))
        if len(followed) < MIN_SUPPORT or len(days) < MIN_DAYS or by_chance >= chance.SIGNIFICANCE:
            continue
        members = sorted((doing for pair in followed.values() for doing in pair), key=lambda doing: doing.at)
        counted = f"in {len(followed)} of {of_first} conversations"
        found.append(
            Pattern(
                key=("order", *first.key, "then", *second.key),
                who=first.who,
                text=_said(first.who, f"asks about {second.label} after {first.label} ({counted})"),
                topic=first.label,
                confidence=_confidence(len(days)),
                last_at=members[-1].at,
                sources=_sources(members),
                details={"times": len(followed), "days": len(days), "of": of_first, "chance": round(by_chance, 5)},
                strong=len(followed) >= MIN_SUPPORT,
                then=second.label,
            )
        )
    return found
