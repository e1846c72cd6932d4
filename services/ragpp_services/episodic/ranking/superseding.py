"""The current answer before what it replaced: the first answer gives way to a later one that states another amount, or
that says of itself that it corrects what was said.

Similarity does not know what is current. Asked "How many cards are there?", a search finds "8 cards" and "we are at
10 cards now" and, when the older says it in more of the question's words, puts it first. So where a question asks for
a state of things, and a later statement by the same speaker is about the same and gives another number, share, sum,
date or time of what was asked for, it is set before the first. Nothing else changes its place, and what was replaced
stays right behind. As of an earlier moment nothing later is seen, so what held then comes first.

A later statement that says of itself that something is otherwise ("Sorry, I meant Hamburg, not Bremen") replaces the
first where the two are ALIKE and it is about the same, be it as far behind as it may: its subject is known from the
first or the question, and what it says that it takes the place of stood in the first (`correcting`). "We're all getting
together on the 27th instead" is hardly like the reunion on June 13, and nothing tells it from a change of something
else; so what gives another date, time or sum than the first where that is asked for, or is NEAR the question and has
the kind of answer that it asks for, is set right behind the first, which it leaves as it is. All that is for who speaks
of themselves, to an assistant or without a name: among people who tell each other stories, half of all statements say
that something has changed. Only what denies the first in its own words ("not on Fridays any more") replaces it whoever
says so, where it is NEAR the question.

About the same: `shared` (the share of the question's information that both hold, 0 to 1) and the cosine of the two
together at least SAME, and that cosine at least ALIKE; and the later may be behind by at most LEAD of that sum, in the
units of the ranking. On the development chats the newer statement is above the one it replaces for 16 of 20 questions
(7 without this; for two of the 20 both are the same message): for as many when each chat is judged by constants that
were chosen without it, and for 13 to 18 with SAME from 0.6 to 0.8 and LEAD from 0.6 to 1.2. What it costs there is the
first place, which a later statement about something else takes from the right one for some 4 questions of 100. In the
conversations between people, which are seldom about amounts, it changes the order for one question of 764.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.text.amounts import BARE, SPECIAL, Kind, amounts, amounts_asked, differ
from ragpp.text.lexical import terms
from ragpp.text.presence import asks_beyond_the_present
from ragpp_services.episodic.ranking.correcting import Correction, corrections, denied
from ragpp_services.episodic.reading.answers import kinds_asked, kinds_in
from ragpp_services.episodic.reading.subjects import Subject, is_of_another, subject_of

SAME: Final = 0.7
LEAD: Final = 0.8
"""Both as the module's docstring says, which has what other values do."""
ALIKE: Final = 0.4
"""Cosine of a statement with what it replaces, at least, without the speaker's name, with which any two have 0.3 more;
of a dozen pairs of unrelated facts none has more than 0.35."""
NEAR: Final = 0.3
"""Cosine with the question, at least, of what may correct something, or denies it whoever said it."""
FARTHER: Final = 0.15
"""Cosine by which a correction that does not say what it takes the place of may be farther from the question than that:
what is said of something else about the same ("the office dog is now asleep" of which dog it is) is farther still."""
SEEN: Final = 5
LIKE_IT: Final = 0.5
"""A statement among the SEEN best that came after the first and is so much LIKE_IT may say what has become of it.
Nothing is set before the first for that: it is shown with it. Chosen on five made-up lives and the development
conversations, whose contexts of 500 tokens have as many lines about the question with it, and 19.1 % of 19.7: with the
ten best and 0.4 they are 27.4 % of 28.7, and 17.3 of 19.7. Of eight changes of mind that a family's chat had it finds
six, with 0.4 seven."""
JUST_BEFORE_S: Final = 43_200.0
"""Seconds within which that was said which is taken back at once, half a day: "wait no that clashes with mum's visit"
means the booking of a minute ago, and not the visit that was told of last week."""
LOOKED_AT: Final = 30
"""How many of the best are looked at: a replacement further down is not about the same."""

