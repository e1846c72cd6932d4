"""Which passages answer a question, and which of them say more than the items that answer it. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, Protocol, Self, TypeVar

import numpy as np
from pydantic import JsonValue

from ragpp.models import LEAST_RELEVANCE
from ragpp.ranking.coverage import coverage, document_frequencies, inverse_document_frequencies
from ragpp.ranking.texts import rank_texts
from ragpp.stores.packed_columns import cosines, flags, term_weights, whole_numbers
from ragpp.text.lexical import stored_terms
from ragpp.text.sentences import clean, split
from ragpp_services.catalog.items.ranking import AroundColumns, Documents

MOST: Final = 10
"""Passages that are read for one question."""
BESIDE: Final = 1 / 4
"""The least share of the odds (score ÷ (1 - score)) of the best item with which a passage is shown. A judgement, not
fitted: a greater share would leave out passages that answer where the best item does not, a smaller one would show more
that are beside the point."""
INSIDE: Final = 0.75
"""Share of an item's words that a passage of its resource has where it says the item: who is meant, or what stands in
the head of a table, an item spells out."""

LEAST_STATED: Final = 3
"""Words that tell one statement of a resource from another."""


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage that answers a question: of the resource of that ordinal. The rest as `items.ranking.Ranked` has it."""

    resource: int
    part: int
    score: float
    similarity: float | None
    coverage: float
    explain: dict[str, JsonValue] | None = None


def rank_passages(
    around: AroundColumns,
    terms: Sequence[int],
    items: Documents,
    *,
    least: float | None = None,
    by_words_alone: bool = False,
    explain: bool = False,
) -> list[RankedPassage]:
    """The MOST best of the passages that may be shown, on the scale of items; of equals the later one first.

    `items`: how many there are and hold each term, whose rarity is counted over both. `least`, `by_words_alone`,
    `explain`: as of items.
    """
    eligible = np.flatnonzero(flags(around.eligible or b""))
    if not len(eligible) or around.lexical is None:
        return []
    weights = term_weights(around.lexical, terms)
    holding = document_frequencies(weights > 0)
    rarity = inverse_document_frequencies(len(weights) + items.count, holding + items.holding)
    weights, similarity = weights[eligible], cosines(around.distances or b"")[eligible]
    told = coverage(weights, rarity)
    cosine = np.full(len(eligible), np.nan) if by_words_alone else similarity
    scores = rank_texts(cosine, weights, rarity=rarity)
    kept = np.ones(len(eligible), np.bool_) if least is None else similarity >= least
    if by_words_alone:
        kept &= told > 0
    resources, parts = whole_numbers(around.ordinals, "bigint")[eligible], whole_numbers(around.parts, "int")[eligible]
    order = np.lexsort((parts, -resources, -scores))
    best = [place for place in order.tolist() if kept[place]][:MOST]
    return [
        RankedPassage(
            int(resources[place]),
            int(parts[place]),
            float(scores[place]),
            None if np.isnan(similarity[place]) else float(similarity[place]),
            float(told[place]),
            _signals(told[place], cosine[place]) if explain else None,
        )
        for place in best
    ]


def _signals(told: float, cosine: float) -> dict[str, JsonValue]:
    signals: dict[str, JsonValue] = {"words": round(float(told), 4)}
    return signals if np.isnan(cosine) else {**signals, "meaning": round(float(cosine), 4)}


