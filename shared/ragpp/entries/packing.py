"""Which entries are shown, and in which form, so that a budget of tokens holds and what is shown is worth most."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ragpp.entries.values import Form

FORMS: Final = tuple(Form)
WORTH: Final[dict[Form, float]] = {Form.FULL: 1.0, Form.ABSTRACT: 0.7, Form.SUMMARY: 0.35}
"""Share of an entry's score that each form has: an abstract of 200 characters tells most of a fact, a summary of 50
which fact it is, so that it can be asked for."""
MOST_EXACT: Final = 40_000_000
"""Entries × tokens up to which the best packing is looked for; some 0.2 s. Beyond, entries are taken by score."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry that could be shown. `score`: 0 to 1. `tokens`: of each form as it would stand in the context, its line
    end included, more than 0; a form that it does not have is left out."""

    id: str
    score: float
    tokens: dict[Form, int]


@dataclass(frozen=True, slots=True)
class Packed:
    """`shown`: ids with their forms, best first. `left_out`: ids with why not. `tokens`: of all that is shown."""

    shown: dict[str, Form]
    left_out: dict[str, str]
    tokens: int


def pack(offers: Sequence[Offer], budget: int) -> Packed:
    """The forms of offers, whose ids are distinct, that are worth most within a budget of tokens, 0 or more.

    An entry is worth its score times the WORTH of its form. What is shown never has more tokens than the budget. The
    best of all packings, by dynamic programming over tokens; `benchmarks/packing_lab.py` shows what it is worth beside
    taking entries by score, which is what is done with very many (MOST_EXACT).
    """
    usable = [offer for offer in offers if offer.score > 0 and any(size <= budget for size in offer.tokens.values())]
    fullest = {offer.id: next(form for form in FORMS if form in offer.tokens) for offer in usable}
    if sum(offer.tokens[fullest[offer.id]] for offer in usable) <= budget:
        forms = fullest
    elif len(usable) * budget <= MOST_EXACT:
        forms = _optimal(usable, budget)
    else:
        forms = by_score(usable, budget).shown
    return _packed(offers, forms, budget)


def by_score(offers: Sequence[Offer], budget: int) -> Packed:
    """The packing of document 000: the best first, in the fullest form that still fits."""
    forms: dict[str, Form] = {}
    left = budget
    for offer in _ranked(offers):
        for form in FORMS:
            size = offer.tokens.get(form)
            if size is not None and size <= left and offer.score > 0:
                forms[offer.id] = form
                left -= size
                break
    return _packed(offers, forms, budget)


def worth(offers: Sequence[Offer], packed: Packed) -> float:
    """The worth of a packing: the sum of scores times the WORTH of forms."""
    scores = {offer.id: offer.score for offer in offers}
    return sum(scores[one] * WORTH[form] for one, form in packed.shown.items())


def _optimal(offers: Sequence[Offer], budget: int) -> dict[str, Form]:
    """A multiple-choice knapsack: of each entry one form or none. `best[b]`: the most that fits into b tokens."""
    best = np.zeros(budget + 1)
    taken = np.zeros((len(offers), budget + 1), np.int8)
    for place, offer in enumerate(offers):
        before = best.copy()
        for number, form in enumerate(FORMS, 1):
            size = offer.tokens.get(form)
            if size is None or size > budget:
                continue
            with_it = before[: budget + 1 - size] + offer.score * WORTH[form]
            better = with_it > best[size:]
            best[size:][better] = with_it[better]
            taken[place, size:][better] = number
    forms: dict[str, Form] = {}
    left = budget
    for place in range(len(offers) - 1, -1, -1):
        number = int(taken[place, left])
        if number:
            form = FORMS[number - 1]
            forms[offers[place].id] = form
            left -= offers[place].tokens[form]
    return forms


def _ranked(offers: Sequence[Offer]) -> list[Offer]:
    return sorted(offers, key=lambda offer: -offer.score)  # equal ones as they were offered: ids may be random


def _packed(offers: Sequence[Offer], forms: dict[str, Form], budget: int) -> Packed:
    ranked = _ranked(offers)
    shown = {offer.id: forms[offer.id] for offer in ranked if offer.id in forms}
    tokens = sum(offer.tokens[shown[offer.id]] for offer in ranked if offer.id in shown)
    left_out = {offer.id: _why_not(offer, budget) for offer in ranked if offer.id not in shown}
    return Packed(shown, left_out, tokens)


def _why_not(offer: Offer, budget: int) -> str:
    if offer.score <= 0:
        return "not relevant"
    if all(size > budget for size in offer.tokens.values()):
        return "longer than the budget"
    return "others are worth more"