_ASKS: Final = re.compile(
    r"\b(?:how (?:many|much|long|old|often|far|big|large|tall|high|fast|heavy|late|early|soon)|what|when|where|which"
    r"|who|whose)\b",
    re.IGNORECASE,
)
_OF_ADVICE: Final = re.compile(r"\b(?:suggest|recommend|advise|advice|explain|tips?|ideas?)\b", re.IGNORECASE)
_CHANGES: Final = re.compile(
    r"\b(?:now|recent\w*|updat\w+|chang\w+|new|newly|mov(?:ed|ing)|reschedul\w+|postpon\w+|adjust\w+|increas\w+"
    r"|decreas\w+|reduc\w+|improv\w+|extend\w+|reach\w*|instead|switch\w*|no longer|any ?more|rais\w+|lower\w*|added"
    r"|gr[eo]wn?|growth|further|actually|revis\w+|shift\w*|correct\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Currency:
    """`order`: of the statements, a permutation. `replaced`: of each that was replaced, by which one. `may_correct`: of
    each that may say what has become of another, of which one."""

    order: list[int]
    replaced: dict[int, int]
    may_correct: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Statement:
    """A candidate. `text`: its part that was found. `speaker`: equal for the same one. `moment`: grows with time.
    `raw`: its score in units of the ranking. `similarity`: its cosine with the question. `vector`: of length 1.
    `holds`: (t,) which terms of the question it has."""

    text: str
    speaker: tuple[str, str | None]
    moment: tuple[float, int]
    raw: float
    similarity: float
    vector: npt.NDArray[np.float32]
    holds: npt.NDArray[np.bool_]

    @cached_property
    def amounts(self) -> dict[Kind, set[str]]:
        return amounts(self.text)

    @cached_property
    def corrections(self) -> tuple[Correction, ...]:
        return corrections(self.text)

    @cached_property
    def denied(self) -> frozenset[int]:
        return denied(self.text)

    @cached_property
    def terms(self) -> frozenset[int]:
        return frozenset(terms(self.text))

    @cached_property
    def is_a_change(self) -> bool:
        return _CHANGES.search(self.text) is not None


def asks_for_the_present(question: str) -> bool:
    """True where `question` is after a state of things as it is: not of the past, not a comparison of moments, and no
    request for advice."""
    is_about_now = not asks_beyond_the_present(question) and _OF_ADVICE.search(question) is None
    return _ASKS.search(question) is not None and is_about_now


class _Between:
    """The relation of one statement to another, for `question`; both by their index."""

    def __init__(self, question: str, statements: Sequence[Statement], rarity: npt.NDArray[np.float64]) -> None:
        self._statements, self._rarity, self._mass = statements, rarity, float(rarity.sum())
        self._kinds, self._answer = amounts_asked(question), kinds_asked(question)
        self._of_oneself = subject_of(question) is not Subject.ANY
        self._asked = frozenset(terms(question))

    def replaces(self, later: int, earlier: int) -> bool:
        """It is about the same, and gives another amount."""
        one, other = self._statements[earlier], self._statements[later]
        if not could_replace(other, one):
            return False
        shared = float(self._rarity[one.holds & other.holds].sum()) / self._mass if self._mass else 0.0
        alike = float(one.vector @ other.vector)
        same = shared + alike
        if not shared or alike < ALIKE or same < SAME or one.raw - other.raw > LEAD * same:
            return False
        return _another_amount(one, other, self._kinds) and not is_of_another(other.text, one.text)

    def corrects(self, later: int, earlier: int) -> bool:
        """It says that this is otherwise: in its own words and about the question (a conference that is not in Berlin
        moves nobody from there), or it is like it."""
        one, other = self._statements[earlier], self._statements[later]
        if comes_after(other, one) and not other.denied.isdisjoint(one.terms) and other.similarity >= NEAR:
            return self._is_about(other, one)
        if not self._says_otherwise(later, earlier) or float(one.vector @ other.vector) < ALIKE:
            return False
        return self._is_about(other, one)

    def may_correct(self, later: int, earlier: int) -> bool:
        """It says that something is otherwise, and may well mean this."""
        one, other = self._statements[earlier], self._statements[later]
        if not self._says_otherwise(later, earlier):
            return False
        if differ(one.amounts, other.amounts, self._kinds & SPECIAL):
            return True
        return other.similarity >= NEAR and bool(self._answer & kinds_in(other.text))

    def _says_otherwise(self, later: int, earlier: int) -> bool:
        first, other = self._statements[earlier], self._statements[later]
        if not other.corrections or (all(one.at_once for one in other.corrections) and not just_before(first, other)):
            return False
        return could_replace(other, first) and (self._of_oneself or first.speaker[1] is None)

    def _is_about(self, correction: Statement, earlier: Statement) -> bool:
        """Its subject is known from `earlier` or the question, and what it takes the place of, where it says that, from
        `earlier`; if not, it corrects what was said, or is about as near to the question."""
        known, near = earlier.terms | self._asked, correction.similarity >= earlier.similarity - FARTHER
        return any(
            one.about <= known and (not one.instead.isdisjoint(earlier.terms) if one.instead else near or one.of_words)
            for one in correction.corrections
            if not one.at_once or just_before(earlier, correction)
        )


def current_first(question: str, statements: Sequence[Statement], rarity: npt.NDArray[np.float64]) -> Currency:
    """The order of `statements` (best first), in which those of the first LOOKED_AT that replace the first stand before
    it, the one that replaces the others at the head; the first is the first that no assistant said, if there is one.

    `rarity`: (t,) the information of each term of the question. The order as it is for a question that does not ask
    for the present, and where nothing is replaced.
    """
    order = list(range(len(statements)))
    if not order or not asks_for_the_present(question):
        return Currency(order, {})
    first = next((index for index in order[:LOOKED_AT] if statements[index].speaker[0] != "assistant"), 0)
    current = _reordered(question, statements, rarity, order, first)
    seen = (index for index in order[:SEEN] if comes_after(statements[index], statements[first]))
    like = [one for one in seen if statements[one].vector @ statements[first].vector >= LIKE_IT]
    return replace(current, may_correct=dict.fromkeys(like, first))


def _reordered(
    question: str, statements: Sequence[Statement], rarity: npt.NDArray[np.float64], order: list[int], first: int
) -> Currency:
    between = _Between(question, statements, rarity)
    others = [index for index in order[:LOOKED_AT] if index != first]
    newer = _latest_first([index for index in others if between.replaces(index, first)], between.replaces)
    corrections = _latest_first([index for index in others if between.corrects(index, first)], between.corrects)
    head = newer or corrections[:1]
    best = head[0] if head else first
    may_be = (index for index in others if index not in head and between.may_correct(index, best))
    doubtful = [] if corrections else list(islice(may_be, 1))
    left = [index for index in order if index not in {*head, *doubtful}]
    if not head:
        place = left.index(first) + 1
        return Currency(left[:place] + doubtful + left[place:], {})
    replaced = [index for index in (first, *head[1:]) if statements[best].is_a_change and between.replaces(best, index)]
    replaced += [index for index in (first, *others) if index != best and between.corrects(best, index)]
    return Currency([best, *doubtful, *head[1:], *left], dict.fromkeys(replaced, best))


def could_replace(later: Statement, earlier: Statement) -> bool:
    """True where it may replace `earlier` at all: said later by the same one, who is no assistant."""
    return comes_after(later, earlier) and later.speaker == earlier.speaker


def just_before(earlier: Statement, later: Statement) -> bool:
    """True where `earlier` was said so shortly before `later` that "no wait" may mean it."""
    return later.moment[0] - earlier.moment[0] <= JUST_BEFORE_S


def comes_after(later: Statement, earlier: Statement) -> bool:
    """True where it was said later than `earlier`, in other words, and by nobody's assistant."""
    return later.moment > earlier.moment and later.speaker[0] != "assistant" and later.text != earlier.text


def _another_amount(earlier: Statement, later: Statement, kinds: Collection[Kind]) -> bool:
    """True where `later` gives another amount of what is asked for, or says that something changed and gives a number
    of nothing named: "it has increased to 7"."""
    if differ(earlier.amounts, later.amounts, kinds):
        return True
    if BARE not in later.amounts or not later.is_a_change:
        return False
    known = set().union(*(earlier.amounts[kind] for kind in kinds if kind in earlier.amounts))
    return bool(known) and not later.amounts[BARE] <= known


def _latest_first(candidates: Sequence[int], replaces: Callable[[int, int], bool]) -> list[int]:
    """`candidates` in their order, but each behind those that replace it."""
    left, placed = list(candidates), list[int]()
    while left:
        first = left[0]
        while (newer := next((one for one in left if replaces(one, first)), None)) is not None:
            first = newer  # always later in time, so this ends
        placed.append(first)
        left.remove(first)
    return placed