class Showable(Protocol):
    """An item or a passage to be shown. `resources`: ids of those that say it; `lead`: of a passage, or empty."""

    @property
    def text(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def resources(self) -> frozenset[str]: ...
    @property
    def is_passage(self) -> bool: ...
    @property
    def is_replaced(self) -> bool: ...
    @property
    def lead(self) -> str: ...
    def raised(self, score: float) -> Self: ...


ShowableT = TypeVar("ShowableT", bound=Showable)


def beside(items: Sequence[Showable], passages: Iterable[RankedPassage]) -> list[RankedPassage]:
    """Those of `passages` that are about the question (LEAST_RELEVANCE), and not far behind the best item (BESIDE)."""
    least = BESIDE * _odds(max((one.score for one in items), default=0.0))
    return [one for one in passages if one.score >= LEAST_RELEVANCE and _odds(one.score) >= least]


def shown_once(
    items: Sequence[ShowableT], passages: Sequence[ShowableT], asked: Collection[int] = ()
) -> list[ShowableT]:
    """Both, best first, items in their own order and before passages of their score; nothing twice.

    An item and a passage of its resource that says it stand for each other: whichever answers better is shown, and the
    item where the passage says no more, or has none of the terms `asked` that the item has not. Where the passage's
    lead has all of these that the passage has, what is asked is answered by all that stands below it, of which the item
    may be the exception: the passage is shown in the item's place. A passage that says what was replaced since is left
    out: its item tells that.
    """
    compared = _Compared(items, passages, asked)
    kept, holding = list(items), list[ShowableT]()
    for one in passages:
        told = [item for item in kept if compared.says(one, item)]
        if any(item.is_replaced for item in told) or any(compared.stands_for(item, one) for item in items):
            continue
        if told and compared.is_asked_for(one):
            kept = [item for item in kept if not any(item is other for other in told)]
            raised = one.raised(max(one.score, *(item.score for item in told)))
            compared.take_for(raised, one)
            holding.append(raised)
        else:
            holding.append(one)
    holding.sort(key=lambda one: -one.score)
    shown, shown_items, shown_passages = list[ShowableT](), list[ShowableT](), list[ShowableT]()
    for one in _merged(kept, holding):
        if one.is_passage:
            again = any(compared.says(one, other) for other in shown_items)
            again = again or any(one.text == other.text for other in shown)
        else:
            again = any(compared.says(other, one) for other in shown_passages)
        if not again:
            shown.append(one)
            (shown_passages if one.is_passage else shown_items).append(one)
    return shown


@dataclass(frozen=True, slots=True)
class _Words:
    """The terms of a text, and those of each thing that it states."""

    resources: frozenset[str]
    all: frozenset[int]
    stated: list[frozenset[int]]

    @classmethod
    def of_item(cls, item: Showable) -> Self:
        words = _terms(item.text)
        return cls(item.resources, words, [_stated(item.text, words)])

    @classmethod
    def of_passage(cls, passage: Showable) -> Self:
        return cls(passage.resources, _terms(passage.text), _sentences(passage.text[len(passage.lead) :]))


class _Compared:
    """Items and passages by their words, and by the terms `asked`."""

    def __init__(self, items: Sequence[Showable], passages: Sequence[Showable], asked: Collection[int]) -> None:
        self._asked = frozenset(asked)
        self._words = {id(one): _Words.of_item(one) for one in items}
        self._words |= {id(one): _Words.of_passage(one) for one in passages}
        self._known: dict[tuple[int, int], bool] = {}

    def take_for(self, one: Showable, other: Showable) -> None:
        """Have `one` compared as `other` is, whose text it has."""
        self._words[id(one)] = self._words[id(other)]

    def says(self, one: Showable, other: Showable) -> bool:
        """True where a resource of both says in `one` all that `other` states."""
        pair = id(one), id(other)
        known = self._known.get(pair)
        if known is None:
            words, others = self._words[id(one)], self._words[id(other)]
            known = not words.resources.isdisjoint(others.resources) and all(
                len(wanted & words.all) >= INSIDE * len(wanted) for wanted in others.stated
            )
            self._known[pair] = known
        return known

    def is_asked_for(self, passage: Showable) -> bool:
        """True where the passage has some of the terms asked, all of them in its lead."""
        held = self._asked & self._words[id(passage)].all
        return bool(held) and held <= _terms(passage.lead)

    def stands_for(self, item: Showable, passage: Showable) -> bool:
        """True where the item is to be shown, and not the passage."""
        if self.says(item, passage):
            return True
        held = self._asked & self._words[id(passage)].all
        has_all = bool(held) and held <= self._words[id(item)].all
        return has_all and not self.is_asked_for(passage) and self.says(passage, item)


def _terms(text: str) -> frozenset[int]:
    return frozenset(stored_terms(text))


def _stated(text: str, words: frozenset[int]) -> frozenset[int]:
    """The words of what an item states, behind the headings and the colon that it may stand after; all of its `words`
    where that is too little to tell it by."""
    before, _, own = text.rpartition(": ")
    stated = _terms(own) if before else words
    return stated if len(stated) >= LEAST_STATED else words


def _sentences(text: str) -> list[frozenset[int]]:
    """The words of each sentence or line."""
    return [_terms(one.text) for one in split(clean(text))]


def _odds(score: float) -> float:
    return score / (1 - score) if score < 1 else inf


def _merged(items: Sequence[ShowableT], passages: Sequence[ShowableT]) -> list[ShowableT]:
    """Two rankings as one, in which each keeps its order."""
    merged, waiting = list[ShowableT](), list(passages)
    for item in items:
        while waiting and waiting[0].score > item.score:
            merged.append(waiting.pop(0))
        merged.append(item)
    return [*merged, *waiting]


def focus_of(text: str, lead: int, terms: Sequence[int]) -> int:
    """Where in `text`, behind its `lead`, the sentence or row begins that has most of the question's `terms`, of equals
    the first; 0 where that is the first of all, so that the lead stands before it."""
    asked = frozenset(terms)
    sentences = [one for one in split(clean(text)) if one.start >= lead]
    told = [len(asked.intersection(stored_terms(one.text))) for one in sentences]
    place = told.index(max(told)) if sentences else 0
    if not place:
        return 0
    start = sentences[place].start
    line = text.rfind("\n", 0, start) + 1
    return line if "|" in text[line:start] else start
