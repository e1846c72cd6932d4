"""Contexts that would show fewer of their lines: how many of these are about the question, against how many contexts
still have an answer. Pure."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_LEAST: Final = 1e-6
"""A score this near to 0 or 1 has the odds of it."""


@dataclass(frozen=True)
class Line:
    """A line of a context. `score`: 0 to 1. `tokens`: of its text. `about`: it rests on a message about the question.
    `answers`: the needed messages that it rests on."""

    score: float
    tokens: int
    about: bool
    answers: frozenset[str]


@dataclass(frozen=True)
class Context:
    """`lines`: best first. `tokens`: of all of it, headings too. `wanted`: the messages that the answer needs, not
    none."""

    lines: Sequence[Line]
    tokens: int
    wanted: frozenset[str]


@dataclass(frozen=True)
class Point:
    """Means over the contexts: `about`, of the share of lines about the question, 0 where there is no line; `answer`
    and `everything`, the share of contexts with any and with all that is wanted; `tokens` and `lines` of one."""

    about: float
    answer: float
    everything: float
    tokens: float
    lines: float


Cut = Callable[[Sequence[Line]], Sequence[Line]]


def odds(score: float) -> float:
    """`score` to what it lacks of 1; finite."""
    bounded = min(1 - _LEAST, max(_LEAST, score))
    return bounded / (1 - bounded)


def best(count: int) -> Cut:
    """The first `count`."""
    return lambda lines: lines[:count]


def near(share: float) -> Cut:
    """Those that have at least `share` of the first one's odds. Not of the highest: scores of tiers are of scales of
    their own, and only the ranking has them in one order."""
    return lambda lines: [line for line in lines if odds(line.score) >= share * odds(lines[0].score)]


CUTS: Final[Mapping[str, Cut]] = {
    "all": lambda lines: lines,
    **{f"odds ≥ {share:g}": near(share) for share in (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)},
    **{f"best {count}": best(count) for count in (10, 8, 5, 3, 2, 1)},
}


def point(contexts: Sequence[Context], cut: Cut) -> Point:
    """The contexts with what `cut` leaves of each, which takes of its tokens what its lines take of all lines'. Raises
    StatisticsError where there is no context."""
    rows = [(one, cut(one.lines)) for one in contexts]
    given = [(one, frozenset[str]().union(*(line.answers for line in lines))) for one, lines in rows]
    return Point(
        about=statistics.fmean(sum(line.about for line in lines) / max(1, len(lines)) for _, lines in rows),
        answer=statistics.fmean(bool(answers) for _, answers in given),
        everything=statistics.fmean(one.wanted <= answers for one, answers in given),
        tokens=statistics.fmean(one.tokens * _tokens(lines) / max(1, _tokens(one.lines)) for one, lines in rows),
        lines=statistics.fmean(len(lines) for _, lines in rows),
    )


def _tokens(lines: Sequence[Line]) -> int:
    return sum(line.tokens for line in lines)


def frontier(contexts: Sequence[Context]) -> dict[str, Point]:
    """A point for each cut; none where there is no context."""
    return {name: point(contexts, cut) for name, cut in CUTS.items()} if contexts else {}
